#!/bin/sh
# A minute at 20 kHz with all signals, under the system call filter: every tick has its record,
# memory stays as it is, nothing but the calls allowed is made. Deadlines are not judged: a busy
# machine misses some, and what it misses has no record.
#
#   LONG_RUN_SECONDS (60)   how long
#
# The log takes about 1.4 GB of the folder for temporary files.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
programs=${SKIDPAD_BUILD:-build}
seconds=${LONG_RUN_SECONDS:-60}
log=$scratch/long.mf4

room_kb=$(df -Pk "$scratch" | awk 'END { print $4 }')
if [ "$room_kb" -lt $((seconds * 50000)) ]; then
    skip "$seconds s at 20 kHz" "too little room for the log in $scratch"
    finish
fi
cat >"$scratch/long.yaml" <<END
kind: bench
name: long run
scenario: $PWD/config/scenarios/torque_and_steering.yaml
realtime: {period_us: 50}
limits: {missed: 1000000000, missed_in_row: 0}
telemetry: {to: "127.0.0.1:49151", rate_hz: 100}
END

ran='skidpad run'
"$programs/skidpad-run" "$scratch/long.yaml" --for "$seconds" --allow-nonrt --strict-syscalls \
    --log "$log" >"$scratch/.out" 2>"$scratch/.err" </dev/null &
pid=$!
sleep 3 # rings and stacks are there
while sleep 1 && [ -r "/proc/$pid/status" ]; do
    awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null
done >"$scratch/rss"
status=0
wait "$pid" || status=$?
out=$(cat "$scratch/.out")
err=$(cat "$scratch/.err")
summary=$out
printf '%s\n' "$summary" | sed 's/^/# /'

expect_status 0 "the run ends by itself: no call but those allowed in $seconds s"
expect_no_err 'without a message'
ticks=$(printf '%s\n' "$out" | sed -n 's/^ticks *\([0-9]*\),.*/\1/p')
skipped=$(printf '%s\n' "$out" | sed -n 's/^ticks.*(\([0-9]*\) of them skipped.*/\1/p')
check "$([ "$((ticks + skipped))" -eq $((seconds * 20000)) ]; echo $?)" \
    "every release was a tick or is counted as skipped ($ticks, $skipped)"
lost=$(printf '%s\n' "$out" | sed -n 's/^log.*, \([0-9]*\) LOST.*/\1/p')
records=$(printf '%s\n' "$out" | sed -n 's/^log.* \([0-9]*\) records.*/\1/p')
check "$([ $((records + ${lost:-0})) -eq "$ticks" ]; echo $?)" \
    'every tick is in the log or counted as lost'
if [ "${lost:-0}" -eq 0 ]; then
    check 0 'none was lost'
else
    # The log thread is an ordinary one: processes that take CPU and disk can hold it up.
    skip 'none was lost' "this machine is too busy: $lost records"
fi
skidpad export "$log" --group events --signals kind,value --csv - 2>/dev/null |
    awk -F, '$1 == 5 { n += $2 } END { print n + 0 }' >"$scratch/lost"
check "$([ "$(cat "$scratch/lost")" -eq "${lost:-0}" ]; echo $?)" 'the log says how many were lost'
run skidpad export "$log" --info
expect_out "group 1: ticks, $records records" 'the file holds as many as were told'
run skidpad replay "$log"
expect_status 0 'and they replay'
if [ "${lost:-0}" -eq 0 ]; then
    expect_out "$ticks ticks, $ticks steps: every signal has the same bits" 'to the last one'
else
    expect_out 'records were lost after that' 'up to the first that was lost'
fi
# Memory is locked from the start: what a run takes, it has.
low=$(sort -n "$scratch/rss" | head -n 1)
high=$(sort -n "$scratch/rss" | tail -n 1)
check "$([ "$(grep -c . "$scratch/rss")" -ge $((seconds / 2)) ] && [ $((high - low)) -le 256 ]
    echo $?)" "memory is flat ($low to $high kB)"
if printf '%s\n' "$summary" | grep -q 'memory locked'; then
    check "$(printf '%s\n' "$summary" | grep -q '^kernel *page faults 0,'; echo $?)" \
        'no page fault after the first second'
else
    skip 'no page fault after the first second' 'no right to lock memory'
fi

finish
