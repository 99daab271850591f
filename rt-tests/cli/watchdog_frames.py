#!/usr/bin/env python3
"""What a unit heard over a run that stopped: watchdog_frames.py LOG

Reads a candump log of the unit's side and prints one line: frames of the run, safe frames, frames
of the run after the first safe one, wrong checksums, counters that did not go on by one; taken: 1
if that was where the watchdog took over, by more than the one frame that may be missing there. The
message is WheelEdgesFront (id 0x0A0), which a run sends valid and the watchdog of the test invalid.
"""
import re
import sys


def crc8(data):
    """CRC-8, polynomial 0x1D, bit by bit."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x1D) & 0xFF if crc & 0x80 else crc << 1
    return crc


run = safe = after = wrong = jumps = taken = 0
last = None
for line in open(sys.argv[1], encoding="ascii"):
    m = re.match(r"\(\S+\) \S+ 0A0#([0-9A-F]{16})\s*$", line)
    if not m:
        continue
    data = bytes.fromhex(m.group(1))
    if crc8(bytes([0xA0, 0x00]) + data[1:]) != data[0]:
        wrong += 1
    counter = data[1] & 15
    if last is not None and counter != (last + 1) % 15:
        jumps += 1
        taken += run > 0 and safe == 0 and not data[1] & 0x50 and counter != (last + 2) % 15
    last = counter
    if data[1] & 0x50:
        run += 1
        after += safe > 0
    else:
        safe += 1
print(f"run {run} safe {safe} after {after} wrong {wrong} jumps {jumps} taken {taken}")
