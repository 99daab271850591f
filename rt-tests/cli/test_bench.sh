#!/bin/sh
# skidpad bench: table, JSON, the offline state, comparing, and what bad input gets. Nothing here
# judges timing.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
virtual=$scratch/virtual.json
posix=$scratch/posix.json
drive=config/scenarios/torque_and_steering.yaml

# has KEY FILE NAME
has() {
    check "$(grep -q "\"$1\":" "$2"; echo $?)" "$3"
}

# The simulated clock: every number is known.
run skidpad bench --rt virtual --steps 200 --periods-us 1000,50 --json "$virtual" \
    --label 'simulated "clock"'
expect_status 0 'simulated clock: runs'
expect_no_err 'simulated clock: no message'
expect_out '  1000        0       0.0 |' 'simulated clock: a line for 1 ms, nothing missed'
expect_out '    50        0       0.0 |' 'simulated clock: a line for 0.05 ms'
check "$(printf '%s\n' "$out" | grep -c 'equal, every input in its step' | grep -qx 2; echo $?)" \
    'every input arrives, and the state is that of the offline run'
for key in format label command machine proc_version command_line clock_source cpu options periods \
    period_us missed late_worst_ns wake_up execution response p99_9_ns histogram_us cpu_share \
    substeps inputs in_time round_trip state state_offline; do
    has $key "$virtual" "JSON has $key"
done
check "$(grep -qF '"label": "simulated \"clock\""' "$virtual"; echo $?)" 'JSON escapes texts'
check "$(grep -c '"state_equal": true' "$virtual" | grep -qx 2; echo $?)" 'JSON: states are equal'
if command -v jq >/dev/null; then
    check "$(jq -e '.periods | map(.wake_up.histogram_us == [[0,200]]) | all' "$virtual" \
        >/dev/null; echo $?)" 'JSON is valid and the histogram holds every step'
fi
state=$(sed -n 's/.*"state": "\(.*\)".*/\1/p' "$virtual" | head -n 1)
run skidpad sim $drive --step-ms 1 --duration 0.2 --out "$scratch/x.csv"
expect_out "state      $state after 200 steps" 'the state is that of skidpad sim'

run skidpad bench --rt virtual --steps 200 --periods-us 1000 --feed table
expect_status 0 'table: runs'
expect_out 'NOT from a process' 'table: says that no process feeds'
expect_out "1000 $state $state equal" 'table: the same state'
run skidpad bench --rt virtual --steps 100 --periods-us 100 --integrator forward \
    --car config/vehicles/compact.yaml
expect_status 0 'another car and integrator'
expect_out 'equal' 'another car: the offline state'

# The real clock.
run skidpad bench --allow-nonrt --steps 200 --periods-us 2000 --load all --json "$posix"
expect_status 0 'real clock: runs'
expect_out ' equal' 'real clock: the offline state, whatever arrived late'
run skidpad bench --allow-nonrt --steps 200 --periods-us 2000 --feed table
expect_status 0 'real clock, table: runs'
# Sanitizers make system calls of their own.
if ! grep -q '__[at]san_init' "${SKIDPAD_BUILD:-build}/skidpad-bench"; then
    run skidpad bench --allow-nonrt --steps 200 --periods-us 2000 --strict-syscalls
    expect_status 0 'real clock: no call but those allowed'
fi

# Comparing.
run skidpad bench --compare "$virtual" "$posix" --svg "$scratch/c.svg"
expect_status 0 'two results are compared'
expect_out 'simulated "clock"' 'the comparison names the labels'
check "$(xmllint --noout "$scratch/c.svg" 2>/dev/null || [ $? -eq 127 ]; echo $?)" \
    'the drawing is well-formed'
check "$(grep -q 'Missed deadlines' "$scratch/c.svg"; echo $?)" 'the drawing has the misses'
check "$(grep -q 'Wake-up latency at 50 us' "$scratch/c.svg"; echo $?)" \
    'the drawing has a histogram for each period'
if command -v rsvg-convert >/dev/null; then
    run skidpad bench --compare "$virtual" --png "$scratch/c.png"
    check "$([ -s "$scratch/c.png" ]; echo $?)" 'a PNG is drawn'
fi
mkdir "$scratch/bin"
run env PATH="$scratch/bin" "$(command -v env)" "${SKIDPAD_BUILD:-build}/skidpad-bench" \
    --compare "$virtual" --png "$scratch/none.png"
expect_status 2 'no rsvg-convert: status 2'
expect_err 'rsvg-convert is not installed' 'no rsvg-convert: says so'
for damaged in cut deep empty falling_times more_misses_than_steps other_format wrong_kind; do
    run skidpad bench --compare rt-tests/fuzz/corpus/bench_json/$damaged.json
    expect_status 2 "$damaged: status 2"
    expect_err "$damaged.json:" "$damaged: says where"
