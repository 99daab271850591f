#!/bin/sh
# A terminal or pipe that nobody reads holds up neither the recording nor pages nor the end.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port) http=$(free_port)
./skidpad host --new-key "$SKIDPAD_KEY" >/dev/null

for what in pipe terminal; do
    : >"$scratch/host.out"
    python3 rt-tests/host/unread.py $what ./skidpad host --listen "127.0.0.1:$port" --port "$http" \
        --record "$scratch/rec-$what" >"$scratch/host.out" &
    host=$!
    pids="$pids $host"
    while ! grep -q '^page' "$scratch/host.out"; do sleep 0.05; done
    url=$(sed -n 's/^page *//p' "$scratch/host.out")
    # Strangers have the host say something before the run, too.
    python3 rt-tests/host/target.py fake "$port" 4 1.5 >/dev/null
    bench "$what" "$port"
    run skidpad run "$scratch/$what.yaml" --allow-nonrt --for 1
    expect_status 0 "$what: a run"
    python3 rt-tests/host/page_client.py "$url" 1 >"$scratch/page.json"
    holds "$scratch/page.json" "d['status'] == 101 and d['states'] == ['ended']" "$what: the page shows it"
    kill "$host"
    wait "$host"
    status=$? ran="skidpad host, stderr a $what that is not read" out=$(cat "$scratch/host.out") err=''
    check "$([ "$status" -eq 0 ]; echo $?)" "$what: the host ends when told, with status 0"
    expect_out 'result     1 of 1 recordings complete' "$what: and has recorded"
    same_ticks "$scratch/rec-$what"/*.mf4 "$scratch/$what.mf4" "$what: every record"
done
finish
