#!/usr/bin/env python3
"""A network between a target and its host that loses, doubles, delays and spoils packets.

    bad_network.py LISTEN_PORT HOST_PORT [--lose SHARE] [--double SHARE] [--late SHARE]
                   [--spoil SHARE] [--gap FROM:TO] [--seed N]

Both ways, until it is ended. --gap: nothing passes between these seconds after the first packet.
At the end (SIGTERM) prints what it did as a line of JSON.
"""
import argparse
import heapq
import json
import random
import select
import signal
import socket
import sys
import time


def main():
    options = argparse.ArgumentParser()
    options.add_argument("listen", type=int)
    options.add_argument("host", type=int)
    for share in ("lose", "double", "late", "spoil"):
        options.add_argument("--" + share, type=float, default=0.0)
    options.add_argument("--gap", default="")
    options.add_argument("--seed", type=int, default=1)
    o = options.parse_args()
    gap = [float(t) for t in o.gap.split(":")] if o.gap else [0.0, 0.0]
    dice = random.Random(o.seed)
    inside, outside = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    inside.bind(("127.0.0.1", o.listen))
    outside.bind(("127.0.0.1", 0))
    for s in (inside, outside):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    host, target, first, late = ("127.0.0.1", o.host), None, None, []
    done = {"passed": 0, "lost": 0, "doubled": 0, "late": 0, "spoilt": 0, "gap": 0}

    def end(*_):
        print(json.dumps(done), flush=True)
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    print("ready", flush=True)
    while True:
        wait = max(0.0, late[0][0] - time.monotonic()) if late else 0.05
        ready, _, _ = select.select([inside, outside], [], [], min(wait, 0.05))
        now = time.monotonic()
        while late and late[0][0] <= now:
            _, _, packet, out, to = heapq.heappop(late)
            out.sendto(packet, to)
        for s in ready:
            packet, sender = s.recvfrom(65536)
            if s is inside:
                target, first = sender, first or now
                out, to = outside, host
            elif target:
                out, to = inside, target
            else:
                continue
            if gap[0] < now - first < gap[1]:
                done["gap"] += 1
                continue
            if dice.random() < o.lose:
                done["lost"] += 1
                continue
            if dice.random() < o.spoil:
                spoilt = bytearray(packet)
                for _ in range(4):  # of the header, where it matters most
                    spoilt[dice.randrange(min(len(spoilt), 80))] = dice.randrange(256)
                done["spoilt"] += 1
                out.sendto(bytes(spoilt[:dice.randrange(1, len(spoilt) + 1)]), to)
            if dice.random() < o.double:
                done["doubled"] += 1
                out.sendto(packet, to)
            if dice.random() < o.late:
                done["late"] += 1
                heapq.heappush(late, (now + dice.uniform(0.001, 0.03), done["late"], packet, out, to))
                continue
            done["passed"] += 1
            out.sendto(packet, to)


main()