done
# wrong EXPRESSION NAME MESSAGE: a result changed by sed, whose numbers do not go together.
wrong() {
    sed "$1" docs/data/bench/evl_50us.json > "$scratch/wrong.json"
    run skidpad bench --compare "$scratch/wrong.json"
    expect_status 2 "$2: status 2"
    expect_err "$3" "$2: says so"
    check "$(printf '%s\n' "$err" | grep -q 'wrong.json:[0-9]*:[0-9]*: '; echo $?)" "$2: and where"
}
wrong 's/"p99_9_ns": 13099/"p99_9_ns": 99999/' 'p99.9 above the largest' 'p99_9_ns is above max_ns'
wrong 's/"min_ns": 12528/"min_ns": 13000/' 'the smallest above the mean' 'min_ns is above mean_ns'
wrong 's/.12,99730./[12,99999]/' 'more steps in bins than there are' 'histogram_us holds more than all steps'
wrong 's/"state_equal": true/"state_equal": 1/' 'no truth' 'state_equal must be true or false'
wrong 's/"state_equal": true/"state_equal": false/' 'equal states that are not' 'state_equal is not what state and state_offline say'
# Another state is no mistake of the file: the run is marked.
sed 's/"state": "5deddc4d/"state": "00000000/; s/"state_equal": true/"state_equal": false/' \
    docs/data/bench/evl_50us.json > "$scratch/other.json"
run skidpad bench --compare "$scratch/other.json" docs/data/bench/cobalt_50us.json --svg "$scratch/other.svg"
expect_status 0 'another state: compared'
check "$(printf '%s\n' "$out" | grep -c 'ENDS IN ANOTHER STATE than offline' | grep -qx 1; echo $?)" 'another state: in the table'
check "$(grep -c 'ENDS IN ANOTHER STATE than offline' "$scratch/other.svg" | grep -qx 1; echo $?)" 'another state: in the picture'

run skidpad bench --compare "$scratch/none.json"
expect_status 2 'missing file: status 2'
expect_err 'none.json: No such file' 'missing file: says so'
# The figure of docs/real-time.md: four kernels, five periods each, two of them with wake-ups below zero.
run skidpad bench --compare docs/data/bench/*.json --svg "$scratch/four.svg"
expect_status 0 'the four kernels of the documentation are compared'
check "$(printf '%s\n' "$out" | grep -c ', loaded  *[0-9]* ' | grep -qx 20; echo $?)" \
    'four curves of five periods'
check "$(printf '%s\n' "$out" | grep -q -- ' -0\.0 '; echo $((1 - $?)))" 'without a minus zero'
check "$(cmp -s "$scratch/four.svg" docs/img/four_kernels.svg; echo $?)" \
    'the picture in the documentation is this one'

run skidpad bench --compare
expect_status 2 'nothing to compare: status 2'

# refused MESSAGE NAME OPTION...
refused() {
    message=$1 name=$2
    shift 2
    run skidpad bench --rt virtual --steps 10 "$@"
    expect_status 2 "$name: status 2"
    expect_err "$message" "$name: says so"
}
refused 'not a list of periods' 'no period' --periods-us 1000,
refused 'not a list of periods' 'period too short' --periods-us 5
refused 'not a list of periods' 'period with letters' --periods-us 1ms
refused 'allowed: 1 to' 'no steps' --steps 0
refused 'allowed: none, cpu, io, all' 'unknown load' --load disk
refused 'allowed: process, table' 'unknown feed' --feed network
refused 'must be lumped15 or two_track' 'unknown model' --model bicycle
refused 'allowed: 1 to 98' 'priority too high' --priority 99
refused 'No such file' 'missing car' --car "$scratch/none.yaml"
refused 'need --compare' 'drawing without results' --svg "$scratch/x.svg"
refused 'files need --compare' 'a file without --compare' "$virtual"
refused 'No such file or directory' 'a result that cannot be written' \
    --periods-us 1000 --json "$scratch/no/such/folder.json"
check "$([ -z "$out" ]; echo $?)" 'a result that cannot be written: said before measuring'
refused 'needs a real clock' 'filter on the simulated clock' --strict-syscalls
run skidpad bench --steps 10 --allow-nonrt --cpu 999
expect_status 2 'CPU that is not there: status 2'
expect_err 'CPU 999 cannot be used: this machine has' 'CPU that is not there: says so'
check "$([ -z "$out" ]; echo $?)" 'CPU that is not there: no table'

# Interrupted in the second period, which would take 10 s: what is done is shown.
ran='skidpad bench, interrupted'
"${SKIDPAD_BUILD:-build}/skidpad-bench" --allow-nonrt --scenario $drive --periods-us 1000,20000 \
    --steps 500 >"$scratch/.out" 2>"$scratch/.err" </dev/null &
pid=$!
n=0
while ! grep -q '^  1000 ' "$scratch/.out" && [ $n -lt 200 ]; do
    sleep 0.05
    n=$((n + 1))
done
kill -INT $pid
status=0
wait $pid || status=$?
out=$(cat "$scratch/.out")
err=$(cat "$scratch/.err")
expect_status 130 'interrupted: status 130'
expect_err 'interrupted' 'interrupted: says so'
expect_out ' equal' 'interrupted: the period that was done is shown'

finish
