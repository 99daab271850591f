# shellcheck shell=sh
# The SocketCAN transport on two controllers and a virtual interface with FD; the watchdog on them.
# programs: ip canplayer candump
# tests: hil/test_can_socket
# modules: can-raw kvaser_pci vcan
# devices: can
# files: rt-tests/vm/files/watched.yaml
# seconds: 150
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

# watched NAME: a run on can0 with its watchdog, until the bus is in use. The log is of can0, to which
# every frame comes back that was on the bus: can1 loses some when this machine is busy.
watched() {
    candump -L can0 >"$1.log" &
    listener=$!
    skidpad run "/tmp/$1.yaml" --log "$1.mf4" >"$1.txt" 2>&1 &
    run=$!
    until grep -q ' 0A0#' "$1.log"; do sleep 0.1; done
}
# taken_over NAME: until the watchdog has sent its frames and ended.
taken_over() {
    until grep -qs 'ends after' "$1.mf4.watchdog"; do sleep 0.1; done
    kill $listener
    wait $listener || true
    rm -f "$1.mf4"
}

cp /vm/files/watched.yaml /tmp/killed.yaml
watched killed
kill -9 $run
taken_over killed

# At SCHED_FIFO 80 on the second CPU, for good.
{ cat /vm/files/watched.yaml; echo 'provoke: [{tick: 300, endless: true}]'; } >/tmp/endless.yaml
watched endless
taken_over endless
kill -9 $run
