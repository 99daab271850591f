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
