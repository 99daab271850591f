# shellcheck shell=sh
# For tests of the host: runs, hosts and what lies between, each on ports of its own.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

export SKIDPAD_KEY="$scratch/key"
here=$PWD
pids='' pid='' url=''
export url
# Only what was started here is ended.
trap 'for pid in $pids; do kill "$pid" 2>/dev/null; done; wait; rm -rf "$scratch"' EXIT

# A free UDP and TCP port, most likely.
free_port() {
    python3 -c 'import socket
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0)); print(u.getsockname()[1])'
}

# bench NAME PORT [LINE...]: a bench file that sends 1000 records a second there.
bench() {
    bench_name=$1 bench_port=$2
    shift 2
    cat >"$scratch/$bench_name.yaml" <<END
kind: bench
name: $bench_name
scenario: $here/config/scenarios/brake_in_turn.yaml
realtime: {period_us: 1000, cpu: -1}
limits: {missed: 1000000, missed_in_row: 0}
log: $scratch/$bench_name.mf4
telemetry: {to: "127.0.0.1:$bench_port", rate_hz: 1000}
END
    for line in "$@"; do echo "$line" >>"$scratch/$bench_name.yaml"; done
}

# start_host PORT HTTP_PORT [OPTION...]: in the background; $url is the page's, $host its pid.
start_host() {
    host_listen=$1 host_http=$2
    shift 2
    : >"$scratch/host.out"
    ./skidpad host --listen "127.0.0.1:$host_listen" --port "$host_http" "$@" \
        >"$scratch/host.out" 2>"$scratch/host.err" &
    host=$!
    pids="$pids $host"
    tries=0
    while ! grep -q '^telemetry' "$scratch/host.out" && [ $tries -lt 100 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    url=$(sed -n 's/^page *//p' "$scratch/host.out")
}

stop_host() {
    kill "$host"
    wait "$host"
    cat "$scratch/host.out"
}

# same_ticks RECORDING LOG NAME: every record of the log is in the recording, in order, no other.
same_ticks() {
    ./skidpad export "$1" --signals tick,wake_ns,x_m,vx_mps,fl_load_N --out "$scratch/a.csv" >/dev/null 2>&1
    ./skidpad export "$2" --signals tick,wake_ns,x_m,vx_mps,fl_load_N --out "$scratch/b.csv" >/dev/null 2>&1
    ran="cmp $1 $2" status=0 out='' err=''
    out=$(cmp "$scratch/a.csv" "$scratch/b.csv" 2>&1; wc -l "$scratch/a.csv" "$scratch/b.csv")
    check "$([ -s "$scratch/b.csv" ] && cmp -s "$scratch/a.csv" "$scratch/b.csv"; echo $?)" "$3"
}

# json FILE EXPRESSION: of d, the document.
json() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# holds FILE EXPRESSION NAME
holds() {
    ran="$2" status=0 err='' out=$(json "$1" "$2" 2>&1)
    check "$([ "$out" = True ]; echo $?)" "$3"
}
