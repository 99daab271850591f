#!/bin/sh
# skidpad steady from outside: table, reports, and what bad input gets.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

car=config/vehicles/sedan.yaml

run skidpad steady "$car" --step 0.5 --json "$scratch/s.json" --csv "$scratch/s.csv" --svg "$scratch/s.svg"
expect_status 0 'a circle: status 0'
expect_out 'understeer gradient' 'a circle: gradient'
expect_out 'beyond the limit' 'a circle: goes on beyond the limit'
check "$(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
p = d["points"]
ok = 7.5 < d["limit_mps2"] < 9.5 and p[0]["state"] == "steady" and p[-1]["state"] != "steady"
ok = ok and all(abs(x["radius_m"] - 100) < 1e-9 for x in p)
sys.exit(not ok)' "$scratch/s.json"; echo $?)" 'JSON: limit and states'
check "$(test "$(wc -l <"$scratch/s.csv")" -gt 15; echo $?)" 'CSV: a line for each turn'
check "$(rsvg-convert -o "$scratch/s.png" "$scratch/s.svg"; echo $?)" 'SVG: can be drawn'

run skidpad steady "$car" --speed-kmh 80 --to 3 --step 1 --turn right
expect_status 0 'at a speed: status 0'
expect_out 'all steady, the limit is farther' 'at a speed: no limit so far'
run skidpad steady "$car" --friction 0.3 --hold push --step 1
expect_status 0 'on ice: status 0'

# refused MESSAGE NAME ARGUMENT...
refused() {
    message=$1 name=$2
    shift 2
    run skidpad steady "$@"
    expect_status 2 "$name: status 2"
    expect_err "$message" "$name: says so"
}
refused 'argument' 'no car'
refused 'cannot be read' 'no file' "$scratch/none.yaml"
refused 'either --radius or --speed-kmh' 'both held' "$car" --radius 50 --speed-kmh 80
refused 'radius' 'tiny radius' "$car" --radius 1
refused 'allowed: wheels, push' 'hold' "$car" --hold rope
refused 'kind' 'not a car' config/scenarios/slalom.yaml
refused 'No such file or directory' 'no place for the report' "$car" --to 1 --json /proc/none/s.json

finish
