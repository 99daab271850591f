#!/bin/bash
# cppcheck of the whole program. Unchanged files are not checked again.
cd "$(dirname "$0")/../.." || exit 1
cache=${BUILD:-build}/cppcheck
mkdir -p "$cache"
folders=()
for folder in shared target host; do
    [ -d "$folder" ] && [ -n "$(find "$folder" -name '*.c' -print -quit)" ] && folders+=("$folder")
done
# ctuuninitvar of cppcheck 2.10 mixes up functions of one file that exist once per #if branch.
exec cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --library=posix \
    --suppress=ctuuninitvar --enable=warning,performance,portability --cppcheck-build-dir="$cache" \
    -I. -D_GNU_SOURCE -D__x86_64__ -D__GNUC__=12 "${folders[@]}"
