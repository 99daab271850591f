#!/bin/sh
# skidpad report, and skidpad test on a bench, from outside.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

stop=config/scenarios/iso21994.yaml
bench=config/benches/abs_split.yaml

# On a bench, the clock simulated: the verdict comes from the log and is that of the offline drive.
run skidpad test "$stop" --bench "$bench" --rt virtual --logs "$scratch/logs" --json "$scratch/bench.json"
expect_status 0 'a bench on the simulated clock: status 0'
check "$(test -s "$scratch/logs/001-iso21994.mf4"; echo $?)" 'a bench: the log is there'
run skidpad test "$stop" --json "$scratch/offline.json"
expect_status 0 'offline: status 0'
run skidpad report --compare "$scratch/offline.json" "$scratch/bench.json" --tolerance 0
expect_status 0 'offline and bench: nothing is worse'
expect_out ' 0 differ' 'offline and bench: the same numbers'

# The log by itself.
run skidpad report "$scratch/logs/001-iso21994.mf4" --html "$scratch/log.html" --json "$scratch/log.json"
expect_status 0 'a log that passes: status 0'
expect_out 'pass      no wheel locks above 15 km/h' 'a log: judged by the scenario that it holds'
check "$(grep -q '<svg' "$scratch/log.html"; echo $?)" 'a log: charts inside'
check "$(grep -q '"passed": true' "$scratch/log.json"; echo $?)" 'a log: JSON'

# Without the unit the wheels lock.
# Friction, integrator and unit of a suite count on a bench as well.
run skidpad test config/suites/slalom.yaml --bench "$bench" --rt virtual --logs "$scratch/suite" --json "$scratch/bench_suite.json"
expect_status 0 'a suite on a bench: status 0'
run skidpad test config/suites/slalom.yaml --json "$scratch/suite.json" --quiet
run skidpad report --compare "$scratch/suite.json" "$scratch/bench_suite.json" --tolerance 0
expect_out ' 0 differ' 'a suite on a bench: the numbers of the offline drives'

run skidpad test "$stop" --unit none --bench "$bench" --rt virtual --logs "$scratch/none"
expect_status 1 'a bench without its unit: status 1'
run skidpad report "$scratch/none/001-iso21994.mf4" --html "$scratch/none.html"
expect_status 1 'a log that fails: status 1'
expect_out 'fail      no wheel locks above 15 km/h' 'a log that fails: says why'
run skidpad report --compare "$scratch/logs/001-iso21994.mf4" "$scratch/none/001-iso21994.mf4" --html "$scratch/two.html"
expect_status 1 'with and without the unit: worse, status 1'
expect_out 'WORSE   log: no wheel locks above 15 km/h: pass: 0 s -> fail: ' 'with and without the unit: says what'
check "$(grep -q 'before' "$scratch/two.html" && grep -q '<svg' "$scratch/two.html"; echo $?)" 'two logs: overlaid charts'
run skidpad report --compare "$scratch/none/001-iso21994.mf4" "$scratch/logs/001-iso21994.mf4"
expect_status 0 'the other way round: better, status 0'

# Parameters of a run are in its log: a drive of a series is judged as what it was, and replays.
run skidpad test config/scenarios/iso7401_sine.yaml --bench "$bench" --rt virtual --logs "$scratch/series"
expect_status 0 'a series on a bench: status 0'
run skidpad report "$scratch/series/011-iso7401_sine.mf4" --html "$scratch/s.html"
expect_status 0 'a drive of a series: status 0'
expect_out 'not asked yaw rate lags up to 1 Hz' 'a drive of a series: of 2 Hz, not of the file'
run skidpad replay "$scratch/series/011-iso7401_sine.mf4"
expect_status 0 'a drive of a series: replays'

# A log without criteria is drawn, not judged.
run skidpad run config/benches/scripted.yaml --rt virtual --for 1 --log "$scratch/plain.mf4" --quiet
run skidpad report "$scratch/plain.mf4" --html "$scratch/plain.html"
expect_status 0 'no criteria: status 0'
expect_out 'not judged' 'no criteria: says so'

