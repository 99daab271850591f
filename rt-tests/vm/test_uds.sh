#!/bin/sh
# Our ISO-TP against the kernel's on two CAN controllers, and the tester with either.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# same NAME: what arrived is what was sent, both ways.
same() {
    sent=$(tr -d ' \n' <"$results/$1_sent.txt") answer=$(tr -d ' \n' <"$results/$1_answer.txt")
    got=$(tr -d ' \n' <"$results/$1_got.txt") heard=$(tr -d ' \n' <"$results/$1_heard.txt")
    check "$([ -n "$sent" ] && [ "$got" = "$sent" ]; echo $?)" "$1: isotprecv has what we sent"
    check "$([ -n "$answer" ] && [ "$heard" = "$answer" ]; echo $?)" "$1: we have what isotpsend sent"
}

vm uds rt clock uds
expect_boot 'diagnosis over CAN controllers on PREEMPT_RT'
for name in single multi blocks pauses longest; do
    same $name
done
expect_in kernel_codes.txt 'U0100-87  engine: no good frame' 'codes by the ISO-TP of the kernel'
expect_in kernel_codes.txt 'at speed 0 km/h' 'with their snapshots'
expect_in own_codes.txt 'U0100-87  engine: no good frame' 'and by our own'
expect_in kernel_read.txt 'vin "KERNEL-ISO-TP-001"' 'a long request by the ISO-TP of the kernel'
expect_in auto_read.txt 'vin "KERNEL-ISO-TP-001"' 'chosen by itself'
finish
