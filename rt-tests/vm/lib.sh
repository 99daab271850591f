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
    # An emulated PC with several CPUs now and then stands still, wherever it is: once more, and said.
    case $mode:$err in
    function:*'no end after'*)
        echo "# the guest stood still; it is started once more"
        run rt-tests/vm/vm.sh "$kernel" "$mode" "$payload" "$guests/$guest" "$@"
        ;;
    esac
    out=$(cat "$guests/$guest/output.txt" 2>/dev/null)
}

expect_boot() {
    expect_status 0 "$1"
}

# expect_in FILE TEXT NAME: a file among the results holds the text.
expect_in() {
    check "$(grep -qF -- "$2" "$results/$1"; echo $?)" "$3"
}

# number KEY FILE: the first number of that name in a result of skidpad bench.
number() {
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$results/$2" | head -n 1
}

# expect_number KEY FILE VALUE NAME
expect_number() {
    check "$([ "$(number "$1" "$2")" = "$3" ]; echo $?)" "$4"
}

# expect_no_miss FILE PERIOD_US STEPS: the promise of docs/real-time.md, on the instruction clock: the
# PREEMPT_RT kernel under load, with the inputs from another process on the same, only CPU.
expect_no_miss() {
    expect_number steps_made "$1" "$3" "$2 us, PREEMPT_RT, load: makes every step"
    expect_number missed "$1" 0 "$2 us: misses no deadline"
    expect_number in_time "$1" "$3" "$2 us: every input arrives in time from the other process"
    expect_number page_faults "$1" 0 "$2 us: has no page fault"
    expect_in "$1" '"realtime_kernel": true' "$2 us: on a real-time kernel"
    expect_in "$1" '"state_equal": true' "$2 us: and ends in the offline state"
    # wake_up is the first part of the file with a maximum
    echo "# wake-up max $(number max_ns "$1") ns, p99.9 $(number p99_9_ns "$1") ns," \
        "instruction clock: scheduling-path length, no caches, no SMIs"
}
