#!/bin/sh
# The page in Debian's chromium on the real host, with real runs in real time behind it.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=browser_test.sh
. rt-tests/web/browser_test.sh
browser_test test_host.mjs "$scratch/bench" "${SKIDPAD_BUILD:-build}/web"
finish
