#!/bin/sh
# The study's experiment in short on a general-purpose and a real-time kernel, and their comparison;
# on the real-time kernel no deadline is missed under load. On the instruction clock: the length of the
# kernels' paths, whatever this machine does meanwhile. STEPS (25,000; the figure makes 100,000) under
# load on the real-time kernel.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

steps=${STEPS:-25000}
idle=idle@1000,500,200,100,50@1000
for kernel in stock rt; do
    case $kernel in
    stock) runs=$idle+load50@50@5000 ;;
    rt) runs=$idle+load50@50@$steps+load100@100@$steps ;;
    esac
    vm bench-$kernel $kernel clock bench runs="$runs"
    expect_boot "$kernel: the bench runs idle and under load"
    check "$(grep -c '"state_equal": true' "$results/idle.json" | grep -qx 5; echo $?)" \
        "$kernel, idle: five periods, each ends in the offline state"
    check "$(grep -c '"missed": 0' "$results/idle.json" | grep -qx 5; echo $?)" \
        "$kernel, idle: no deadline missed"
    expect_in load50.json '"state_equal": true' "$kernel, load: ends in the offline state"
    expect_in load50.json '"clock_source": "tsc"' "$kernel: the clock is read without a system call"
done
expect_no_miss load50.json 50 "$steps"
expect_no_miss load100.json 100 "$steps"

real_ns=$(number max_ns load50.json)
results=$guests/bench-stock/results
stock_ns=$(number max_ns load50.json)
echo "# largest wake-up latency under load: PREEMPT_RT $real_ns ns, stock $stock_ns ns"
check "$([ "$real_ns" -lt "$stock_ns" ]; echo $?)" \
    'under load the real-time kernel wakes the loop sooner at worst'

run skidpad bench --compare "$guests"/bench-stock/results/*.json "$guests"/bench-rt/results/*.json \
    --svg "$scratch/kernels.svg"
expect_status 0 'the kernels are compared in one drawing'
check "$(grep -q 'rt-amd64, load' "$scratch/kernels.svg"; echo $?)" 'which names kernel and load'
finish
