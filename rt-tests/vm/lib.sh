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

# number KEY FILE: the first number of that name in a result of skidpad bench.
number() {
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$results/$2" | head -n 1
}

# expect_number KEY FILE VALUE NAME
expect_number() {
    check "$([ "$(number "$1" "$2")" = "$3" ]; echo $?)" "$4"
}

# loaded_bench PERIOD_US: the promise of docs/real-time.md, on the instruction clock. STEPS (25,000;
# the figure makes 100,000) on the PREEMPT_RT kernel under load, with the inputs from another process
# on the same, only CPU: none of them late.
loaded_bench() {
    steps=${STEPS:-25000}
    vm "bench-$1us" rt clock bench "runs=load@$1@$steps"
    expect_boot "$1 us, PREEMPT_RT, load: the bench runs"
    expect_number steps_made load.json "$steps" 'makes every step'
    expect_number missed load.json 0 'misses no deadline'
    expect_number in_time load.json "$steps" 'every input arrives in time from the other process'
    expect_number page_faults load.json 0 'has no page fault'
    expect_in load.json '"realtime_kernel": true' 'on a real-time kernel'
    expect_in load.json '"state_equal": true' 'and ends in the offline state'
    # wake_up is the first part of the file with a maximum
    echo "# wake-up max $(number max_ns load.json) ns, p99.9 $(number p99_9_ns load.json) ns," \
        "instruction clock: scheduling-path length, no caches, no SMIs"
}