# The log of a run that was killed: finished but for the mark in its head, and some records short.
whole=$scratch/logs/001-iso21994.mf4
unfinish() {
    cp "$whole" "$1"
    # The identification of an unfinished file: what readers find out by themselves (counts, length).
    printf 'UnFinMF ' | dd of="$1" conv=notrunc 2>/dev/null
    printf '\005\000' | dd of="$1" bs=1 seek=60 conv=notrunc 2>/dev/null
}
unfinish "$scratch/killed.mf4"
truncate -s -300000 "$scratch/killed.mf4"
run skidpad export "$scratch/killed.mf4" --info
end=$(printf '%s\n' "$out" | sed -n 's/^log is not finished: ends at t = \([0-9.]*\) s$/\1/p')
check "$([ -n "$end" ]; echo $?)" "a killed run: --info says where its log ends ($end s)"
remark="log is not finished: ends at t = $end s"
run skidpad report "$scratch/killed.mf4" --html "$scratch/killed.html" --json "$scratch/killed.json"
expect_status 1 'a killed run: not a pass'
expect_out 'INCOMPLETE' 'a killed run: the verdict says so'
expect_out "  $remark" 'a killed run: the table says where the log ends'
expect_out 'pass      no wheel locks above 15 km/h' 'a killed run: what there is is judged'
expect_err "killed.mf4: $remark" 'a killed run: so does the message'
check "$(grep -q "$remark" "$scratch/killed.html"; echo $?)" 'a killed run: so does the page'
check "$(grep -q "\"log_lacks\": \"$remark\"" "$scratch/killed.json"; echo $?)" 'a killed run: so does the JSON'
check "$(grep -q '"passed": false' "$scratch/killed.json"; echo $?)" 'a killed run: JSON, not passed'
run skidpad report --compare "$whole" "$scratch/killed.mf4"
expect_status 1 'a whole log and a cut one: worse'
expect_out "log: whole -> $remark" 'a whole log and a cut one: says so'
run skidpad report --compare "$scratch/killed.mf4" "$scratch/killed.mf4"
expect_out "log: $remark -> $remark" 'two cut logs: says so'
run skidpad replay "$scratch/killed.mf4"
expect_status 0 'a killed run: what there is replays'
expect_out "$remark" 'a killed run: replay says where it ends'
run skidpad export "$scratch/killed.mf4" --csv "$scratch/killed.csv"
expect_err "$remark" 'a killed run: export says so'
run skidpad report "$whole" --html "$scratch/log.html"
expect_status 0 'the whole log still passes'
unfinish "$scratch/ended.mf4"
run skidpad report "$scratch/ended.mf4" --html "$scratch/ended.html"
expect_status 1 'not finished, but with every record: not a pass either'
expect_out 'log is not finished: ends at t = ' 'not finished, but with every record: says so'

# Cut off within its head, anywhere: a message, no crash. Finished and not.
run skidpad export "$whole" --info
first=$(grep -abo '##DT' "$whole" | head -n 1 | cut -d: -f1)
check "$([ "${first:-0}" -gt 1000 ]; echo $?)" "the head of a log ($first bytes)"
for kind in whole unfinished; do
    wrong=''
    for bytes in 0 1 7 8 63 64 65 72 88 167 168 169 200 512 1000 2000 5000 10000 20000 40000 \
        $((first - 1)) "$first" $((first + 1)) $((first + 8)) $((first + 23)); do
        unfinish "$scratch/cut.mf4"
        [ $kind = unfinished ] || cp "$whole" "$scratch/cut.mf4"
        [ "$bytes" -le $((first + 23)) ] || continue
        truncate -s "$bytes" "$scratch/cut.mf4"
        for command in report replay export 'export --info'; do
            # shellcheck disable=SC2086 # several words
            run skidpad ${command% *} "$scratch/cut.mf4" ${command#"${command% *}"}
            [ "$status" -eq 2 ] && [ -n "$err" ] || wrong="$wrong $command:$bytes:$status"
        done
    done
    check "$([ -z "$wrong" ]; echo $?)" "a log cut off in its head, $kind: status 2 and a message$wrong"
done
unfinish "$scratch/cut.mf4"
truncate -s $((first + 24)) "$scratch/cut.mf4"
for command in report replay; do
    run skidpad $command "$scratch/cut.mf4"
    expect_status 2 "a log that ends with its head: $command has status 2"
    expect_err 'holds no tick' "a log that ends with its head: $command says so"
done
run skidpad export "$scratch/cut.mf4" --csv -
expect_err 'log is not finished: ends before its first record' 'a log that ends with its head: export says so'

# Bad input.
run skidpad report
expect_status 2 'no argument: status 2'
run skidpad report README.md --html "$scratch/x.html"
expect_status 2 'no log: status 2'
expect_err 'not an MDF file' 'no log: says so'
head -c 3000 "$scratch/plain.mf4" > "$scratch/cut.mf4"
run skidpad report "$scratch/cut.mf4" --html "$scratch/x.html"
expect_status 2 'a log cut off in its head: status 2'
run skidpad report --compare "$scratch/offline.json"
expect_status 2 'one result: status 2'
expect_err 'takes two results' 'one result: says so'
echo '{"format": "other"}' > "$scratch/other.json"
run skidpad report --compare "$scratch/other.json" "$scratch/offline.json"
expect_status 2 'another JSON: status 2'
expect_err 'no result of skidpad test' 'another JSON: says so'
run skidpad test "$stop" --rt virtual
expect_status 2 '--rt without a bench: status 2'
run skidpad test "$stop" --bench "$bench" --rt cobalt
expect_status 2 'a core that it cannot: status 2'
expect_err 'skidpad report' 'a core that it cannot: says what to do'
run skidpad test "$stop" --bench "$scratch/none.yaml"
expect_status 2 'no bench: status 2'

finish
