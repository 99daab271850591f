#!/bin/bash
# Draws the figure of docs/real-time.md anew, missed deadlines of a general-purpose and of a
# real-time kernel on the instruction clock, and prints the table beside it. Runs guests side by
# side, one for each core (VM_JOBS). With VM_KERNEL another kernel adds
# its curve (README.md).
#
#   figure.sh [SVG]
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

svg=${1:-docs/img/virtual_bench.svg}
guests=${BUILD:-build}/vm
kernels="stock rt${VM_KERNEL:+ other}"
runs="load@50@100000 load@100@100000 idle@1000,500,200,100,50@10000"

# guest KERNEL RUN: the folder of its results.
guest() {
    echo "$guests/figure-$1-${2%@*}"
}

for run in $runs; do
    for kernel in $kernels; do
        while [ "$(jobs -pr | wc -l)" -ge "${VM_JOBS:-$(nproc)}" ]; do
            wait -n
        done
        rt-tests/vm/vm.sh "$kernel" clock rt-tests/vm/payload/bench.sh "$(guest "$kernel" "$run")" \
            "runs=$run" &
    done
done
wait

files=()
for kernel in $kernels; do
    for run in $runs; do
        file=$(guest "$kernel" "$run")/results/${run%%@*}.json
        [ -s "$file" ] || { echo "$0: no $file" >&2; exit 1; }
        files+=("$file")
    done
done
./skidpad bench --compare "${files[@]}" --svg "$svg" >/dev/null || exit 1
echo "Instruction clock: scheduling-path length, no caches, no SMIs."
echo
awk -f rt-tests/vm/table.awk "${files[@]}"
