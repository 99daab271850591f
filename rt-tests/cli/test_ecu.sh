#!/bin/sh
# skidpad ecu: its faults without frames, its part in a run on UDP and on the simulated clock, bad
# input. Nothing here judges timing.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
config=$PWD/config
export SKIDPAD_CONFIG_DIR="$config"
# Ports of this test's own, so that others may run beside it.
port=$((20000 + $$ % 10000))

# ---- alone on its bus: every source is missed, the valves are at rest

run skidpad ecu --can udp:$port:$((port + 1)) --for 1.5 --record "$scratch/unit.log"
expect_status 1 'without frames the status is 1'
expect_out 'mode: passive' 'without frames the unit is passive'
expect_out 'fault 8: master cylinder: no good frame' 'the faults are named'
check "$(grep -q ' 0A8#' "$scratch/unit.log"; echo $?)" 'its pressures are in the log of frames'
# Control (bit 15) and the valid bits of the pressures are 0: 0A8 data byte 1, high nibble.
check "$(grep ' 0A8#' "$scratch/unit.log" | grep -qv '0A8#..0'; [ $? -eq 1 ]; echo $?)" \
    'no pressure is marked valid'

run skidpad ecu --can udp:$port:$((port + 1)) --for 0.3 --quiet
expect_status 1 'frames that never came are no success'
check "$([ -z "$out" ]; echo $?)" '--quiet prints nothing'

# ---- a signal ends it cleanly

"${SKIDPAD_BUILD:-build}"/skidpad-ecu --can udp:$port:$((port + 1)) >"$scratch/out" 2>&1 &
pid=$!
sleep 0.5
kill -INT $pid
wait $pid
check "$([ $? -eq 1 ]; echo $?)" 'SIGINT ends it'
check "$(grep -q 'mode: start' "$scratch/out"; echo $?)" 'with a summary'

# ---- bad input

run skidpad ecu --params "$scratch/none.yaml"
expect_status 2 'no such parameter file'
run skidpad ecu --can morse:1
expect_status 2 'no such transport'
expect_err 'allowed: socketcan:' 'says what is allowed'
sed 's/mass_kg: .*/mass_kg: -3/' "$config/ecu/sedan.yaml" >"$scratch/bad.yaml"
run skidpad ecu --params "$scratch/bad.yaml" --for 1
expect_status 2 'a negative mass'
expect_err 'mass_kg' 'is named'

finish
