#!/bin/sh
# The study's experiment in short on a general-purpose and a real-time kernel, and their comparison.
# On the instruction clock: the length of the kernels' paths, whatever this machine does meanwhile.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

runs=idle@1000,500,200,100,50@1000+load@50@5000
for kernel in stock rt; do
    vm bench-$kernel $kernel clock bench runs=$runs
    expect_boot "$kernel: the bench runs idle and under load"
    check "$(grep -c '"state_equal": true' "$results/idle.json" | grep -qx 5; echo $?)" \
        "$kernel, idle: five periods, each ends in the offline state"
    check "$(grep -c '"missed": 0' "$results/idle.json" | grep -qx 5; echo $?)" \
        "$kernel, idle: no deadline missed"
    expect_in load.json '"state_equal": true' "$kernel, load: ends in the offline state"
    expect_in load.json '"clock_source": "tsc"' "$kernel: the clock is read without a system call"
done
real_ns=$(number max_ns load.json)
results=$guests/bench-stock/results
stock_ns=$(number max_ns load.json)
echo "# largest wake-up latency under load: PREEMPT_RT $real_ns ns, stock $stock_ns ns"
check "$([ "$real_ns" -lt "$stock_ns" ]; echo $?)" \
    'under load the real-time kernel wakes the loop sooner at worst'

run skidpad bench --compare "$guests"/bench-stock/results/*.json "$guests"/bench-rt/results/*.json \
    --svg "$scratch/kernels.svg"
expect_status 0 'the kernels are compared in one drawing'
check "$(grep -q 'rt-amd64, load' "$scratch/kernels.svg"; echo $?)" 'which names kernel and load'
finish
