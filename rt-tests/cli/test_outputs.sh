#!/bin/sh
# What a run writes, and who reads it: a second run on the same files, disks that are full or do not
# answer, terminals that are stopped. Nothing that was acknowledged or recorded is lost unnoticed.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
programs=${SKIDPAD_BUILD:-build}
config=$PWD/config
log=$scratch/run.mf4
export SKIDPAD_CONFIG_DIR="$config"

# bench NAME LINE...: a bench file in the scratch folder, without limits on misses.
bench() {
    file=$scratch/$1.yaml
    shift
    {
        printf 'kind: bench\nname: test\nscenario: %s/scenarios/brake_in_turn.yaml\n' "$config"
        printf 'limits: {missed: 100000000, missed_in_row: 0}\n'
        printf '%s\n' "$@"
    } >"$file"
}

# launch BENCH OPTION...: starts a run in the background, until its log has records; sets $pid.
launch() {
    name=$1
    shift
    rm -f "$log"
    ran="skidpad run $name.yaml $*"
    "$programs/skidpad-run" "$scratch/$name.yaml" --allow-nonrt --log "$log" "$@" \
        >"$scratch/.out1" 2>"$scratch/.err1" </dev/null &
    pid=$!
    until_size "$log" 300000
}

# until_size FILE BYTES: until it has so many.
until_size() {
    n=0
    while [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -lt "$2" ] && [ $n -lt 400 ]; do
        sleep 0.05
        n=$((n + 1))
    done
}

# land: waits for its end; sets $status, $out, $err.
land() {
    status=0
    wait "$pid" || status=$?
    out=$(cat "$scratch/.out1")
    err=$(cat "$scratch/.err1")
}

expect_last() {
    check "$(printf '%s\n' "$out" | tail -n 1 | grep -q "^$1"; echo $?)" "$2"
}

# is_whole NAME: the run in $out has all its records in the log, which replays.
is_whole() {
    records=$(printf '%s\n' "$out" | sed -n 's/^log .*, \([0-9]*\) records$/\1/p')
    ticks=$(printf '%s\n' "$out" | sed -n 's/^ticks *\([0-9]*\),.*/\1/p')
    check "$([ -n "$ticks" ] && [ "$records" = "$ticks" ]; echo $?)" "$1: every record ($records of $ticks)"
    state=$(printf '%s\n' "$out" | sed -n 's/^state *\([0-9a-f]*\).*/\1/p')
    run skidpad replay "$log"
    expect_status 0 "$1: the log replays"
    expect_out "state      $state" "$1: to the same state"
}

