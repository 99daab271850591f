#!/bin/sh
# Two CPUs, one of them isolated: the loop alone there, its other threads and the unit on the other
# one. No timing is judged: the CPUs of a guest are threads of this machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

vm isolated rt function isolated
expect_boot 'a run on an isolated CPU of PREEMPT_RT'
expect_in isolated.txt 1 'CPU 1 is isolated, by words that the payload passes to the kernel'
threads=$results/threads.txt
check "$(grep -c '^run .* allowed 1 last 1$' "$threads" | grep -qx 1; echo $?)" \
    'one thread of the run is on the isolated CPU: the loop'
check "$(grep -q '^run .* policy 1 allowed 1 ' "$threads"; echo $?)" 'with SCHED_FIFO'
check "$(grep '^run ' "$threads" | grep -v ' allowed 1 ' | grep -vq ' allowed 0 last 0$'; echo $((1 - $?)))" \
    'every other thread of the run is on the other CPU'
check "$(grep -q '^run can-gateway policy 1 allowed 0 last 0' "$threads"; echo $?)" \
    'the gateway, too, with SCHED_FIFO'
check "$(grep -q '^unit ' "$threads"; echo $?)" 'the unit runs'
check "$(grep '^unit ' "$threads" | grep -vq ' allowed 0 last 0$'; echo $((1 - $?)))" \
    'on the other CPU as well'
check "$(grep -q 'chassis on gateway: .* [1-9][0-9]* received' "$results/run.txt"; echo $?)" \
    'and they talk to each other'
finish
