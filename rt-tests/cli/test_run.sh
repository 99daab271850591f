#!/bin/sh
# skidpad run, its logs and their replay: clean ends, missed deadlines, faults of machine and user.
# Nothing here judges timing: what is counted on the real clock is compared with itself.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
programs=${SKIDPAD_BUILD:-build}
config=$PWD/config
log=$scratch/run.mf4
export SKIDPAD_CONFIG_DIR="$config"

# bench NAME LINE...: a bench file in the scratch folder, without limits on misses.
bench() {
    file=$scratch/$1.yaml
    shift
    {
        printf 'kind: bench\nname: test\nscenario: %s/scenarios/brake_in_turn.yaml\n' "$config"
        printf '%s\n' "$@"
    } >"$file"
}

# value NAME: the number before NAME in the summary, e.g. "2000 records".
value() {
    printf '%s\n' "$out" | sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" | head -n 1
}

expect_equal() {
    check "$([ "$1" = "$2" ]; echo $?)" "$3 ($1, $2)"
}

expect_lines() {
    check "$([ "$(printf '%s\n' "$err" | grep -c .)" -eq "$1" ]; echo $?)" "$2"
}

# expect_last PATTERN NAME: what the last line of the output begins with.
expect_last() {
    check "$(printf '%s\n' "$out" | tail -n 1 | grep -q "^$1"; echo $?)" "$2"
}

# replays FILE NAME: the log replays to the state of the summary in $out, or, if that is empty, to
# any state.
replays() {
    state=$(printf '%s\n' "$out" | sed -n 's/^state *\([0-9a-f]*\).*/\1/p')
    run skidpad replay "$1"
    expect_status 0 "$2: replays"
    expect_out "state      $state" "$2: to the same state"
}

# ---- the simulated clock: every number is known

bench clean 'limits: {missed: 0}'
run skidpad run "$scratch/clean.yaml" --rt virtual --for 1 --log "$log"
expect_status 0 'a clean run has status 0'
expect_no_err 'a clean run has no message'
expect_out 'ticks      1000, deadlines missed 0' 'a clean run: every tick, none missed'
expect_out '1000 records' 'a clean run: every record in the log'
clean=$(printf '%s\n' "$out" | sed -n 's/^state *\([0-9a-f]*\).*/\1/p')
replays "$log" 'a clean run'
expect_no_err 'a finished log gets no message'
run skidpad sim config/scenarios/brake_in_turn.yaml --step-ms 1 --duration 1 --out "$scratch/x.csv"
expect_out "state      $clean after 1000 steps" 'the state is that of skidpad sim'
run skidpad export "$log" --info
expect_out 'group 1: ticks, 1000 records' 'the log has a group of ticks'
expect_out 'group 2: events, 0 records' 'and one of events'
expect_out 'property: core = virtual' 'the log names the core'
expect_out 'attached: bench.yaml' 'the log carries the bench file'
check "$([ ! -s "$scratch/run.deadlines.txt" ]; echo $?)" 'no miss, no line in the deadline log'
run skidpad run "$scratch/clean.yaml" --rt virtual --for 1 --quiet
check "$([ -z "$out" ]; echo $?)" 'quiet: no summary'
run skidpad run "$scratch/clean.yaml" --rt virtual --for 0.1 --log "$scratch/new/folder/run.mf4"
expect_status 0 'the folder of the log is made'

# After the drive a tester reads the unit's codes, which takes ticks that are none of the drive.
sed -e "s|\.\./|$config/|g" -e '/^frames:/d' -e '/^control:/d' config/benches/abs_split.yaml >"$scratch/unit.yaml"
run skidpad run "$scratch/unit.yaml" --rt virtual --for 1 --log "$log"
expect_out 'codes      none (cleared before, read after)' 'a unit is asked for its codes'
expect_out 'after 1000 steps' 'the state is that of the end of the drive'
replays "$log" 'a unit'

