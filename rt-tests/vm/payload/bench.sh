# shellcheck shell=sh
# skidpad bench, once for each word of $runs, separated by "+": NAME@PERIODS@STEPS. Under load if
# NAME begins with "load"; the results are NAME.json and NAME.txt.
#
# The load is hackbench and file writes, started again 20 ms after they ended: bounded, because every
# busy second of guest time costs ten of the machine's. Half of its work is to start and end
# processes, which is what keeps kernels busy longest.
# programs: hackbench
# seconds: 3000
set -u

load() {
    while :; do
        hackbench -g 1 -f 4 -l 20 >/dev/null
        dd if=/dev/zero of=/tmp/load bs=64k count=16 2>/dev/null
        rm -f /tmp/load
        sleep 0.02
    done
}

status=0
for run in $(echo "${runs:?}" | tr + ' '); do
    name=${run%%@*} rest=${run#*@}
    loader=
    case $name in
    load*)
        load &
        loader=$!
        ;;
    esac
    # Not to the console: a slow serial line is a load of its own.
    skidpad bench --rt "$VM_RT" --periods-us "${rest%@*}" --steps "${rest#*@}" \
        --label "$(uname -r), ${name%%[0-9]*}" --json "$name.json" >"$name.txt" 2>&1 || status=1
    [ -z "$loader" ] || kill "$loader"
    cat "$name.txt"
done
exit $status
