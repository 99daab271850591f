#!/usr/bin/env python3
"""Runs a program whose stderr nobody reads, as a terminal stopped with Ctrl-S.

    unread.py pipe|terminal COMMAND...

The pipe or terminal is full before the program begins. Its stdout is this program's.
"""
import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios

if sys.argv[1] == "pipe":
    read_end, stderr = os.pipe()
    fcntl.fcntl(stderr, fcntl.F_SETPIPE_SZ, 4096)
else:
    read_end, stderr = pty.openpty()
    termios.tcflow(stderr, termios.TCOOFF)
os.set_blocking(stderr, False)
try:
    while True:
        os.write(stderr, b"x" * 512)
except BlockingIOError:
    pass
os.set_blocking(stderr, True)
program = subprocess.Popen(sys.argv[2:], stderr=stderr)
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda n, _: program.send_signal(n))
sys.exit(program.wait())
