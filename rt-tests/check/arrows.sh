#!/bin/bash
# Proves the include arrows of rules.txt from the sources.
#
#   arrows.sh [TREE]      TREE: this repository unless given
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

folders=()
for folder in shared target host; do
    [ -d "$folder" ] && folders+=("$folder")
done
mapfile -t sources < <(find "${folders[@]}" -name '*.[ch]' -o -name '*.def' | sort)
if [ ${#sources[@]} -eq 0 ]; then
    echo "no sources found in $PWD"
    exit 1
fi
awk -f "$here/arrows.awk" "$here/rules.txt" "${sources[@]}"