# A tick of 3.5 periods is late and covers two more releases.
for policy in slip catch-up; do
    bench $policy 'limits: {missed: 3}' "realtime: {overrun: $policy}" \
        'provoke: [{tick: 100, delay_us: 3500}]'
    run skidpad run "$scratch/$policy.yaml" --rt virtual --for 0.5 --log "$log"
    expect_status 0 "$policy: as many misses as allowed are clean"
    expect_out 'ticks      498, deadlines missed 3 (2 of them skipped releases), worst late by 2500.0 us' \
        "$policy: the misses are counted one by one"
    expect_equal "$(grep -c . "$scratch/run.deadlines.txt")" 3 "$policy: one line a miss"
    check "$(sed -n 1p "$scratch/run.deadlines.txt" | grep -q '^tick 100 late.*longest step$'
        echo $?)" "$policy: the late tick"
    check "$(sed -n '2,3p' "$scratch/run.deadlines.txt" | tr '\n' , |
        grep -qx 'tick 101 skipped,tick 102 skipped,'; echo $?)" "$policy: the skipped releases"
    replays "$log" "$policy"
done
expect_out '498 ticks, 500 steps' 'catch-up: the steps are replayed'
run skidpad export "$log" --group events --signals tick,kind,value --csv -
expect_out "$(printf '100,6,3500000\n100,0,1\n101,1,2')" 'events: provoked, missed, skipped'

bench over 'limits: {missed: 2}' 'provoke: [{tick: 100, delay_us: 3500}]'
run skidpad run "$scratch/over.yaml" --rt virtual --for 0.5
expect_status 1 'one miss too many: status 1'
expect_last 'status     1: 3 deadlines missed, allowed are 2$' 'and the last line says why'
run skidpad run "$scratch/over.yaml" --rt virtual --for 0.5 --quiet
expect_err 'status 1: 3 deadlines missed' 'and if quiet: on stderr'
bench row 'limits: {missed: 100, missed_in_row: 4}' \
    'provoke: [{tick: 100, ticks: 4, delay_us: 1250}]'
run skidpad run "$scratch/row.yaml" --rt virtual --for 3 --log "$log"
expect_status 1 'the safe state for misses in a row has status 1'
expect_out 'SAFE STATE missed deadlines in a row' 'and is told'
replays "$log" 'safe state'
bench long 'realtime: {period_us: 20000}' # too long for this car
run skidpad run "$scratch/long.yaml" --rt virtual --for 20 --log "$log"
expect_status 3 'a model that fails has status 3'
expect_last 'status     3: safe state: model state not finite' 'and the last line says why'
expect_out 'SAFE STATE model state not finite' 'and is told'
expect_out 'ticks      1000,' 'and the loop goes on'
replays "$log" 'failed model'

# ---- bad input

# refused MESSAGE NAME OPTION...
refused() {
    message=$1 name=$2
    shift 2
    run skidpad run "$@"
    expect_status 2 "$name: status 2"
    expect_err "$message" "$name: says so"
    check "$([ -z "$out" ]; echo $?)" "$name: no summary"
}
for duration in 1e-300 1e-400 2e9; do
    bench short "duration_s: $duration"
    refused "short.yaml:4:13: duration_s: must be 0, or >= 1e-05 and <= 1e+09, is $duration" \
        "duration of $duration s" "$scratch/short.yaml" --rt virtual
done
bench short 'provoke: [{tick: 1, delay_us: 1e-300}]'
refused 'delay_us: must be 0, or >= 0.001 and <= 10000000, is 1e-300' 'delay of 1e-300 us' \
    "$scratch/short.yaml" --rt virtual
sed -e "s|\.\./|$config/|g" -e 's|for_s: 10|for_s: 1e-300|' "$config/benches/watched.yaml" >"$scratch/watched.yaml"
refused 'watchdog.for_s: must be 0, or >= 0.001 and <= 1000000, is 1e-300' 'watchdog for 1e-300 s' \
    "$scratch/watched.yaml" --allow-nonrt
# Less than a tick is one: 0 would be without end.
bench short 'duration_s: 1e-5'
for option in '' '--for 1e-300'; do
    # shellcheck disable=SC2086 # two words or none
    run timeout -k 1 20 "$programs/skidpad-run" "$scratch/short.yaml" --rt virtual $option
    expect_out 'ticks      1,' "a duration below a tick is one tick ($option)"
