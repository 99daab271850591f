#!/bin/sh
# skidpad export: logs as tables, what they hold, and what bad input gets. The logs are those of the
# fuzz corpus: small files written by our writer or put together by hand.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
logs=rt-tests/fuzz/corpus/mdf

# expect_line N TEXT NAME: line N of standard output is exactly this text.
expect_line() {
    check "$([ "$(printf '%s\n' "$out" | sed -n "$1p")" = "$2" ]; echo $?)" "$3"
}

run skidpad export $logs/signals_events.mf4 --csv -
expect_status 0 'a log becomes a table'
expect_line 1 't,f64,i64,u64,i32,u32,text' 'the first line names the signals'
expect_line 2 '0,0,-9223372036854775808,9007199254740992,536870871.75,0,' \
    'whole numbers are in full, conversions are applied'
expect_line 4 '0.00015,0.1,-9223372036854775808,18446744073709551612,-536870951.25,4294967292,ddd' \
    'numbers have no more digits than they need'
expect_line 5 '0.00025,5e-324,-5,18446744073709551610,-536870950.75,4294967290,fffff' \
    'and no less'
expect_out ',nan,' 'what is not a number is shown'
expect_out ',inf,' 'what is infinite is shown'
expect_err '-: 11 rows, 7 columns' 'the count goes to stderr if the table goes to stdout'
check "$([ "$(printf '%s\n' "$out" | wc -l)" -eq 12 ]; echo $?)" 'every record gets a row'

run skidpad export $logs/signals_events.mf4 --group 'events & faults' --csv -
expect_line 1 't,what' 'a group is chosen by its name'
expect_line 2 '0.001000003,event 1' 'its records are there, in order'
run skidpad export $logs/signals_events.mf4 --group 2 --csv -
expect_line 1 't,what' 'or by its number'
run skidpad export $logs/signals_events.mf4 --signals text,t --every 5 --csv -
expect_line 1 'text,t' 'signals are chosen, in this order'
expect_line 3 'jjjjjjjjj,0.00045' 'one row for every N records'
check "$([ "$(printf '%s\n' "$out" | wc -l)" -eq 4 ]; echo $?)" 'and no others'

# The default name, and the file itself.
cp $logs/signals_events.mf4 "$scratch/run.mf4"
run skidpad export "$scratch/run.mf4"
expect_status 0 'the name of the table has a default'
expect_out 'run.csv: 11 rows, 7 columns' 'the result is told'
expect_no_err 'a finished log gets no message'
check "$([ "$(wc -l <"$scratch/run.csv")" -eq 12 ]; echo $?)" 'the table is there'
cp "$scratch/run.mf4" "$scratch/log"
run skidpad export "$scratch/log"
check "$([ -s "$scratch/log.csv" ]; echo $?)" 'a log without an ending gets one'

# Texts that need quotes; types and conversions that are not understood; values that are invalid.
run skidpad export $logs/types.mf4 --csv -
expect_line 2 "0.1,-0,abc,$(printf '\344')z,0xcdcccc3d,0xcdcc,0x0000000000000080,,0xcccc,0xcdcccc3d0000000000" \
    'floats need fewer digits, bytes are hexadecimal'
run skidpad export $logs/conversions.mf4 --csv -
expect_status 0 'an unknown conversion is no mistake'
expect_err 'column 5 is as stored: its conversion is not supported' 'but it is said'
run skidpad export $logs/invalid_bits.mf4 --csv -
expect_line 2 '7,,7,' 'an invalid value is an empty cell'
run skidpad export $logs/lists.mf4 --csv -
expect_line 11 '109' 'lists of data blocks are read'

# Unfinished logs.
run skidpad export $logs/unfinished_cut.mf4 --csv -
expect_status 0 'an unfinished log is exported'
expect_err '; the run crashed or still runs; it has 5 complete records' \
    'and said to be so'
expect_err 'its last 52 bytes are no complete record' 'with what is left over'
check "$([ "$(printf '%s\n' "$out" | wc -l)" -eq 6 ]; echo $?)" 'every complete record has a row'
run skidpad export $logs/unfinished_zeros.mf4 --csv -
check "$([ "$(printf '%s\n' "$out" | wc -l)" -eq 7 ]; echo $?)" 'zeros at the end are no records'

# What a log holds.
run skidpad export $logs/signals_events.mf4 --info
expect_status 0 'a log tells what it holds'
expect_out 'MDF 4.10 by skidpad, 4964 bytes, finished' 'the file'
expect_out '2023-11-14 22:13:20.000000000 UTC' 'the time'
expect_out 'property: quote "q" & <tag> = a < b && c > "d"' 'properties'
expect_out 'attached: bench.yaml, 11 bytes, text/plain' 'attachments'
expect_out 'group 1: signals, 11 records of 56 bytes, all <of> them' 'groups and their records'
expect_out 'group 2: events & faults, 9 records of 32 bytes' 'all groups'
expect_out 'i64      time; time of the tick' 'signals'
run skidpad export $logs/unfinished_cut.mf4 --info
expect_out 'unfinished: the run crashed or still runs' 'unfinished logs say so'
expect_out 'log is not finished: ends at t = 0.00' 'and where they end'
expect_out 'group 1: signals, 5 records' 'and are counted'

