# shellcheck shell=sh
# cyclictest and skidpad bench take turns on the same CPU, with the same priority and period. bench
# has its inputs from the table: cyclictest has no second process either.
# programs: cyclictest
# seconds: 3000
set -eu

for turn in 1 2 3 4 5; do
    cyclictest --quiet --mlockall --threads=1 --affinity=0 --priority=80 --nsecs \
        --interval="${period_us:?}" --loops="${loops:?}" --histogram=100000 >"cyclictest-$turn.txt"
    skidpad bench --rt "$VM_RT" --periods-us "$period_us" --steps "$loops" --cpu 0 --priority 80 \
        --feed table --json "bench-$turn.json" >"bench-$turn.txt" 2>&1
done
