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
bad config/suites/slalom.yaml 's/suv_overloaded/suv_overlaoded/' 'a car that is not there' 'cannot be read'
bad config/suites/slalom.yaml 's/friction: 0.5/frction: 0.5/' 'a parameter that is not there' 'did you mean "friction"'
bad config/scenarios/weave.yaml 's/measure: ay_gain/measure: gain, name: ay_gain/' 'a measure that is not there' 'has no measure "gain"'
bad config/scenarios/weave.yaml 's/iso7401.yaml/iso7402.yaml/' 'a drive before that is not there' 'cannot be read'

finish
