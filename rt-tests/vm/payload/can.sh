# shellcheck shell=sh
# Two CAN controllers on one bus at 500 kbit/s: what can0 sends, can1 receives, and can0 learns that
# it was acknowledged. Then a long message by ISO-TP over a virtual interface.
# programs: ip candump cansend isotpsend isotprecv
# modules: can-raw can-isotp kvaser_pci vcan
# devices: can
# seconds: 120
set -eu

for interface in can0 can1; do
    ip link set $interface up type can bitrate 500000
done
candump -n 3 -T 5000 can1 >received.txt &
listener=$!
sleep 0.5
cansend can0 123#DEADBEEF
cansend can0 7FF#
cansend can0 1ABCDEF0#0102030405060708
wait $listener
ip -details -statistics link show can0 >can0.txt

ip link add vcan0 type vcan
ip link set vcan0 up
isotprecv -s 321 -d 123 vcan0 >isotp.txt &
listener=$!
sleep 0.5
seq -w -s ' ' 1 40 >sent.txt # bytes in hexadecimal
isotpsend -s 123 -d 321 vcan0 <sent.txt
wait $listener
