#!/bin/bash
# Builds and runs the named groups of tests; `make test` runs them all. docs/building.md has a
# table of the groups.
#
#   rt-tests/run-all.sh unit|cli|model|loop|host|inject|soak|web|vm|static|sanitize|golden|perf|fuzz ...
#
# Settings from the environment: BUILD, ONLY (labels that contain it), FUZZ_SECONDS, and those of
# run-tests.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

BUILD=${BUILD:-build}
results=$BUILD/results
only=${ONLY:-}
fuzz_seconds=${FUZZ_SECONDS:-5}
cores=$(nproc)
# Jobs call make on their own, not as part of the make that called this.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL ONLY

# Sanitizers must stop the program, with another status than cmocka's number of failures.
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:exitcode=99
export LSAN_OPTIONS=suppressions=$PWD/rt-tests/check/lsan.txt:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:exitcode=99
# ThreadSanitizer cannot place its shadow memory under some kernels' address randomisation.
fixed_addresses=
setarch "$(uname -m)" -R true 2>/dev/null && fixed_addresses="setarch $(uname -m) -R"

# A locale with a decimal comma, for the test that numbers do not depend on the locale.
export LOCPATH=$PWD/$BUILD/locale
if [ ! -d "$LOCPATH/de_DE.UTF-8" ]; then
    mkdir -p "$LOCPATH"
    localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8"
fi

first=()  # jobs that run one by one, after the plain build
before=() # jobs that need the plain build at most
builds=() # long jobs, mostly other builds of the sources
after=()  # jobs that need those builds

has_only() {
    [[ -z $only || $1 == *"$only"* ]]
}

# add LIST KIND LABEL SECONDS COMMAND
add() {
    local -n list=$1
    has_only "$3" && list+=("$2|$3|$4|$5")
}

# test_programs GROUP [TEXT]: names of the test programs of a group, without path and ending; only
# those whose source has the text.
test_programs() {
    local source
    for source in rt-tests/"$1"/test_*.c; do
        [ -e "$source" ] && grep -q -- "${2:-}" "$source" && basename "$source" .c
    done
}

test_scripts() {
    local script
    for script in rt-tests/"$1"/test_*.sh; do
        [ -e "$script" ] && basename "$script" .sh
    done
}

# Not once more under sanitizers: they make system calls of their own, which test_filter forbids; the
# Makefile's test does not look at the programs; the others drive for long what shorter tests drive
# too.
plain_only='test_filter test_make test_catalogue test_self_convergence test_stability test_standstill
    test_ecu_esp test_lap'
is_plain_only() {
    [[ " ${plain_only//$'\n'/ } " == *" $1 "* ]]
}

# programs LIST FOLDER PREFIX GROUP SECONDS [WRAPPER [TEXT]]
programs() {
    local name
    for name in $(test_programs "$4" "${7:-}"); do
        [ -n "$3" ] && is_plain_only "$name" && continue
        [ "$3" = tsan/ ] && grep -qF '/* build: no-tsan */' "rt-tests/$4/$name.c" && continue
        add "$1" cmocka "$3$4/$name" "$5" "${6:-} $2/tests/$4/$name"
    done
}

# The loop's programs, then runs of the commands that take their time.
group_loop() {
    local name
    programs before "$BUILD" '' loop 120
    programs before "$BUILD" '' rt-shim 120
    for name in $(test_scripts loop); do
        add before tap "loop/$name" 400 "SKIDPAD_BUILD=$BUILD rt-tests/loop/$name.sh"
    done
}

group_cli() {
    local name
    for name in $(test_scripts cli); do
        add before tap "cli/$name" 300 "SKIDPAD_BUILD=$BUILD rt-tests/cli/$name.sh"
    done
}

group_host() {
    local name
    for name in $(test_scripts host); do
        add before tap "host/$name" 400 "SKIDPAD_BUILD=$BUILD rt-tests/host/$name.sh"
    done
}

# Calls that fail, in the programs that log, record, command and publish.
group_inject() {
    add before tap inject/test_inject 600 "SKIDPAD_BUILD=$BUILD rt-tests/inject/test_inject.sh"
}

# A serving bench under requests and kills.
group_soak() {
    add before tap soak/test_soak 300 "SKIDPAD_BUILD=$BUILD rt-tests/soak/test_soak.sh"
}

