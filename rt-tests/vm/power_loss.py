#!/usr/bin/env python3
"""The power fails at any write: reads what is on the disk then.

    power_loss.py FOLDER BUILD POINTS SEED PERIOD_MS

FOLDER is that of a guest with a disk (vm.sh): disk.img.before, and disk.writes, in which qemu's
blklogwrites kept every write and flush in order. At POINTS moments between two writes, two disks are
made: one with every write up to there, and one on which of the writes since the last flush some, by
chance, were still in the disk's own memory. On both the file system must recover by its journal
alone, the log must be readable and replay, and must not end earlier before the last mark
(test_power_marks.c) than the run's own summary says: how long the emulated disk takes depends on how
busy this machine is, and the run measures it. Prints a line of JSON.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

FLUSH, FUA, DISCARD = 1, 2, 4
SECTOR, MAGIC = 512, 0x6a736677736872
MARK_FIRST = (60 << 20) // SECTOR
ROUNDING_MS = 10     # of the summary
ENVIRONMENT = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")


def entries(path):
    """(sector, flags, data) of each write, flush and discard."""
    with open(path, "rb") as f:
        magic, _, count, size = struct.unpack("<QQQI", f.read(28))
        assert magic == MAGIC and size == SECTOR, "not a log of blklogwrites"
        f.seek(SECTOR)
        for _ in range(count):
            sector, sectors, flags, _ = struct.unpack("<QQQQ", f.read(SECTOR)[:32])
            yield sector, flags, b"" if flags & DISCARD else f.read(sectors * SECTOR), sectors


class Disk:
    def __init__(self, before):
        self.data = bytearray(before)

    def put(self, entry):
        sector, flags, data, sectors = entry
        if flags & DISCARD:
            data = bytes(sectors * SECTOR)
        self.data[sector * SECTOR:sector * SECTOR + len(data)] = data


def call(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)


def read_back(image, folder, build):
    """(what is wrong or None, last tick in the log; None: there is no log)."""
    path, log = folder / "try.img", folder / "try.mf4"
    path.write_bytes(image)
    log.unlink(missing_ok=True)
    first = call("e2fsck", "-p", str(path))     # what a mount does, and no more than is safe
    second = call("e2fsck", "-f", "-n", str(path))
    if first.returncode > 1 or second.returncode != 0:
        return f"file system: {first.stdout}{first.stderr}{second.stdout}", None
    names = call("debugfs", "-R", "ls -p /", str(path)).stdout
    name = re.search(r"/(run\.mf4[^/]*)/", names)
    if not name:
        return None, None
    call("debugfs", "-R", f"dump /{name.group(1)} {log}", str(path))
    if log.stat().st_size == 0:
        return None, None
    ticks = call(f"{build}/skidpad-export", str(log), "--signals", "tick", "--csv", "-")
    if ticks.returncode != 0:
        return f"log: {ticks.stderr}", None
    rows = ticks.stdout.splitlines()[1:]
    if not rows:
        return None, -1
    replay = call(f"{build}/skidpad-replay", str(log), "--scenario",
                  "config/scenarios/brake_in_turn.yaml", "--vehicle", "config/vehicles/sedan.yaml")
    if replay.returncode != 0 or "every signal has the same bits" not in replay.stdout:
        return f"replay: {replay.stderr}{replay.stdout}", None
    return None, int(rows[-1].split(",")[-1])


def mark_of(entry):
    sector, _, data, _ = entry
    found = re.match(rb"skidpad mark tick (\d+)\n", data) if sector >= MARK_FIRST else None
    return int(found.group(1)) if found else None


def claim_ms(folder):
    """What a power cut could have taken at most, as the run says."""
    found = re.search(r"^power cut +would have lost the last ([\d.]+) s at most",
                      (folder / "output.txt").read_text(), re.M)
    return 1e3 * float(found.group(1)) if found else sys.exit("the run does not say what a power cut loses")


def main():
    folder, build, points, seed, period_ms = sys.argv[1:]
    folder, dice = Path(folder), random.Random(int(seed))
    log = list(entries(folder / "disk.writes"))
    before = (folder / "disk.img.before").read_bytes()
    marks = [i for i, e in enumerate(log) if mark_of(e) is not None]
    # From when the first record must be on the disk.
    limit_ms = claim_ms(folder) + ROUNDING_MS
    begin = next(i for i in marks if mark_of(log[i]) * float(period_ms) > limit_ms)
    chosen = set(dice.sample(range(begin, marks[-1]), int(points)))
    flushed, kept, tick = Disk(before), [], 0      # on the disk for good; written since; last mark
    result = {"writes": len(log), "flushes": sum(bool(e[1] & FLUSH) for e in log),
              "marks": len(marks), "disks": 0, "no_log": 0, "most_ms": {"in order": 0, "volatile": 0},
              "limit_ms": limit_ms, "wrong": []}
    for i, entry in enumerate(log):
        if entry[1] & FLUSH:
            for e in kept:
                flushed.put(e)
            kept = []
        if entry[2] or entry[1] & DISCARD:
            kept.append(entry)
        found = mark_of(entry)
        tick = tick if found is None else found
        if i not in chosen:
            continue
        for kind in ("in order", "volatile"):
            disk = Disk(flushed.data)
            for e in kept:
                if kind == "in order" or e[1] & FUA or dice.random() < 0.5:
                    disk.put(e)
            wrong, last = read_back(disk.data, folder, build)
            result["disks"] += 1
            if wrong:
                result["wrong"].append(f"write {i}, {kind}: {wrong}")
            elif last is None:
                result["wrong"].append(f"write {i}, {kind}: no log at tick {tick}")
            else:
                lost_ms = max(0, tick - last) * float(period_ms)
                result["most_ms"][kind] = max(result["most_ms"][kind], lost_ms)
                if lost_ms > limit_ms:
                    result["wrong"].append(f"write {i}, {kind}: {lost_ms} ms lost")
    print(json.dumps(result))
    sys.exit(len(result["wrong"]) > 0)


main()
