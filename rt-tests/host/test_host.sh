#!/bin/sh
# skidpad host: what bad input gets, who is let in, commands, driving, strangers.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

run skidpad host --listen nowhere
expect_status 2 'an address that is none has status 2'
expect_err 'ADDRESS:PORT' 'and the message says what is wanted'
run skidpad host --http localhost
expect_status 2 'a name instead of an address has status 2'
run skidpad host --target 1.2.3.4
expect_status 2 'a target without a port has status 2'
run skidpad host --target 192.168.1.2:49151
expect_status 2 'a target elsewhere cannot be reached from an address of this machine alone'
expect_err 'give --listen an address' 'and the message says what to do'
run skidpad host --port 70000
expect_status 2 'a port that is none has status 2'
run skidpad host --new-key "$scratch/new/key"
expect_status 0 'a key is made'
check "$([ "$(stat -c %a "$scratch/new/key")" = 600 ]; echo $?)" 'only its owner may read it'
run skidpad host --new-key "$scratch/new/key"
expect_status 2 'a key is never overwritten'
echo 12 >"$scratch/short"
chmod 600 "$scratch/short"
run skidpad host --key "$scratch/short" --for 0.1 --port 0
expect_status 2 'a key file that is none has status 2'
expect_err 'hexadecimal' 'and the message says what it holds'
run skidpad host --key "$scratch/missing" --for 0.1 --port 0
expect_status 2 'a named key that is missing has status 2'
run skidpad host --record /proc/none --for 0.1 --port 0
expect_status 2 'a folder that cannot be made has status 2'
expect_err '--record /proc/none: No such file or directory' 'and is named, before any run'

port=$(free_port) http=$(free_port)
mkdir -p "$scratch/web/sub"
echo '<title>a page</title>' >"$scratch/web/index.html"
echo 'export {}' >"$scratch/web/sub/a.js"
echo secret >"$scratch/secret.txt"
echo hidden >"$scratch/web/.hidden.txt"
ln -s ../secret.txt "$scratch/web/link.txt"
start_host "$port" "$http" --web "$scratch/web" --record "$scratch/rec"
run skidpad host --listen "127.0.0.1:$port" --port 0 --for 0.1
expect_status 2 'a port for telemetry that is taken has status 2'
expect_err "cannot listen for telemetry at port $port" 'and is named'
run skidpad host --listen "127.0.0.1:$(free_port)" --port "$http" --for 0.1
expect_status 2 'a port for the page that is taken has status 2'
expect_err '--port N takes another port' 'and the message says what to do'
at=http://127.0.0.1:$http

# code URL [CURL_OPTION...]
code() {
    curl -s --path-as-is -o "$scratch/body" -w '%{http_code}' "$@"
}
# gives CODE NAME URL [CURL_OPTION...]
gives() {
    want=$1 name=$2
    shift 2
    ran="curl $*" status=0 err='' out=$(code "$@")
    check "$([ "$out" = "$want" ]; echo $?)" "$name"
}
gives 200 'the page is served' "$at/"
check "$(grep -q 'a page' "$scratch/body"; echo $?)" 'it is the one of the folder'
gives 200 'files below the folder too' "$at/sub/a.js"
for path in /../secret.txt /sub/../../secret.txt /%2e%2e/secret.txt /..%2fsecret.txt /link.txt \
    /.hidden.txt //etc/passwd /sub /sub/ /a%00.js '/..\secret.txt' /index.html/../../secret.txt; do
    gives 404 "$path is not served" "$at$path" || true
done
check "$(grep -q secret "$scratch/body"; [ $? -eq 1 ]; echo $?)" 'no secret was told'
gives 405 'only GET and HEAD' -X POST -d x "$at/"
gives 403 'another server name is refused' -H "Host: evil.example:$http" "$at/"
run curl -sI "$at/"
expect_out "default-src 'none'" 'the policy allows nothing from elsewhere'
expect_out 'nosniff' 'types are not guessed'