# is_obeyed NAME: the safe state that was asked for is there; then the run ends by itself.
is_obeyed() {
    n=0
    until run skidpad control "$scratch/run.sock" status && [ "${out#*SAFE STATE}" != "$out" ] ||
        [ $n -ge 40 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    expect_out 'SAFE STATE' "$1: and is obeyed"
    run skidpad control "$scratch/run.sock" stop
    n=0
    while kill -0 "$pid" 2>/dev/null && [ $n -lt 200 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    check "$([ $n -lt 200 ]; echo $?)" "$1: the run ends"
    kill -KILL "$pid" 2>/dev/null
}

# ---- a second run on the files of the first

bench plain 'duration_s: 0'
bench socket 'duration_s: 0' "control: $scratch/run.sock"
for name in plain socket; do
    launch $name
    run "$programs/skidpad-run" "$scratch/$name.yaml" --allow-nonrt --for 0.1 --log "$log"
    expect_status 2 "$name: a second run is refused"
    expect_err 'is being written by another process' "$name: and told why"
    run "$programs/skidpad-run" "$scratch/$name.yaml" --rt virtual --for 0.1 --log "$log"
    expect_status 2 "$name: on the simulated clock, too"
    kill -INT "$pid"
    land
    expect_status 0 "$name: the first run ends clean"
    is_whole "$name: after a second run was refused"
    check "$(find "$scratch" -name '*.part' | grep -q .; [ $? -eq 1 ]; echo $?)" \
        "$name: nothing is left of the second"
done

# Refused for the socket only: the log it would have replaced stays.
launch socket
cp "$log" "$scratch/other.mf4"
before=$(sha256sum <"$scratch/other.mf4")
run "$programs/skidpad-run" "$scratch/socket.yaml" --allow-nonrt --for 0.1 --log "$scratch/other.mf4"
expect_status 2 'the socket is in use: refused'
expect_err 'another run listens there' 'the socket is in use: told'
check "$([ "$(sha256sum <"$scratch/other.mf4")" = "$before" ]; echo $?)" \
    'the socket is in use: an older log stays'
check "$([ "$(stat -c %a "$scratch/run.sock")" = 600 ]; echo $?)" 'the socket is for its owner'
kill -INT "$pid"
land

# The log of frames.
sed -e "s|\.\./|$config/|g" -e '/^control:/d' -e '/^log:/d' \
    -e "s|^frames:.*|frames: $scratch/frames.log|" "$config/benches/abs_split.yaml" >"$scratch/unit.yaml"
printf 'duration_s: 3\nlimits: {missed: 100000000, missed_in_row: 0}\n' >>"$scratch/unit.yaml"
launch unit
run "$programs/skidpad-run" "$scratch/unit.yaml" --rt virtual --for 0.1 --log "$scratch/second.mf4"
expect_status 2 'frames: a second run is refused'
expect_err 'frames.log: is being written' 'frames: and told why'
check "$([ ! -e "$scratch/second.mf4" ]; echo $?)" 'frames: and leaves no log'
land
frames=$(printf '%s\n' "$out" | sed -n 's/ *\([0-9]*\) frames in the log of frames, 0 lost/\1/p')
check "$([ "$(grep -c . "$scratch/frames.log")" = "$frames" ]; echo $?)" "frames: all of them ($frames)"

umask_before=$(umask)
umask 000
bench group 'duration_s: 0' "control: $scratch/run.sock" "control_group: $(id -gn)"
launch group
check "$([ "$(stat -c %a "$scratch/run.sock")" = 660 ]; echo $?)" 'control_group: its members, too'
kill -INT "$pid"
land
umask "$umask_before"
bench group 'duration_s: 0' "control: $scratch/run.sock" 'control_group: no-such-group'
run "$programs/skidpad-run" "$scratch/group.yaml" --allow-nonrt --log "$log"
expect_status 2 'control_group: one that is not there'
expect_err 'there is no group "no-such-group"' 'control_group: is told'

# ---- disks

# A pipe whose reader pauses is a disk that does not answer: the ring of 2 s runs over.
mkfifo "$scratch/slow"
exec 4<>"$scratch/slow" # a pipe without a reader would be refused
(
    exec 4>&-
    exec <"$scratch/slow"
    head -c 200000 >/dev/null
    # Meanwhile the run says how far its log is behind.
    n=0
    until "$programs/skidpad-control" "$scratch/slow.sock" status 2>/dev/null | grep 'LOG [0-9.]* s BEHIND' ||
        [ $n -ge 400 ]; do
        sleep 0.05
        n=$((n + 1))
    done >"$scratch/behind"
    sleep 4
    cat >/dev/null
) &
reader=$!
bench slow 'duration_s: 4' "control: $scratch/slow.sock"
run "$programs/skidpad-run" "$scratch/slow.yaml" --allow-nonrt --log "$scratch/slow"
exec 4>&-
wait $reader
check "$([ -s "$scratch/behind" ]; echo $?)" 'a disk that does not answer: status says so ('"$(cat "$scratch/behind")"')'
expect_status 1 'a disk that does not answer: status 1'
expect_last 'status     1: [0-9]* records LOST: the log thread did not keep up' \
    'a disk that does not answer: the last line says why'

# The head of a log does not fit.
mkdir "$scratch/tiny"
if unshare -m mount -t tmpfs -o size=16k none "$scratch/tiny" 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded by the inner shell
    run unshare -m sh -c 'mount -t tmpfs -o size=16k none "$0" || exit 9
        "$@"; status=$?
        ls -A "$0"; exit $status' "$scratch/tiny" \
        "$programs/skidpad-run" "$scratch/plain.yaml" --rt virtual --for 0.1 --log "$scratch/tiny/run.mf4"
    expect_status 2 'no room for the head: status 2'
    expect_err 'No space left on device' 'no room for the head: told'
    check "$([ -z "$out" ]; echo $?)" 'no room for the head: no stub stays'
    # shellcheck disable=SC2016
    run unshare -m sh -c 'mount -t tmpfs -o size=64k none "$0" || exit 9
        "$@"' "$scratch/tiny" "$programs/skidpad-run" "$scratch/unit.yaml" --rt virtual --for 3 \
        --log "$log" # the frames go elsewhere
    sed "s|^frames:.*|frames: $scratch/tiny/frames.log|" "$scratch/unit.yaml" >"$scratch/tight.yaml"
    # shellcheck disable=SC2016
    run unshare -m sh -c 'mount -t tmpfs -o size=64k none "$0" || exit 9
        "$@"' "$scratch/tiny" "$programs/skidpad-run" "$scratch/tight.yaml" --rt virtual --for 3 --log "$log"
    expect_status 1 'no room for the frames: status 1'
    expect_last 'status     1: [1-9][0-9]* frames LOST' 'no room for the frames: the last line says why'
else
    skip 'small disks' 'no right to mount one'
fi

# Somebody truncates a file of a run: nothing fills the gap, and the last line names it.
cut='it was truncated while it was being written'
launch plain
truncate -s 100000 "$log"
sleep 0.3
kill -INT "$pid"
land
expect_status 1 'the log is truncated: status 1'
expect_last "status     1: the log is not complete: .*, $cut" 'the log is truncated: the last line says so'
expect_err "run.mf4: $cut; the log ends here, the run goes on" 'the log is truncated: said at once'
check "$([ "$(stat -c %s "$log")" = 100000 ]; echo $?)" 'the log is truncated: nothing is put behind the cut'
run skidpad export "$log" --csv "$scratch/cut.csv"
expect_status 0 'the log is truncated: what is left of it can be read'
launch plain
: >"$log"
kill -INT "$pid"
land
expect_status 1 'the log is emptied just before the end: status 1'
expect_last "status     1: the log is not complete: .*, $cut" 'the log is emptied: the last line says so'

launch unit
until_size "$scratch/frames.log" 20000
truncate -s 5000 "$scratch/frames.log"
land
# A busy machine may have let the unit time out as well.
check "$([ "$status" -eq 1 ] || [ "$status" -eq 3 ]; echo $?)" 'the log of frames is truncated: status 1'
expect_last "status     [13]: .*[1-9][0-9]* frames LOST: the log of frames is not complete, $cut" \
    'the log of frames is truncated: the last line says so'
check "$([ "$(stat -c %s "$scratch/frames.log")" = 5000 ]; echo $?)" \
    'the log of frames is truncated: nothing is put behind the cut'

bench late 'duration_s: 0' 'provoke: [{tick: 10, ticks: 100, delay_us: 1500}]'
launch late
until_size "${log%.mf4}.deadlines.txt" 500
truncate -s 0 "${log%.mf4}.deadlines.txt"
kill -INT "$pid"
land
expect_status 1 'the list of missed deadlines is truncated: status 1'
expect_last "status     1: the log is not complete: .*, $cut" \
    'the list of missed deadlines is truncated: the last line says so'
expect_err "deadlines.txt: $cut" 'the list of missed deadlines is truncated: named'

# Somebody writes into a file of a run, renames it, or puts another in its place.
grown='somebody else wrote into it while it was being written'
gone='it was removed, renamed or replaced while it was being written'
for how in append extend rename replace link folder; do
    why=$gone
    mkdir -p "$scratch/moving"
    kept=$log
    log=$scratch/moving/run.mf4
    launch plain
    case $how in
    append) printf XX >>"$log"; why=$grown ;;
    extend) truncate -s 50M "$log"; why=$grown ;;
    rename) mv "$log" "$scratch/moving/q" ;;
    replace) mv "$log" "$scratch/moving/q"; echo hi >"$log" ;;
    link) ln "$log" "$scratch/moving/q"; rm "$log" ;;
    folder) mv "$scratch/moving" "$scratch/moved" ;;
    esac
    kill -INT "$pid"
    land
    expect_status 1 "the log, $how: status 1"
    expect_last "status     1: the log is not complete: .*, $why" "the log, $how: the last line says why"
    rm -rf "$scratch/moving" "$scratch/moved"
    log=$kept
