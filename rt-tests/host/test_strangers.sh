#!/bin/sh
# Who has not the key takes no place of a target; what is refused or not recorded is said.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port)

# target NAME ARGUMENT...: target.py in the background, until it has begun.
target() {
    target_out=$scratch/$1.out
    shift
    python3 rt-tests/host/target.py "$@" >"$target_out" 2>&1 &
    target_pid=$!
    pids="$pids $target_pid"
    until_said begun "$target_out"
}

# until_said TEXT FILE: at most 20 s.
until_said() {
    tries=0
    while ! grep -q -e "$1" "$2" && [ $tries -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ $tries -lt 400 ]
}

# ended STATUS NAME: the host was stopped; its status and what it said.
ended() {
    kill "$host"
    wait "$host"
    status=$? ran='skidpad host' out=$(cat "$scratch/host.out") err=$(cat "$scratch/host.err")
    check "$([ "$status" -eq "$1" ]; echo $?)" "$2"
}
last_line() {
    ran='the last line' out=$(tail -1 "$scratch/host.out")
    check "$(printf '%s' "$out" | grep -q -e "$1"; echo $?)" "$2"
}

# Packets of a run that is over, with the right key.
"$here/skidpad" host --new-key "$SKIDPAD_KEY" >/dev/null
bench old "$port"
target catch catch "$port" "$scratch/old.packets" 3
./skidpad run "$scratch/old.yaml" --allow-nonrt --for 1.5 >/dev/null 2>&1
wait "$target_pid"

# Eight that have not the key and eight that send the old run again, all before the real one.
start_host "$port" 0 --record "$scratch/rec"
escapes=$(printf '\033]0;owned\007\033[2J')
target fake fake "$port" 8 60 --name "$escapes"
fake=$target_pid
target again again "$port" "$scratch/old.packets" 8 60
again=$target_pid
check "$(until_said 'REFUSED: .*has not this host.s key' "$scratch/host.err"; echo $?)" \
    'senders without the key are refused at once, and it is said'
check "$(until_said 'REFUSED: .*does not answer: packets of an old run' "$scratch/host.err"; echo $?)" \
    'as are packets of an old run'
check "$(! grep -q "$(printf '\033')" "$scratch/host.err"; echo $?)" 'no escape of a name reaches the terminal'
bench real "$port"
run skidpad run "$scratch/real.yaml" --allow-nonrt --for 1.5
expect_status 0 'a real run runs beside them'
check "$(until_said 'the run has ended, .*real-.* is complete' "$scratch/host.err"; echo $?)" 'and is recorded'
kill "$fake" "$again"
ended 0 'nothing real was lost: status 0'
check "$(grep -Eq '^refused +[0-9]+ packets, last: .* has not' "$scratch/host.out"; echo $?)" 'the refused are in the summary'
last_line 'result     1 of 1 recordings complete' 'the last line says that all is recorded'
same_ticks "$scratch"/rec/real-*.mf4 "$scratch/real.mf4" 'every record of the real run'

# More with the key than there are places.
start_host "$port" 0 --record "$scratch/rec-crowd"
target crowd crowd "$port" "$SKIDPAD_KEY" 9 60
check "$(until_said 'REFUSED: "crowd .*NOT RECORDED' "$scratch/host.err"; echo $?)" 'the ninth is told at once'
ended 1 'and is status 1 at the end'
last_line 'NOT COMPLETE: 0 of 8 recordings; 1 runs found no place' 'which the last line says'
kill "$target_pid"

# A target that falls silent, killed for instance.
bench killed "$port"
start_host "$port" 0 --record "$scratch/rec-killed"
./skidpad run "$scratch/killed.yaml" --allow-nonrt --for 60 >/dev/null 2>&1 &
run_pid=$!
pids="$pids $run_pid"
until_said 'is recorded in' "$scratch/host.err"
kill -9 "$run_pid"
wait "$run_pid" 2>/dev/null
sleep 1.5
ended 1 'a target that fell silent is status 1'
last_line 'NOT COMPLETE: 1 of 1 recordings.*fell silent before its end' 'which the last line says'

# Without a key: refused, unless it is allowed.
bench bare "$port"
start_host "$port" 0 --record "$scratch/rec-bare"
SKIDPAD_KEY=$scratch/none ./skidpad run "$scratch/bare.yaml" --allow-nonrt --for 2.5 >/dev/null 2>&1
ended 1 'a target without a key is refused, and nothing recorded'
last_line 'NOTHING was recorded: who sent was refused' 'which the last line says'
check "$(grep -q 'REFUSED: "bare" at 127.0.0.1:[0-9]* has not this host.s key' "$scratch/host.err"; echo $?)" \
    'the target by its name, with what to do'
check "$([ ! -d "$scratch/rec-bare" ] || [ -z "$(ls "$scratch/rec-bare")" ]; echo $?)" 'and not recorded'
start_host "$port" 0 --record "$scratch/rec-bare" --accept-unsealed
SKIDPAD_KEY=$scratch/none ./skidpad run "$scratch/bare.yaml" --allow-nonrt --for 1 >/dev/null 2>&1
until_said 'is complete' "$scratch/host.err"
ended 0 '--accept-unsealed takes it'
same_ticks "$scratch"/rec-bare/*.mf4 "$scratch/bare.mf4" 'all of it'

# Another version of the protocol, or packets that are broken, and nobody else.
for odd in version broken; do
    start_host "$port" 0 --record "$scratch/rec-odd"
    target odd odd "$port" $odd 0.5
    wait "$target_pid"
    ended 1 "$odd: who sent was refused, status 1"
    last_line 'NOTHING was recorded: who sent was refused, .* of another version and .* broken' \
        "$odd: which the last line says"
done
start_host "$port" 0 --record "$scratch/rec-odd"
ended 0 'nobody came: status 0'
last_line 'nothing was recorded: no target came' 'which the last line says'

# The first use of all: the run is there before the host has made the key.
SKIDPAD_KEY=$scratch/first/key
bench first "$port"
./skidpad run "$scratch/first.yaml" --allow-nonrt --for 3 >/dev/null 2>&1 &
run_pid=$!
pids="$pids $run_pid"
sleep 0.5
start_host "$port" 0 --record "$scratch/rec-first"
wait "$run_pid"
until_said 'is complete' "$scratch/host.err"
ended 0 'a run that was there before the key is taken'
check "$(! grep -q REFUSED "$scratch/host.err"; echo $?)" 'without an alarm'
same_ticks "$scratch"/rec-first/*.mf4 "$scratch/first.mf4" 'and recorded from its beginning'

finish
