#!/usr/bin/env python3
"""A page without a browser: a WebSocket client (RFC 6455) that speaks the host's messages.

    page_client.py URL SECONDS [--signals a,b] [--rate HZ] [--send JSON]... [--slow] [--junk]
                   [--drive SECONDS] [--stay]

Prints one line of JSON: what came, how many records of the stream, gaps, latencies. --slow stops
reading after the subscription; --junk sends what no page sends and comes again when it is thrown
out.
"""
import argparse
import base64
import json
import os
import random
import socket
import struct
import time
from urllib.parse import urlparse


class Page:
    def __init__(self, url, origin=None, token=None, buffer=None, protocol="skidpad.1"):
        at = urlparse(url)
        self.sock = socket.socket()
        if buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.sock.connect((at.hostname, at.port))
        self.sock.settimeout(5)
        token = token or at.query.split("token=")[-1]
        key = base64.b64encode(os.urandom(16)).decode()
        host = f"{at.hostname}:{at.port}"
        self.sock.sendall((
            f"GET /ws?token={token} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            + (f"Sec-WebSocket-Protocol: {protocol}\r\n" if protocol else "") +
            f"Origin: {origin or 'http://' + host}\r\n\r\n"
        ).encode())
        self.data, self.parts, self.kind = b"", [], None
        while b"\r\n\r\n" not in self.data:
            part = self.sock.recv(4096)
            if not part:
                break
            self.data += part
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()

    def frame(self, opcode, payload):
        mask = os.urandom(4)
        n = len(payload)
        length = bytes([0x80 | n]) if n < 126 else b"\xfe" + struct.pack(">H", n) if n < 65536 \
            else b"\xff" + struct.pack(">Q", n)
        self.sock.sendall(bytes([0x80 | opcode]) + length + mask +
                          bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def send(self, message):
        self.frame(1, json.dumps(message).encode())

    def need(self, n):
        while len(self.data) < n:
            part = self.sock.recv(1 << 16)
            if not part:
                raise ConnectionError("the host closed the connection")
            self.data += part

    def receive(self):
        """The next message; pings are answered on the way."""
        while True:
            opcode, last, payload = self.take_frame()
            if opcode == 9:
                self.frame(10, payload)
            elif opcode >= 8:
                return opcode, payload
            else:
                self.parts.append(payload)
                self.kind = self.kind or opcode
                if last:
                    whole = self.kind, b"".join(self.parts)
                    self.parts, self.kind = [], None
                    return whole

    def take_frame(self):
        self.need(2)
        opcode, n, at = self.data[0] & 15, self.data[1] & 127, 2
        last = self.data[0] & 128 != 0
        if n == 126:
            self.need(4)
            n, at = struct.unpack(">H", self.data[2:4])[0], 4
        elif n == 127:
            self.need(10)
            n, at = struct.unpack(">Q", self.data[2:10])[0], 10
        self.need(at + n)
        payload, self.data = self.data[at:at + n], self.data[at + n:]
        return opcode, last, payload


def junk(url, end):
    """Everything at once that a page does not do."""
    rounds = 0
    while time.monotonic() < end:
        try:
            page = Page(url)
            what = rounds % 5
            if what == 0:
                page.frame(1, os.urandom(2000))
            elif what == 1:
                page.frame(1, b"{" * 30000)
            elif what == 2:
                for _ in range(200):
                    page.send({"type": "command", "id": 1, "target": random.randrange(-3, 12),
                               "command": "fault", "fault": "x" * 50, "on": True})
            elif what == 3:
                page.send({"type": "subscribe", "target": 0, "stream": 3, "rate_hz": 1e5,
                           "signals": ["time_s"] * 5000})
                page.sock.sendall(b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff" + os.urandom(4))
            else:
                page.sock.sendall(os.urandom(5000))
            rounds += 1
            page.sock.close()
        except OSError:
            rounds += 1
        time.sleep(0.01)
    return rounds


def main():
    options = argparse.ArgumentParser()
    options.add_argument("url")
    options.add_argument("seconds", type=float)
    options.add_argument("--signals", default="time_s,vx_mps")
    options.add_argument("--rate", type=float, default=1000)
    options.add_argument("--send", action="append", default=[])
    options.add_argument("--slow", action="store_true")
    options.add_argument("--junk", action="store_true")
    options.add_argument("--drive", type=float, default=0)
    options.add_argument("--origin")
    options.add_argument("--token")
    options.add_argument("--protocol", default="skidpad.1")
    o = options.parse_args()
    end = time.monotonic() + o.seconds
    if o.junk:
        print(json.dumps({"rounds": junk(o.url, end)}))
        return
    page = Page(o.url, o.origin, o.token, 4096 if o.slow else None, o.protocol)
    result = {"status": page.status, "records": 0, "dropped": 0, "types": {}, "replies": [],
              "events": [], "states": [], "drivers": []}
    if page.status != 101:
        print(json.dumps(result))
        return
    fields = o.signals.split(",")
    page.send({"type": "subscribe", "target": 0, "stream": 1, "signals": fields,
               "rate_hz": o.rate})
    for text in o.send:
        page.send(json.loads(text))
    if o.slow:
        while time.monotonic() < end:
            time.sleep(0.1)
        print(json.dumps({"slow": True}))
        return
    first_s, latency, last_s, subscribed = None, [], None, False
    drive_end, drive_due = time.monotonic() + o.drive, 0
    page.sock.settimeout(0.05)
    while time.monotonic() < end:
        now = time.monotonic()
        if o.drive and now < drive_end and now >= drive_due:
            drive_due = now + 0.04
            page.send({"type": "command", "id": 99, "target": 0, "command": "drive",
                       "hand_wheel_rad": 0.2, "throttle": 0.3, "brake_pedal": 0, "gear": 100})
        try:
            opcode, payload = page.receive()
        except TimeoutError:
            continue
        except ConnectionError:
            result["closed"] = True
            break
        now = time.monotonic()
        if opcode == 2:
            version, target, stream, flags, count, width, dropped = \
                struct.unpack_from("<BBBBIII", payload)
            size = 16 + 4 * (width + width % 2)
            assert version == 1 and stream == 1 and width == len(fields)
            assert len(payload) == 16 + count * size
            result["dropped"] += dropped
            result["records"] += count
            for i in range(count):
                time_s, host_s = struct.unpack_from("<dd", payload, 16 + i * size)
                if last_s is not None and not time_s > last_s:
                    result["backwards"] = True
                last_s = time_s
                if first_s is not None:
                    latency.append(now - (first_s + time_s))
            result["last"] = struct.unpack_from(f"<{width}f", payload, 16 + (count - 1) * size + 16)
        elif opcode == 1:
            message = json.loads(payload)
            kind = message["type"]
            result["types"][kind] = result["types"].get(kind, 0) + 1
            if kind == "status":
                first_s = message["first_s"]
                result["status_last"] = message
                if message["driver"] not in result["drivers"]:
                    result["drivers"].append(message["driver"])
                if message["state"] not in result["states"]:
                    result["states"].append(message["state"])
            elif kind == "reply":
                result["replies"].append(message)
            elif kind == "event":
                result["events"].append([message["kind"], message["text"]])
            elif kind == "hello":
                result["targets"] = message["targets"]
                result["refused"] = message["refused"] or result.get("refused", [])
                if not subscribed and message["targets"]:
                    page.send({"type": "subscribe", "target": 0, "stream": 1, "signals": fields,
                               "rate_hz": o.rate})
                    subscribed = True
            elif kind == "describe":
                result["signals"] = len(message["signals"])
                result["run_info"] = message["run_info"]
        elif opcode == 8:
            result["closed"] = True
            break
    latency.sort()
    if latency:
        result["latency_ms"] = {p: round(1e3 * latency[min(len(latency) - 1,
                                int(len(latency) * p / 100))], 3) for p in (50, 95, 99)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