done
launch late
until_size "${log%.mf4}.deadlines.txt" 500
echo hi >>"${log%.mf4}.deadlines.txt"
mv "${log%.mf4}.events.txt" "$scratch/q"
kill -INT "$pid"
land
expect_status 1 'texts of the log that somebody writes into: status 1'
expect_last "status     1: the log is not complete: .*, $grown" 'texts of the log: the last line says why'
launch unit
until_size "$scratch/frames.log" 20000
echo hi >>"$scratch/frames.log"
land
check "$([ "$status" -eq 1 ] || [ "$status" -eq 3 ]; echo $?)" 'the log of frames, append: status 1'
expect_last "status     [13]: .*frames LOST: the log of frames is not complete, $grown" \
    'the log of frames, append: the last line says why'
launch unit
until_size "$scratch/frames.log" 20000
mv "$scratch/frames.log" "$scratch/q"
land
check "$([ "$status" -eq 1 ] || [ "$status" -eq 3 ]; echo $?)" 'the log of frames, rename: status 1'
expect_last "status     [13]: .*frames LOST: the log of frames is not complete, $gone" \
    'the log of frames, rename: the last line says why'

# ---- what is no file

# at_once NAME MESSAGE COMMAND...: refused within seconds, with a message.
at_once() {
    name=$1 message=$2
    shift 2
    run timeout -k 1 20 "$@"
    expect_status 2 "$name: status 2"
    expect_err "$message" "$name: says so"
}

