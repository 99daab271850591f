#!/bin/bash
# Compares our car with the reference runs and renews tables and plots of docs/validation.md.
#
#   SKIDPAD_DATA=FOLDER rt-tests/model/validate.sh
#
# Builds and runs the tests test_validation_*.c, which print the tables and fail beyond a limit.
# Each table NAME.md they write replaces the text between `<!-- table: NAME -->` and `<!-- end -->`
# in the document; their charts validation_*.svg go to docs/img.
set -eu
cd "$(dirname "$0")/../.."

if [ ! -d "${SKIDPAD_DATA:-}" ]; then
    echo "SKIDPAD_DATA must name the folder that holds reference/ and tyres/" >&2
    exit 2
fi
build=${BUILD:-build}
out=$build/validation
document=docs/validation.md
mkdir -p "$out" docs/img
status=0
for source in rt-tests/model/test_validation_*.c; do
    test=$build/tests/model/$(basename "$source" .c)
    make --no-print-directory "$test"
    SKIDPAD_VALIDATION_DIR=$out "$test" || status=1
done

for table in "$out"/*.md; do
    name=$(basename "$table" .md)
    awk -v begin="<!-- table: $name -->" -v table="$table" '
        $0 == begin { print; while ((getline line < table) > 0) print line; hidden = 1 }
        $0 == "<!-- end -->" { hidden = 0 }
        !hidden && $0 != begin { print }' "$document" >"$out/document"
    cp "$out/document" "$document"
done

cp "$out"/validation_*.svg docs/img/
exit $status
