#!/bin/bash
# Every program is built so that an overrun of a buffer cannot be used, and binds its symbols at the
# start: the real-time thread never waits for the dynamic linker.
#
#   hardened.sh [PROGRAM]...      unless given: every skidpad-* in $BUILD and $BUILD/shim
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
if [ $# -eq 0 ]; then
    for program in "$build"/skidpad-* "$build"/shim/skidpad-*; do
        [ -f "$program" ] && [ -x "$program" ] && set -- "$@" "$program"
    done
fi
if [ $# -eq 0 ]; then
    echo "no programs in $build: build first"
    exit 1
fi

bad=0
# lacks PROGRAM WHAT
lacks() {
    echo "$1: $2"
    bad=1
}

for program in "$@"; do
    headers=$(readelf -W -l -d -h "$program")
    symbols=$(nm -D "$program")
    grep -q 'Type: *DYN' <<<"$headers" || lacks "$program" 'is not position-independent (-pie)'
    grep -q GNU_RELRO <<<"$headers" || lacks "$program" 'has no RELRO (-z relro)'
    grep -q 'BIND_NOW\|FLAGS_1.*NOW' <<<"$headers" || lacks "$program" 'binds its symbols late (-z now)'
    grep -q 'GNU_STACK.* RW ' <<<"$headers" || lacks "$program" 'has an executable stack'
    grep -q __stack_chk_fail <<<"$symbols" || lacks "$program" 'has no canaries (-fstack-protector-strong)'
    # Sanitizers look for themselves, and for more.
    grep -q "__asan_init\|__tsan_init" <<<"$symbols" || grep -q '_chk@\|_chk$' <<<"$symbols" ||
        lacks "$program" 'does not use the checking C library (_FORTIFY_SOURCE)'
done
exit $bad
