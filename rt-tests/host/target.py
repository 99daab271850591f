#!/usr/bin/env python3
"""Targets without a car, for the host's tests. The protocol is docs/host.md's.

    target.py run PORT KEY RUNS RECORDS [--names N]   runs one after the other, each with RECORDS
    target.py crowd PORT KEY COUNT SECONDS            so many at once, which go on
    target.py fake PORT COUNT SECONDS [--name TEXT]   so many that have not the key
    target.py again PORT FILE COUNT SECONDS           what was caught, from so many senders
    target.py catch PORT FILE SECONDS                 keeps what comes to a port

Prints a line when it has begun, and one of JSON at the end.
"""
import hashlib
import json
import os
import select
import socket
import struct
import sys
import time

VERSION, SEALED, TAG = 3, 4, 16
RECORDS, EVENTS, STATUS, BLOB, CLOCK, GONE, CHALLENGE, REPLY = range(1, 9)
ASK_CLOCK, ASK_BLOB, ASK_RECORDS, ASK_EVENTS, DONE, HELLO = range(65, 71)
WAITING, RUNNING, SAFE, ENDED = range(4)
HEADER = struct.Struct("<IHBBQQQqQII24s")


def blake(key, data, size):
    return hashlib.blake2b(data, key=key, digest_size=size).digest()


def fnv(data):
    h = 14695981039346656037
    for b in data:
        h = (h ^ b) * 1099511628211 % (1 << 64)
    return h


class Target:
    """One run; key None: without."""

    def __init__(self, port, key, name="bench", signals=200):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.connect(("127.0.0.1", port))
        self.sock.setblocking(False)
        self.key, self.name = key, name.encode()
        self.run = int.from_bytes(os.urandom(8), "little")
        self.run_key = blake(key, b"skidpad run\0\0\0\0\0" + struct.pack("<Q", self.run), 32) if key else None
        names = [f"signal_{i}" for i in range(signals)]
        self.table = fnv(b"".join(n.encode() + b"\0" + b"1\0" + struct.pack("<II", 0, 8 * i)
                                  for i, n in enumerate(names)))
        self.bytes = 48 + 8 * signals
        text = {"run": f"{self.run:016x}", "table": f"{self.table:016x}", "period_s": 0.001,
                "publish_s": 0.001, "record_bytes": self.bytes, "start_ns": str(time.time_ns()),
                "signals": [{"name": n, "unit": "1", "type": "f64", "offset": 8 * i, "meaning": "x"}
                            for i, n in enumerate(names)], "run_info": {"car": "none"}}
        self.blobs = [json.dumps(text).encode(), b'{"files": []}']
        self.packets, self.sent_ns, self.records, self.state = 0, 0, 0, RUNNING
        self.done = self.challenged = False

    def send(self, kind, body=b"", flags=0, first=0, count=0, each=0):
        self.packets += 1
        self.sent_ns = max(self.sent_ns + 1, time.monotonic_ns())
        flags |= SEALED if self.key else 0
        packet = HEADER.pack(0x50444B53, VERSION, kind, flags, self.run, self.table, self.packets,
                             self.sent_ns, first, count, each, self.name) + body
        if self.key:
            packet += blake(self.run_key, packet, TAG)
        try:
            self.sock.send(packet)
        except (ConnectionRefusedError, BlockingIOError):
            pass

    def status(self):
        self.send(STATUS, struct.pack("<IIqqqQQ", self.state, 0, self.records, 1, 1000000, self.records, 0) +
                  bytes(5 * 8 + 2 * 8 - 8) + struct.pack("<QIIII", 0, 0, 0, 1, 0) + bytes(8 + 32 + 2 * 28 * 8))

    def put(self, count):
        """Records go on."""
        self.send_records(self.records, count, 0)
        self.records += count

    def send_records(self, first, count, flags):
        while count > 0:
            n = min(count, 16)
            body = b"".join(struct.pack("<qqqqIIII", i, i * 1000000, i * 1000000, i * 1000000, 1, 0, 0, 0)
                            + bytes(self.bytes - 48) for i in range(first, first + n))
            self.send(RECORDS, body, flags, first, n, self.bytes)
            first, count = first + n, count - n

    def challenge(self, packet):
        plain = HEADER.pack(0x50444B53, VERSION, CHALLENGE, 0, self.run, self.table, 0, 0, 0, 0, 0, self.name)
        body = packet[80:96] + os.urandom(16)
        self.send(CHALLENGE, body + blake(self.key, plain + body, 32))
        self.challenged = True

    def blob(self, which):
        text = self.blobs[which]
        for at in range(0, len(text), 1200):
            self.send(BLOB, struct.pack("<IIII", which, 1, len(text), at) + text[at:at + 1200])

    def serve(self, seconds):
        """Answers what comes meanwhile."""
        end = time.monotonic() + seconds
        while not self.done:
            left = end - time.monotonic()
            ready, _, _ = select.select([self.sock], [], [], max(0.0, left))
            if not ready:
                return
            try:
                packet = self.sock.recv(4096)
            except ConnectionRefusedError:
                continue
            _, _, kind, _, run, _, _, _, first, count, _, _ = HEADER.unpack_from(packet)
            if kind == HELLO and self.key:
                self.challenge(packet)
            elif run != self.run:
                continue
            elif kind == ASK_BLOB:
                self.blob(first)
            elif kind == ASK_RECORDS:
                self.send_records(first, min(count, self.records - first), 1)
            elif kind == ASK_CLOCK:
                now = time.monotonic_ns()
                self.send(CLOCK, packet[80:88] + struct.pack("<qq", now, now))
            elif kind == DONE:
                self.done = True

    def close(self):
        self.sock.close()