done
bench key 'periode_us: 1000'
refused 'key.yaml:4:1: ' 'unknown key' "$scratch/key.yaml"
bench range 'realtime: {period_us: 3}'
refused 'range.yaml:4:23: ' 'period too short' "$scratch/range.yaml"
bench syntax 'realtime: {period_us: 1000'
refused 'syntax.yaml:' 'no YAML' "$scratch/syntax.yaml"
bench cpu 'realtime: {cpu: 4096}'
refused 'cpu.yaml:4:17: ' 'CPU out of range' "$scratch/cpu.yaml"
bench priority 'realtime: {priority: 99}'
refused 'priority.yaml:4:22: ' 'priority out of range' "$scratch/priority.yaml"
bench telemetry 'telemetry: {to: localhost}'
refused 'ADDRESS:PORT' 'telemetry without a port' "$scratch/telemetry.yaml"
bench name 'telemetry: {to: "localhost:49150"}'
refused 'no IPv4 address' 'telemetry to a name' "$scratch/name.yaml" --rt virtual
bench nowhere 'telemetry: {to: "192.168.1.2:49150", listen: "127.0.0.1:49151"}'
refused 'nothing gets to 192.168.1.2' 'telemetry that cannot get there' "$scratch/nowhere.yaml" --rt virtual
printf 'kind: bench\nname: x\nscenario: none.yaml\n' >"$scratch/none.yaml"
refused 'none.yaml' 'missing scenario' "$scratch/none.yaml" --rt virtual
refused 'No such file' 'missing bench' "$scratch/no-such.yaml"
refused 'allowed: 1 to 98' 'priority 99' --priority 99
refused 'allowed: 1 to 98' 'priority 0' --priority 0
refused 'allowed: auto, posix, virtual' 'unknown core' --rt linux
refused 'allowed: 10 to' 'period 0' --period-us 0
refused 'needs a real clock' 'filter on the simulated clock' --rt virtual --strict-syscalls
refused 'cannot be written' 'log in a place that is none' "$scratch/clean.yaml" --rt virtual \
    --log /proc/none/run.mf4
refused 'is a device: a log has other files beside it' 'a device as log' "$scratch/clean.yaml" \
    --rt virtual --log /dev/full
printf 'precious\n' >"$scratch/old.mf4"
refused 'CPU 999 cannot be used: this machine has' 'CPU that is not there' "$scratch/clean.yaml" \
    --cpu 999 --allow-nonrt --log "$scratch/old.mf4"

# Without rights: an ordinary user, or root made one.
plain="prlimit --rtprio=0:0"
[ "$(id -u)" -ne 0 ] || plain="$plain setpriv --reuid=65534 --regid=65534 --clear-groups"
if $plain "$programs/skidpad-run" --help >/dev/null 2>&1; then
    chmod 777 "$scratch"
    chmod 666 "$scratch/old.mf4"
    run $plain prlimit --memlock=65536:65536 "$programs/skidpad-run" "$scratch/clean.yaml" \
        --log "$scratch/old.mf4"
    expect_status 2 'no right to lock memory: status 2'
    # AddressSanitizer leaves mlockall out.
    grep -q '__asan_init' "$programs/skidpad-run" ||
        expect_err 'memory cannot be locked' 'no right to lock memory: says so'
    expect_err '--allow-nonrt' 'no right to lock memory: says what to do'
    run $plain prlimit --memlock=65536:65536 "$programs/skidpad-run" "$scratch/clean.yaml" \
        --allow-nonrt --for 0.2
    check "$([ "$status" -le 1 ]; echo $?)" 'without rights it runs if allowed'
    expect_out 'NOT real-time' 'and says what it is not'
else
    skip 'no rights' 'this user cannot run the program as another'
fi
unranked="prlimit --rtprio=0:0 setpriv --bounding-set=-sys_nice" # may lock memory, nothing else
if [ "$(id -u)" -eq 0 ] && $unranked true 2>/dev/null; then
    run $unranked "$programs/skidpad-run" "$scratch/clean.yaml" --log "$scratch/old.mf4"
    expect_status 2 'no right to a priority: status 2'
    expect_err 'SCHED_FIFO priority 80 was refused' 'no right to a priority: says so'
    expect_err 'rtprio' 'no right to a priority: says what to do'
else
    skip 'no right to a priority' 'needs a root to take it from'
fi
expect_equal "$(cat "$scratch/old.mf4")" precious 'a run that cannot start leaves an old log alone'

# ---- the real clock; signals

bench real 'limits: {missed: 100000000, missed_in_row: 0}' 'duration_s: 0'

