#!/bin/sh
# skidpad dbc: the list, one message, decoded logs against canmatrix, and what bad input gets.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
ours=config/can/skidpad_chassis.dbc

run skidpad dbc $ours
expect_status 0 'a database is listed'
expect_no_err 'our own gets no warning'
expect_out '21 messages, 194 signals, 10 nodes' 'messages and signals are counted'
expect_out '0x0A8 WheelPressures, 8 bytes, every 5 ms, from ESP' 'a message has id, length, cycle, sender'
check "$(printf '%s\n' "$out" | grep -Eq '^  PressureFR +27 +11 +Intel +unsigned +0\.1 +0 \.\. 204\.7 +bar$'
    echo $?)" 'a signal has bits, scale, range and unit'
expect_out 'Page=1' 'a multiplexed signal says when it is there'

run skidpad dbc $ours --message EspReference
expect_status 0 'one message is shown'
expect_out '| Page                  | Counter               |' 'its bits are drawn'
check "$([ "$(printf '%s\n' "$out" | grep -c '^  byte  0 | Crc  ')" -eq 5 ]; echo $?)" \
    'once for each state of the multiplexer'
expect_out '2 = rear wheels' 'values have their texts'
run skidpad dbc $ours --message 0x128
expect_out 'EspReference, 8 bytes' 'an id does as well as a name'
run skidpad dbc $ours --message WheelPresures
expect_status 2 'a message that is not there has status 2'
expect_err "did you mean 'WheelPressures'?" 'and a suggestion'

# A database with doubts.
printf '%s\n' 'BO_ 2566844926 M: 2 A' ' SG_ a : 0|8@1+ (1,0) [0|0] "" A' \
    ' SG_ b : 3|9@0+ (1,0) [0|0] "" A' ' SG_ c : 8|9@1- (1,0) [0|0] "" A' >"$scratch/doubt.dbc"
run skidpad dbc "$scratch/doubt.dbc" --message M
expect_status 0 'doubts do not keep a database from being shown'
expect_err 'b of M shares bits with a (line 2) (warning)' 'overlaps are warned of'
expect_err 'does not fit into 2 bytes' 'signals that do not fit are warned of'
expect_out '0x18FEF1FE M' 'an extended id has eight digits'
expect_out '!  several signals' 'shared bits are marked in the picture'
printf 'BO_ 1 M: 8 A\n SG_ a : 0|8@1 (1,0)\n' >"$scratch/bad.dbc"
run skidpad dbc "$scratch/bad.dbc"
expect_status 2 'a mistake has status 2'
expect_err "bad.dbc:2:16: expected '+' (unsigned) or '-' (signed)" 'and is named with its place'

# A log.
printf '%s\n' '(1.500000) can0 0A8#00F5E803000000A0' '(1.505000) can0 0A8#0006' \
    '(1.510000) can0 128#0010D00700000000' '(1.520000) can0 7DF#R8' \
    '(1.530000) can0 20000004#0004000000000000' '(1.540000) can0 123#00' '' \
    '(1.550000) can0 128#0000D0070100' >"$scratch/a.log"
run skidpad dbc $ours --decode "$scratch/a.log"
expect_status 0 'a log is decoded'
expect_out '1.500000 can0 WheelPressures  Crc=0  Counter=5  ValidFL=1 (valid)' 'values and their texts'
expect_out 'PressureFL=100 bar' 'values have units'
expect_out '1.510000 can0 EspReference  Crc=0  Counter=0  Page=1 (front wheels)  ReferenceSpeed=20 km/h  SpeedFL=0 km/h  SpeedFR=0 km/h' \
    'only the signals of the page that is sent'
check "$(printf '%s\n' "$out" | grep -q '^1.505000 can0 WheelPressures  Crc=0  Counter=6  ValidFL=0 (not valid)  ValidFR=0 (not valid)  ValidRL=0 (not valid)  ValidRR=0 (not valid)$'
    echo $?)" 'a short frame gives the signals that it holds'
expect_err '4 frames decoded, 2 of them shorter than their message; 1 with ids that are not in the database; 2 remote or error frames' \
    'the rest is counted'
