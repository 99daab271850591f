#!/bin/sh
# The test runner must count what cmocka and TAP programs report, and must not miss a crash.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

unset SKIDPAD_NO_SKIP

# count NAME LAST_LINE STATUS JOB...: the jobs end with that total and status.
count() {
    name=$1 last=$2 wanted=$3
    shift 3
    rm -rf "$scratch/results"
    printf '%s\n' "$@" >"$scratch/jobs"
    rt-tests/run-tests.sh run "$scratch/results" <"$scratch/jobs" >"$scratch/lines" 2>&1
    run rt-tests/run-tests.sh sum "$scratch/results"
    check "$([ "$(printf '%s\n' "$out" | tail -n 1)" = "$last" ]; echo $?)" "$name: $last"
    expect_status "$wanted" "$name: status $wanted"
}

# report FILE LINE...: what a test program would print.
report() {
    file=$scratch/$1
    shift
    printf '%s\n' "$@" >"$file"
}

report good '[==========] Running 2 test(s).' '[ RUN      ] a' '[       OK ] a' '[ RUN      ] b' \
    'no newline[       OK ] b' '[==========] 2 test(s) run.' '[  PASSED  ] 2 test(s).'
count 'cmocka tests are counted one by one' '2 passed, 0 failed, 0 skipped' 0 \
    "cmocka|good|9|cat $scratch/good"

report mixed '[==========] Running 3 test(s).' '[       OK ] a' '[  SKIPPED ] b' '[  FAILED  ] c' \
    '[==========] 3 test(s) run.' '[  SKIPPED ] 1 test(s), listed below:' '[  SKIPPED ] b' \
    '[  FAILED  ] 1 test(s), listed below:' '[  FAILED  ] c'
count 'skipped and failed ones are told apart' '1 passed, 1 failed, 1 skipped' 1 \
    "cmocka|mixed|9|cat $scratch/mixed; exit 1"

report short '[==========] Running 5 test(s).' '[ RUN      ] a' '[       OK ] a' '[ RUN      ] b'
count 'tests that never ran have failed' '1 passed, 4 failed, 0 skipped' 1 \
    "cmocka|short|9|cat $scratch/short"
count 'a good report with a bad status is a failure' '2 passed, 1 failed, 0 skipped' 1 \
    "cmocka|status|9|cat $scratch/good; exit 99"
count 'no report is a failure' '0 passed, 1 failed, 0 skipped' 1 'cmocka|silent|9|true'
count 'a missing program is a failure' '0 passed, 1 failed, 0 skipped' 1 \
    "cmocka|missing|9|$scratch/no-such-program"
count 'a crash is a failure' '0 passed, 1 failed, 0 skipped' 1 'plain|crash|9|kill -SEGV $$'
count 'a time-out is a failure' '0 passed, 1 failed, 0 skipped' 1 'plain|slow|0.2|sleep 9'

count 'TAP is counted' '1 passed, 1 failed, 1 skipped' 1 \
    "tap|tap|9|printf 'ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP why\n1..3\n'; exit 1"
count 'TAP without a plan is a failure' '1 passed, 1 failed, 0 skipped' 1 \
    "tap|plan|9|printf 'ok 1 - a\n'"
count 'a plain program is one test' '1 passed, 0 failed, 1 skipped' 0 \
    'plain|yes|9|true' 'plain|unable|9|exit 77'
count 'nothing run is a failure' '0 passed, 1 failed, 0 skipped' 1

SKIDPAD_NO_SKIP=1
export SKIDPAD_NO_SKIP
count 'where skipping is forbidden it is a failure' '1 passed, 2 failed, 0 skipped' 1 \
    "cmocka|mixed|9|cat $scratch/mixed; exit 1"
finish