# The page: types, units of its code, then the page itself in a browser. Its libraries are fetched
# before, once.
group_web() {
    local name
    first+=("plain|build/web|300|command -v npm >/dev/null || exit 77; make web-tests")
    for name in $(test_scripts web); do
        add before tap "web/$name" 300 "SKIDPAD_BUILD=$BUILD rt-tests/web/$name.sh"
    done
}

group_vm() {
    local name
    for name in $(test_scripts vm); do
        add before tap "vm/$name" 3600 "rt-tests/vm/$name.sh"
    done
}

group_static() {
    local name
    for name in arrows pure hardened clocks format shell links; do
        add before plain "check/$name" 120 "rt-tests/check/$name.sh"
    done
    for name in $(test_scripts check); do
        add before tap "check/$name" 120 "rt-tests/check/$name.sh"
    done
    add builds plain check/clang-tidy 1500 "make -k tidy TIDY=quick"
    add builds plain check/cppcheck 900 rt-tests/check/cppcheck.sh
}

group_sanitize() {
    local name
    add builds plain build/asan 900 "make -k variant-asan"
    add builds plain build/tsan 900 "make -k variant-tsan"
    programs after "$BUILD/asan" asan/ unit 300
    programs after "$BUILD/asan" asan/ model 900
    programs after "$BUILD/asan" asan/ loop 300
    programs after "$BUILD/asan" asan/ rt-shim 300
    programs after "$BUILD/tsan" tsan/ unit 300 "$fixed_addresses" thread
    programs after "$BUILD/tsan" tsan/ loop 300 "$fixed_addresses"
    for name in $(test_scripts cli); do
        is_plain_only "$name" && continue
        add after tap "asan/cli/$name" 600 "SKIDPAD_BUILD=$BUILD/asan rt-tests/cli/$name.sh"
    done
}

# After the others, whose builds it uses.
group_golden() {
    add after tap golden 900 "rt-tests/golden/golden.sh compare"
}

group_perf() {
    add before tap perf/instructions 900 "rt-tests/perf/perf.sh limit"
    add before tap perf/bus 600 "rt-tests/perf/bus.sh limit"
    add before tap perf/ecu 600 "rt-tests/perf/ecu.sh limit"
    add before tap perf/hydraulics 600 "rt-tests/perf/hydraulics.sh limit"
    add before tap perf/codec 120 "rt-tests/perf/codec.sh"
    add before plain perf/loop 300 "$BUILD/perf/loop_cost 200"
}

group_fuzz() {
    local source name
    add builds plain build/fuzz 900 "make -k variant-fuzz"
    for source in rt-tests/fuzz/fuzz_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        add after plain "fuzz/${name#fuzz_}" $((fuzz_seconds + 120)) \
            "rt-tests/fuzz/run.sh ${name#fuzz_} $fuzz_seconds"
    done
}

run() {
    [ $# -eq 0 ] || printf '%s\n' "$@" | rt-tests/run-tests.sh run "$results"
}

if [ $# -eq 0 ]; then
    echo "usage: $0 unit|cli|model|loop|host|inject|soak|web|vm|static|sanitize|golden|perf|fuzz ..." >&2
    exit 2
fi
rm -rf "$results"
mkdir -p "$results"
for group in "$@"; do
    case $group in
    unit) programs before "$BUILD" '' unit 120 ;;
    model) programs before "$BUILD" '' model 600 ;;
    loop | cli | host | inject | soak | web | vm | static | sanitize | golden | perf | fuzz) "group_$group" ;;
    *)
        echo "$0: unknown group '$group'" >&2
        exit 2
        ;;
    esac
done

# A file that does not compile leaves its test program missing, which fails below: nothing stops
# before the count. The other builds would only repeat the same errors.
TEST_JOBS=1 run "plain|build/plain|900|make -k -j$cores all tests CFLAGS=-Werror"
TEST_JOBS=1 run "${first[@]}"
if read -r _ failed _ <"$results/build.plain.count" && [ "$failed" -gt 0 ]; then
    run "${before[@]}"
    echo "The build failed: other builds, static analysis and fuzzing were left out."
else
    run "${before[@]}" "${builds[@]}"
    run "${after[@]}"
fi
rt-tests/run-tests.sh sum "$results"
