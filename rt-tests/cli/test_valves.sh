#!/bin/sh
# Valves and pump as the interface of a bench: currents in percent, pulses with times, replay, and
# what is refused. On the simulated clock.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
config=$PWD/config

# bench NAME BUS SCENARIO
bench() {
    cat >"$scratch/$1.yaml" <<EOF
kind: bench
name: $1
scenario: $3
can:
  - {name: chassis, bus: $2}
stand_in: {params: $config/ecu/sedan.yaml}
log: $scratch/$1.mf4
EOF
}

# column NAME SIGNAL: all values of a signal of a log.
column() {
    skidpad export "$scratch/$1.mf4" --csv - --signals "$2" 2>/dev/null | tail -n +2
}

for kind in valves pwm; do
    bench $kind "$config/can/skidpad_chassis_$kind.yaml" "$config/scenarios/abs_split.yaml"
    run skidpad run "$scratch/$kind.yaml" --rt virtual
    expect_status 0 "$kind: the run is good"
    column $kind time_s,in_brake,fl_in_inlet_valve,fl_in_outlet_valve,in_pump,vx_mps,fl_pressure_Pa,fr_pressure_Pa,accumulator_1_m3,fl_spin_radps,rl_spin_radps >"$scratch/$kind.csv"
    check "$(awk -F, '$1 > 0.5 && $2 != 2 { bad = 1 } END { exit bad }' "$scratch/$kind.csv"; echo $?)" \
        "$kind: the valves act"
    check "$(awk -F, '$3 > 0 { i = 1 } $4 > 0 { o = 1 } $5 > 0 { p = 1 } $9 > 1e-7 { a = 1 } END { exit !(i && o && p && a) }' \
        "$scratch/$kind.csv"; echo $?)" "$kind: inlets, outlets, pump and accumulators are used"
    check "$(awk -F, '$6 > 5 && ($10 * 0.31 < 0.1 * $6 || $11 * 0.31 < 0.1 * $6) { n++ } END { exit n > 200 }' \
        "$scratch/$kind.csv"; echo $?)" "$kind: no wheel of the good side locks for 0.2 s"
    check "$(awk -F, 'END { exit !($6 < 0.5) }' "$scratch/$kind.csv"; echo $?)" "$kind: the car stops"
    run skidpad replay "$scratch/$kind.mf4"
    expect_status 0 "$kind: the replay is the same"
    expect_out 'every signal has the same bits' "$kind: to the bit"
done

# Pulses are on or off, currents anything between.
check "$(awk -F, '$3 != 0 && $3 != 1 { bad = 1 } END { exit bad }' "$scratch/pwm.csv"; echo $?)" \
    'a pulse is full current'
check "$(awk -F, '$3 > 0.05 && $3 < 0.95 { found = 1 } END { exit !found }' "$scratch/valves.csv"; echo $?)" \
    'a current in percent is not only on or off'

# ---- the checks after the start

bench start "$config/can/skidpad_chassis_valves.yaml" "$config/scenarios/start_stop.yaml"
run skidpad run "$scratch/start.yaml" --rt virtual
expect_status 0 'start: the run is good'
expect_out 'codes      none' 'start: and sets no trouble code'
wheels='fl fr rl rr'
signals=vx_mps
for wheel in $wheels; do
    signals=$signals,${wheel}_in_inlet_valve,${wheel}_in_outlet_valve,${wheel}_pressure_Pa
done
column start "$signals,in_pump,in_brake_pedal" >"$scratch/start.csv"
check "$(awk -F, '$15 == 0 && $1 < 0.1 && $1 > -0.1 && $4 < 1e4 && $7 < 1e4 && $10 < 1e4 && $13 < 1e4 {
        for (i = 2; i < 14; i++) if ((i - 2) % 3 < 2 && $i > 0.9) seen[i] = 1 }
        END { for (i in seen) n++; exit n != 8 }' "$scratch/start.csv"; echo $?)" \
    'start: every valve is pulsed once at standstill, without pressure'
check "$(awk -F, '$1 > 4 && $15 == 0 && $14 > 0.9 { n++ } END { exit !(n > 10) }' "$scratch/start.csv"; echo $?)" \
    'start: the pump runs in the first drive'

# ---- faults of the hydraulics

bench leak "$config/can/skidpad_chassis_valves.yaml" "$config/scenarios/abs_split.yaml"
cat >>"$scratch/leak.yaml" <<EOF
faults:
  - {name: drips, kind: leak, at: fl, share: 0.5, start_s: 2.5}
  - {name: jammed, kind: valve_stuck, valve: inlet, at: rr, position: closed, start_s: 0}
EOF
run skidpad run "$scratch/leak.yaml" --rt virtual
column leak time_s,fl_pressure_Pa,fr_pressure_Pa,rr_pressure_Pa,in_hydraulic_fault >"$scratch/leak.csv"
check "$(awk -F, '$1 > 3 && $1 < 8 && $2 > 5e5 { bad = 1 } $3 > 1e6 { other = 1 } END { exit bad || !other }' \
    "$scratch/leak.csv"; echo $?)" 'a caliper that leaks has no pressure, its neighbour has'
check "$(awk -F, '$4 > 2.5e5 || $5 != 128 { bad = 1 } END { exit bad }' "$scratch/leak.csv"; echo $?)" \
    'behind an inlet that is stuck closed there is what came before it had closed'
run skidpad replay "$scratch/leak.mf4"
expect_status 0 'a log with faults of the hydraulics replays'

