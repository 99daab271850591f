#!/bin/sh
# skidpad check from outside: which files it knows, and what it says of bad ones.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

run skidpad check --quiet config/vehicles/*.yaml config/scenarios/*.yaml config/suites/*.yaml \
    config/roads/*.yaml config/benches/*.yaml config/ecu/*.yaml config/tyres/*.tir config/roads/*.crg
expect_status 0 'every shipped file is good'
expect_out 'circuit.yaml: good (road, 2734.1 m long and closed)' 'a road: length'
expect_out 'waves.yaml: good (road, measured surface, 40.0 m long, 6.0 m wide' 'a measured surface: its size'
expect_out 'slalom.yaml: good (suite, 5 manoeuvres)' 'a suite: how many manoeuvres'
expect_out 'sedan.yaml: good (parameters of the stand-in unit)' 'parameters of a unit'

run skidpad check config/can/skidpad_chassis.yaml
expect_status 2 'a bus alone: status 2'
expect_err 'checked with a bench' 'a bus alone: says how'
printf 'kind: raod\n' > "$scratch/kind.yaml"
run skidpad check "$scratch/kind.yaml"
expect_status 2 'no such kind: status 2'
expect_err 'must be vehicle, scenario, bench, road, suite, ecu or bus' 'no such kind: says which there are'

# A file of another kind is one mistake, not one for each of its keys.
run skidpad sim config/vehicles/sedan.yaml
expect_status 2 'a vehicle as a scenario: status 2'
expect_err 'kind: must be scenario, is "vehicle"' 'a vehicle as a scenario: says so'
check "$([ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ]; echo $?)" 'a vehicle as a scenario: says no more'
run skidpad steady config/scenarios/slalom.yaml
expect_err 'kind: must be vehicle, is "scenario"' 'a scenario as a vehicle: says so'
check "$([ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ]; echo $?)" 'a scenario as a vehicle: says no more'

# bad FILE EXPRESSION NAME MESSAGE: a shipped file changed by sed is refused with this message.
bad() {
    rm -rf "$scratch/config"
    cp -r config "$scratch/config"
    sed -i "$2" "$scratch/$1"
    run skidpad check "$scratch/$1"
    expect_status 2 "$3: status 2"
    expect_err "$4" "$3: says so"
}
bad config/roads/handling.yaml 's/{length_m: 200}/{length_m: 200, from_m: 10}/' 'a gap' 'handling.yaml:8:'
bad config/roads/handling.yaml 's/from_m: 300, to_m: 320/from_m: 80, to_m: 320/' 'areas that overlap' 'overlap'
bad config/roads/waves.crg '50,999d' 'a measured surface cut off' 'waves.crg'
bad config/suites/slalom.yaml 's/does not roll over/does not role over/' 'a criterion that is not there' 'did you mean "does not roll over"'
check "$(printf '%s\n' "$err" | grep -q 'suites/slalom.yaml:[0-9]*:[0-9]*: expect_fail: '; echo $?)" 'a criterion that is not there: where'
bad config/suites/slalom.yaml 's/suv_overloaded/suv_overlaoded/' 'a car that is not there' 'cannot be read'
bad config/suites/slalom.yaml 's/friction: 0.5/frction: 0.5/' 'a parameter that is not there' 'did you mean "friction"'
check "$(printf '%s\n' "$err" | grep -q 'suites/slalom.yaml:[0-9]*:[0-9]*: parameters: '; echo $?)" 'a parameter that is not there: where'
bad config/scenarios/weave.yaml 's/measure: ay_gain/measure: gain, name: ay_gain/' 'a measure that is not there' 'has no measure "gain"'
bad config/scenarios/weave.yaml 's/iso7401.yaml/iso7402.yaml/' 'a drive before that is not there' 'cannot be read'

# Quantities of a car have bounds: what no tick survives is refused where it stands.
car=config/vehicles/sedan.yaml
bad $car 's/ratios: .3.78/ratios: [1e20/' 'a gear ratio of 1e20' 'must be >= 0.01 and <= 100'
bad $car 's/final: 3.94/final: 1e-20/' 'a final ratio of 1e-20' 'must be >= 0.01 and <= 100'
bad $car 's/- .1000, -14, 60/- [1000, -14, 1e300/' 'a torque of 1e300' \
    'sedan.yaml:99:23: driveline.engine.torque_map.rows[1][2]: must be >= -100000 and <= 100000 (Nm)'
bad $car 's/capacity_Nm: 420/capacity_Nm: 1e300/' 'a clutch of 1e300' 'capacity_Nm: must be > 0 and <= 1000000'
bad $car 's/hub_x_m: {travel: .-0.010/hub_x_m: {travel: [1e300/' 'a travel of 1e300' 'must be >= -1e+09 and <= 1e+09'
bad $car 's/camber_rad: {at_rest: 0.009, travel: .0.25/camber_rad: {at_rest: 0.009, travel: [1e6/' 'a camber of 1e5 rad' \
    'sedan.yaml:27:5: front.kinematics.camber_rad: camber_rad must stay between -3.2 and 3.2'
bad $car 's/rack_mass_kg: .*/rack_mass_kg: 1e-300/' 'a rack without mass' 'rack_mass_kg: must be >= 0.01 and <= 10000'
bad $car 's/noise_degps: 0.05/noise_degps: 1e300/' 'noise of 1e300' 'noise_degps: must be >= 0 and <= 1e+09'

# The same for tables: rows of travel, hub, angles and spring length of a rear axle.
table() {
    rm -rf "$scratch/config"
    cp -r config "$scratch/config"
    awk -v step="$1" -v camber="$2" 'BEGIN {
        print "travel_m,hub_x_m,hub_y_m,hub_z_m,toe_rad,camber_rad,carrier_pitch_rad,spring_length_m"
        for (i = -2; i <= 2; i++)
            printf "%g,-1.35,0.765,%g,0,%s,0,%g\n", i * step, 0.307 + i * 0.05, i == 1 ? camber : 0, -0.04 * i
    }' > "$scratch/config/rear.csv"
    sed -i '/^rear:/,/^$/{/^    /d;s#^  kinematics:.*#  kinematics: {file: ../rear.csv}#
        s#^  damper:.*#  damper: {force_N: [[-1, -2800], [0, 0], [1, 1350]]}#}' "$scratch/config/vehicles/sedan.yaml"
    run skidpad check "$scratch/config/vehicles/sedan.yaml"
}
table 0.05 0.01
expect_status 0 'a table: good'
table 0.05 1e300
expect_status 2 'a table with a camber of 1e300: status 2'
expect_err 'rear.csv: data row 4: camber_rad must be between -3.2 and 3.2' 'a table with a camber of 1e300: says where'
table 1e300 0.01
expect_status 2 'a table with a travel of 1e300: status 2'
expect_err 'rear.csv: data row 1: travel_m and rack_m must be between -1 and 1' 'a table with a travel of 1e300: says where'

finish