mkfifo "$scratch/pipe"
mkdir "$scratch/folder"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$scratch/socket"
nobody='is a pipe that nobody reads: start its reader first'
scenario=$config/scenarios/step_steer.yaml
at_once 'a pipe without a reader as log' "$nobody" "$programs/skidpad-run" "$scratch/plain.yaml" \
    --rt virtual --for 0.1 --log "$scratch/pipe"
at_once 'a folder as log' 'is a folder: give the name of a file in it' "$programs/skidpad-run" \
    "$scratch/plain.yaml" --rt virtual --for 0.1 --log "$scratch/folder"
at_once 'a socket as log' 'is a socket: give the name of a file' "$programs/skidpad-run" \
    "$scratch/plain.yaml" --rt virtual --for 0.1 --log "$scratch/socket"
ln -s nowhere "$scratch/dangling"
at_once 'a link to nothing as log' 'is a link to a file that does not exist' "$programs/skidpad-run" \
    "$scratch/plain.yaml" --rt virtual --for 0.1 --log "$scratch/dangling"
at_once '/dev/null as log' 'out to drive without one' "$programs/skidpad-run" \
    "$scratch/plain.yaml" --rt virtual --for 0.1 --log /dev/null
sed "s|^frames:.*|frames: $scratch/pipe|" "$scratch/unit.yaml" >"$scratch/piped.yaml"
at_once 'a pipe without a reader as log of frames' "$nobody" "$programs/skidpad-run" \
    "$scratch/piped.yaml" --rt virtual --for 0.1 --log "$log"
