#!/bin/sh
# A disk that stands still holds up the recording, not the network: slow_disk.py says how.
cd "$(dirname "$0")/../.." || exit 1
build=${SKIDPAD_BUILD:-${BUILD:-build}}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 rt-tests/host/slow_disk.py "$build" "$scratch"
