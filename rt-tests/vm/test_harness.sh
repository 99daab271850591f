#!/bin/sh
# What goes wrong in a guest must not pass: the harness itself, with payloads that fail.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# payload LINE...: a payload of these lines.
payload() {
    printf '%s\n' "$@" >"$scratch/payload.sh"
}

# shellcheck disable=SC2016 # expanded in the guest
payload 'echo "word is $word"; head -c 100000 /dev/urandom >random; sha256sum random >sum' \
    'echo "mode $VM_MODE, core $VM_RT, $(nproc) CPU"; exit 3'
vm harness-status stock clock "$scratch/payload.sh" word=given
expect_status 1 'a payload that fails fails the boot'
expect_err 'the payload ended with status 3' 'and its status is told'
expect_out 'word is given' 'a variable reaches the payload'
expect_out 'mode clock, core posix, 1 CPU' 'it knows where it runs'
check "$(cd "$results" && sha256sum --quiet -c sum >/dev/null; echo $?)" \
    'a binary file comes out unchanged'

payload 'echo c >/proc/sysrq-trigger'
vm harness-panic rt function "$scratch/payload.sh"
expect_status 1 'a panic fails'
expect_err 'before the payload ended' 'and says so'
expect_err 'Kernel panic - not syncing: sysrq triggered crash' 'and why'
expect_err 'do_syscall_64' 'with the end of the console'

payload '# kernel: isolcpus=1 skidpad.word=asked' 'cat /proc/cmdline; halt -f'
VM_APPEND='skidpad.other=given' vm harness-halt rt function "$scratch/payload.sh"
expect_status 1 'a guest that halts fails'
expect_err 'the guest halted before the payload ended' 'at once, not after its time'
expect_out 'isolcpus=1 skidpad.word=asked skidpad.other=given' \
    'words for the kernel come from the payload and from VM_APPEND'

payload '# seconds: 20' 'sleep 1000'
vm harness-time rt function "$scratch/payload.sh"
expect_status 1 'a payload that does not end fails'
expect_err 'no end after 20 s' 'and says so'

payload '# programs: no-such-program'
vm harness-program rt function "$scratch/payload.sh"
expect_status 1 'a program that is not there fails before the boot'
expect_err 'no-such-program is not installed' 'and is named'

payload true
run env VM_KERNEL="$scratch/none" rt-tests/vm/vm.sh other function "$scratch/payload.sh" \
    "$scratch/out"
expect_status 1 'a kernel that is not there fails'
expect_err 'none' 'and is named'
finish
