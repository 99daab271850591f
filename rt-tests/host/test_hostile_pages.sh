#!/bin/sh
# Pages that take too much: memory, places, connections. A real one gets in.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port) http=$(free_port)
mkdir "$scratch/web"
echo '<title>a page</title>' >"$scratch/web/index.html"
head -c 8000000 /dev/zero | tr '\0' ' ' >"$scratch/web/big.js"
start_host "$port" "$http" --web "$scratch/web"

# hostile WHAT ARGUMENT...
hostile() {
    run python3 rt-tests/host/hostile_pages.py "$@"
    printf '%s' "$out" >"$scratch/hostile.json"
    echo "# $1: $out"
}

hostile frame "$url" "$host" 600
expect_status 0 'one frame of 600 MB'
holds "$scratch/hostile.json" "d['grown_kb'] < 2048" 'takes no memory'
holds "$scratch/hostile.json" "d['sent_mb'] < 600" 'and ends the connection'

python3 rt-tests/host/target.py crowd "$port" "$SKIDPAD_KEY" 1 120 >"$scratch/target.out" 2>&1 &
pids="$pids $!"
hostile silent "$url" 16
holds "$scratch/hostile.json" "d['let_in'] == 16 and d['full'] == 503" 'sixteen pages that do not read take all places'
holds "$scratch/hostile.json" "d['inside']" 'but lose them, and a real one gets in'
hostile deaf "$url" 16
holds "$scratch/hostile.json" "d['let_in'] == 16 and d['inside']" 'pongs without having read the ping keep no place'
hostile loris "$url" 60
holds "$scratch/hostile.json" "d['inside']" 'sixty requests that never end keep nobody out'
hostile stall "$url" 60
holds "$scratch/hostile.json" "d['inside']" 'nor sixty that do not read the answer'

# ws PROTOCOL: the status of an attempt.
ws() {
    python3 rt-tests/host/page_client.py "$url" 0.3 --protocol "$1" >"$scratch/ws.json"
    json "$scratch/ws.json" "d['status']"
}
check "$([ "$(ws skidpad.1)" = 101 ]; echo $?)" "the page's sub-protocol is let in"
check "$([ "$(ws 'other, skidpad.1')" = 101 ]; echo $?)" 'in a list, too'
check "$([ "$(ws skidpad.2)" = 400 ]; echo $?)" 'another one is refused'
check "$([ "$(ws '')" = 400 ]; echo $?)" 'as is none at all'
stop_host >"$scratch/said"

# The token's file.
echo 0123456789abcdef0123456789abcdef >"$scratch/token"
chmod 600 "$scratch/token"
run skidpad host --token "$scratch/token" --listen "127.0.0.1:$port" --port "$http" --for 0.1
expect_status 0 'a token of a file'
expect_out 'token=0123456789abcdef0123456789abcdef' 'is that of the address'
for mode in 606 660 644; do
    chmod "$mode" "$scratch/token"
    run skidpad host --token "$scratch/token" --listen "127.0.0.1:$port" --port "$http" --for 0.1
    expect_status 2 "one of mode $mode is refused"
    expect_err 'others may read or change it; chmod 600 it' 'and the message says what to do'
done
mkdir -m 777 "$scratch/open"
chmod 777 "$scratch/open"
cp "$scratch/token" "$scratch/open/token"
chmod 600 "$scratch/open/token"
run skidpad host --token "$scratch/open/token" --listen "127.0.0.1:$port" --port "$http" --for 0.1
expect_status 2 'one in a folder that anybody may change is refused'
expect_err 'others may change its folder; chmod go-w' 'and the message says what to do'
cp "$SKIDPAD_KEY" "$scratch/open/key"
run skidpad host --key "$scratch/open/key" --listen "127.0.0.1:$port" --port "$http" --for 0.1
expect_status 2 'as is a key'
finish
