#!/bin/bash
# Replays the corpus of one fuzz program, then fuzzes for a while.
#
#   rt-tests/fuzz/run.sh NAME SECONDS
#
# New inputs go to $BUILD/fuzz/found/NAME; an input that breaks the program is kept in
# $BUILD/fuzz/broken. Copy it to rt-tests/fuzz/corpus/NAME with the fix, so that it is replayed.
set -eu
cd "$(dirname "$0")/../.."
name=$1
seconds=$2
folder=${BUILD:-build}/fuzz
program=$folder/fuzz/fuzz_$name
corpus=rt-tests/fuzz/corpus/$name
mkdir -p "$folder/found/$name" "$folder/broken"

if [ -z "$(find "$corpus" -type f -print -quit 2>/dev/null)" ]; then
    echo "$corpus is empty: keep a few inputs there"
    exit 1
fi
options=(-timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    "-artifact_prefix=$folder/broken/$name-")
# Each kept input alone first: that does not depend on chance.
find "$corpus" -type f -print0 | sort -z | xargs -0 "$program" "${options[@]}"
[ "$seconds" -le 0 ] ||
    "$program" "${options[@]}" "-max_total_time=$seconds" "$folder/found/$name" "$corpus"
