#!/bin/sh
# model: two_track from the command line: one line of a vehicle file, what it refuses, the unit in the
# loop, replay.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
programs=${SKIDPAD_BUILD:-build}

mkdir -p "$scratch/vehicles"
ln -s "$PWD/config/tyres" "$scratch/tyres"
sed 's/^model: .*/model: two_track/' config/vehicles/sedan.yaml >"$scratch/vehicles/sedan.yaml"
car=$scratch/vehicles/sedan.yaml

run skidpad check "$car"
expect_status 0 'check: the file of a lumped15 with one line changed is good'
expect_out '(two_track)' 'check: names the model'
expect_out 'a side lifts at' 'check: prints how the car leans'
run skidpad sim rt-tests/golden/hard.yaml --vehicle "$car" --out /dev/null
expect_status 0 'sim: drives on an inclined plane'
run skidpad sim config/scenarios/iso4138.yaml --vehicle "$car" --duration 0.5 --out /dev/null
expect_status 0 'sim: drives on a level road by segments'

# ---- what it does not do
run skidpad sim config/scenarios/rough_road.yaml --vehicle "$car" --out "$scratch/none.csv"
expect_status 2 'a rough road is refused'
expect_err 'rough_road.yaml: road: is not a plane' 'and named with the reason'
expect_err 'another model (lumped15)' 'and the remedy'
run skidpad sim config/scenarios/cleat.yaml --vehicle "$car" --out "$scratch/none.csv"
expect_status 2 'a cleat is refused'
check "$([ ! -e "$scratch/none.csv" ]; echo $?)" 'nothing is written then'
cat >"$scratch/waves.yaml" <<YAML
kind: scenario
name: measured surface
vehicle: $car
road: {file: $PWD/config/roads/waves.yaml}
YAML
run skidpad sim "$scratch/waves.yaml" --out /dev/null
expect_status 2 'a measured surface is refused'
run skidpad check "$scratch/waves.yaml"
expect_status 2 'check: as it is there'
expect_err 'drives on planes only' 'check: with the reason'
run skidpad sim rt-tests/golden/hard.yaml --vehicle "$car" --integrator forward --out /dev/null
expect_status 2 'forward Euler is refused'
expect_err 'semi-implicit step only' 'and says what it has'
run skidpad steady "$car"
expect_status 2 'steady turns are refused'
expect_err 'the model two_track has no steady turns' 'with the reason'
sed 's/^model: .*/model: two_track/' config/vehicles/suv_overloaded.yaml >"$scratch/vehicles/suv.yaml"
run skidpad sim config/scenarios/rollover.yaml --vehicle "$scratch/vehicles/suv.yaml" --out /dev/null
expect_status 3 'a car that tips ends the run'
expect_err 'both wheels of a side or of an axle leave the ground' 'and says why'

# ---- with the unit in the loop, on the simulated clock: distances of both models
# stop NAME CAR ROAD: sets $metres, and keeps the log NAME.mf4.
stop() {
    sed "s#^road:.*#road: $3#; s#\.\./#$PWD/config/#g" config/scenarios/abs_split.yaml >"$scratch/stop.yaml"
    sed "s#^scenario:.*#scenario: $scratch/stop.yaml#; s#\.\./#$PWD/config/#g; /^frames/d; /^control/d
        s#^log:.*#log: $scratch/$1.mf4#" config/benches/abs_split.yaml >"$scratch/bench.yaml"
    echo "vehicle: $2" >>"$scratch/bench.yaml"
    run "$programs/skidpad-run" "$scratch/bench.yaml" --rt virtual
    expect_status 0 "$1: drives with its unit"
    "$programs/skidpad-export" "$scratch/$1.mf4" --signals x_m,vx_mps --out "$scratch/$1.csv" >/dev/null
    # The first signal may be empty in rows that other groups share.
    metres=$(awk -F, 'NR > 1 && $1 != "" { if (first == "") first = $1; if ($2 < 0.3) { print $1 - first; exit } }' "$scratch/$1.csv")
}
for road in '{friction_left: 0.8, friction_right: 0.8}' '{friction_left: 1.0, friction_right: 0.3}'; do
    stop full "$PWD/config/vehicles/sedan.yaml" "$road"
    want=$metres
    stop plane "$car" "$road"
    echo "# $road: $metres m, lumped15 $want m"
    # Another car only in how its body moves: 5 % is less than between two sets of tyres.
    check "$(awk -v a="$metres" -v b="$want" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (0.05 * b) ^ 2) }'; echo $?)" \
        'it stops within 5 % of the distance of lumped15'
done
run "$programs/skidpad-replay" "$scratch/plane.mf4"
expect_status 0 'its log replays'
expect_out 'every signal has the same bits' 'to the same bits'
finish
