#!/bin/sh
# A serving bench under requests from everywhere and kills -9 (soak.py).
#
#   soak.sh [SECONDS [KILLS [RUNS [OPTION...]]]]     600 s, a kill every 3 s, 100 runs of one host
cd "$(dirname "$0")/../.." || exit 1
build=${SKIDPAD_BUILD:-${BUILD:-build}}
seconds=${1:-${SOAK_SECONDS:-600}}
kills=${2:-$((seconds / 3))}
runs=${3:-100}
if [ $# -gt 3 ]; then shift 3; else shift $#; fi
exec python3 rt-tests/soak/soak.py "$build" "$build/soak" "$seconds" "$kills" --runs "$runs" "$@"
