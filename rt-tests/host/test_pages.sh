#!/bin/sh
# Ten pages, one that does not read and one that sends junk: no record is lost, no page is starved.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port) http=$(free_port)
bench pages "$port"
start_host "$port" "$http" --record "$scratch/rec"
./skidpad run "$scratch/pages.yaml" --allow-nonrt --for 0 >"$scratch/run.out" 2>&1 &
run_pid=$!
pids="$pids $run_pid"
sleep 0.5
clients=''
for i in 1 2 3 4 5 6 7 8 9 10; do
    python3 rt-tests/host/page_client.py "$url" 3 --rate 200 --signals time_s,vx_mps,yaw_rad \
        >"$scratch/page$i.json" &
    clients="$clients $!"
done
python3 rt-tests/host/page_client.py "$url" 3 --slow >"$scratch/slow.json" &
clients="$clients $!"
python3 rt-tests/host/page_client.py "$url" 3 --junk >"$scratch/junk.json" &
clients="$clients $!"
pids="$pids $clients"
# shellcheck disable=SC2086 # a list of words
wait $clients
kill -INT "$run_pid"
wait "$run_pid"
sleep 0.3
stop_host >"$scratch/said"
same_ticks "$scratch"/rec/*.mf4 "$scratch/pages.mf4" 'with twelve clients every record is recorded'
check "$(grep -q ' 0 missing' "$scratch/said"; echo $?)" 'the host misses none'
for i in 1 2 3 4 5 6 7 8 9 10; do
    holds "$scratch/page$i.json" "d['status'] == 101 and d['records'] > 100 and 'backwards' not in d" \
        "page $i gets its stream"
done
holds "$scratch/junk.json" "d['rounds'] > 3" 'the one with the junk came again and again'
finish