# Bad input.
# refused NAME MESSAGE COMMAND...: status 2, the message, nothing on standard output.
refused() {
    name=$1 message=$2
    shift 2
    run "$@"
    expect_status 2 "$name: status 2"
    expect_err "$message" "$name: says so"
    check "$([ -z "$out" ]; echo $?)" "$name: nothing on standard output"
}
log=$logs/signals.mf4
refused 'no log' 'an argument is missing' skidpad export
refused 'missing log' 'none.mf4: No such file' skidpad export "$scratch/none.mf4"
refused 'folder' 'is not a regular file' skidpad export "$scratch"
refused 'other file' 'README.md: at byte 0: this is not an MDF file' skidpad export README.md
refused 'compressed log' '##DZ: compressed data is not supported' \
    skidpad export $logs/compressed.mf4 --csv -
refused 'unknown group' "has no group 'event'" skidpad export $log --group event --csv -
refused 'group 0' "has no group '0'" skidpad export $log --group 0 --csv -
refused 'unknown signal' "no signal 'f46' in the group; did you mean 'f64'?" \
    skidpad export $log --signals t,f46 --csv -
refused 'empty signal' "no signal '' in the group" skidpad export $log --signals t, --csv -
refused 'every 0' '--every 0: out of range' skidpad export $log --every 0 --csv -
refused 'no folder' 'No such file or directory' skidpad export $log --csv "$scratch/no/such.csv"
refused 'the log itself' 'is the log itself' skidpad export "$scratch/run.mf4" --csv "$scratch/run.mf4"
check "$(cmp -s $logs/signals_events.mf4 "$scratch/run.mf4"; echo $?)" 'and the log is as it was'
if [ -e /dev/full ]; then
    refused 'full disk' 'No space left on device' skidpad export $log --csv /dev/full
fi

# A damaged log keeps the rows before the damage.
head -c 4963 $logs/signals_events.mf4 >"$scratch/cut.mf4"
refused 'cut log' "cut.mf4: at byte 4016: ##DT is 948 bytes long, but the file ends at byte 4963" \
    skidpad export "$scratch/cut.mf4" --csv "$scratch/cut.csv"
cp $logs/signals_events.mf4 "$scratch/bad.mf4"
printf '\377' | dd of="$scratch/bad.mf4" bs=1 seek=4097 conv=notrunc 2>/dev/null
run skidpad export "$scratch/bad.mf4" --csv "$scratch/bad.csv"
expect_status 2 'damaged log: status 2'
expect_err 'bad.mf4: at byte ' 'damaged log: says where'
expect_err 'rows were written before that' 'damaged log: says how much is there'
check "$([ "$(wc -l <"$scratch/bad.csv")" -gt 1 ]; echo $?)" 'damaged log: the rows before are kept'

# The MATLAB file against the CSV file of the same log, by a reader of its own.
cat >"$scratch/bench.yaml" <<END
kind: bench
name: for export
scenario: $PWD/config/scenarios/brake_in_turn.yaml
duration_s: 0.2
log: $scratch/run.mf4
END
run skidpad run "$scratch/bench.yaml" --rt virtual --quiet
log=$scratch/run.mf4
run skidpad export "$log" --csv "$scratch/run.csv"
run skidpad export "$log" --mat
expect_status 0 'a log becomes a MATLAB file'
expect_out 'run.mat: 200 rows' 'beside the log'
run python3 rt-tests/cli/mat_compare.py "$scratch/run.mat" "$scratch/run.csv"
expect_status 0 'the MATLAB file holds the numbers of the CSV file'
run skidpad export "$log" --mat --every 7 --signals vx_mps,tick --out "$scratch/few.mat"
run skidpad export "$log" --every 7 --signals vx_mps,tick --out "$scratch/few.csv"
run python3 rt-tests/cli/mat_compare.py "$scratch/few.mat" "$scratch/few.csv"
expect_status 0 'also a part of them'
run skidpad export "$log" --mat --csv "$scratch/x.csv"
expect_status 2 'a MATLAB file and a CSV file at once are refused'
run skidpad export "$log" --mat --out /nonexistent/x.mat
expect_status 2 'a folder that is not there has status 2'
check "$(printf '%s' "$err" | grep -q 'rows were written'; [ $? -eq 1 ]; echo $?)" 'and nothing is said to be written'
run skidpad export "$log" --mat --out -
expect_status 2 'a MATLAB file does not go to standard output'

# A disk with room for a part of it: libmatio says nothing.
mkdir "$scratch/tiny"
if unshare -m mount -t tmpfs none "$scratch/tiny" 2>/dev/null; then
    for room in 4 64 256; do
        # shellcheck disable=SC2016 # expanded by the inner shell
        run unshare -m sh -c 'mount -t tmpfs -o size="$1k" none "$0" || exit 9
            ./skidpad export "$2" --mat --out "$0/x.mat"; status=$?
            ls -A "$0"; exit $status' "$scratch/tiny" $room "$log"
        expect_status 2 "a MATLAB file on a disk of $room KB: status 2"
        expect_err 'x.mat: cannot be written: only' "a MATLAB file on a disk of $room KB: told"
        check "$([ -z "$out" ]; echo $?)" "a MATLAB file on a disk of $room KB: no half file stays"
    done
else
    skip 'a MATLAB file on a full disk' 'no right to mount one'
fi

finish
