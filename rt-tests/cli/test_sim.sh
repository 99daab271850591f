#!/bin/sh
# skidpad sim from outside: options, the table, and what bad input gets: position, reason, status 2,
# nothing written.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

table=$scratch/table.csv
car=$scratch/config/vehicles/sedan.yaml
scenario=$scratch/config/scenarios/brake_in_turn.yaml
tyre=$scratch/config/tyres/sedan_205_55R16.tir

# restore: the shipped files again.
restore() {
    rm -rf "$scratch/config" "$table"
    cp -r config "$scratch/config"
}

# sim OPTION...: 0.1 s of the copied scenario.
sim() {
    run skidpad sim "$scenario" --duration 0.1 --out "$table" "$@"
}

# bad FILE EXPRESSION NAME MESSAGE...: with the file changed by sed, each message is printed, the
# status is 2 and there is no table.
bad() {
    restore
    sed -i "$2" "$1"
    name=$3
    changed=0
    cmp -s "$1" "config/${1#"$scratch"/config/}" && changed=1
    shift 3
    sim
    check "$changed" "$name: the file was changed"
    expect_status 2 "$name: status 2"
    check "$([ ! -e "$table" ]; echo $?)" "$name: nothing is written"
    for message in "$@"; do
        expect_err "$message" "$name: says $message"
    done
    check "$(printf '%s\n' "$err" | grep -qE '^[^ ]+\.yaml(:[0-9]+:[0-9]+)?: '; echo $?)" \
        "$name: begins with file and place"
}

# ---- files that are not there, or something else

run skidpad sim "$scratch/none.yaml" --out "$table"
expect_status 2 'no scenario: status 2'
expect_err "none.yaml: cannot be read: No such file or directory" 'no scenario: says so'
check "$([ ! -e "$table" ]; echo $?)" 'no scenario: nothing is written'
run skidpad sim "$scratch" --out "$table"
expect_status 2 'a folder as scenario: status 2'
run skidpad sim config/vehicles/sedan.yaml --out "$table"
expect_status 2 'a vehicle as scenario: status 2'
expect_err 'must be scenario, is "vehicle"' 'a vehicle as scenario: says so'
run skidpad sim config/scenarios/step_steer.yaml --vehicle config/scenarios/step_steer.yaml
expect_status 2 'a scenario as vehicle: status 2'
expect_err 'must be vehicle, is "scenario"' 'a scenario as vehicle: says so'
bad "$scenario" 's|vehicles/sedan|vehicles/none|' 'no vehicle' 'none.yaml: cannot be read'
bad "$car" 's|sedan_205_55R16|none|' 'no tyre' 'front.tyre: ' 'none.tir: No such file or directory'
check "$(! printf '%s\n' "$err" | grep -q 'unknown key'; echo $?)" \
    'no tyre: what could not be read on is not called unknown'

# ---- values

bad "$car" 's|mass_kg: 1340|mass_kg: heavy|' 'text for a number' \
    ':9:12: body.mass_kg: must be a number > 0, is "heavy"'
bad "$car" 's|mass_kg: 1340|mass_kg: [1340]|' 'list for a number' ': body.mass_kg: must be a number'
bad "$car" 's|mass_kg: 1340|mass_kg: .nan|' 'NaN' ':9:12: body.mass_kg: must be a number > 0'
bad "$car" 's|mass_kg: 1340|mass_kg: .inf|' 'infinity' ':9:12: body.mass_kg: must be a number > 0'
bad "$car" 's|mass_kg: 1340|mass_kg: -1340|' 'negative mass' ': body.mass_kg: must be > 0, is -1340'
bad "$car" 's|unsprung_mass_kg: 42|unsprung_mass_kg: 0|' 'no unsprung mass' \
    ': front.unsprung_mass_kg: must be > 0, is 0'
bad "$car" 's|mass_kg: 1340|mas_kg: 1340|' 'misspelt key' \
    ':9:3: body.mas_kg: unknown key, did you mean "mass_kg"?' 'body.mass_kg: missing'
bad "$scenario" 's|duration_s: 6|duration_s: six|' 'text for the duration' \
    ':5:13: duration_s: must be a number'
bad "$scenario" 's|friction: 1.0|friction: -1|' 'negative friction' ': road.friction: must be'
bad "$scenario" 's|gear: auto|gear: fast|' 'a gear that is none' ': start.gear: is "fast"; allowed are'
bad "$scenario" 's|brake_pedal: \[\[2.0, 0\], \[2.15, 0.8\]\]|brake_pedal: [[2.0, 0], [2.15, 8]]|' \
    'a pedal pressed too far' ': inputs.brake_pedal: row 2: the value must be between 0 and 1, is 8'

# ---- tables, geometry, tyres

bad "$scenario" 's|\[0.5, 0\], \[0.8, 40\]|[0.9, 0], [0.8, 40]|' 'time that goes back' \
    ': inputs.hand_wheel_deg[2][0]: must be > 0.9 (the row before), is 0.8'
bad "$car" 's|\[-0.3, -1150\]|[0.3, -1150]|' 'a damper table that goes back' \
    ': front.damper.force_N[2][0]: must be > 0.3 (the row before), is -0.1'
bad "$car" 's|hub_m: \[1.35, 0.77|hub_m: [-1.45, 0.77|' 'axles crossed' \
    ': front: the front hubs must be ahead of the rear ones'
bad "$car" 's|hub_m: \[1.35, 0.77|hub_m: [1.35, -0.77|' 'a left wheel on the right' \
    ': front.kinematics.hub_m: the second number must be > 0'
