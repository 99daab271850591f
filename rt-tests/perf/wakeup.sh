#!/bin/bash
# Does the loop wake up as soon as this machine lets any program wake up? cyclictest and skidpad
# bench take turns, five times each, on the same CPU, with the same priority and period.
#
#   wakeup.sh [PERIOD_US [LOOPS]]     200 and 25000: about a minute
#
# Prints p99.9 of the wake-up latency of each turn, and a verdict on their medians: ours may be above
# that of cyclictest by 10 % or 1 us, whichever is more. A busy machine says nothing about either, so
# no test depends on this.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

BUILD=${BUILD:-build}
period_us=${1:-200}
loops=${2:-25000}
cpu=$(($(nproc) - 1))
priority=80
turns=5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! command -v cyclictest >/dev/null; then
    echo "cyclictest is not installed (Debian: rt-tests): not compared"
    exit 0
fi

# The smallest whole us that 99.9 % of all wake-ups did not exceed: never more than the true value.
cyclictest_p99_9() {
    cyclictest --quiet --mlockall --threads=1 --affinity=$cpu --priority=$priority \
        --interval="$period_us" --loops="$loops" --histogram=100000 >"$scratch/cyclictest" 2>&1 || {
        cat "$scratch/cyclictest" >&2
        return 1
    }
    awk '/^[0-9]/ && $2 > 0 { us[++n] = $1 + 0; count[n] = $2; all += $2 }
        /^# Histogram Overflows:/ { over = $NF; all += over }
        END { for (i = 1; i <= n; i++) { seen += count[i]; if (seen >= 0.999 * all) break }
            print i <= n ? us[i] : 100000 }' "$scratch/cyclictest"
}

bench_p99_9() {
    SKIDPAD_CONFIG_DIR=config "$BUILD/skidpad-bench" --periods-us "$period_us" --steps "$loops" \
        --cpu $cpu --priority $priority --feed table --json "$scratch/bench.json" \
        >"$scratch/bench" 2>&1 || { cat "$scratch/bench" >&2; return 1; }
    awk '/"wake_up"/ { here = 1 } here && /"p99_9_ns"/ { gsub(/[^0-9-]/, "", $2); print $2 / 1000
        exit }' "$scratch/bench.json"
}

median() {
    tr ' ' '\n' <<<"$*" | sort -n | sed -n "$(((turns + 1) / 2))p"
}

echo "wake-up latency, p99.9 in us: CPU $cpu, SCHED_FIFO $priority, period $period_us us, $loops wake-ups a turn"
printf '%s, %s\n\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(uname -sr)"
echo '| turn | cyclictest | skidpad bench |'
echo '|---|---|---|'
theirs=() ours=()
for ((turn = 1; turn <= turns; turn++)); do
    theirs+=("$(cyclictest_p99_9)") || exit 2
    ours+=("$(bench_p99_9)") || exit 2
    echo "| $turn | ${theirs[-1]} | ${ours[-1]} |"
done
a=$(median "${theirs[@]}") b=$(median "${ours[@]}")
echo "| median | $a | $b |"
echo
awk -v a="$a" -v b="$b" 'BEGIN {
    room = a * 0.1 > 1 ? a * 0.1 : 1
    printf "verdict: %s (%g us, at most %g us)\n", b <= a + room ? "pass" : "FAIL", b, a + room }'
