"""Ports for programs that are started side by side."""
import itertools
import os
import socket
import sys
import threading

# Below those that the kernel gives to others by itself, none twice, and none that another test that
# runs at the same time takes between the look and the use.
FIRST = 20000 if "soak" in sys.argv[0] else 26000
LAST = FIRST + 6000
_numbers = itertools.cycle(range(FIRST, LAST))
_lock = threading.Lock()
for _ in range(os.getpid() * 37 % (LAST - FIRST)):
    next(_numbers)


def free_port():
    """One that is free for UDP and TCP."""
    while True:
        with _lock:
            port = next(_numbers)
        try:
            for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                with socket.socket(socket.AF_INET, kind) as s:
                    s.bind(("127.0.0.1", port))
            return port
        except OSError:
            continue
