#!/bin/sh
# skidpad test from outside: verdicts, reports, and what bad input gets.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

slalom=config/scenarios/slalom.yaml

run skidpad test "$slalom" --junit "$scratch/t.xml" --json "$scratch/t.json" --html "$scratch/t.html"
expect_status 0 'the slalom passes: status 0'
expect_out '1 manoeuvre, 0 not as they should be' 'the slalom passes: last line'
check "$(grep -q 'failures="0" errors="0"' "$scratch/t.xml"; echo $?)" 'JUnit: no failure'
check "$(grep -q '"passed": true' "$scratch/t.json"; echo $?)" 'JSON: passed'
check "$(grep -q '<svg' "$scratch/t.html"; echo $?)" 'HTML: charts inside'
check "$(! grep -qE '(src|href)="(http|/)' "$scratch/t.html"; echo $?)" 'HTML: loads nothing'

run skidpad test "$slalom" --vehicle config/vehicles/suv_overloaded.yaml --junit "$scratch/t.xml"
expect_status 1 'the overloaded car fails: status 1'
expect_out 'does not roll over' 'the overloaded car fails: says why'
check "$(grep -q 'failure message="does not roll over' "$scratch/t.xml"; echo $?)" 'JUnit: failure with reason'

run skidpad test config/suites/slalom.yaml
expect_status 0 'both results of the paper: status 0'

# The table of the documentation is what the files say.
run skidpad test --list
expect_status 0 'a list: status 0'
printf '%s\n' "$out" > "$scratch/list"
sed -n '/^<!-- skidpad test --list -->$/,/^<!-- end -->$/p' docs/manoeuvres.md | sed '1d;$d' > "$scratch/documented"
check "$(cmp -s "$scratch/list" "$scratch/documented"; echo $?)" 'a list: docs/manoeuvres.md has it'

# The unit drives along unless it is left out, over the frames of its bus.
run skidpad test config/scenarios/iso21994.yaml
expect_status 0 'a stop with the unit: status 0'
expect_out 'with its unit' 'a stop with the unit: says so'
run skidpad test config/scenarios/iso21994.yaml --unit none
expect_status 1 'a stop without: status 1'
expect_out 'fail      no wheel locks' 'a stop without: wheels lock'
run skidpad test config/scenarios/iso21994.yaml --unit maybe
expect_status 2 'no such unit: status 2'

# What the unit tells its tester is in every report.
cat > "$scratch/dead.yaml" << END
kind: scenario
name: a dead sensor
vehicle: $PWD/config/vehicles/sedan.yaml
duration_s: 4
start: {speed_kmh: 80}
inputs: {gear: neutral}
faults: [{name: dead, kind: stuck, sensor: wheel_rl, start_s: 0.5}]
pass: [{name: rolls on, that: end(vx_mps) > 10 km/h}]
END
run skidpad test "$scratch/dead.yaml" --html "$scratch/dead.html" --json "$scratch/dead.json"
expect_status 0 'a trouble code that the fault explains: status 0'
expect_out 'trouble code C0045-31' 'a trouble code: in the table'
check "$(grep -q 'trouble code</span> C0045-31' "$scratch/dead.html"; echo $?)" 'a trouble code: in the HTML page'
check "$(grep -q 'C0045-31' "$scratch/dead.json"; echo $?)" 'a trouble code: in the JSON'

# criterion TEXT: a scenario that rolls for half a second, with this criterion, or more of it.
criterion() {
    cat > "$scratch/criterion.yaml" << END
kind: scenario
name: criterion
vehicle: $PWD/config/vehicles/sedan.yaml
duration_s: 0.5
start: {speed_kmh: 80}
inputs: {gear: neutral}
pass: [{name: it, $1}]
END
}
# A value that is not finite is none, wherever it is printed.
criterion 'that: max(vx_mps) / duration(vx_mps < 0 m/s) > 5 m/s2'
run skidpad test "$scratch/criterion.yaml" --unit none --html "$scratch/inf.html" \
    --json "$scratch/inf.json" --junit "$scratch/inf.xml"
