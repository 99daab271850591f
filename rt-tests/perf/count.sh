# Counting instructions with callgrind, for the scripts beside; they are sourced from the top of the
# repository. Instructions do not depend on what else the machine does.
# shellcheck shell=bash
set -u
export LC_ALL=C
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count_calls FUNCTION COMMAND...: mean and maximum of the instructions of single calls of a function,
# and how many calls there were.
count_calls() {
    local out function=$1
    out=$(mktemp "$scratch/calls.XXXXXX")
    shift
    valgrind --tool=callgrind --callgrind-out-file="$out" --combine-dumps=yes --dump-line=no \
        --toggle-collect="$function" --dump-after="$function" "$@" >"$out.log" 2>&1 ||
        { cat "$out.log" >&2; return 1; }
    awk '/^totals:/ && $2 > 0 { n++; sum += $2; if ($2 > most) most = $2 }
        END { if (!n) exit 1; printf "%.0f %d %d\n", sum / n, most, n }' "$out"
    rm -f "$out" "$out.log"
}

tests=0 failed=0

# judge NAME LIMIT WHAT: a line of TAP for what count_calls printed, read from the input. WHAT is one
# of what was counted: a step, a query.
judge() {
    local mean=0 most=missing calls=0 verdict=ok
    read -r mean most calls
    tests=$((tests + 1))
    if ! [[ $most =~ ^[0-9]+$ ]] || [ "$most" -gt "$2" ]; then
        verdict='not ok' failed=1
    fi
    echo "$verdict $tests - $1: at most $2 instructions per $3"
    echo "# mean $mean, maximum $most of $calls"
}

# The last line.
judged() {
    echo "1..$tests"
    return $failed
}

# choose 'WORD WORD...' "$@": runs the function that is named, one of these.
choose() {
    local word
    for word in $1; do
        if [ "${2-}" = "$word" ]; then
            "$word"
            return
        fi
    done
    echo "usage: $0 ${1// /|}" >&2
    exit 2
}
