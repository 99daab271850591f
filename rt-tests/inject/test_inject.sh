#!/bin/sh
# Every call outside the tick fails at least once: clear statuses, messages, readable logs.
#
#   test_inject.sh [--all | --scenes a,b | --only TEXT | ...]    as inject.py
cd "$(dirname "$0")/../.." || exit 1
build=${SKIDPAD_BUILD:-${BUILD:-build}}
exec python3 rt-tests/inject/inject.py "$build" "$build/inject" --workers "$(nproc)" "$@"
