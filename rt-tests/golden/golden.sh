#!/bin/bash
# The golden hash: state of plant and sensors after hard.yaml, for each car. It is the same bits in
# every build: any optimisation, another compiler, sanitizers, with and without AVX.
#
#   golden.sh compare   each build and car against hashes.txt, as TAP; `make test` runs it
#   golden.sh update    the same, printed as a table; then the hashes are written to hashes.txt
#
# A change of the model changes the hashes: `make golden`, look at what the change did, commit both.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

BUILD=${BUILD:-build}
file=rt-tests/golden/hashes.txt
scratch=$(mktemp -d)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT
: >"$log"
make="make --no-print-directory -j$(nproc) BUILD=$BUILD"
plain_cpu='qemu-x86_64 -cpu qemu64'

# Builds: name, make target, how to start its program.
builds=(plain O0 O3 clang sanitizers no-avx)
declare -A target=(
    [plain]=sim [O0]=variant-O0 [O3]=variant-O3 [clang]=variant-clang
    [sanitizers]='variant-asan PARTS=sim' [no-avx]=sim)
declare -A program=(
    [plain]=$BUILD/skidpad-sim [O0]=$BUILD/O0/skidpad-sim [O3]=$BUILD/O3/skidpad-sim
    [clang]=$BUILD/clang/skidpad-sim [sanitizers]=$BUILD/asan/skidpad-sim
    [no-avx]="$plain_cpu $BUILD/skidpad-sim")

# Cars: as their files have them, and CAR.MODEL for some as another model.
cars() {
    local car
    for car in config/vehicles/*.yaml; do
        basename "$car" .yaml
    done
    echo sedan.two_track
    echo sports.two_track
}

# file_of CAR: its vehicle file; of another model a copy.
file_of() {
    local car=${1%%.*} own=$scratch/vehicles
    if [ "$car" = "$1" ]; then
        echo "config/vehicles/$car.yaml"
        return
    fi
    mkdir -p "$own" && ln -sfn "$PWD/config/tyres" "$scratch/tyres" &&
        sed "s/^model: .*/model: ${1#*.}/" "config/vehicles/$car.yaml" >"$own/$1.yaml" &&
        echo "$own/$1.yaml"
}

# hash_of BUILD CAR: what the program prints; nothing if it fails.
hash_of() {
    # shellcheck disable=SC2086 # a program with its arguments
    ${program[$1]} rt-tests/golden/hard.yaml --vehicle "$(file_of "$2")" --out /dev/null \
        2>>"$log" | awk '$1 == "state" { print $2 }'
}

# The emulated CPU has no AVX, and the code for that ran: qemu names what it translates.
ran_without_avx() {
    local trace
    trace=$($plain_cpu -d in_asm "$BUILD/skidpad-sim" rt-tests/golden/hard.yaml --duration 0.01 \
        --out /dev/null 2>&1 | grep -E '^IN: tyre_forces_|[%]ymm' | sort | uniq -c)
    echo "$trace" >>"$log"
    [[ $trace == *tyre_forces_base* && $trace != *tyre_forces_avx* && $trace != *ymm* ]]
}

tests=0
failed=0
# check STATUS NAME
check() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        echo "not ok $tests - $2"
        sed 's/^/# /' "$log"
        failed=1
    fi
    : >"$log"
}

compare() {
    local build car want got
    for build in "${builds[@]}"; do
        # shellcheck disable=SC2086 # several words
        $make ${target[$build]} >>"$log" 2>&1
        check $? "$build: builds"
        for car in $(cars); do
            want=$(awk -v car="$car" '$1 == car { print $2 }' "$file" 2>/dev/null)
            got=$(hash_of "$build" "$car")
            echo "is ${got:-missing}, $file has ${want:-nothing}" >>"$log"
            [ -n "$got" ] && [ "$got" = "$want" ]
            check $? "$build: $car"
        done
    done
    ran_without_avx
    check $? 'no-avx: the code without AVX ran'
    echo "1..$tests"
    return $failed
}

update() {
    local build car first got bad=0
    printf '%-16s' car
    printf ' %-16s' "${builds[@]}"
    echo
    for build in "${builds[@]}"; do
        # shellcheck disable=SC2086 # several words
        $make ${target[$build]} >>"$log" 2>&1 || { cat "$log"; return 1; }
    done
    : >"$log"
    for car in $(cars); do
        first=
        printf '%-16s' "$car"
        for build in "${builds[@]}"; do
            got=$(hash_of "$build" "$car")
            first=${first:-$got}
            [ -n "$got" ] && [ "$got" = "$first" ] || bad=1
            printf ' %-16s' "${got:-failed}"
        done
        echo
        echo "$car $first" >>"$log"
    done
    if [ $bad -ne 0 ]; then
        echo "The builds differ: $file stays as it is." >&2
        return 1
    fi
    if cmp -s "$log" "$file"; then
        echo "$file is up to date."
    else
        cp "$log" "$file" && echo "$file was changed."
    fi
}

case ${1-} in
compare | update) "$1" ;;
*)
    echo "usage: $0 compare|update" >&2
    exit 2
    ;;
esac