# ws ORIGIN TOKEN: the status of an attempt.
ws() {
    python3 rt-tests/host/page_client.py "$url" 0.3 --origin "$1" --token "$2" >"$scratch/ws.json"
    json "$scratch/ws.json" "d['status']"
}
token=${url##*token=}
wrong=$(echo "$token" | tr '0123456789abcdef' '123456789abcdef0')
check "$([ "$(ws "$at" "$token")" = 101 ]; echo $?)" 'the right token and origin are let in'
check "$([ "$(ws "$at" "$wrong")" = 403 ]; echo $?)" 'a wrong token is refused'
check "$([ "$(ws "$at" "${token%?}")" = 403 ]; echo $?)" 'a short one too'
check "$([ "$(ws http://evil.example "$token")" = 403 ]; echo $?)" 'another origin is refused'
check "$([ "$(ws "https://127.0.0.1:$http" "$token")" = 403 ]; echo $?)" 'another scheme is another origin'
check "$([ "$(ws null "$token")" = 403 ]; echo $?)" 'a page without an origin is refused'

# Strangers on the telemetry port.
python3 - "$port" <<'END'
import os, random, socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to = ("127.0.0.1", int(sys.argv[1]))
for i in range(200):
    s.sendto(os.urandom(random.randrange(0, 2000)), to)
    head = struct.pack("<IHBB", 0x50444b53, 4, 1, 0) + os.urandom(72)
    s.sendto(head + os.urandom(random.randrange(0, 500)), to)
    s.sendto(struct.pack("<IHBB", 0x50444b53, 3, i % 80, 0) + os.urandom(random.randrange(0, 500)), to)
END

# A run, and pages that command it.
bench cmd "$port" 'wait_for_start: true' \
    'faults: [{name: yaw_offset, kind: offset, sensor: yaw_rate, amount_degps: 5}]'
./skidpad run "$scratch/cmd.yaml" --allow-nonrt --for 600 >"$scratch/run.out" 2>"$scratch/run.err" &
run_pid=$!
pids="$pids $run_pid"
sleep 0.5
page() {
    python3 rt-tests/host/page_client.py "$url" "$@" >"$scratch/page.json"
}
page 0.8
holds "$scratch/page.json" "d['states'] == ['waiting']" 'a run that waits says so'
holds "$scratch/page.json" "d['signals'] > 150 and d['run_info']['car'] != ''" 'it is described'
page 1.2 --send '{"type":"command","id":7,"target":0,"command":"start"}' --send '{"type":"ping","id":3,"t":1.5}'
holds "$scratch/page.json" "d['replies'] == [{'type': 'reply', 'id': 7, 'ok': True, 'number': 1, 'tick': -1, 'text': 'the run begins'}]" \
    'start is answered'
holds "$scratch/page.json" "'running' in d['states'] and d['records'] > 300" 'and the car drives'
holds "$scratch/page.json" "d['types']['pong'] == 1" 'a ping is answered'
page 1 --send '{"type":"command","id":1,"target":0,"command":"start"}' \
    --send '{"type":"command","id":2,"target":0,"command":"fault","fault":"no_such","on":true}' \
    --send '{"type":"command","id":3,"target":0,"command":"setup","name":"front_spring","value":1.2}' \
    --send '{"type":"command","id":4,"target":5,"command":"stop"}' \
    --send '{"type":"command","id":5,"target":0,"command":"dance"}' \
    --send '{"type":"command","id":6,"target":0,"command":"setup","name":"front_spring","value":99}' \
    --send '{"type":"command","id":8,"target":0,"command":"fault","fault":"yaw_offset","on":true}'
holds "$scratch/page.json" \
    "{r['id']: r['ok'] for r in d['replies']} == {1: False, 2: False, 3: True, 4: False, 5: False, 6: False, 8: True}" \
    'commands are answered each, bad ones with a reason'
holds "$scratch/page.json" "['fault on', 'yaw_offset'] in d['events']" 'a fault begins, by its name'
holds "$scratch/page.json" "any(e[0] == 'setup' for e in d['events'])" 'a change of the set-up is an event'
page 2.2 --drive 0.8
holds "$scratch/page.json" "[d for d in d['drivers']][:3] == ['scenario', 'person', 'lost']" \
    'a person takes over, and input that stays away is lost'
holds "$scratch/page.json" "sum(e[0] == 'driver' for e in d['events']) >= 2" 'both are events'
page 1.5 --send '{"type":"command","id":9,"target":0,"command":"drive","release":true}'
holds "$scratch/page.json" "d['drivers'][-1] == 'scenario'" 'the car is given back'
page 0.8 --send '{"type":"command","id":1,"target":0,"command":"stop"}'
holds "$scratch/page.json" "d['states'][-1] == 'safe'" 'stop leads to the safe state'
holds "$scratch/page.json" \
    "any(__import__('re').fullmatch(r'\d+ safe by page\d+@[\w-]+: done', e[1]) for e in d['events'] if e[0] == 'request')" \
    'its event names the page that asked'
page 0.8 --send '{"type":"command","id":1,"target":0,"command":"reset","safe":1}'
holds "$scratch/page.json" "d['states'][-1] == 'running'" 'reset leads out of it'
page 0.8 --send '{"type":"command","id":1,"target":0,"command":"end"}'
holds "$scratch/page.json" "d['states'][-1] == 'ended'" 'end ends the run'
wait "$run_pid"

# Without the key, and without a page.
stop_host >"$scratch/said"
check "$(grep -Eq '[1-9][0-9]* packets not ours, [1-9][0-9]* of another version, [1-9][0-9]* broken' "$scratch/said"; echo $?)" \
    'strangers are counted by what they are'
check "$(grep -q 'speaks version 4 of the protocol' "$scratch/host.err"; echo $?)" 'another version is said'
bench other "$port"
./skidpad run "$scratch/other.yaml" --allow-nonrt --for 0 >"$scratch/run.out" 2>&1 &
run_pid=$!
pids="$pids $run_pid"
start_host "$port" "$http" --key "$scratch/new/key" --record "$scratch/rec2" --web "$scratch/dist"
sleep 0.4
gives 200 'a host whose page is not built answers' "$at/"
check "$(grep -q 'make web' "$scratch/body"; echo $?)" 'and says how to build it'
check "$(grep -q 'the page is not built: no index.html in .*/dist' "$scratch/host.err"; echo $?)" 'as does its terminal'
page 3 --send '{"type":"command","id":1,"target":0,"command":"stop"}'
mkdir "$scratch/dist"
echo '<title>built</title>' >"$scratch/dist/index.html"
gives 200 'once it is built it is served' "$at/"
check "$(grep -q 'built</title>' "$scratch/body"; echo $?)" 'without a new start'
holds "$scratch/page.json" "d['targets'] == [] and d['records'] == 0" 'a host with another key sees no run'
holds "$scratch/page.json" "'\"other\" at 127.0.0.1' in d['refused'][0]['who'] and 'another key' in d['refused'][0]['why']" \
    'but the page says who is refused, and why'
check "$(grep -q 'REFUSED: "other" at .* has another key than this host' "$scratch/host.err"; echo $?)" 'as does the terminal'
kill -INT "$run_pid"
wait "$run_pid"
kill "$host"
wait "$host"
check "$([ $? -eq 1 ]; echo $?)" 'nothing was recorded: status 1'
finish