# launch: starts a run in the background and waits for the first records; sets $pid.
launch() {
    rm -f "$log"
    ran="skidpad run $scratch/real.yaml --allow-nonrt --log $log"
    "$programs/skidpad-run" "$scratch/real.yaml" --allow-nonrt --log "$log" \
        >"$scratch/.out" 2>"$scratch/.err" </dev/null &
    pid=$!
    n=0
    while [ "$(stat -c %s "$log" 2>/dev/null || echo 0)" -lt 100000 ] && [ $n -lt 200 ]; do
        sleep 0.05
        n=$((n + 1))
    done
}

# land: waits for its end; sets $status, $out, $err.
land() {
    status=0
    wait "$pid" || status=$?
    out=$(cat "$scratch/.out")
    err=$(cat "$scratch/.err")
}

for name in INT TERM HUP; do
    launch
    kill -$name "$pid"
    land
    expect_status 0 "SIG$name: a clean end"
    expect_out 'state      ' "SIG$name: with a summary"
    expect_equal "$(value records)" "$(printf '%s\n' "$out" | sed -n 's/^ticks *\([0-9]*\),.*/\1/p')" \
        "SIG$name: every record in the log"
    skidpad export "$log" --info >"$scratch/info" 2>&1
    check "$(grep -q ', finished' "$scratch/info"; echo $?)" "SIG$name: the log is finished"
done
steps=$(value steps)
real=$out
replays "$log" 'real clock'
# Whatever was late or skipped, the plant has made so many steps of 1 ms.
run skidpad run "$scratch/real.yaml" --rt virtual --for "$((steps / 1000)).$(printf %03d $((steps % 1000)))"
expect_out "$(printf '%s\n' "$real" | grep '^state')" 'real and simulated clock: the same state'

# ---- requests to a run: the set-up changed while it drives is part of the log

bench real 'limits: {missed: 100000000, missed_in_row: 0}' 'duration_s: 0' \
    "control: $scratch/new/sockets/run.sock" \
    'faults: [{name: yaw_offset, kind: offset, sensor: yaw_rate, amount_degps: 5}]'
launch
run skidpad control "$scratch/new/sockets/run.sock" set rear_bar 3
expect_status 0 'set-up: changed'
expect_out ': rear_bar is 3' 'set-up: acknowledged'
run skidpad control "$scratch/new/sockets/run.sock" set rear_bra 3
expect_status 1 'set-up: a wrong name is refused'
expect_err 'did you mean rear_bar?' 'set-up: with the nearest one'
run skidpad control "$scratch/new/sockets/run.sock" set rear_bar stiff
expect_err '"stiff" is no number' 'set-up: no number'
run skidpad control "$scratch/new/sockets/run.sock" set rear_bar 300
expect_err 'rear_bar must be between 0 and 10' 'set-up: out of range'
run skidpad control "$scratch/new/sockets/run.sock" set rear_bar
expect_err 'usage: set NAME VALUE' 'a request with a word missing says how it is written'
run skidpad control "$scratch/new/sockets/run.sock" sett rear_bar 3
expect_err 'unknown request "sett"; did you mean set?' 'a mistyped request has the nearest one'
run skidpad control "$scratch/new/sockets/run.sock" fault yaw_offst on
expect_err 'no fault "yaw_offst"; did you mean yaw_offset?' 'a mistyped fault, too'
run skidpad control "$scratch/new/sockets/run.sock" ' '
expect_err 'the request is empty' 'an empty request'
sleep 0.3
run skidpad control "$scratch/new/sockets/run.sock" stop
expect_status 0 'a run is stopped on request'
land
expect_status 0 'and ends clean'
check "$(grep -q 'set-up changed' "$scratch/run.events.txt"; echo $?)" 'set-up: in the events'
skidpad export "$log" --signals setup_rear_bar --csv - 2>/dev/null | sed 1d | uniq -c >"$scratch/bar"
expect_equal "$(awk '{ printf "%s ", $NF }' "$scratch/bar" | sed 's/[^ ]*,//g')" '1 3 ' \
    'set-up: in every record'
replays "$log" 'a changed set-up'
run skidpad control "$scratch/new/sockets/run.sock" status
expect_status 2 'nobody listens any more'

# ---- a bench that stays: run after run