at_once 'sim --out, a pipe' "$nobody" ./skidpad sim "$scenario" --out "$scratch/pipe"
at_once 'sim --svg, a pipe' "$nobody" ./skidpad sim "$scenario" --out /dev/null --svg "$scratch/pipe"
at_once 'bench --json, a pipe' "$nobody" ./skidpad bench --rt virtual --steps 10 --json "$scratch/pipe"
run "$programs/skidpad-run" "$scratch/plain.yaml" --rt virtual --for 0.2 --log "$log"
at_once 'export --csv, a pipe' "$nobody" ./skidpad export "$log" --csv "$scratch/pipe"
at_once 'export --mat, a device' 'a MATLAB file needs a file' ./skidpad export "$log" --mat --out /dev/null
at_once 'report --html, a pipe' "$nobody" ./skidpad report "$log" --html "$scratch/pipe"
at_once 'report --json, a pipe' "$nobody" ./skidpad report "$log" --html /dev/null --json "$scratch/pipe"

# A pipe that somebody reads, standard output by its name, and /dev/null are places to write to.
run skidpad export "$log" --csv -
table=$out
run sh -c './skidpad export "$1" --csv /dev/stdout | sed "/: [0-9]* rows, /d"' sh "$log"
check "$([ -n "$table" ] && [ "$out" = "$table" ]; echo $?)" '/dev/stdout gets the table'
cat "$scratch/pipe" >"$scratch/piped.csv" &
reader=$!
until [ "$status" = 0 ] && [ -s "$scratch/piped.csv" ] || ! kill -0 $reader 2>/dev/null; do
    run skidpad export "$log" --csv "$scratch/pipe" # the reader may not have opened it yet
done
wait $reader
check "$([ "$(cat "$scratch/piped.csv")" = "$table" ]; echo $?)" 'a pipe with a reader gets the table'
run skidpad export "$log" --csv /dev/null
expect_status 0 '/dev/null takes a table'

# Inputs.
nobody='a pipe into which nobody writes'
for file in pipe folder socket; do
    case $file in
    pipe) why=$nobody ;;
    folder) why='a folder: give the name of a file in it' ;;
    *) why='a socket: give the name of a file' ;;
    esac
    at_once "a $file as bench" "$why" "$programs/skidpad-run" "$scratch/$file"
    at_once "a $file as scenario" "$why" ./skidpad sim "$scratch/$file"
    at_once "a $file as vehicle" "$why" ./skidpad sim "$scenario" --vehicle "$scratch/$file"
    at_once "a $file as tyre" "$why" ./skidpad tyre "$scratch/$file"
    at_once "a $file as DBC" "$why" ./skidpad dbc "$scratch/$file"
    at_once "a $file as log of frames" "$why" ./skidpad dbc "$config/can/skidpad_chassis.dbc" \
        --decode "$scratch/$file"
    at_once "a $file as result" "$why" ./skidpad bench --compare "$scratch/$file"
    for command in replay export report; do
        at_once "$command of a $file" "$scratch/$file" ./skidpad $command "$scratch/$file"
    done
    printf 'kind: road\nname: test\ncrg: %s\n' "$scratch/$file" >"$scratch/road.yaml"
    at_once "a $file as surface" "$why" ./skidpad check "$scratch/road.yaml"
done
run sh -c 'cat "$1" | ./skidpad sim /dev/stdin --duration 0.1 --vehicle "$2" --out /dev/null' sh \
    "$scenario" "$config/vehicles/sedan.yaml"
expect_status 0 'a scenario may come through a pipe'

# ---- outputs that are inputs, or other outputs

# stays FILE MESSAGE COMMAND...: the command is refused, and the file is what it was.
stays() {
    file=$1 message=$2
    shift 2
    before=$(sha256sum <"$file")
    at_once "${file##*/} as output of ${1##*/} $2" "$message" "$@"
    check "$([ "$(sha256sum <"$file")" = "$before" ]; echo $?)" "${file##*/}: stays what it was"
}

