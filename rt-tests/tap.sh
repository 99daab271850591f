# shellcheck shell=sh
# For shell tests, which print TAP. Source it from a test with a time-out and a scratch folder:
#
#   . "$(dirname "$0")/../tap.sh"
#   run skidpad sim no-such-file.yaml       runs a command; sets $status, $out, $err
#   expect_status 2 'missing file has status 2'
#   expect_err 'no-such-file.yaml' 'the message names the file'
#   finish
#
# $scratch is an empty folder that is removed at the end; the working folder is the repository's
# top; `skidpad` means the front command of this tree.

cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tests_run=0
tests_failed=0
status=0 out='' err='' ran=''

skidpad() {
    ./skidpad "$@"
}

# check STATUS NAME: reports one test; STATUS is 0 if it passed.
check() {
    tests_run=$((tests_run + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests_run - $2"
        return
    fi
    tests_failed=$((tests_failed + 1))
    echo "not ok $tests_run - $2"
    echo "# command: $ran"
    echo "# status: $status"
    printf '%s\n' "$out" | sed -n '1,20s/^/# out: /p'
    printf '%s\n' "$err" | sed -n '1,20s/^/# err: /p'
}

skip() {
    tests_run=$((tests_run + 1))
    echo "ok $tests_run - $1 # SKIP $2"
}

run() {
    ran=$*
    status=0
    "$@" >"$scratch/.out" 2>"$scratch/.err" </dev/null || status=$?
    out=$(cat "$scratch/.out")
    err=$(cat "$scratch/.err")
}

expect_status() {
    check "$([ "$status" -eq "$1" ]; echo $?)" "$2"
}

expect_out() {
    check "$(printf '%s\n' "$out" | grep -qF -- "$1"; echo $?)" "$2"
}

expect_err() {
    check "$(printf '%s\n' "$err" | grep -qF -- "$1"; echo $?)" "$2"
}

expect_no_err() {
    check "$([ -z "$err" ]; echo $?)" "$1"
}

finish() {
    echo "1..$tests_run"
    [ "$tests_failed" -eq 0 ]
    exit
}
