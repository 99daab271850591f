#!/usr/bin/env python3
"""Pages that a host must survive. Each prints a line of JSON.

    hostile_pages.py frame URL PID MEGABYTES   one frame so long, as far as the host takes it
    hostile_pages.py silent URL COUNT          so many that neither read nor answer; then a real one
    hostile_pages.py deaf URL COUNT            the same, but they send pongs of their own making
    hostile_pages.py loris URL COUNT           connections that never finish their request; then one
    hostile_pages.py stall URL COUNT           so many that do not read the file they asked for
"""
import json
import os
import socket
import struct
import sys
import time
from urllib.parse import urlparse

from page_client import Page


def resident_kb(pid, what="VmHWM"):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(what))


def do_frame(url, pid, megabytes):
    page = Page(url)
    before, sent = resident_kb(pid), 0
    try:
        page.sock.sendall(b"\x81\xff" + struct.pack(">Q", int(megabytes) << 20) + os.urandom(4))
        for _ in range(int(megabytes)):
            page.sock.sendall(bytes(1 << 20))
            sent += 1
    except OSError:
        pass
    return {"grown_kb": resident_kb(pid) - before, "sent_mb": sent}


def real_one(url, patience_s):
    """Whether a page gets in, and after how long."""
    begin = time.monotonic()
    while time.monotonic() - begin < patience_s:
        try:
            page = Page(url)
            if page.status == 101:
                page.receive()
                return True, time.monotonic() - begin
        except OSError:
            pass
        time.sleep(0.2)
    return False, time.monotonic() - begin


def do_silent(url, count, pongs=False):
    pages = [Page(url, buffer=4096) for _ in range(int(count))]
    for page in pages:
        page.send({"type": "subscribe", "target": 0, "stream": 1, "rate_hz": 1000,
                   "signals": ["signal_1"] * 200})
    full = Page(url).status
    end = time.monotonic() + 60
    inside, waited_s = False, 0.0
    while not inside and time.monotonic() < end:
        for page in pages if pongs else []:
            try:
                page.frame(10, os.urandom(8))
            except OSError:
                pass
        inside, more_s = real_one(url, 0.5)
        waited_s += more_s
    return {"let_in": sum(p.status == 101 for p in pages), "full": full, "inside": inside,
            "waited_s": round(waited_s, 1)}


def do_deaf(url, count):
    return do_silent(url, count, True)


def do_loris(url, count):
    at = urlparse(url)
    held = []
    for _ in range(int(count)):
        s = socket.create_connection((at.hostname, at.port))
        s.sendall(b"GET / HTTP/1.1\r\nHost: ")
        held.append(s)
    inside, waited_s = real_one(url, 20)
    return {"inside": inside, "waited_s": round(waited_s, 1)}


def do_stall(url, count):
    at = urlparse(url)
    held = []
    for _ in range(int(count)):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect((at.hostname, at.port))
        s.sendall(f"GET /big.js HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
        held.append(s)
    inside, waited_s = real_one(url, 20)
    return {"inside": inside, "waited_s": round(waited_s, 1)}


print(json.dumps(globals()["do_" + sys.argv[1]](*sys.argv[2:])), flush=True)