input='is an input of this command, and cannot be its output, too: give the output another name'
second='is an output of this command already, and cannot be a second one'
mine=$scratch/mine
mkdir "$mine"
cp "$scenario" "$mine/scenario.yaml"
cp "$config/vehicles/sedan.yaml" "$mine/vehicle.yaml"
sed -i "s|\.\./|$config/|g" "$mine/scenario.yaml" "$mine/vehicle.yaml"
cp "$config/can/skidpad_chassis.dbc" "$mine"
tyre=$(find "$config/tyres" -name '*.tir' | head -n 1)
cp "$tyre" "$mine/tyre.tir"
sed "s|^scenario:.*|scenario: $mine/scenario.yaml|" "$scratch/plain.yaml" >"$mine/bench.yaml"
ln -s bench.yaml "$mine/link"
virtual="--rt virtual --for 0.1"
for name in bench.yaml scenario.yaml link; do
    # shellcheck disable=SC2086 # several words
    stays "$mine/$name" "$input" "$programs/skidpad-run" "$mine/bench.yaml" $virtual --log "$mine/$name"
done
bus=$(sed -n 's/.*bus: *\([^,} ]*\).*/\1/p' "$scratch/unit.yaml" | head -n 1)
dbc=$(sed -n 's/^dbc: *//p' "$bus")
sed "s|^dbc:.*|dbc: $mine/skidpad_chassis.dbc|" "$bus" >"$mine/bus.yaml"
check "$([ -n "$dbc" ]; echo $?)" 'the bus names its DBC file'
for name in bench2.yaml skidpad_chassis.dbc; do
    sed -e "s|$bus|$mine/bus.yaml|" -e "s|^frames:.*|frames: $mine/$name|" "$scratch/unit.yaml" >"$mine/bench2.yaml"
    # shellcheck disable=SC2086
    stays "$mine/$name" "$input" "$programs/skidpad-run" "$mine/bench2.yaml" $virtual --log "$log"
done
sed "s|^frames:.*|frames: $mine/both.mf4|" "$scratch/unit.yaml" >"$scratch/both.yaml"
# shellcheck disable=SC2086
at_once 'the log as log of frames' "$second" "$programs/skidpad-run" "$scratch/both.yaml" $virtual \
    --log "$mine/both.mf4"
check "$([ ! -e "$mine/both.mf4" ]; echo $?)" 'the log as log of frames: leaves neither'
cp "$log" "$mine/a.mf4"
stays "$mine/a.mf4" "$input" ./skidpad report "$mine/a.mf4" --html "$mine/a.mf4"
stays "$mine/a.mf4" "$input" ./skidpad report --compare "$mine/a.mf4" "$mine/a.mf4" --html "$mine/a.mf4"
stays "$mine/tyre.tir" "$input" ./skidpad tyre "$mine/tyre.tir" --svg "$mine/tyre.tir"
stays "$mine/vehicle.yaml" "$input" ./skidpad steady "$mine/vehicle.yaml" --to 1 --csv "$mine/vehicle.yaml"
run skidpad bench --rt virtual --steps 10 --periods-us 1000 --json "$mine/result.json"
expect_status 0 'a result to compare'
stays "$mine/result.json" "$input" ./skidpad bench --compare "$mine/result.json" --svg "$mine/result.json"
ln "$mine/scenario.yaml" "$mine/hard"
stays "$mine/hard" "$input" ./skidpad sim "$mine/scenario.yaml" --out "$mine/hard"

at_once 'sim, --out and --svg' "$second" ./skidpad sim "$scenario" --duration 0.1 --out "$mine/out" --svg "$mine/out"
check "$(head -n 1 "$mine/out" | grep -q time_s; echo $?)" 'sim, --out and --svg: the table is there'
at_once 'steady, --csv and --json' "$second" ./skidpad steady "$mine/vehicle.yaml" --to 1 \
    --csv "$mine/out2" --json "$mine/out2"
at_once 'lap, --csv and --json' "$second" ./skidpad lap --csv "$mine/out3" --json "$mine/out3"
at_once 'test, --json and --html' "$second" ./skidpad test "$config/scenarios/iso7401.yaml" \
    --json "$mine/out4" --html "$mine/out4"