def key_of(path):
    return bytes.fromhex(open(path).read().strip())


def do_run(port, key, runs, records, names=1):
    done = 0
    print("begun", flush=True)
    for i in range(int(runs)):
        t = Target(int(port), key_of(key), f"bench {i % int(names)}")
        end = time.monotonic() + 10
        t.status()
        while not t.challenged and time.monotonic() < end:
            t.serve(0.02)
            t.status()
        for _ in range(int(records) // 100):
            t.put(100)
            t.serve(0.001)
        t.state = ENDED
        while not t.done and time.monotonic() < end:
            t.status()
            t.serve(0.02)
        done += t.done
        t.close()
    return {"done": done}


def do_crowd(port, key, count, seconds):
    targets = [Target(int(port), key_of(key), f"crowd {i}") for i in range(int(count))]
    end = time.monotonic() + float(seconds)
    print("begun", flush=True)
    while time.monotonic() < end:
        for t in targets:
            t.put(16)
            t.status()
        for t in targets:
            t.serve(0.01)
    return {"challenged": sum(t.challenged for t in targets)}


def do_fake(port, count, seconds, name="fake"):
    targets = [Target(int(port), None, name) for _ in range(int(count))]
    end = time.monotonic() + float(seconds)
    print("begun", flush=True)
    while time.monotonic() < end:
        for t in targets:
            t.status()
            t.serve(0.002)
    return {"packets": sum(t.packets for t in targets)}


def do_odd(port, how, seconds):
    """Packets of another version, or broken ones of this."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    version, body = (VERSION + 1, bytes(8)) if how == "version" else (VERSION, bytes(1))
    packet = HEADER.pack(0x50444B53, version, STATUS, 0, 1, 1, 1, 1, 0, 0, 0, b"odd") + body
    end, sent = time.monotonic() + float(seconds), 0
    print("begun", flush=True)
    while time.monotonic() < end:
        sock.sendto(packet, ("127.0.0.1", int(port)))
        sent += 1
        time.sleep(0.01)
    return {"sent": sent}


def do_catch(port, path, seconds):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", int(port)))
    sock.settimeout(0.1)
    end, caught = time.monotonic() + float(seconds), []
    print("begun", flush=True)
    while time.monotonic() < end:
        try:
            caught.append(sock.recv(65536).hex())
        except TimeoutError:
            pass
    with open(path, "w") as out:
        out.write("\n".join(caught))
    return {"caught": len(caught)}


def do_again(port, path, count, seconds):
    packets = [bytes.fromhex(line) for line in open(path).read().split()]
    packets = [p for p in packets if p[6] == STATUS] or packets
    senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(int(count))]
    end, sent = time.monotonic() + float(seconds), 0
    print("begun", flush=True)
    while time.monotonic() < end:
        for i, s in enumerate(senders):
            s.sendto(packets[(sent + i) % len(packets)], ("127.0.0.1", int(port)))
        sent += len(senders)
        time.sleep(0.01)
    return {"sent": sent}


if __name__ == "__main__":
    what, arguments = sys.argv[1], sys.argv[2:]
    named = {}
    while len(arguments) > 2 and arguments[-2].startswith("--"):
        named[arguments[-2][2:]] = arguments[-1]
        arguments = arguments[:-2]
    print(json.dumps(globals()["do_" + what](*arguments, **named)), flush=True)
