#!/bin/bash
# Are all C sources laid out by .clang-format? `make format` does it.
cd "$(dirname "$0")/../.." || exit 1
folders=()
for folder in shared target host rt-tests; do
    [ -d "$folder" ] && folders+=("$folder")
done
mapfile -t bad < <(find "${folders[@]}" -name '*.[ch]' -print0 |
    xargs -0 -r clang-format --dry-run 2>&1 | sed -n 's/^\([^ :]*\):[0-9].*warning:.*/\1/p' | sort -u)
if [ ${#bad[@]} -gt 0 ]; then
    printf '%s: not laid out by .clang-format\n' "${bad[@]}"
    echo "run: make format"
    exit 1
fi
