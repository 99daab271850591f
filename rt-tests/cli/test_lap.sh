#!/bin/sh
# skidpad lap from outside: variants, reports, recorded drives, and what bad input gets.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

road=config/roads/handling.yaml

run skidpad lap "$road" --vary friction=0.7,1 body.mass_kg=1200:1400:200 --csv "$scratch/l.csv" \
    --json "$scratch/l.json" --svg "$scratch/l.svg"
expect_status 0 'four variants: status 0'
expect_out '4 of 4 finished' 'four variants: all finish'
check "$(test "$(wc -l <"$scratch/l.csv")" = 5; echo $?)" 'CSV: a line for each variant'
check "$(python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))["variants"]
t = {(x["set"]["friction"], x["set"]["body.mass_kg"]): x["lap_s"] for x in v}
ok = t[0.7, 1200] > t[1, 1200] + 1 and t[1, 1400] > t[1, 1200]
sys.exit(not ok)' "$scratch/l.json"; echo $?)" 'JSON: less friction is slower, more mass too'
check "$(rsvg-convert -o "$scratch/l.png" "$scratch/l.svg"; echo $?)" 'SVG: can be drawn'

# The same on one core: results do not depend on which thread drives.
run skidpad lap "$road" --vary friction=0.7,1 body.mass_kg=1200:1400:200 --jobs 1 \
    --csv "$scratch/one.csv" --quiet
check "$(cmp "$scratch/l.csv" "$scratch/one.csv"; echo $?)" 'the same on one core'

run skidpad lap "$road" --driver relaxed --json "$scratch/r.json"
expect_status 0 'another driver: status 0'
run skidpad lap "$road" --seek 0.3 --json "$scratch/s.json"
expect_status 0 'the most grip: status 0'
check "$(python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))["variants"][0]
sys.exit(not (r["offset_m"] <= 0.3 and r["grip"] > 0.6))' "$scratch/s.json"; echo $?)" \
    'the most grip: within what was asked for'

# A drive of two laps, recorded, is a path with an out lap and a flying lap; as a table and as a log.
cat >"$scratch/drive.yaml" <<END
kind: scenario
name: drive
vehicle: $PWD/config/vehicles/sedan.yaml
duration_s: 80
road: {file: $PWD/$road}
start: {speed_kmh: 50}
driver: {path: {road: {offset_m: 0.5}, limits: {grip: 0.5}}}
output: {rate_hz: 50, signals: [time_s, x_m, y_m, vx_mps]}
END
cat >"$scratch/bench.yaml" <<END
kind: bench
name: recorded
scenario: drive.yaml
realtime: {core: virtual, period_us: 1000}
END
run skidpad sim "$scratch/drive.yaml" --out "$scratch/drive.csv" --quiet
run skidpad run "$scratch/bench.yaml" --rt virtual --for 80 --log "$scratch/drive.mf4"
for form in csv mf4; do
    sed "s/^duration_s:.*/duration_s: 300/; s|^driver:.*|driver: {path: {recorded: {file: drive.$form, flying: true}}}|" \
        "$scratch/drive.yaml" >"$scratch/again_$form.yaml"
    run skidpad lap "$scratch/again_$form.yaml" --laps 2 --json "$scratch/$form.json"
    expect_status 0 "recorded as $form: two flying laps of it"
done
check "$(python3 -c '
import json, sys
a, b = (json.load(open(f))for f in sys.argv[1:])
x, y = a["variants"][0], b["variants"][0]
ok = abs(a["lap_m"] - 857) < 10 and abs(a["lap_m"] - b["lap_m"]) < 0.1
ok = ok and abs(x["lap_s"] - y["lap_s"]) < 0.1 and x["offset_m"] < 0.3 and y["offset_m"] < 0.3
sys.exit(not ok)' "$scratch/csv.json" "$scratch/mf4.json"; echo $?)" 'table and log are the same lap'

# With nine tenths of the grip the sedan spins; it is not waited for until the time is over.
run skidpad lap config/roads/circuit.yaml --grip 0.9
expect_status 1 'a car that spins: status 1'
expect_out 'got stuck at' 'a car that spins: says so'

# refused MESSAGE NAME ARGUMENT...
refused() {
    message=$1 name=$2
    shift 2
    run skidpad lap "$@"
    expect_status 2 "$name: status 2"
    expect_err "$message" "$name: says so"
}
refused 'did you mean "front_bar"' 'misspelt set-up' "$road" --vary front_br=1,2
refused 'did you mean "mass_kg"' 'misspelt key' "$road" --vary body.mas_kg=1500
refused 'must be a number > 0' 'bad value' "$road" --vary body.mass_kg=abc
refused 'FROM:TO:STEP' 'bad range' "$road" --vary front_bar=1:2
refused 'from 0 to 10 is' 'out of range' "$road" --vary front_bar=50
refused 'is varied twice' 'twice' "$road" --vary friction=1 friction=0.5
refused 'more than 2000 combinations' 'too many' "$road" --vary friction=0.5:1:0.005 front_bar=1:2:0.01
refused 'one circuit at a time' 'two circuits' "$road" config/roads/circuit.yaml
refused 'not closed' 'open road' config/roads/rough.yaml
refused 'has no driver' 'no driver' config/scenarios/brake_in_turn.yaml
refused 'cannot be read' 'no file' "$scratch/none.yaml"
refused 'allowed: position, aggressive, relaxed' 'driver' "$road" --driver fast

run skidpad lap "$road" --grip 1.2 --vehicle config/vehicles/suv_overloaded.yaml
expect_status 1 'a car that does not finish: status 1'
expect_out 'none of 1 finished' 'a car that does not finish: a result'

finish
