#!/bin/bash
# Runs test programs side by side and counts what they report.
#
#   run-tests.sh run RESULTS <JOBS    runs the jobs; one line each: kind|label|seconds|command
#   run-tests.sh sum RESULTS          total of all runs into RESULTS; the last line is
#                                     "N passed, N failed, N skipped"; status 1 if any failed
#
# kind  cmocka  the program prints cmocka's report: its tests are counted
#       tap     the program prints TAP
#       plain   the program is one test: status 0 is passed, 77 skipped
# Tests, but for those in guests, have a network of their own (alone.sh).
# A crash, a time-out, a wrong status or a missing report is a failure. The log of a job is
# RESULTS/LABEL.log. With SKIDPAD_NO_SKIP=1 a skipped test is a failed one. TEST_JOBS (one more than
# there are cores, since some only wait) jobs run at a time.
set -u
export LC_ALL=C

here=$(dirname "$0")
results=$2
jobs_max=${TEST_JOBS:-$(($(nproc) + 1))}

# count KIND STATUS LOG: prints "passed failed skipped".
count() {
    local kind=$1 status=$2 log=$3 planned passed skipped failed
    if [ "$kind" = plain ]; then
        case $status in
        0) echo 1 0 0 ;;
        77) echo 0 0 1 ;;
        *) echo 0 1 0 ;;
        esac
        return
    fi
    read -r planned passed skipped < <(awk -v kind="$kind" -f "$here/count.awk" "$log")
    failed=$((planned - passed - skipped))
    # The report and the status must tell the same story.
    if [ "$failed" -lt 1 ] && { [ "$status" -ne 0 ] || [ "$planned" -eq 0 ] || [ "$failed" -lt 0 ]; }
    then
        failed=1
    fi
    echo "$passed" "$failed" "$skipped"
}

# report LABEL STATUS MICROSECONDS CPU_SECONDS PASSED FAILED SKIPPED LIMIT: one line, more if it
# failed.
report() {
    local label=$1 status=$2 us=$3 cpu=$4 passed=$5 failed=$6 skipped=$7 limit=$8
    local log=$results/${label//\//.}.log
    local word=ok text="$passed passed"
    [ "$skipped" -eq 0 ] || text="$text, $skipped skipped"
    if [ "$failed" -gt 0 ]; then
        word=FAIL
        text="$text, $failed failed"
        [ "$status" -ne 124 ] || text="$text (stopped after $limit s)"
        [ "$status" -lt 128 ] || text="$text (ended by signal $((status - 128)))"
    fi
    printf '%-4s  %-34s %5d.%d s %6s cpu  %s\n' \
        "$word" "$label" $((us / 1000000)) $((us / 100000 % 10)) "$cpu" "$text"
    [ "$word" = FAIL ] || return 0
    awk -f "$here/excerpt.awk" "$log"
    echo "      the whole log: $log"
}

# run_job KIND LABEL LIMIT COMMAND
run_job() {
    local kind=$1 label=$2 limit=$3 command=$4 start status pid cpu passed failed skipped
    local name=${label//\//.}
    local alone=("$here/alone.sh")
    case $kind:$label in
    plain:* | *:vm/*) alone=() ;; # these fetch packages
    esac
    start=${EPOCHREALTIME/./}
    timeout -k 5 "$limit" "${alone[@]}" bash -c "$command" >"$results/$name.log" 2>&1 </dev/null &
    pid=$!
    trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
    { wait "$pid"; } 2>/dev/null # bash would announce a crash by itself
    status=$?
    # CPU time of what this shell, one for each job, has started and waited for.
    times >"$results/$name.times"
    cpu=$(awk -F '[ms ]' 'NR == 2 { printf "%.1f", 60 * $1 + $2 + 60 * $4 + $5 }' \
        "$results/$name.times")
    rm "$results/$name.times"
    read -r passed failed skipped < <(count "$kind" "$status" "$results/$name.log")
    if [ "${SKIDPAD_NO_SKIP:-0}" = 1 ] && [ "$skipped" -gt 0 ]; then
        failed=$((failed + skipped))
        skipped=0
        echo "SKIDPAD_NO_SKIP is set: the skipped tests count as failed" >>"$results/$name.log"
    fi
    echo "$passed $failed $skipped $label" >"$results/$name.count"
    {
        flock 9
        report "$label" "$status" $((${EPOCHREALTIME/./} - start)) "$cpu" \
            "$passed" "$failed" "$skipped" "$limit"
    } 9>>"$results/lock"
}

run_all() {
    local kind label limit command
    mkdir -p "$results"
    # shellcheck disable=SC2046 # a list of process numbers
    trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM
    while IFS='|' read -r kind label limit command; do
        [ -n "$kind" ] || continue
        while [ "$(jobs -pr | wc -l)" -ge "$jobs_max" ]; do
            wait -n
        done
        run_job "$kind" "$label" "$limit" "$command" &
    done
    wait
}

sum_up() {
    local passed failed skipped
    if ! compgen -G "$results/*.count" >/dev/null; then
        echo "no test has run" >&2
        echo "0 passed, 1 failed, 0 skipped"
        return 1
    fi
    awk '$2 > 0 { print "failed: " $4 }' "$results"/*.count
    read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 }
        END { print p, f, s }' "$results"/*.count)
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

case ${1-} in
run) run_all ;;
sum) sum_up ;;
*)
    echo "usage: $0 run|sum RESULTS" >&2
    exit 2
    ;;
esac
