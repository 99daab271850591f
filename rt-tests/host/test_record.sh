#!/bin/sh
# The recording at the host is the target's log, whatever the network does in between.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port) relay=$(free_port)

# between ARGUMENT...: the network.
between() {
    python3 rt-tests/host/bad_network.py "$relay" "$port" "$@" >"$scratch/relay.out" &
    network=$!
    pids="$pids $network"
    sleep 0.1
    while ! grep -q ready "$scratch/relay.out"; do sleep 0.05; done
}

# drive SECONDS: a run to the end, over what is between; then what the host says.
drive() {
    start_host "$port" 0 --record "$scratch/rec-$1"
    run skidpad run "$scratch/$1.yaml" --allow-nonrt --for "$2"
    sleep 0.3
    stop_host >"$scratch/said"
    if [ -n "${network:-}" ]; then
        kill "$network"
        wait "$network"
        network=''
    fi
}

bench plain "$port" 'provoke: [{tick: 300, delay_us: 2500}]'
network=''
drive plain 1
same_ticks "$scratch"/rec-plain/*.mf4 "$scratch/plain.mf4" 'on a good network all is recorded'
check "$(cmp -s "$scratch"/rec-plain/*.deadlines.txt "$scratch/plain.deadlines.txt"; echo $?)" \
    'the list of missed deadlines is the same'
check "$(grep -q 'tick 300 late' "$scratch"/rec-plain/*.deadlines.txt; echo $?)" \
    'the provoked one is there'
run skidpad export "$scratch"/rec-plain/*.mf4 --info
for what in 'car' 'kernel' 'core' 'revision' 'content_hash' 'bench.yaml' 'scenario.yaml' 'vehicle.yaml'; do
    expect_out "$what" "the recording names $what"
done
run skidpad export "$scratch"/rec-plain/*.mf4 --group events --out -
expect_out '2500000' 'events have their text'

bench bad "$relay"
between --lose 0.1 --double 0.1 --late 0.1 --spoil 0.05
drive bad 2
same_ticks "$scratch"/rec-bad/*.mf4 "$scratch/bad.mf4" 'over a bad network all is recorded'
check "$(grep -Eq ' [1-9][0-9]* filled' "$scratch/said"; echo $?)" 'what was lost has been filled'
check "$(grep -Eq ' [1-9][0-9]* duplicates' "$scratch/said"; echo $?)" 'duplicates are counted'
check "$(grep -Eq ' [1-9][0-9]* lost' "$scratch/said"; echo $?)" 'lost packets are counted'
check "$(grep -Eq ' [1-9][0-9]* records late' "$scratch/said"; echo $?)" 'late ones are counted'
check "$(grep -q ' 0 missing' "$scratch/said"; echo $?)" 'nothing is missing'

# Longer than the target's memory: 4 MB are about 2000 records.
bench gap "$relay"
between --gap 0.5:4.5
drive gap 6
same_ticks "$scratch"/rec-gap/*.mf4 "$scratch/gap.mf4" \
    'after 4 s without a network the log of the target fills the gap'

# The same without a log: what the target's memory no longer has is lost, and that is no success.
bench nolog "$relay"
sed -i '/^log:/d' "$scratch/nolog.yaml"
between --gap 0.5:4.5
start_host "$port" 0 --record "$scratch/rec-nolog"
run skidpad run "$scratch/nolog.yaml" --allow-nonrt --for 6
sleep 0.3
kill "$host" "$network"
wait "$host"
status=$? ran='skidpad host' out=$(cat "$scratch/host.out") err=$(cat "$scratch/host.err")
wait "$network"
network=''
check "$([ "$status" -eq 1 ]; echo $?)" 'records that nobody has any more are status 1'
check "$(printf '%s' "$out" | tail -1 | grep -q 'result     NOT COMPLETE: 1 of 1 recordings.*records or events did not get here'; echo $?)" \
    'and the last line says so'
expect_out 'NOT COMPLETE' 'as does the line of the recording'

# As fast as it can, much faster than the socket's memory.
bench fast "$port"
start_host "$port" 0 --record "$scratch/rec-fast"
run skidpad run "$scratch/fast.yaml" --rt virtual --for 8
sleep 0.3
stop_host >"$scratch/said"
same_ticks "$scratch"/rec-fast/*.mf4 "$scratch/fast.mf4" 'a simulated clock does not outrun the host'

# A host that comes late gets the beginning, too.
bench late "$port"
./skidpad run "$scratch/late.yaml" --allow-nonrt --for 3 >"$scratch/run.out" 2>&1 &
run_pid=$!
pids="$pids $run_pid"
sleep 1.2
start_host "$port" 0 --record "$scratch/rec-late"
wait "$run_pid"
sleep 0.3
stop_host >"$scratch/said"
same_ticks "$scratch"/rec-late/*.mf4 "$scratch/late.mf4" 'a host that comes late gets the beginning'

# Even if it comes when the run is about to end.
bench last "$port"
./skidpad run "$scratch/last.yaml" --allow-nonrt --for 1.5 >"$scratch/run.out" 2>&1 &
run_pid=$!
pids="$pids $run_pid"
sleep 1.35
start_host "$port" 0 --record "$scratch/rec-last"
wait "$run_pid"
sleep 0.3
stop_host >"$scratch/said"
same_ticks "$scratch"/rec-last/*.mf4 "$scratch/last.mf4" 'and one that comes at the end gets all'

# A disk that is full, or a limit of file sizes: what was written stays, and it is said.
bench full "$port"
./skidpad run "$scratch/full.yaml" --allow-nonrt --for 1 >"$scratch/run.out" 2>&1 &
run_pid=$!
pids="$pids $run_pid"
run prlimit --fsize=400000 ./skidpad host --listen "127.0.0.1:$port" --port 0 --for 2 --record "$scratch/rec-full"
expect_status 1 'a recording that ends early has status 1'
expect_err 'File too large; the recording ends here' 'and says why'
expect_out 'NOT COMPLETE' 'and that it is not complete'
check "$(printf '%s' "$err" | grep -q 'is complete'; [ $? -eq 1 ]; echo $?)" 'nor claims to be'
wait "$run_pid"
run skidpad export "$scratch"/rec-full/*.mf4 --signals tick --out "$scratch/full.csv"
check "$([ "$(wc -l <"$scratch/full.csv")" -gt 50 ]; echo $?)" 'what fitted can be read'

# Somebody truncates the recording: nothing is put behind the cut, and it is said.
bench cut "$port"
./skidpad run "$scratch/cut.yaml" --allow-nonrt --for 3 >"$scratch/run.out" 2>&1 &
run_pid=$!
pids="$pids $run_pid"
(
    n=0
    until [ "$(cat "$scratch"/rec-cut/*.mf4 2>/dev/null | wc -c)" -gt 400000 ] || [ $n -ge 100 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    truncate -s 300000 "$scratch"/rec-cut/*.mf4
) &
run ./skidpad host --listen "127.0.0.1:$port" --port 0 --for 5 --record "$scratch/rec-cut"
expect_status 1 'a recording that somebody truncates: status 1'
expect_err 'it was truncated while it was being written; the recording ends here' 'and says why'
expect_out 'NOT COMPLETE' 'and that it is not complete'
check "$([ "$(stat -c %s "$scratch"/rec-cut/*.mf4)" = 300000 ]; echo $?)" 'nothing is put behind the cut'
wait "$run_pid"

# Somebody adds to the recording, or puts another file in its place.
for how in append replace; do
    bench "$how" "$port"
    ./skidpad run "$scratch/$how.yaml" --allow-nonrt --for 3 >"$scratch/run.out" 2>&1 &
    run_pid=$!
    pids="$pids $run_pid"
    (
        n=0
        until [ "$(cat "$scratch/rec-$how"/*.mf4 2>/dev/null | wc -c)" -gt 400000 ] || [ $n -ge 100 ]; do
            sleep 0.05
            n=$((n + 1))
        done
        for file in "$scratch/rec-$how"/*.mf4; do
            [ $how = append ] || mv "$file" "$scratch/q"
            echo hi >>"$file"
        done
    ) &
    run ./skidpad host --listen "127.0.0.1:$port" --port 0 --for 5 --record "$scratch/rec-$how"
    expect_status 1 "a recording, $how: status 1"
    why='somebody else wrote into it while it was being written'
    [ $how = append ] || why='it was removed, renamed or replaced while it was being written'
    expect_err "$why; the recording ends here" "a recording, $how: says why"
    wait "$run_pid"
done

# Two at once, one of which is asked by its address.
listen=$(free_port)
bench one "$port"
bench two "$port"
sed -i "s/^telemetry.*/telemetry: {listen: \"127.0.0.1:$listen\", rate_hz: 500}/" "$scratch/two.yaml"
start_host "$port" 0 --record "$scratch/rec-two" --target "127.0.0.1:$listen"
for name in one two; do
    ./skidpad run "$scratch/$name.yaml" --allow-nonrt --for 2 >"$scratch/$name.out" 2>&1 &
    pids="$pids $!"
    runs="${runs:-} $!"
done
# shellcheck disable=SC2086 # a list of words
wait $runs
sleep 0.3
stop_host >"$scratch/said"
same_ticks "$scratch"/rec-two/one-*.mf4 "$scratch/one.mf4" 'of two targets the first is recorded'
./skidpad export "$scratch"/rec-two/two-*.mf4 --signals tick --out "$scratch/two.csv" >/dev/null 2>&1
check "$([ "$(wc -l <"$scratch/two.csv")" -gt 800 ]; echo $?)" 'and the second, which was asked'
run skidpad replay "$scratch"/rec-two/one-*.mf4
expect_status 0 'a recording of every tick replays'
run skidpad replay "$scratch"/rec-two/two-*.mf4
expect_status 2 'one of every other tick cannot'
expect_err "The target's own log has every tick" 'and says what can'

finish