expect_status 1 'a division by 0: status 1'
expect_out 'no value  it' 'a division by 0: no value'
check "$(grep -q 'has no value' "$scratch/inf.xml"; echo $?)" 'a division by 0: no value, in JUnit'
check "$(python3 -c 'import json, sys
json.load(open(sys.argv[1]), parse_constant=sys.exit)' "$scratch/inf.json"; echo $?)" 'a division by 0: JSON is JSON'
check "$(! grep -qiwE 'inf|nan' "$scratch/inf.html"; echo $?)" 'a division by 0: neither inf nor nan on the page'
# Empty expressions are no expressions.
for empty in 'that: ""' 'that: max(vx_mps) > 1 m/s, if: ""'; do
    criterion "$empty"
    run skidpad test "$scratch/criterion.yaml" --unit none
    expect_status 2 "$empty: status 2"
    expect_err 'is empty, an expression is needed' "$empty: says so"
    expect_err 'criterion.yaml:7:' "$empty: where"
done

run skidpad test "$scratch/none.yaml"
expect_status 2 'no file: status 2'
expect_err 'cannot be read' 'no file: says so'
run skidpad test config/scenarios/brake_in_turn.yaml
expect_status 2 'nothing to judge: status 2'
expect_err 'nothing to judge' 'nothing to judge: says so'

# bad EXPRESSION NAME MESSAGE: the slalom changed by sed is refused with this message.
bad() {
    rm -rf "$scratch/config"
    cp -r config "$scratch/config"
    sed -i "$1" "$scratch/$slalom"
    run skidpad test "$scratch/$slalom"
    expect_status 2 "$2: status 2"
    expect_err "$3" "$2: says so"
}
bad 's/roll < 30 deg/roll < 30 m/' 'dimension' 'a plain number and m do not go together'
bad 's/error < 0.3 m/eror < 0.3 m/' 'misspelt measure' 'did you mean "error"'
bad 's/that: error/that: vx_mps/' 'no certain time' 'changes during the drive'
bad 's/stop: x_m > 255 m/stop: x_m > 255 kg/' 'stop condition' 'do not go together'
bad 's/that: error < 0.3 m/that: 1 < 2/' 'impossible criterion' 'is the same for every drive'
bad 's/that: error < 0.3 m/that: max(abs(path_error_m)) < 0 m/' 'criterion that nothing meets' 'that: can never hold, whatever the car does'
bad 's/sine: {/sin: {/' 'no shape' 'give one of sine, lanes, recorded and road'

bad '/^pass:/,999d' 'measures alone' 'nothing to judge'
printf 'kind: suite\nname: test\nmanoeuvres: []\n' > "$scratch/suite.yaml"
run skidpad test "$scratch/suite.yaml"
expect_status 2 'an empty suite: status 2'
expect_err 'at least one is needed' 'an empty suite: says so'

# suite ENTRY NAME MESSAGE: a suite with this entry is refused with this message.
suite() {
    printf 'kind: suite\nname: test\nmanoeuvres:\n  - {scenario: %s/config/scenarios/iso3888_2.yaml, %s}\n' "$PWD" "$1" > "$scratch/suite.yaml"
    run skidpad test "$scratch/suite.yaml"
    expect_status 2 "$2: status 2"
    expect_err "$3" "$2: says so"
}
suite 'parameters: {sped: 60 km/h}' 'a parameter that is not there' 'did you mean "speed"'
suite 'parameters: {speed: fast}' 'a parameter that is no number' 'must be a number with its unit'
suite 'parameters: {speed: 60}' 'a parameter without its unit' 'speed is in m/s here, but set to something in a plain number'
suite 'expect_fail: [touches no cones]' 'a criterion that is not there' 'did you mean "touches no cone"'
suite 'unit: {params: x.yaml, bus: y.yaml}' 'a unit that is not there' 'y.yaml: cannot be read'
suite 'integrater: forward' 'a misspelt key' 'did you mean "integrator"'

finish
