#!/bin/sh
# The page in Debian's chromium, against a stand-in of the host that replays a drive of the bench:
# odd data, silence, floods, windows of all sizes. Screenshots go to build/web.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=browser_test.sh
. rt-tests/web/browser_test.sh
build=${SKIDPAD_BUILD:-build}
run skidpad run config/benches/abs_split.yaml --rt virtual --log "$scratch/drive.mf4"
expect_status 0 'a drive to show'
run skidpad export "$scratch/drive.mf4" --csv "$scratch/drive.csv"
expect_status 0 'as a table'
[ "$tests_failed" -eq 0 ] || finish
browser_test test_page.mjs "$scratch/drive.csv" "$build/web"
finish