run skidpad sim "$scenario" --duration 0.1 --out /dev/null --svg /dev/null
expect_status 0 '/dev/null takes several outputs'
for n in 1 2; do
    # shellcheck disable=SC2086
    run "$programs/skidpad-run" "$mine/bench.yaml" $virtual --log "$mine/again.mf4"
    expect_status 0 "a log of before gives way to that of run $n"
done

# Names that do not fit are refused: a name that is cut is another file's.
long=$scratch/long
for n in 1 2 3 4 5 6 7 8 9 10 11; do
    long=$long/$(printf '%0100d' $n)
done
toolong='the name is too long'
# shellcheck disable=SC2086
at_once 'a long name of a log' "--log: $toolong" "$programs/skidpad-run" "$scratch/plain.yaml" $virtual --log "$long/run.mf4"
# shellcheck disable=SC2086
at_once 'a long name of a scenario' "--scenario: $toolong" "$programs/skidpad-run" "$scratch/plain.yaml" \
    $virtual --log "$log" --scenario "$long/s.yaml"
at_once 'a long name of a bench' "BENCH.yaml: $toolong" "$programs/skidpad-run" "$long/b.yaml"
at_once 'a long name, sim --out' "--out: $toolong" ./skidpad sim "$scenario" --out "$long/x.csv"
at_once 'a long name, sim --vehicle' "$toolong" ./skidpad sim "$scenario" --vehicle "$long/v.yaml"
at_once 'a long name, sim' "SCENARIO.yaml: $toolong" ./skidpad sim "$long/s.yaml"
at_once 'a long name, tyre --svg' "--svg: $toolong" ./skidpad tyre "$mine/tyre.tir" --svg "$long/x.svg"
at_once 'a long name, host --key' "--key: $toolong" ./skidpad host --port 0 --for 0.1 --key "$long/key"
at_once 'a long name, test --logs' '--logs: the name of the folder is too long' ./skidpad test \
    "$scenario" --bench "$scratch/plain.yaml" --logs "$long"
at_once 'a long name, steady --csv' 'skidpad steady: ' ./skidpad steady "$mine/vehicle.yaml" --to 1 \
    --csv "$long/x.csv"
check "$([ ! -e "$scratch/long" ]; echo $?)" 'long names: no folder by a part of them'

# A log has texts beside it: nothing of it goes where they cannot be.
for where in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    # shellcheck disable=SC2086
    run "$programs/skidpad-run" "$scratch/plain.yaml" $virtual --log $where
    expect_status 2 "$where as log: status 2"
    check "$([ ! -s "$scratch/.out" ]; echo $?)" "$where as log: nothing is written before it is refused"
    # shellcheck disable=SC2016,SC2086
    run sh -c '"$@" | wc -c' sh "$programs/skidpad-run" "$scratch/plain.yaml" $virtual --log $where
    check "$([ "$out" = 0 ]; echo $?)" "$where as log, a pipe: nothing is written either"
done

# Limits of file sizes end the file, not the program without a word.
for command in "sim $scenario --out" "export $log --out" "export $log --mat --out"; do
    # shellcheck disable=SC2086 # several words
    run prlimit --fsize=20000 ./skidpad $command "$scratch/limited"
    check "$([ "$status" -eq 1 ] || [ "$status" -eq 2 ]; echo $?)" "a limit of file sizes, $command: status 1 or 2"
    check "$([ -n "$err" ] && [ ! -e "$scratch/limited" ]; echo $?)" "a limit of file sizes, $command: told, nothing left"
done

