#!/bin/bash
# What the host costs and how long records take to a page, on this machine: one target at 1 kHz,
# without and with a page. Times depend on the machine; nothing is judged here.
#
#   rt-tests/perf/host.sh [SECONDS]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-5}
scratch=$(mktemp -d)
export SKIDPAD_KEY=$scratch/key
host='' run=''
trap 'kill $host $run 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
port=$(free_port)
cat >"$scratch/bench.yaml" <<END
kind: bench
name: perf
scenario: $PWD/config/scenarios/slalom.yaml
realtime: {period_us: 1000, cpu: -1}
limits: {missed: 1000000, missed_in_row: 0}
log: $scratch/perf.mf4
telemetry: {to: "127.0.0.1:$port", rate_hz: 1000}
END

# measure PAGES
measure() {
    local pages=$1 web
    web=$(free_port)
    ./skidpad host --listen "127.0.0.1:$port" --port "$web" --record "$scratch/rec$pages" \
        >"$scratch/out" 2>/dev/null &
    host=$!
    sleep 0.3
    ./skidpad run "$scratch/bench.yaml" --allow-nonrt --for 0 --quiet >/dev/null 2>&1 &
    run=$!
    sleep 0.5
    if [ "$pages" -gt 0 ]; then
        python3 rt-tests/host/page_client.py "$(sed -n 's/^page *//p' "$scratch/out")" "$seconds" \
            --signals time_s,vx_mps,yaw_rad,x_m,y_m >"$scratch/page.json"
    else
        sleep "$seconds"
    fi
    kill -INT $run
    wait $run || true
    kill $host
    wait $host || true
    host='' run=''
    awk -v pages="$pages" '$1 == "cpu" {
        printf "host       1 target at 1 kHz, recorded, %d pages: %.1f %% of a CPU (%s s in %s s)\n",
            pages, 100 * $2 / $5, $2, $5 }' "$scratch/out"
}
measure 0
measure 1
python3 - "$scratch/page.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
l = d["latency_ms"]
print(f"latency    release of a tick to its record at the page: median {l['50']:.1f} ms, "
      f"p95 {l['95']:.1f} ms, p99 {l['99']:.1f} ms ({d['records']} records; limit at p95: 30 ms)")
END
