# shellcheck shell=sh
# The SocketCAN transport on two controllers and a virtual interface with FD.
# programs: ip canplayer
# tests: hil/test_can_socket
# modules: can-raw kvaser_pci vcan
# devices: can
# seconds: 180
set -eu

for interface in can0 can1; do
    ip link set $interface up txqueuelen 1000 type can bitrate 500000
done
ip link add vcan0 mtu 72 type vcan
ip link set vcan0 up
# Interrupts on the first CPU: the test of a full queue keeps that one to itself.
for irq in /proc/irq/*/smp_affinity; do
    echo 1 >"$irq" 2>/dev/null || true
done
CMOCKA_MESSAGE_OUTPUT=TAP test_can_socket >socket.txt 2>&1 || { cat socket.txt; exit 1; }