bad "$car" 's|cg_m: \[0.143|cg_m: [5|' 'centre of gravity before the car' \
    ': body.cg_m: the car'"'"'s centre of gravity at x ='
bad "$car" 's|xx: 480|xx: 9480|' 'no inertia tensor' ': body.inertia_kgm2: no body has these'
bad "$car" 's|rate_Npm: 23.5e3|rate_Npm: 0|' 'no spring' ': front.spring.rate_Npm: must be > 0, is 0'
bad "$tyre" 's|^PCX1.*|PCX1 = abc|' 'a damaged tyre' 'sedan_205_55R16.tir:' "PCX1: 'abc' is not a number"
bad "$tyre" 's|^UNLOADED_RADIUS.*|UNLOADED_RADIUS = -0.3|' 'a negative radius' 'UNLOADED_RADIUS: -0.3 is not'
bad "$tyre" 's|.|\x00|g' 'a tyre of zeros' 'this is not a text file'
bad "$car" '1s|^|\t|' 'a tab' ':1:1: not valid YAML: a tab indents this line'
restore
head -n 17 config/vehicles/sedan.yaml >"$car"
sim
expect_status 2 'half a vehicle: status 2'
expect_err 'front.' 'half a vehicle: says what is missing'

# ---- signals

bad "$scenario" 's|rate_hz: 100|rate_hz: 100, signals: [time_s, vx_mp]|' 'misspelt signal' \
    ': output.signals[1]: no signal "vx_mp", did you mean "vx_mps"?'
bad "$scenario" 's|rate_hz: 100|rate_hz: 100, signals: [qqqqqqqqqqqq]|' 'unknown signal' \
    'no signal "qqqqqqqqqqqq"; '
restore
sed -i 's|rate_hz: 100|rate_hz: 50, signals: [time_s, fl_load_N, vx_mps]|' "$scenario"
sim
expect_status 0 'chosen signals: status 0'
check "$([ "$(head -n 1 "$table")" = time_s,fl_load_N,vx_mps ]; echo $?)" \
    'chosen signals are the columns, in that order'
check "$([ "$(wc -l <"$table")" -eq 7 ]; echo $?)" '0.1 s at 50 Hz are a head and six rows'
restore
sim
check "$(head -n 1 "$table" | grep -q '^time_s,.*,sensor_brake_switch'; echo $?)" \
    'without a choice all signals are columns'
check "$([ "$(wc -l <"$table")" -eq 12 ]; echo $?)" 'the default rate is 100 Hz'

# ---- options

expect_out 'semi-implicit Euler, step 1 ms' 'the summary names integrator and step'
expect_out 'after 100 steps' '--duration sets the duration'
sim --step-ms 0.25
expect_out 'after 400 steps' '--step-ms sets the step'
check "$([ "$(wc -l <"$table")" -eq 12 ]; echo $?)" '--step-ms does not change the rows'
sim --integrator forward
expect_status 0 '--integrator forward: status 0'
expect_out 'forward Euler, step 1 ms,' '--integrator sets the integrator'
expect_out 'substeps)' 'forward Euler tells its substeps'
run skidpad sim "$scenario" --duration 0.1 --out - --quiet
expect_status 0 '--out -: status 0'
check "$([ "$(printf '%s\n' "$out" | wc -l)" -eq 12 ]; echo $?)" '--out - is standard output'
expect_no_err '--quiet: no summary'
for option in '--duration -1' '--duration nan' '--step-ms 0' '--step-ms 50' '--integrator rk4' \
    '--durration 1' surplus; do
    # shellcheck disable=SC2086 # an option and its value
    run skidpad sim "$scenario" $option
    expect_status 2 "$option: status 2"
    expect_err 'skidpad sim: ' "$option: says what is wrong"
done
sed -i 's|wheel_inertia_kgm2: 1.05|wheel_inertia_kgm2: 0.02|' "$car"
rm -f "$table"
sim --integrator forward
expect_status 2 'a car too stiff for forward Euler: status 2'
expect_err 'substeps at 1 ms' 'a car too stiff for forward Euler: says how many substeps it needs'
expect_err 'use semi-implicit or a shorter step' 'a car too stiff for forward Euler: says what to do'
check "$([ ! -e "$table" ]; echo $?)" 'a car too stiff for forward Euler: nothing is written'
sim --integrator semi-implicit
expect_status 0 'semi-implicit drives that car'

# ---- where the table goes

restore
run skidpad sim "$scenario" --duration 0.1 --out "$scratch/none/there/table.csv"
expect_status 2 'no such folder: status 2'
expect_err 'none/there/table.csv: cannot be written: No such file or directory' 'no such folder: says so'
run skidpad sim "$scenario" --duration 0.1 --out "$scratch"
expect_status 2 'a folder for the table: status 2'
expect_err 'is a folder: give the name of a file in it' 'a folder for the table: says so'
if [ -e /dev/full ]; then
    run skidpad sim "$scenario" --duration 0.1 --out /dev/full
    expect_status 2 'a full disk: status 2'
    expect_err '/dev/full: No space left on device' 'a full disk: says so'
else
    skip 'a full disk' 'no /dev/full'
fi

# ---- a state that is not finite: a spring that no step can follow

sed -i 's|rate_Npm: 23.5e3|rate_Npm: 23.5e9|' "$car"
sim
expect_status 3 'not finite: status 3'
check "$(printf '%s\n' "$err" | grep -qE 'tick [0-9]+ \([0-9.e-]+ s\): [a-z_]+ is not finite'; echo $?)" \
    'not finite: names tick, time and signal'

finish
