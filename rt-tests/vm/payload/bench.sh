# shellcheck shell=sh
# skidpad bench, once for each word of $runs, separated by "+": NAME@PERIODS@STEPS. Under load if
# NAME begins with "load"; the results are NAME.json and NAME.txt.
#
# The load is that of files/load.sh; own_load=1: that of skidpad bench (--load all) instead, as on
# cores whose base has no hackbench. feed: process, or table. label: instead of the kernel's release.
# programs: hackbench
# files: rt-tests/vm/files/load.sh
# seconds: 3000
set -u

# shellcheck source=rt-tests/vm/files/load.sh
. /vm/files/load.sh

status=0
for run in $(echo "${runs:?}" | tr + ' '); do
    name=${run%%@*} rest=${run#*@}
    loader='' own=''
    case $name in
    load*)
        own=${own_load:+all}
        if [ -z "$own" ]; then
            load &
            loader=$!
        fi
        ;;
    esac
    # Not to the console: a slow serial line is a load of its own.
    skidpad bench --rt "$VM_RT" --periods-us "${rest%@*}" --steps "${rest#*@}" \
        --load "${own:-none}" --feed "${feed:-process}" \
        --label "${label:-$(uname -r)}, ${name%%[0-9]*}" --json "$name.json" >"$name.txt" 2>&1 || status=1
    [ -z "$loader" ] || kill "$loader"
    cat "$name.txt"
done
exit $status
