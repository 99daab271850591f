# shellcheck shell=sh
# Our ISO-TP against the kernel's, over two CAN controllers: the tester on can0; on can1 first
# isotprecv and isotpsend in the place of a unit, then the stand-in.
# programs: ip isotpsend isotprecv
# modules: can-raw can-isotp kvaser_pci
# devices: can
# seconds: 300
set -eu

for interface in can0 can1; do
    ip link set $interface up txqueuelen 1000 type can bitrate 500000
done

# bytes N FIRST: so many bytes in hexadecimal, counting up, the first as given.
bytes() {
    printf '%s' "$2"
    i=1
    while [ $i -lt "$1" ]; do
        printf ' %02X' $((i % 256))
        i=$((i + 1))
    done
}

# The tester's message and the answer to it have so many bytes; both sides ask for such blocks, the
# kernel for such a pause, we for another. "sent" and "answer" are what went in, "got" and "heard"
# what came out.
exchange() { # NAME BYTES BLOCK STMIN [OUR PAUSE IN MS]
    bytes "$2" 22 >"$1_sent.txt"
    bytes "$2" 62 >"$1_answer.txt"
    (isotprecv -s 768 -d 760 -p CC -b "$3" -m "$4" can1 >"$1_got.txt"
        isotpsend -s 768 -d 760 -p CC can1 <"$1_answer.txt") &
    other=$!
    sleep 0.3
    skidpad uds --can socketcan:can0 --wait 20 --isotp own --block-size "$3" --st-min "${5:-0}" \
        raw "$(cat "$1_sent.txt")" >"$1_heard.txt"
    wait $other
}

exchange single 7 0 00
exchange multi 20 0 00
exchange blocks 300 4 F5
exchange pauses 100 0 05 5
exchange longest 4095 4 02 2 # the emulated controllers hold five frames: no more at once

# The kernel's ISO-TP as the tester's, ours in the unit.
skidpad ecu --can socketcan:can1 --quiet &
unit=$!
uds='skidpad uds --can socketcan:can0 --wait 20 --isotp kernel'
tries=0 # the frames are missed after a second of the unit's time
while [ $tries -lt 60 ] && ! grep -qs U0100-87 kernel_codes.txt; do
    sleep 0.5
    $uds codes >kernel_codes.txt || true # status 1: there are some
    tries=$((tries + 1))
done
$uds write vin 4B45524E454C2D49534F2D54502D303031 >kernel_write.txt
$uds read vin >kernel_read.txt
skidpad uds --can socketcan:can0 --wait 20 --isotp own codes >own_codes.txt || true
skidpad uds --can socketcan:can0 --wait 20 read vin >auto_read.txt
kill $unit
wait $unit || true
