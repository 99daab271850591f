#!/usr/bin/env python3
"""A disk that stands still does not hold up the host's thread for the network.

    slow_disk.py BUILD FOLDER

A run without a car is recorded by a host whose calls rt-tests/inject lists: its thread for the
network must make none that waits for a disk. Then, for each call that opens, writes or finishes a
recording, a run in which that call takes 3 s: the host asks for the target's clock twice a second
all the same, and the recording is complete. Prints TAP.
"""
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "inject"))
import sites  # noqa: E402
from ports import free_port  # noqa: E402
from target import CLOCK, ENDED, Target  # noqa: E402

DELAY_S, RUN_S = 3.0, 4.0
GAP_S = 2.0      # between questions for the clock, which come every 0.5 s: busy machines are late
# What that thread may call. Its only read() is of an eventfd, which does not block.
FREE = {"recvmmsg", "sendmsg", "poll", "read", "malloc", "calloc", "realloc", "strdup", "strndup",
        "aligned_alloc", "mmap", "pthread_create"}
# What waits for a disk, of all that the library lists.
DISK = {"access", "close", "fdatasync", "fdopen", "fflush", "flock", "fopen", "fstat", "fsync",
        "ftruncate", "link", "lseek", "lstat", "mkdir", "open", "openat", "pwrite", "rename", "stat",
        "unlink", "write"}
RECORDING = {"host/recorder.c", "shared/base/folders.c", "shared/base/out_file.c",
             "shared/wire/log_texts.c", "shared/wire/mdf_write.c", "shared/wire/mdf_write_head.c"}


class Watched(Target):
    """Notes when it is asked for its clock."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked = []

    def send(self, kind, *rest, **named):
        if kind == CLOCK:
            self.asked.append(time.monotonic())
        super().send(kind, *rest, **named)


class Played:
    """A run, recorded by a host in which `plan` happens."""

    def __init__(self, build, folder, plan=None):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.table = self.folder / "table"
        sites.new_table(self.table)
        key, port = bytes(range(32)), free_port()
        (self.folder / "key").write_text(key.hex())
        os.chmod(self.folder / "key", 0o600)
        environment = dict(os.environ, LD_PRELOAD=f"{build}/inject.so", INJECT_TABLE=str(self.table))
        if plan:
            environment["INJECT_PLAN"] = plan
        with open(self.folder / "host.out", "wb") as out:
            host = subprocess.Popen([f"{build}/skidpad-host", "--listen", f"127.0.0.1:{port}", "--port", "0",
                                     "--key", f"{self.folder}/key", "--record", f"{self.folder}/rec"],
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
        target = Watched(port, key)
        try:
            self.drive(target)
        finally:
            host.send_signal(signal.SIGTERM)
            self.status = host.wait(20)
            target.close()
        self.gap_s = max((b - a for a, b in zip(target.asked, target.asked[1:])), default=999.0)
        self.recordings = list(self.folder.glob("rec/*.mf4"))

    @staticmethod
    def drive(target):
        end = time.monotonic() + 20
        target.status()
        while not target.challenged and time.monotonic() < end:
            target.serve(0.02)
            target.status()
        driven = time.monotonic() + RUN_S
        while time.monotonic() < driven:
            target.put(10)
            target.serve(0.02)
            target.status()
        target.state = ENDED
        while not target.done and time.monotonic() < end:
            target.status()
            target.serve(0.05)


class Report:
    def __init__(self):
        self.tests = self.failed = 0

    def check(self, good, text, lines=()):
        self.tests += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.tests} - {text}", flush=True)
        for line in [] if good else lines:
            print("# " + line)


def late(build, folder, number, site):
    """What is wrong when that call takes long; None: nothing."""
    plan = f"{site.program} {site.call} {site.offset:x} 1 delay:{int(1000 * DELAY_S)}"
    played = Played(build, folder / str(number), plan)
    where = f"{site.call} in {site.function} ({site.line})"
    if sites.injected(played.table) == 0:
        return f"{where}: was not met"
    if played.gap_s > GAP_S:
        return f"{where}: the host said nothing for {played.gap_s:.1f} s"
    if played.status != 0 or len(played.recordings) != 1:
        return f"{where}: status {played.status}, {len(played.recordings)} recordings"
    return None


def main():
    build, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    report = Report()
    plain = Played(build, folder / "plain")
    found = [s for s in sites.read_table(plain.table, build).values() if s.program == "skidpad-host"]
    report.check(plain.status == 0 and len(plain.recordings) == 1, "a run is recorded",
                 (folder / "plain/host.out").read_text().splitlines())
    own = [s for s in found if s.network]
    bad = [f"{s.call} in {s.function} ({s.line})" for s in own
           if s.call.removeprefix("__").removesuffix("_chk") not in FREE]
    report.check(own and not bad, f"of {len(own)} call sites of the thread for the network none "
                 "waits for a disk", bad)
    slow = [s for s in found if s.call in DISK and s.line.split(":")[0] in RECORDING]
    with ThreadPoolExecutor(6) as pool:
        wrong = [w for w in pool.map(lambda p: late(build, folder, *p), enumerate(slow)) if w]
    report.check(len(slow) > 5 and not wrong, f"{len(slow)} calls for a disk, each 3 s late: the network "
                 "goes on, the recording is complete", wrong)
    print(f"1..{report.tests}")
    sys.exit(report.failed > 0)


main()
