#!/bin/sh
# The unit in the loop over CAN controllers, on a PREEMPT_RT kernel, on the instruction clock.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# column FILE NAME: number of a column of a table.
column() {
    head -n 1 "$results/$1" | tr ',' '\n' | grep -nx "$2" | cut -d : -f 1
}

# locked_s FILE: longest time that a wheel is locked above 15 km/h.
locked_s() {
    awk -F , -v speed="$(column "$1" vx_mps)" -v locked="$(column "$1" locked)" '
        NR > 1 { on = ($speed > 15 / 3.6 && $locked > 0); run = on ? run + 0.001 : 0
                 if (run > most) most = run }
        END { printf "%.3f\n", most }' "$results/$1"
}

vm can_stop rt clock can_stop
expect_boot 'the loop runs over can0 and can1 on PREEMPT_RT'

expect_in stop.txt 'deadlines missed 0 ' 'no deadline is missed in the stop'
check "$(awk -F , 'END { exit !($2 < 0.1) }' "$results/stop.csv"; echo $?)" 'the car stands at the end'
most=$(locked_s stop.csv)
check "$(awk -v s="$most" 'BEGIN { exit !(s <= 0.2) }'; echo $?)" "no wheel locks for more than 0.2 s above 15 km/h ($most s)"
expect_in replay.txt 'the same bits' 'the log replays to the same bits'
run /usr/bin/python3 rt-tests/vm/compare_pressures.py config/can/skidpad_chassis.dbc "$results/bus.log" "$results/stop.csv"
expect_status 0 'pressures that canmatrix decodes from candump are those that the log says were applied'

expect_in kill.txt 'SAFE STATE the unit is silent' 'killing the unit leads to the safe state'
# Time-out 20 ms and one tick: the age of the pressures when the safe state begins.
safe=$(sed -n 's/.*tick \([0-9]*\)  safe state: the unit is silent/\1/p' "$results/kill.events.txt")
run awk -F , -v tick="${safe:-0}" 'NR == tick + 2 { age = $2 } END { print age; exit !(age > 0.015 && age <= 0.021) }' "$results/kill.csv"
expect_status 0 'the safe state begins within the time-out and one tick'
run awk -F , 'NR > 1 && $1 > 0.3 && $2 > most { most = $2 } END { print most; exit !(most > 0.9) }' "$results/kill.csv"
expect_status 0 'and the unit stays dead'

expect_in down.txt 'interface went down' 'an interface that goes down is an event'
check "$(sed -n 1p "$results/down_status.txt" | grep -q 'SAFE STATE'; echo $?)" 'it leads to the safe state'
check "$(sed -n 2p "$results/down_status.txt" | grep -q 'SAFE STATE'; echo $?)" 'which stays when the interface is back'
check "$(sed -n 4p "$results/down_status.txt" | grep -q 'running'; echo $?)" 'until a person resets'

check "$(grep -qE 'of unknown id' "$results/flood.txt"; echo $?)" 'a flood at top priority is survived and counted'

most=$(locked_s played.csv)
check "$(awk -v s="$most" 'BEGIN { exit !(s > 0.5) }'; echo $?)" "played frames do not answer another road: wheels lock ($most s)"
finish
