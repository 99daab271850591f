#!/bin/sh
# The recorder is killed at 200 random moments: every complete record is read back.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port)
bench kill "$port"
sed -i 's/^realtime.*/realtime: {period_us: 5000, cpu: -1}/' "$scratch/kill.yaml"
run python3 rt-tests/host/kill_recorder.py "$scratch/rec" "$port" "$scratch/kill.yaml" \
    "$scratch/kill.mf4" "${KILLS:-200}" 1
expect_status 0 'whatever was recorded is the beginning of the log of the target'
printf '%s' "$out" >"$scratch/result.json"
echo "# $out"
holds "$scratch/result.json" "d['files'] >= 0.8 * d['killed']" 'most of them had begun to record'
holds "$scratch/result.json" "d['records'] > 5 * d['files']" 'and had records'
holds "$scratch/result.json" "d['most'] < d['record']" 'at most a record is cut off at the end'
finish
