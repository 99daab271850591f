#!/bin/sh
# The page's code without a browser: strict types, then units of decoding, rings, decimation, keys.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
if ! command -v npm >/dev/null; then
    skip 'types' 'npm is not installed'
    skip 'units' 'npm is not installed'
    finish
fi
run make -s web-tests
expect_status 0 'the page builds'
web=host/web
run "$web/node_modules/.bin/tsc" --noEmit -p "$web"
expect_status 0 'strict types'
[ "$status" -eq 0 ] || printf '%s\n' "$out" | sed 's/^/# /'

for source in rt-tests/web/unit/*.test.ts; do
    NODE_PATH=$web/node_modules "$web/node_modules/.bin/esbuild" "$source" --bundle --platform=node --format=esm --log-level=warning \
        --outfile="$scratch/$(basename "$source" .ts).mjs" || exit 1
done
node --test --test-reporter=tap "$scratch"/*.test.mjs >"$scratch/tap" 2>&1
# Only the single tests, without the tree around them.
while IFS= read -r line; do
    name=${line#*- }
    case $line in
    *not\ ok*) check 1 "$name" ;;
    *) check 0 "$name" ;;
    esac
done <<END
$(grep -E '^ *(not )?ok [0-9]+ - ' "$scratch/tap" | grep -vE 'ok [0-9]+ - /')
END
units=$(grep -cE '^ *(not )?ok [0-9]+ - [^/]' "$scratch/tap")
check "$([ "$units" -ge 20 ]; echo $?)" "all units ran ($units)"
[ "$tests_failed" -eq 0 ] || sed 's/^/# /' "$scratch/tap"

# The lock file names no place to download from, and every file it names has a checksum.
check "$(! grep -q '"resolved"' $web/package-lock.json; echo $?)" 'the lock file names no address'
packages=$(grep -c '"node_modules/' $web/package-lock.json)
sums=$(grep -c '"integrity"' $web/package-lock.json)
check "$([ "$packages" -eq "$sums" ]; echo $?)" "every package has a checksum ($packages, $sums)"
finish
