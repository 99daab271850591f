#!/bin/bash
# Proves from the object files that pure code (rules.txt) calls nothing but itself and the allowed
# symbols, and holds no variable that lives beyond a call.
#
#   pure.sh [OBJECTS]      OBJECTS: the folder of object files, $BUILD/obj unless given
#
# Objects whose source is gone are passed over, except in a folder that was given.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cd "${1:-$top/${BUILD:-build}/obj}"

# rule NAME: the words of all lines of that name.
rule() {
    awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) print $i }' "$here/rules.txt"
}

# matches NAME PATTERN...: whether the name fits one of the patterns.
matches() {
    local name=$1 pattern
    shift
    for pattern in "$@"; do
        # shellcheck disable=SC2053 # a pattern is meant
        [[ $name == $pattern ]] && return 0
    done
    return 1
}

mapfile -t loaders < <(rule loader | sed -n 's/\.c$/.o/p')
mapfile -t allowed < <(rule symbol)
objects=()
for folder in $(rule pure | sed 's,.*,target/& shared/&,'); do
    [ -d "$folder" ] || continue
    while read -r object; do
        matches "${object##*/}" "${loaders[@]}" && continue
        [ $# -gt 0 ] || [ -e "$top/${object%.o}.c" ] || continue
        objects+=("$object")
    done < <(find "$folder" -name '*.o' | sort)
done
if [ ${#objects[@]} -eq 0 ]; then
    echo "no pure objects in $PWD: build first"
    exit 1
fi

declare -A own
while read -r symbol; do
    own[$symbol]=1
done < <(nm --defined-only "${objects[@]}" | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }')

bad=0
while read -r object symbol; do
    [ -z "${own[$symbol]:-}" ] || continue
    matches "$symbol" "${allowed[@]}" && continue
    echo "$object: references $symbol, which is neither pure nor allowed in rules.txt"
    bad=1
done < <(nm --undefined-only -A "${objects[@]}" | awk '{ sub(/:.*/, "", $1); print $1, $NF }')

# .data.rel.ro holds constants with addresses in them; all other data is writable.
while read -r object section symbol; do
    echo "$object: '$symbol' in $section is a variable that lives beyond a call"
    bad=1
done < <(
    for object in "${objects[@]}"; do
        objdump -t "$object" | awk -F '\t' -v object="$object" '
            NF == 2 {
                words = split($1, left, " ")
                section = left[words]
                words = split($2, right, " ")
                if (section ~ /^(\.t?data|\.t?bss|\*COM\*)/ && section !~ /^\.data\.rel\.ro/ &&
                    right[words] !~ /^\./)
                    print object, section, right[words]
            }'
    done
)
exit $bad
