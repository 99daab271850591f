# shellcheck shell=sh
# For tests that boot guests: rt-tests/tap.sh and
#
#   vm NAME KERNEL MODE PAYLOAD [NAME=VALUE]...   boots; sets $status, $out, $err as run does
#   expect_boot 'what it shows'                   one test: the payload ended with 0
#   $results                                      the folder of what the payload wrote
#
# PAYLOAD is the name of a file in rt-tests/vm/payload, without .sh, or a path.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

guests=${BUILD:-build}/vm
results=

vm() {
    guest=$1 kernel=$2 mode=$3 payload=$4
    shift 4
    [ -f "$payload" ] || payload=rt-tests/vm/payload/$payload.sh
    results=$guests/$guest/results
    run rt-tests/vm/vm.sh "$kernel" "$mode" "$payload" "$guests/$guest" "$@"
    out=$(cat "$guests/$guest/output.txt" 2>/dev/null)
}

expect_boot() {
    expect_status 0 "$1"
}

# expect_in FILE TEXT NAME: a file among the results holds the text.
expect_in() {
    check "$(grep -qF -- "$2" "$results/$1"; echo $?)" "$3"
}
