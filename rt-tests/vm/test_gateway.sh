#!/bin/sh
# The gateway's thread between the tick and CAN controllers, at 1 kHz and under load: what frames take
# from the wire to the tick and back, on the instruction clock. On PREEMPT_RT each way stays below one
# period; the stock kernel is measured only.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# way NAME: its line in the summary.
way() {
    sed -n "s/^ *$1  *mean/mean/p" "$results/gateway.txt"
}

for kernel in ${KERNELS:-rt}; do
    vm "gateway-$kernel" "$kernel" clock gateway for_s="${FOR_S:-3}"
    expect_boot "$kernel: the unit on CAN controllers, through the gateway"
    expect_in gateway.txt 'chassis on gateway: ' "$kernel: the bus goes through the gateway at 1 kHz"
    for name in 'tick to driver' 'of it gateway' 'wire to tick'; do
        echo "# $kernel, $name: $(way "$name"), instruction clock"
        check "$([ -n "$(way "$name")" ]; echo $?)" "$kernel: $name is measured"
    done
    check "$(grep -q 'not sent' "$results/gateway.txt"; echo $((1 - $?)))" \
        "$kernel: every frame is sent"
    [ "$kernel" = rt ] || continue
    for name in 'tick to driver' 'of it gateway'; do
        check "$(way "$name" | grep -q ', 0 of [1-9][0-9]* above one period'; echo $?)" \
            "$kernel, load: $name stays below one period"
    done
done
finish