# What a command prints is part of what it does.
# lost COMMAND ARGUMENT...: status 1 of every program, be the output full or closed.
lost() {
    what="$1 ${3:-${2##*/}}"
    run sh -c './skidpad "$@" >/dev/full' skidpad "$@"
    expect_status 1 "$what to a full disk: status 1"
    expect_err 'the output could not be written' "$what to a full disk: told"
    run sh -c './skidpad "$@" >&-' skidpad "$@"
    expect_status 1 "$what without an output: status 1"
    expect_err 'the output could not be written' "$what without an output: told"
}
lost signals
lost version
lost check --quiet "$config/vehicles/sedan.yaml"
lost steady "$config/vehicles/sedan.yaml" --to 1
lost test --list
lost dbc "$config/can/skidpad_chassis.dbc"
lost tyre "$config/tyres/sedan_205_55R16.tir" --svg "$scratch/tyre.svg"
lost export "$log" --info
lost export "$log" --csv -
lost sim "$config/scenarios/step_steer.yaml" --out -
run sh -c './skidpad check "$1" >/dev/full' sh "$scratch/nothing.yaml"
expect_status 2 'bad input to a full disk: still bad input'

# ---- stored on the disk

bench sync 'sync: {every_s: 0.1}'
run "$programs/skidpad-run" "$scratch/sync.yaml" --allow-nonrt --for 1 --log "$log"
expect_status 0 'sync: a clean run'
expect_out 'power cut  would have lost the last' 'sync: the summary says what it bounds'
stored=$(printf '%s\n' "$out" | sed -n 's/.*; stored \([0-9]*\) times.*/\1/p')
check "$([ "${stored:-0}" -ge 1 ]; echo $?)" "sync: stored ($stored times)"
expect_out 'crash      would have lost the last' 'the bound of a crash is measured in every run'
is_whole 'sync'
bench sync 'sync: {every_s: -1}'
run "$programs/skidpad-run" "$scratch/sync.yaml" --rt virtual --for 1
expect_status 2 'sync: a negative period is refused'
for every in 1e-300 0.009 1e300; do
    bench sync "sync: {every_s: $every}"
    run "$programs/skidpad-run" "$scratch/sync.yaml" --rt virtual --for 1
    expect_status 2 "sync: $every is refused"
    expect_err "sync.yaml:5:17: sync.every_s: must be 0, or >= 0.01 and <= 3600, is $every" \
        "sync: $every is not taken for off: place and range"
done

# ---- whoever reads stderr

# A pipe that is full and that nobody empties, when there is something to say: the log ends.
mkfifo "$scratch/full"
bench stuck 'duration_s: 0' "control: $scratch/run.sock"
rm -f "$log"
: >"$scratch/.err1"
(
    exec 3<>"$scratch/full"
    timeout 0.5 cat /dev/zero >&3
    exec prlimit --fsize=1200000 "$programs/skidpad-run" "$scratch/stuck.yaml" --allow-nonrt \
        --log "$log" 2>&3 >"$scratch/.out1"
) </dev/null &
pid=$!
until_size "$log" 1100000
sleep 1 # what comes now has no room
run skidpad control "$scratch/run.sock" safe
expect_status 0 'a full pipe as stderr: the person can stop'
is_obeyed 'a full pipe as stderr'
land
expect_status 1 'a full pipe as stderr: with the status of its log'
expect_last 'status     1: the log is not complete' 'a full pipe as stderr: and says why'

# A terminal stopped with Ctrl-S.
cat >"$scratch/stopped.py" <<'EOF'
"""Runs a command with a stopped terminal as its stderr."""
import os, pty, subprocess, sys, termios
master, terminal = pty.openpty()
termios.tcflow(terminal, termios.TCOOFF)
sys.exit(subprocess.call(sys.argv[1:], stderr=terminal))
EOF
rm -f "$log"
python3 "$scratch/stopped.py" "$programs/skidpad-run" "$scratch/stuck.yaml" --allow-nonrt --log "$log" \
    >"$scratch/.out1" 2>"$scratch/.err1" </dev/null &
pid=$!
until_size "$log" 2000000 # status lines were due
run skidpad control "$scratch/run.sock" safe
expect_status 0 'a stopped terminal: the person can stop'
is_obeyed 'a stopped terminal'
land
expect_status 0 'a stopped terminal: clean'
is_whole 'a stopped terminal'
finish