run skidpad run "$scratch/real.yaml" --serve --rt virtual --scenario none.yaml
expect_status 2 'serve: a scenario that is not there'
ask() {
    run skidpad control "$scratch/new/sockets/run.sock" "$@"
}
# waits_for TEXT: until the status says so.
waits_for() {
    n=0
    until ask status && printf '%s\n' "$out" | grep -q "$1" || [ $n -ge 200 ]; do
        sleep 0.05
        n=$((n + 1))
    done
}
# One that can be read, but whose car is not there.
mkdir "$scratch/scenarios"
sed "s|: \.\./|: $config/|" "$config/scenarios/step_steer.yaml" >"$scratch/scenarios/step_steer.yaml"
sed 's|^vehicle:.*|vehicle: none.yaml|' "$scratch/scenarios/step_steer.yaml" >"$scratch/scenarios/no_car.yaml"
sed "s|: \.\./|: $config/|" "$config/scenarios/brake_in_turn.yaml" >"$scratch/scenarios/first.yaml"
"$programs/skidpad-run" "$scratch/real.yaml" --scenario "$scratch/scenarios/first.yaml" \
    --allow-nonrt --serve --log "$scratch/serve.mf4" \
    >"$scratch/serve.out" 2>"$scratch/serve.err" </dev/null &
pid=$!
waits_for 'waiting for a start'
expect_out 'tick 0 ' 'serve: the first run waits for its start'
ask scenario step_ster
expect_status 1 'serve: an unknown scenario is refused'
expect_err 'did you mean step_steer?' 'serve: with the nearest one'
ask scenario ../vehicles/sedan
expect_status 1 'serve: no way out of the folder'
ask scenario no_car
expect_status 0 'serve: a scenario that cannot be driven'
sleep 0.3 # the first run is on its way out
waits_for 'waiting for a start'
check "$(grep -q 'back to the scenario of the bench' "$scratch/serve.err"; echo $?)" \
    'serve: leads back to the one of the bench'
ask scenario step_steer
expect_status 0 'serve: another scenario'
sleep 0.3 # so is that one
for number in 1 2; do
    waits_for 'waiting for a start'
    ask start
    expect_status 0 "serve: run $number starts"
    waits_for running
    sleep 0.3
    if [ $number = 1 ]; then
        ask stop
        sleep 0.3
    fi
done
kill -TERM "$pid"
land
expect_status 0 'serve: ends with a signal'
expect_equal "$(grep -c '^car .*step steer' "$scratch/serve.out")" 2 'serve: two summaries'
expect_equal "$(tail -n 1 "$scratch/serve.out")" 'runs       2 runs, all clean' \
    'serve: the last line tells how the runs ended'
replays "$scratch/serve-2.mf4" 'serve: the second run has a log of its own'

# Somebody removes the log of the second of three runs: the status is not that of the third.
# drive_three OPTION...: sets $status, $out, $err.
drive_three() {
    rm -f "$scratch"/serve*.mf4
    "$programs/skidpad-run" "$scratch/real.yaml" --scenario "$scratch/scenarios/first.yaml" \
        --allow-nonrt --serve --log "$scratch/serve.mf4" "$@" \
        >"$scratch/serve.out" 2>"$scratch/serve.err" </dev/null &
    pid=$!
    for number in 1 2 3; do
        waits_for 'waiting for a start'
        ask start
        waits_for running
        [ $number != 2 ] || rm "$scratch/serve-2.mf4"
        ask stop
        n=0
        until [ "$(grep -c 'waits for a start' "$scratch/serve.err")" -gt $number ] || [ $n -ge 200 ]; do
            sleep 0.05
            n=$((n + 1))
        done
    done
    kill -TERM "$pid"
    land
    out=$(cat "$scratch/serve.out")
    err=$(cat "$scratch/serve.err")
}
drive_three
expect_status 1 'serve: a run that was not clean decides the status'
expect_last 'status     1: of 3 runs 1 ended with status 1 (run 2)$' 'serve: the last line says which'
drive_three --quiet
expect_status 1 'serve, quiet: the same status'
expect_equal "$(printf '%s\n' "$err" | tail -n 1)" \
    'skidpad run: status 1: of 3 runs 1 ended with status 1 (run 2)' 'serve, quiet: the last line says which'

