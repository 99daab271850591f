#!/bin/sh
# skidpad run on both kernels: a log of either replays to the same state here, which is also that of
# the simulated clock. On the instruction clock, so that no deadline depends on this machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The brakes come on at 2 s; every tick adds 1.4 kB to the log, which a guest is slow to send.
for_s=2.1
drive="--scenario config/scenarios/brake_in_turn.yaml --vehicle config/vehicles/sedan.yaml"

# state_of FILE: what replay says.
state_of() {
    sed -n 's/^state *//p' "$1" | cut -d ' ' -f 1
}

run skidpad run --rt virtual --period-us 2000 --for $for_s --log "$scratch/here.mf4"
run skidpad replay "$scratch/here.mf4"
printf '%s\n' "$out" >"$scratch/here.txt"
state=$(state_of "$scratch/here.txt")
check "$([ ${#state} -eq 16 ]; echo $?)" 'simulated clock, here: the log replays'

for kernel in rt stock; do
    vm run-$kernel $kernel clock run for_s=$for_s
    expect_boot "$kernel: drives and replays in the guest"
    expect_in run-posix.txt 'core       posix, period 2000 us, SCHED_FIFO, memory locked' \
        "$kernel: in real time"
    expect_in run-posix.txt 'ticks      1050, deadlines missed 0' "$kernel: no deadline missed"
    expect_in run-posix.txt '1050 records' "$kernel: every record is in the log"
    for core in posix virtual; do
        check "$([ "$(state_of "$results/replay-$core.txt")" = "$state" ]; echo $?)" \
            "$kernel: the log of $core replays to the same state there"
    done
    # shellcheck disable=SC2086 # a list of words
    run skidpad replay "$results/run.mf4" $drive
    expect_out 'every signal has the same bits' "$kernel: and here, every signal"
    expect_out "$state" "$kernel: to the same state"
done

# In real time on this machine, which may be too busy for it; then other steps were made.
run skidpad run --allow-nonrt --period-us 2000 --for $for_s --log "$scratch/busy.mf4"
case $out in
*'deadlines missed 0 '*) same=$state ;;
*) same= ;;
esac
run skidpad replay "$scratch/busy.mf4"
expect_out 'every signal has the same bits' 'real time, here: the log replays'
expect_out "$same" 'and to the same state unless steps were missed'
finish
