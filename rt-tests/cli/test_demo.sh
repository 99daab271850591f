#!/bin/sh
# skidpad demo: physics judged on the simulated clock, timing apart. How busy this machine is must
# not change the first.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$PWD
config=$top/config
SKIDPAD_BUILD=$(realpath "${SKIDPAD_BUILD:-build}")
export SKIDPAD_BUILD SKIDPAD_CONFIG_DIR="$config"
mkdir "$scratch/drive"

# demo OPTION...: in a folder of its own, so that out/ is there.
demo() {
    run env -C "$scratch/drive" "$top/skidpad" demo "$@"
}

# bench NAME LINE...: the demo's bench for a short drive, and more lines.
bench() {
    file=$scratch/$1.yaml
    shift
    {
        sed -e "s|\.\./|$config/|g" -e '/^frames:/d' -e '/^control:/d' -e '/^log:/d' \
            "$config/benches/abs_split.yaml"
        printf '%s\n' "$@"
    } >"$file"
}

# line PREFIX: the line of the output that begins so.
line() {
    printf '%s\n' "$out" | grep -m 1 "^$1"
}

# physics NAME: what holds for every demo, however the machine behaves.
physics() {
    expect_out 'physics: pass' "$1: the physics is right"
    check "$(printf '%s\n' "$out" | grep -q ' NO$'; [ $? -eq 1 ]; echo $?)" "$1: nothing is wrong"
    for file in with_unit without_unit; do
        for ending in svg mf4; do
            check "$([ -s "$scratch/drive/out/demo_$file.$ending" ]; echo $?)" "$1: $file.$ending"
        done
    done
    check "$(printf '%s\n' "$out" | tail -n 3 | cut -d ' ' -f 1 | tr '\n' ' ' |
        grep -qx 'seen pictures next '; echo $?)" "$1: the last three lines"
}

# However often the machine holds the loop up: only a silent unit ends such a drive.
bench short 'duration_s: 4' 'limits: {missed: 1000000, missed_in_row: 0}'

# The loop is held up for 60 ms: the unit's time-out is 20.
bench stalled 'duration_s: 4' 'provoke: [{tick: 1500, delay_us: 60000}]'
demo "$scratch/stalled.yaml"
expect_status 0 'stalled on purpose: status 0'
physics 'stalled on purpose'
seen=$(line seen)
expect_out 'SAFE STATE' 'stalled on purpose: the safe state is shown'
check "$(printf '%s\n' "$out" | grep -q '^timing: pass'; [ $? -eq 1 ]; echo $?)" \
    'stalled on purpose: timing does not pass'
expect_out 'the bench went to the safe state' 'stalled on purpose: a plain line says what happened'
expect_out 'and run it again' 'stalled on purpose: and what to do'
check "$(line '  this machine held the loop up' | sed 's/.*long as \([0-9]*\).*/\1/' |
    awk '{ exit !($1 >= 60) }'; echo $?)" 'stalled on purpose: and for how long'
check "$(for file in with_unit without_unit real_time; do
    grep -o '<text[^>]*>[^<]*: [^<]*</text>' "$scratch/drive/out/demo_$file.svg" | head -n 1
done | sort | uniq -d | grep -q .; [ $? -eq 1 ]; echo $?)" 'each picture has a title of its own'
simulated=$(sha256sum <"$scratch/drive/out/demo_with_unit.svg")

demo "$scratch/stalled.yaml" --strict-timing
expect_status 1 'stalled on purpose, --strict-timing: status 1'
physics '--strict-timing'
check "$([ "$(line seen)" = "$seen" ]; echo $?)" 'the same is seen every time'
check "$([ "$(sha256sum <"$scratch/drive/out/demo_with_unit.svg")" = "$simulated" ]; echo $?)" \
    'the same picture every time'

# start_demo: the short demo in the background, until its unit has been heard; sets $pid, $unit.
start_demo() {
    (cd "$scratch/drive" && exec "$top/skidpad" demo "$scratch/short.yaml") >"$scratch/.out" 2>"$scratch/.err" &
    pid=$!
    n=0
    until unit=$(pgrep -P $pid) || [ $n -ge 400 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    sleep 1
}

# end_demo NAME: sets $status, $out, $err.
end_demo() {
    status=0
    wait $pid || status=$?
    out=$(cat "$scratch/.out") err=$(cat "$scratch/.err")
    ran="skidpad demo, $1"
}

# The machine holds up the unit, not the loop.
start_demo
kill -STOP "$unit"
sleep 0.3
kill -CONT "$unit"
end_demo 'its unit stopped'
expect_status 0 'a unit held up: status 0'
physics 'a unit held up'
expect_out 'it was silent past its time-out' 'a unit held up: is told'

# A unit that dies is no busy machine.
start_demo
kill -KILL "$unit"
end_demo 'its unit killed'
expect_status 1 'a unit killed: status 1'
physics 'a unit killed'
expect_out 'timing: not judged (the real-time drive failed' 'a unit killed: timing is not judged'
expect_out 'the stand-in unit did not last: killed by signal 9' 'a unit killed: the reason'
check "$(line seen | grep -q 'FAILED: .*killed by signal 9'; echo $?)" 'a unit killed: in the last lines, too'
check "$(printf '%s\n' "$out" | grep -q 'this machine held'; [ $? -eq 1 ]; echo $?)" \
    'a unit killed: the machine is not blamed'

# Without rights the drive is shown and timing not judged.
plain="prlimit --rtprio=0:0 setpriv --bounding-set=-sys_nice"
if [ "$(id -u)" -eq 0 ] && $plain true 2>/dev/null; then
    # shellcheck disable=SC2086 # several words
    run env -C "$scratch/drive" $plain "$top/skidpad" demo "$scratch/short.yaml" --strict-timing
    expect_status 1 'no rights, --strict-timing: what is not judged does not pass'
    expect_out 'timing: not judged (no real-time rights' 'no rights: says so'
    physics 'no rights'
else
    skip 'no rights' 'needs a root to take them from'
fi

# The real-time drive cannot start: its CPU is not there.
bench nowhere 'duration_s: 4' 'realtime: {cpu: 1000}'
demo "$scratch/nowhere.yaml"
expect_status 0 'no real-time drive: status 0'
physics 'no real-time drive'
expect_out 'timing: not judged (the real-time drive did not start' 'no real-time drive: says so'
expect_err 'CPU 1000 cannot be used' 'no real-time drive: and why'

# A drive in which no wheel locks without the unit either: physics fails.
bench wrong 'duration_s: 2'
sed -i 's|^scenario:.*|scenario: '"$config"'/scenarios/step_steer.yaml|' "$scratch/wrong.yaml"
demo "$scratch/wrong.yaml"
expect_status 1 'a drive that is not as it must be: status 1'
expect_out 'physics: fail' 'and is told'
expect_out 'NOT as it must be' 'in the last lines, too'

sed '/^stand_in:/d; /^latency:/d' "$scratch/stalled.yaml" >"$scratch/alone.yaml"
demo "$scratch/alone.yaml"
expect_status 2 'a bench without a stand-in: status 2'
expect_err 'stand_in' 'and says so'
finish
