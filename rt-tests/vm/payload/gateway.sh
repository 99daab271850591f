# shellcheck shell=sh
# The ABS unit on two CAN controllers, the run's bus through the gateway's thread at 1 kHz, under load:
# how long frames take from the wire to the tick and back.
#
#   for_s     seconds of the run
#   late      all or newest, as in a bench file
# programs: ip hackbench
# files: rt-tests/vm/files/load.sh
# modules: can-raw kvaser_pci
# devices: can
# seconds: 1500
set -u

# shellcheck source=rt-tests/vm/files/load.sh
. /vm/files/load.sh
config=/vm/share/skidpad/config
for interface in can0 can1; do
    ip link set $interface up type can bitrate 500000
done
cat >gateway.yaml <<END
kind: bench
name: gateway
scenario: $config/scenarios/abs_split.yaml
duration_s: ${for_s:-5}
limits: {missed: 1000000000, missed_in_row: 0}
can: [{name: chassis, bus: $config/can/skidpad_chassis.yaml, transport: "socketcan:can0",
       gateway: always, late: ${late:-all}}]
stand_in: {params: $config/ecu/sedan.yaml, can: "socketcan:can1"}
latency: {frame: WheelEdgesFront}
END
load &
loader=$!
skidpad run gateway.yaml --rt "$VM_RT" --cpu 0 >gateway.txt 2>&1
status=$?
kill $loader
cat gateway.txt
[ $status -le 1 ] # missed deadlines are not what this is about