run skidpad dbc $ours --decode "$scratch/a.log" --csv --message WheelPressures
expect_out 'time_s,interface,message,signal,value,unit,text' 'a table has a head'
expect_out '1.500000,can0,WheelPressures,PressureFL,100,bar,' 'a row for each value'
expect_out '1.500000,can0,WheelPressures,ValidFL,1,,valid' 'with its text'
check "$(printf '%s\n' "$out" | grep -q EspReference; [ $? -eq 1 ]; echo $?)" 'only the message asked for'
printf '%s\n' '(1.0) can0 0A8#00' 'nonsense' >"$scratch/b.log"
run skidpad dbc $ours --decode "$scratch/b.log"
expect_status 2 'a line that is no frame has status 2'
expect_err 'b.log:2:1: expected the time as (seconds.microseconds)' 'and is named with its place'
expect_out '1.000000 can0 WheelPressures  Crc=0' 'the others are decoded'
run skidpad dbc $ours --decode "$scratch/none.log"
expect_status 2 'a log that is not there has status 2'
run skidpad dbc $ours --csv
expect_status 2 '--csv without --decode is refused'

# Random frames, decoded by an independent program.
like_canmatrix() {
    if ! /usr/bin/python3 -c 'import canmatrix' 2>/dev/null; then
        skip "$2" 'python3-canmatrix is not installed'
        return
    fi
    reference=rt-tests/cli/canmatrix_random.py
    $reference write "$1" 40 "$scratch/random.log" 2>/dev/null
    ./skidpad dbc "$1" --decode "$scratch/random.log" --csv >"$scratch/random.csv" 2>/dev/null
    run $reference compare "$1" "$scratch/random.log" "$scratch/random.csv"
    expect_status 0 "$2"
    echo "# $out"
}
like_canmatrix $ours 'our database decodes as canmatrix does'
for name in vw_mqb rivian_primary_actuator; do
    if [ -n "${SKIDPAD_DATA:-}" ]; then
        like_canmatrix "$SKIDPAD_DATA/dbc/$name.dbc" "$name decodes as canmatrix does"
    else
        skip "$name decodes as canmatrix does" 'SKIDPAD_DATA is not set'
    fi
done
# Every statement, both orders, floats, extended multiplexing, 64 bytes.
cat >"$scratch/all.dbc" <<'DBC'
BU_: A
BO_ 2348875518 Deep: 8 A
 SG_ S8 m2 : 40|8@1- (1,0) [0|0] "" A
 SG_ S4 m2 : 8|24@1- (0.5,-3) [0|0] "" A
 SG_ S3 m0 : 23|16@0- (1,0) [0|0] "" A
 SG_ S1 m0M : 4|2@1+ (1,0) [0|0] "" A
 SG_ S0 M : 0|2@1+ (1,0) [0|0] "" A
BO_ 5 Floats: 12 A
 SG_ f : 7|32@0- (2,1) [0|0] "" A
 SG_ d : 32|64@1- (1,0) [0|0] "" A
BO_ 6 Long: 64 A
 SG_ x : 449|63@1- (1,0) [0|0] "" A
 SG_ y : 3|61@0+ (1,0) [0|0] "" A
 SG_ z : 200|33@1- (-0.001,1E3) [0|0] "" A
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","","","","","","","","","","","","","StandardCAN_FD","ExtendedCAN_FD";
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_ "VFrameFormat" BO_ 5 14;
BA_ "VFrameFormat" BO_ 6 14;
SIG_VALTYPE_ 5 f : 1;
SIG_VALTYPE_ 5 d : 2;
SG_MUL_VAL_ 2348875518 S8 S0 2-2;
SG_MUL_VAL_ 2348875518 S4 S1 2-3;
SG_MUL_VAL_ 2348875518 S3 S1 0-0;
SG_MUL_VAL_ 2348875518 S1 S0 0-1;
DBC
like_canmatrix "$scratch/all.dbc" 'floats, both orders, extended multiplexing and FD decode as canmatrix does'
finish
