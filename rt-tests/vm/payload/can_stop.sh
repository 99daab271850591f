# shellcheck shell=sh
# The unit in the loop over two CAN controllers: target on can0, unit on can1, candump beside it.
# programs: ip candump cangen canplayer
# modules: can-raw kvaser_pci
# devices: can
# files: rt-tests/vm/files/can_stop.yaml rt-tests/vm/files/can_replayed.yaml rt-tests/vm/files/split_slippery.yaml
# seconds: 900
set -eu

for interface in can0 can1; do
    ip link set $interface up txqueuelen 1000 type can bitrate 500000
done

unit_start() {
    skidpad ecu --can socketcan:can1 --priority 78 >"unit_$1.txt" 2>&1 &
    unit=$!
    sleep 0.2
}

# A stop from begin to end, every frame heard by candump.
candump -L can1 >bus.log &
listener=$!
unit_start stop
skidpad run /vm/files/can_stop.yaml --for 7 --log stop.mf4 >stop.txt
kill $unit $listener
wait $unit || true
skidpad export stop.mf4 --csv stop.csv --signals \
    time_s,vx_mps,locked,fl_unit_pressure_Pa,fr_unit_pressure_Pa,rl_unit_pressure_Pa,rr_unit_pressure_Pa,fl_in_pressure_Pa,fr_in_pressure_Pa,rl_in_pressure_Pa,rr_in_pressure_Pa
skidpad replay stop.mf4 >replay.txt
rm stop.mf4

# The unit dies in mid-stop.
unit_start kill
skidpad run /vm/files/can_stop.yaml --for 3 --log kill.mf4 >kill.txt &
run=$!
sleep 2
kill -9 $unit
wait $run || true # the safe state is a fault
skidpad export kill.mf4 --csv kill.csv --signals time_s,unit_age_s,bus_sent
rm kill.mf4

# The interface goes down and comes back; a person resets.
unit_start down
skidpad run /vm/files/can_stop.yaml --for 5 --log down.mf4 >down.txt &
run=$!
sleep 1.5
ip link set can0 down
sleep 0.5
skidpad control /tmp/run.sock status >down_status.txt
ip link set can0 up
sleep 0.5
skidpad control /tmp/run.sock status >>down_status.txt
skidpad control /tmp/run.sock reset >>down_status.txt
sleep 0.5
skidpad control /tmp/run.sock status >>down_status.txt
wait $run || true
kill $unit
rm down.mf4

# Somebody floods the bus at top priority.
unit_start flood
skidpad run /vm/files/can_stop.yaml --for 4 --log flood.mf4 >flood.txt &
run=$!
sleep 1
cangen can1 -g 0 -p 10 -I 001 -L 8 -n 4000 2>cangen.txt || true
wait $run || true
kill $unit
rm flood.mf4

# What the unit said on the first road, played to a car on snow: nobody answers the car's wheels.
grep -E ' (0A8|0B8|0BC|128)#' bus.log >unit.log
skidpad run /vm/files/can_replayed.yaml --log played.mf4 >played.txt &
run=$!
canplayer -I unit.log can1=can1
wait $run || true
skidpad export played.mf4 --csv played.csv --signals time_s,vx_mps,locked
rm played.mf4