bench real 'limits: {missed: 100000000, missed_in_row: 0}' 'duration_s: 0'
run skidpad run "$scratch/real.yaml" --serve
expect_status 2 'serve: somebody must be able to start it'
launch
kill -STOP "$pid"
sleep 0.4
kill -CONT "$pid"
sleep 0.2
kill -INT "$pid"
land
expect_status 0 'SIGSTOP and SIGCONT are survived'
ticks=$(printf '%s\n' "$out" | sed -n 's/^ticks *\([0-9]*\),.*/\1/p')
missed=$(printf '%s\n' "$out" | sed -n 's/^ticks.*missed \([0-9]*\) .*/\1/p')
skipped=$(value 'of them skipped')
check "$([ "$skipped" -ge 390 ]; echo $?)" "the releases of the pause are skipped ($skipped)"
expect_equal "$(printf '%s\n' "$out" | sed -n 's/^lag.*model is \([0-9.]*\) s.*/\1/p')" \
    "$(echo "$skipped" | awk '{ printf "%.6g", $1 / 1000 }')" 'the lag is what was skipped'
expect_equal "$(grep -c ' skipped$' "$scratch/run.deadlines.txt")" "$skipped" \
    'the deadline log has a line for each of them'
expect_equal "$(grep -c . "$scratch/run.deadlines.txt")" "$missed" 'and for each miss'
replays "$log" 'after SIGSTOP'
skidpad export "$log" --signals tick,skipped --csv - 2>/dev/null | sed 1d >"$scratch/ticks.csv"
expect_equal "$(awk -F, '{ n += 1 + $2 } END { print n }' "$scratch/ticks.csv")" \
    "$(awk -F, 'END { print $1 + 1 }' "$scratch/ticks.csv")" 'ticks and skipped releases are all'
expect_equal "$(grep -c . "$scratch/ticks.csv")" "$ticks" 'every tick has a record'

# Killed at any time: every complete record is there.
for moment in 1 2 3 4 5; do
    launch
    # up to half a second, from the clock's last digits
    sleep "0.$(date +%N | cut -c 4-6 | awk '{ printf "%03d", $1 % 500 }')"
    kill -KILL "$pid"
    land
    skidpad export "$log" --info >"$scratch/info" 2>&1
    run skidpad replay "$log"
    expect_status 0 "killed, $moment: replays"
    expect_out 'log is not finished: ends at t = ' "killed, $moment: is told"
    expect_equal "$(value ticks,)" \
        "$(sed -n 's/^group 1: ticks, \([0-9]*\) records.*/\1/p' "$scratch/info")" \
        "killed, $moment: every complete record"
done

# ---- the disk

# full NAME MESSAGE
full() {
    expect_status 1 "$1: what was not written counts"
    expect_err "$2; the log ends here, the run goes on" "$1: says so"
    expect_lines 1 "$1: once"
    expect_out 'ticks      3000, deadlines missed 0' "$1: every tick"
    expect_last 'status     1: .*records and events NOT WRITTEN, ' "$1: the last line says why"
}
bench disk
run prlimit --fsize=1200000 "$programs/skidpad-run" "$scratch/disk.yaml" --rt virtual --for 3 \
    --log "$log"
full 'limit of file sizes' 'File too large'
out=
replays "$log" 'limit of file sizes'
expect_no_err 'limit of file sizes: the log is finished'
written=$(value ticks,)
check "$([ "$written" -gt 500 ] && [ "$written" -lt 3000 ]; echo $?)" \
    "limit of file sizes: up to the last complete record ($written)"
mkdir "$scratch/small"
if unshare -m mount -t tmpfs -o size=1m none "$scratch/small" 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded by the inner shell
    run unshare -m sh -c 'mount -t tmpfs -o size=1m none "$1" || exit 9; shift
        "$@"; status=$?
        cp "$0"/run.mf4 "$0"/run.deadlines.txt "$0"/.. && exit $status' "$scratch/small" "$scratch/small" \
        "$programs/skidpad-run" "$scratch/disk.yaml" --rt virtual --for 3 \
        --log "$scratch/small/run.mf4"
    full 'full disk' 'No space left on device'
    out=
    replays "$log" 'full disk'
    expect_no_err 'full disk: the log is finished'
else
    skip 'full disk' 'no right to mount a small one'
fi

# ---- the display

if command -v script >/dev/null; then
    script -qec "$programs/skidpad-run $scratch/real.yaml --allow-nonrt --for 1.2" /dev/null \
        >"$scratch/terminal" </dev/null 2>&1
    check "$(tr '\r' '\n' <"$scratch/terminal" | grep -q 'km/h  missed [0-9].*wake-up max'
        echo $?)" 'a terminal gets a status line'
fi

finish
