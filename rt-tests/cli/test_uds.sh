#!/bin/sh
# skidpad uds: the tester against the stand-in over UDP and through a run, the verdict of a run,
# bad input. Nothing here judges timing.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
config=$PWD/config
export SKIDPAD_CONFIG_DIR="$config"
port=$((30000 + $$ % 10000))
uds="skidpad uds --can udp:$port:$((port + 1))"

# ---- against the unit alone, which misses every frame

unit_start() {
    "${SKIDPAD_BUILD:-build}"/skidpad-ecu --can udp:$((port + 1)):$port --quiet \
        --store "$scratch/store.yaml" >"$scratch/unit" 2>&1 &
    unit=$!
}
# until_code TEXT: asks until the codes have it; the unit misses frames after a second of its time.
until_code() {
    for _ in $(seq 100); do
        run $uds codes
        printf '%s\n' "$out" | grep -q "$1" && break
        sleep 0.1
    done
}
unit_start
until_code U0100-87
expect_status 1 'codes: status 1 if there are any'
expect_out 'C0035-87  front left wheel: no good frame' 'a code has its text'
expect_out 'status 0xAF: failed, failed this cycle, pending, confirmed' 'and its status'
expect_out 'at speed 0 km/h, supply 13.8 V, mode 4' 'and its snapshot'
run $uds --json codes
expect_out '"code": "U0100-87"' 'codes as JSON'
check "$(printf '%s\n' "$out" | python3 -c 'import json, sys
codes = json.load(sys.stdin)["codes"]
sys.exit(not (len(codes) == 9 and codes[0]["snapshot"]["supply"]["value"] == 13.8))'; echo $?)" \
    'which python reads'
run $uds clear
expect_status 0 'codes are cleared'
run $uds clear C0035-87
expect_status 0 'a single one, too'
run $uds clear C1234-00
expect_status 1 'one that the unit does not have is refused'
expect_err '0x31 request out of range' 'with the reason'
run $uds read vin F197 supply
expect_out 'vin "SKIDPAD0000000001", system "skidpad stand-in", supply 13.8 V' 'data by name and number'
run $uds raw '2E 2020 03E8'
expect_out '7F2E7F' 'writing needs another session'
run $uds write yaw_zero 03E8
expect_status 0 'and with security access it is done'
run $uds read yaw_zero
expect_out 'yaw_zero 1 deg/s' 'the value is there'
run $uds session extended
expect_out 'session 3' 'a session'
run $uds security
expect_out 'security access granted' 'security access'
run $uds raw 3E80
expect_status 0 'tester present without an answer'
run $uds --response 0x123 codes
expect_status 3 'no answer: status 3'
expect_err 'are --request and --response its identifiers' 'says what may be wrong'

# ---- what the unit keeps

until_code U0100-87
kill -INT $unit
wait $unit
check "$(grep -q 'code: U0100-87, status: 175, times: 1, aged: 0' "$scratch/store.yaml"; echo $?)" \
    'codes are written at the end'
unit_start
until_code 'set 2 times'
expect_out 'set 2 times' 'the next start goes on from them'
expect_out 'at speed 0 km/h' 'with the snapshots of the first time'
run $uds read yaw_zero
expect_out 'yaw_zero 1 deg/s' 'zero points are kept, too'
kill -INT $unit
wait $unit
ecu="skidpad ecu --can udp:$((port + 1)):$port --quiet --store $scratch/store.yaml"
sed -i 's/U0100-87/U0999-87/' "$scratch/store.yaml"
run $ecu --for 0.1
expect_status 2 'a store with a code that the unit does not have'
expect_err 'store.yaml:' 'is refused with the place'
check "$(grep -q U0999-87 "$scratch/store.yaml"; echo $?)" 'and stays as it is'

# ---- a run: the tester is in the loop

cat >"$scratch/bench.yaml" <<END
kind: bench
name: codes
scenario: $config/scenarios/coast_down.yaml
duration_s: 4
can: [{name: chassis, bus: $config/can/skidpad_chassis.yaml, transport: "udp:$port:$((port + 1))"}]
stand_in: {params: $config/ecu/sedan.yaml}
control: $scratch/control.sock
faults: [{name: quiet, kind: no_edges, sensor: wheel_fl, start_s: 1}]
END
bench() { # EXTRA LINE
    sed '/^diagnosis/d' "$scratch/bench.yaml" >"$scratch/b.yaml"
    printf '%s\n' "$1" >>"$scratch/b.yaml"
    run skidpad run "$scratch/b.yaml" --rt virtual
}
bench ''
expect_status 0 'with faults and nothing expected codes are not judged'
expect_out 'C0035-31 status 0xAF front left wheel sensor: no edges, or a wrong speed (not judged)' \
    'but told'
bench 'diagnosis: {expect: [C0035-31]}'
expect_status 0 'an expected code is as it should be'
bench 'diagnosis: {expect: []}'
expect_status 1 'an unexpected one is a failure'
expect_out 'UNEXPECTED' 'and named'
bench 'diagnosis: {expect: [C0035-31, C0040-31]}'
expect_status 1 'so is a missing one'
expect_out 'C0040-31 MISSING' 'and named'
bench 'diagnosis: {request_id: 0x700, response_id: 0x708, wait_s: 0.5, expect: [C0035-31]}'
expect_status 1 'a unit that does not answer is no success'
expect_out 'NOT ANSWER' 'and told'
bench 'diagnosis: off'
expect_status 0 'diagnosis can be left out'
check "$(printf '%s\n' "$out" | grep -q '^code'; [ $? -eq 1 ]; echo $?)" 'then nothing is said of codes'
bench 'diagnosis: {expect: [nonsense]}'
expect_status 2 'a code that is none'
expect_err 'write C0035-87 or 0x403587' 'is explained'
bench 'diagnosis: maybe'
expect_status 2 'a word that is none'
bench 'diagnosis: {request_id: 0x700, response_id: 0x700}'
expect_status 2 'identifiers that are the same'

