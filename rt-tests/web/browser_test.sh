# shellcheck shell=sh disable=SC2154 # scratch is set by tap.sh
# For tests of the page in a browser: source it after tap.sh.
#
#   browser_test SCRIPT ARGUMENT...   runs rt-tests/web/SCRIPT and reports its tests as ours

if ! command -v npm >/dev/null || ! command -v chromium >/dev/null; then
    skip 'the page in a browser' 'npm or chromium is not installed'
    finish
fi
run make -s web-tests
expect_status 0 'the page builds'
[ "$tests_failed" -eq 0 ] || finish

browser_test() {
    script=$1
    shift
    run node "rt-tests/web/$script" "$@"
    printf '%s\n' "$out" | grep '^#'
    printf '%s\n' "$out" | grep -E '^(not )?ok [0-9]+ - ' >"$scratch/tests"
    while IFS= read -r line; do
        tests_run=$((tests_run + 1))
        case $line in
        ok*) echo "ok $tests_run - ${line#*- }" ;;
        *)
            tests_failed=$((tests_failed + 1))
            echo "not ok $tests_run - ${line#*- }"
            ;;
        esac
    done <"$scratch/tests"
    out=$(printf '%s\n' "$out" | tail -n 3)
    check "$(printf '%s\n' "$out" | grep -qE '^1\.\.[0-9]+$'; echo $?)" 'the browser test came to its end'
}