# ---- faults of pressures: one wheel stuck, another slow; the valves, or the unit's pressures, go on
# acting, and the log replays.

for kind in stuck_valves:skidpad_chassis_valves:2 stuck_pressures:skidpad_chassis:1; do
    name=${kind%%:*} brake=${kind##*:} bus=${kind#*:}
    bench "$name" "$config/can/${bus%:*}.yaml" "$config/scenarios/abs_split.yaml"
    cat >>"$scratch/$name.yaml" <<EOF
faults:
  - {name: jammed, kind: pressure_stuck, wheel: rl, start_s: 1, for_s: 1}
  - {name: sluggish, kind: pressure_slow, wheel: fl, rate_barps: 50, start_s: 0.5}
EOF
    run skidpad run "$scratch/$name.yaml" --rt virtual --for 3
    column "$name" time_s,in_brake,in_hold,fl_in_slow_Paps,rl_pressure_Pa,fl_pressure_Pa >"$scratch/$name.csv"
    check "$(awk -F, -v brake="$brake" '$1 > 0.55 && ($2 != brake || $4 != 5e6) { bad = 1 }
            $1 > 1.0005 && $1 < 2.0005 { if ($3 != 4 || (n++ && $5 != last)) bad = 1; last = $5 }
            $1 > 2.001 && $3 != 0 { bad = 1 }
            $1 > 0.502 && ($6 - before > 5000.001 || before - $6 > 5000.001) { bad = 1 } { before = $6 }
            END { exit bad || n < 990 }' "$scratch/$name.csv"; echo $?)" \
        "$name: a stuck wheel has one pressure, a slow one its rate, the interface stays"
    run skidpad replay "$scratch/$name.mf4"
    expect_status 0 "$name: the log replays"
    expect_out 'every signal has the same bits' "$name: to the bit"
done

# ---- pressures that no driver makes

bench sine "$config/can/skidpad_chassis_valves.yaml" "$config/scenarios/esp_sine.yaml"
sed -i 's/sedan.yaml/sports.yaml/' "$scratch/sine.yaml"
run skidpad test "$config/scenarios/esp_sine.yaml" --bench "$scratch/sine.yaml" --rt virtual --logs "$scratch/sine"
expect_status 0 'sine with dwell: stability control passes it by valves and pump'
skidpad export "$scratch"/sine/*.mf4 --csv - --signals in_brake,in_brake_pedal,unit_prime_1,fl_pressure_Pa,fr_pressure_Pa 2>/dev/null |
    tail -n +2 >"$scratch/sine.csv"
check "$(awk -F, '$1 == 2 && $2 == 0 && $3 > 0.5 { primed = 1 } $4 > 2e6 { left = 1 } $5 > 2e6 { right = 1 }
    END { exit !(primed && left && right) }' "$scratch/sine.csv"; echo $?)" 'sine with dwell: without the pedal, at both front wheels'

# ---- what is refused

cat >"$scratch/dry.yaml" <<EOF
kind: bench
name: dry
scenario: $config/scenarios/abs_split.yaml
vehicle: $config/vehicles/compact.yaml
faults: [{name: dead, kind: pump_dead}]
EOF
run skidpad run "$scratch/dry.yaml" --rt virtual
expect_status 2 'a fault of hydraulics that the car does not have'
expect_err 'fault dead is one of hydraulics' 'and it is named'
sed 's/kind: pump_dead/kind: valve_stuck, valve: prime, at: fl, position: open/' "$scratch/dry.yaml" >"$scratch/wrong.yaml"
run skidpad run "$scratch/wrong.yaml" --rt virtual
expect_status 2 'a valve at the wrong place'
expect_err 'of a circuit: circuit_1, circuit_2' 'and the right ones'

bench compact "$config/can/skidpad_chassis_valves.yaml" "$config/scenarios/abs_split.yaml"
echo "vehicle: $config/vehicles/compact.yaml" >>"$scratch/compact.yaml"
run skidpad run "$scratch/compact.yaml" --rt virtual
expect_status 2 'a car without hydraulics is refused'
expect_err 'brake: hydraulics:' 'with what to do'
check "$([ ! -e "$scratch/compact.mf4" ]; echo $?)" 'and no log is begun'

cat >"$scratch/half_bus.yaml" <<EOF
kind: bus
base: $config/can/skidpad_chassis.yaml
messages: {ValvesFront: {use: true}}
bind: {ValvesFront: {Pump: unit_pump}}
EOF
bench half "$scratch/half_bus.yaml" "$config/scenarios/abs_split.yaml"
run skidpad run "$scratch/half.yaml" --rt virtual
expect_status 2 'half of the valves are refused'
expect_err '1 of 13 currents' 'and counted'

printf 'kind: bus\nbase: ring.yaml\n' >"$scratch/ring.yaml"
bench ring_bench "$scratch/ring.yaml" "$config/scenarios/abs_split.yaml"
run skidpad run "$scratch/ring_bench.yaml" --rt virtual
expect_status 2 'files based on one another in a ring are refused'
expect_err 'at most 4 files' 'and the reason is given'

printf 'kind: bus\nbase: nowhere.yaml\n' >"$scratch/lost.yaml"
bench lost_bench "$scratch/lost.yaml" "$config/scenarios/abs_split.yaml"
run skidpad run "$scratch/lost_bench.yaml" --rt virtual
expect_status 2 'a base that is not there is refused'
expect_err 'nowhere.yaml' 'and named'

finish