# While it drives, through its control socket.
sed -i 's/duration_s: 4/duration_s: 60\nwait_for_start: true/' "$scratch/bench.yaml"
"${SKIDPAD_BUILD:-build}"/skidpad-run "$scratch/bench.yaml" --allow-nonrt --quiet >"$scratch/run" 2>&1 &
bench=$!
for _ in $(seq 100); do
    run skidpad control "$scratch/control.sock" dtc
    printf '%s\n' "$err" | grep -q 'waits for a start' && break
    sleep 0.1
done
expect_err 'error the run waits for a start' 'before the start nobody can be asked'
run skidpad control "$scratch/control.sock" start
for _ in $(seq 100); do
    run skidpad control "$scratch/control.sock" dtc
    printf '%s\n' "$out" | grep -q C0035-31 && break
    sleep 0.1
done
expect_out 'C0035-31 status 0xAF' 'codes of the unit in a run'
run skidpad uds --can "control:$scratch/control.sock" codes
expect_out 'C0035-31  front left wheel sensor' 'the tester goes through the run'
run skidpad control "$scratch/control.sock" uds 22F197
expect_out 'ok 62F197736B6964706164207374616E642D696E' 'any request goes'
run skidpad control "$scratch/control.sock" uds 3101
expect_out 'ok 7F3111' 'a refusal is an answer'
run skidpad control "$scratch/control.sock" uds xyz
expect_status 1 'what is no request is not sent'
run skidpad control "$scratch/control.sock" stop
wait $bench

# ---- from ignition on to after-run

run skidpad run config/benches/start_stop.yaml --rt virtual --log "$scratch/s.mf4"
expect_status 0 'a drive with everything around it'
expect_out 'codes      none (cleared before, read after)' 'leaves no code'
check "$(grep -q 'ignition: start, 9.8 V' "$scratch/s.events.txt"; echo $?)" 'its steps are events'
run skidpad export "$scratch/s.mf4" --csv "$scratch/s.csv" --signals time_s,unit_power,unit_age_s
# Ignition from 0.5 s to about 15.6 s; 2 s of after-run; then silence.
check "$(awk -F , '$1 > 1 && $1 < 15 && ($2 != 1 || $3 > 0.02) || $1 > 16 && $1 < 17 && ($2 != 2 || $3 > 0.02) ||
    $1 > 18 && $1 < 22 && $3 >= 0 && NR > 1 { bad++ } END { exit !(NR > 20000 && !bad) }' "$scratch/s.csv"; echo $?)" \
    'the unit wakes, runs on and falls silent'

# ---- the verdict of a manoeuvre

run skidpad test config/scenarios/iso7401.yaml --json "$scratch/t.json"
expect_status 0 'a manoeuvre without a code'
check "$(grep -q '"trouble_codes": \[\]' "$scratch/t.json"; echo $?)" 'and its report says so'
sed 's/^name:.*/&\npower: {low_V: 14, high_V: 15}/' config/ecu/sedan.yaml >"$scratch/shy.yaml" # 13.8 V will not do
sed "s#\.\./#$config/#; s#^duration_s.*#&\nunit: {params: $scratch/shy.yaml, bus: $config/can/skidpad_chassis.yaml}#" \
    config/scenarios/iso7401.yaml >"$scratch/steer.yaml"
run skidpad test "$scratch/steer.yaml" --junit "$scratch/t.xml"
expect_status 1 'a code that was not expected fails it'
expect_out 'trouble code U3003-16' 'and is named'
check "$(grep -q 'failure message="trouble code U3003-16' "$scratch/t.xml"; echo $?)" 'in the report, too'
sed "s#\.\./ecu/sedan.yaml#$scratch/shy.yaml#; s#\.\./#$config/#" config/benches/abs_split.yaml >"$scratch/shy_bench.yaml"
run skidpad test config/scenarios/iso7401.yaml --bench "$scratch/shy_bench.yaml" --rt virtual --logs "$scratch/logs"
expect_status 1 'on a bench, too'
expect_out 'trouble code U3003-16' 'with its name'

# ---- bad input

run skidpad uds
expect_status 2 'no command'
run skidpad uds cods
expect_status 2 'a misspelt command'
run skidpad uds --can morse:1 codes
expect_status 2 'no such transport'
run skidpad uds --can udp:1:2 --isotp kernel codes
expect_status 2 'the kernel has no ISO-TP on UDP'
run skidpad uds --request 99999999999 codes
expect_status 2 'an identifier that is none'
run skidpad uds --can udp:$port:$((port + 1)) read
expect_status 2 'read what?'
run skidpad uds --can udp:$port:$((port + 1)) read nonsense
expect_status 2 'no such data'
run skidpad uds --can udp:$port:$((port + 1)) write F190
expect_status 2 'write what?'
run skidpad uds --can udp:$port:$((port + 1)) raw 123
expect_status 2 'half a byte'
run skidpad uds --can "control:$scratch/none.sock" codes
expect_status 3 'no run there'
finish
