#!/bin/sh
# The whole catalogue of manoeuvres with the unit.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

run skidpad test --json "$scratch/all.json" --html "$scratch/all.html"
expect_status 0 'the catalogue is as it should be: status 0'
check "$(! grep -qE '(src|href)="(http|/)' "$scratch/all.html"; echo $?)" 'the catalogue: the page loads nothing'

# Each manoeuvre of the catalogue has a trial that passes and one that fails as it should.
missing=$(awk -F'"' '/"scenario":/ { s = $4; sub(".*/", "", s) } /"state":/ { seen[s] = seen[s] "<" $4 ">" }
    END { for (s in seen) if (seen[s] !~ /<pass>/ || seen[s] !~ /<as expected>/) print s }' "$scratch/all.json")
check "$([ -z "$missing" ]; echo $?)" "passes and fails with every manoeuvre: $missing"

finish
