#!/usr/bin/env python3
"""A bench under requests and kills for a while.

    soak.py BUILD FOLDER SECONDS KILLS [--seed N] [--runs N] [--table]

Rounds of a serving run with its unit, a host with pages and a second host that records, all asked at
random from the socket and from pages of both hosts; each round ends with a kill -9 of one of them, or
orderly. Checked: acknowledged = carried out = logged; every log is readable and replays; what a killed
run had not written yet; statuses. Then the memory of a host over many runs. Prints TAP, and what was
counted as comments; --table: as a table for docs/real-time.md.
"""
import argparse
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check
from bench import PERIOD_MS, Bench, free_port

BOUND_MS = 100   # docs/real-time.md: what a crash loses at most
# The log's thread is an ordinary one: what the machine holds it up comes on top.
GRACE_MS = float(os.environ.get("SOAK_GRACE_MS", "100"))
VICTIMS = ("run", "run", "run", "unit", "host", "recorder")


class Soak:
    def __init__(self, options):
        self.o = options
        self.folder = Path(options.folder).resolve()
        self.count = dict.fromkeys(
            ("rounds", "killed", "runs", "files", "records", "asked", "acknowledged", "refused",
             "unanswered", "logged", "recordings", "expected", "present", "held_up"), 0)
        self.kills = dict.fromkeys(VICTIMS, 0)
        self.losses_ms, self.wrong, self.lock = [], [], threading.Lock()

    def add(self, what, count):
        with self.lock:
            self.count[what] += count

    # ---- a round

    def round(self, number):
        b = Bench(self.folder / str(number), self.o.build, self.o.seed + number)
        to, listen = free_port(), free_port()
        b.write(to, listen)
        b.start_host("host", to, free_port())
        b.start_host("recorder", free_port(), free_port(), "--target",
                     f"127.0.0.1:{listen}")
        b.start_run()
        threads = [threading.Thread(target=b.ask_by_socket, daemon=True),
                   threading.Thread(target=b.ask_by_page, args=("host",), daemon=True),
                   threading.Thread(target=b.ask_by_page, args=("recorder",), daemon=True)]
        for t in threads:
            t.start()
        time.sleep(b.dice.uniform(0.3, 0.8 + self.o.drive))
        victim = b.dice.choice(VICTIMS) if self.count["killed"] < self.o.kills else None
        pid, before = b.kill(victim) if victim else (None, None)
        if pid:
            self.add("killed", 1)
            with self.lock:
                self.kills[victim] += 1
            if victim != "run":
                time.sleep(b.dice.uniform(0.0, 0.4))   # the others go on
        killed_s = time.monotonic()
        b.over.set()
        for t in threads:
            t.join()
        statuses = {name: b.end(name) for name in ("run", "recorder", "host")}
        killed = (pid, before) if victim == "run" else (None, None)
        self.judge(b, victim if pid else None, killed, killed_s, statuses)
        return b

    def say(self, b, text):
        self.wrong.append(f"{b.folder.name}: {text}")

    # ---- what it left

    def judge(self, b, victim, killed, killed_s, statuses):
        bad = len(self.wrong)
        self.add("rounds", 1)
        self.add("asked", len(b.asked) + b.unanswered)
        self.add("unanswered", b.unanswered)
        self.add("acknowledged", sum(a.ok and a.number is not None for a in b.asked))
        self.add("refused", sum(not a.ok for a in b.asked))
        self.judge_statuses(b, victim, statuses)
        logs = {}
        for path in sorted(b.folder.glob("*.mf4")):
            if victim == "run" and not path.stat().st_size:
                continue   # killed before everything was open: the empty file was its lock
            log = logs[str(path)] = check.Log(self.o.build, path)
            self.add("files", 1)
            self.add("records", log.ticks)
            self.add("logged", len(log.requests))
            self.wrong += [f"{b.folder.name}: {w}" for w in check.readable(log)]
        # One that had written its whole log was over when the signal came.
        if victim == "run" and statuses["run"] == 0 and \
                any(log.ticks and not log.finished for log in logs.values()):
            self.say(b, "a run was killed, but status 0")
        self.judge_requests(b, logs, killed, killed_s)
        self.judge_recordings(b, logs, victim, statuses)
        if len(self.wrong) == bad:
            shutil.rmtree(b.folder)

    def judge_statuses(self, b, victim, statuses):
        allowed = {"run": (0, 1, 3), "host": (0, 1), "recorder": (0, 1)}
        for name, status in statuses.items():
            if name == victim and name != "run":
                if status != -signal.SIGKILL:
                    self.say(b, f"{name} was killed, status {status}")
            elif status not in allowed[name]:
                text = (b.folder / f"{name}.err").read_text()[-300:]
                self.say(b, f"{name} ended with {status}: {text}")

    def judge_requests(self, b, logs, killed, killed_s):
        """Runs that drove; one that never did leaves its name to the next."""
        last = {}
        for pid, path in b.runs.items():
            last[path] = pid
        for path, pid in last.items():
            log = logs.get(path)
            if not log or not log.ticks:
                continue
            self.add("runs", 1)
            was_killed, before = pid == killed[0], killed[1]
            # A log that is held up by the disk says so.
            behind_ms = before[1] if was_killed and before else 0.0
            limit_s = killed_s - 1e-3 * (BOUND_MS + GRACE_MS + behind_ms) if was_killed else None
            self.wrong += [f"{b.folder.name}: {w}" for w in check.requests(
                log, [a for a in b.asked if a.run == pid], limit_s)]
            if not was_killed and not log.finished:
                self.say(b, f"{path}: not finished")
            if was_killed and before:
                self.judge_loss(b, log, *before)

    def judge_loss(self, b, log, tick, behind_ms):
        """The run had made that tick when it was killed, and said how far its log was behind."""
        loss_ms = max(0, tick - log.last_tick) * PERIOD_MS
        self.losses_ms.append(loss_ms)
        self.add("expected", tick + 1)
        self.add("present", min(log.last_tick, tick) + 1)
        self.add("held_up", int(behind_ms > 0))
        if loss_ms > BOUND_MS + GRACE_MS + behind_ms:
            self.say(b, f"{log.path}: killed at tick {tick}, the log ends at {log.last_tick}, "
                     f"was said to be {behind_ms:.0f} ms behind")

    def judge_recordings(self, b, logs, victim, statuses):
        """Each is the beginning of a log; all of it, if its host says so and the run ended well."""
        for host in ("host", "recorder"):
            for path in sorted((b.folder / host).glob("*.mf4")):
                recording = check.Log(self.o.build, path)
                self.add("recordings", 1)
                self.wrong += [f"{b.folder.name}: {w}" for w in check.readable(recording)]
                if not recording.ticks:
                    continue
                first = recording.table(self.o.build, "--signals", "tick,wake_ns")[0]
                own = [log for log in logs.values() if log.ticks and
                       log.table(self.o.build, "--signals", "tick,wake_ns")[0] == first]
                if not own:
                    continue   # of a run whose log was not kept, as it never drove
                same, count, whole = check.is_beginning(self.o.build, recording, own[0])
                killed_run = victim == "run"
                if not same and not killed_run:
                    self.say(b, f"{path}: not the run's records")
                if statuses[host] == 0 and not killed_run and count != whole:
                    self.say(b, f"{path}: {host} has status 0, but {count} of {whole} records")

    # ---- the memory of a host

    def memory(self):
        """kB of a host's own memory after each of many short runs."""
        b = Bench(self.folder / "memory", self.o.build, self.o.seed)
        to, sizes = free_port(), []
        b.write(to, free_port())
        host = b.start_host("host", to, free_port())
        b.url("host")
        for _ in range(self.o.runs):
            subprocess.run([f"{self.o.build}/skidpad-run", b.folder / "bench.yaml", "--no-unit",
                            "--allow-nonrt", "--for", "0.5", "--quiet", "--log",
                            b.folder / "one.mf4"], env=b.environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            text = Path(f"/proc/{host.pid}/status").read_text()
            sizes.append(int(text.split("RssAnon:")[1].split()[0]))
        recorded = len(list((b.folder / "host").glob("*.mf4")))
        status = b.end("host")
        return sizes, recorded, status

    def run(self):
        """Several benches at a time: most of a round is waiting."""
        end, numbers = time.monotonic() + self.o.seconds, itertools.count(1)

        def rounds():
            while (time.monotonic() < end or self.count["killed"] < self.o.kills) and \
                    len(self.wrong) < 20:
                self.round(next(numbers))

        with ThreadPoolExecutor(self.o.benches) as pool:
            for job in [pool.submit(rounds) for _ in range(self.o.benches)]:
                job.result()


def report(s, sizes, recorded, status):
    o, c, tests = s.o, s.count, []
    tests.append((not s.wrong, "acknowledged = carried out = logged; every log readable, replayed; "
                  "losses within the bound; true statuses"))
    tests.append((c["killed"] >= o.kills, f"{c['killed']} kills"))
    tests.append((c["acknowledged"] > 0 and c["runs"] > 0 and c["records"] > 0,
                  "there was something to check"))
    # A size may be taken while a run is still being recorded: what it falls back to must not grow.
    half = len(sizes) // 2
    early, late = min(sizes[:half]), min(sizes[half:])
    tests.append((late - early < 2048 and max(sizes) < 32768, "a host's memory is flat over "
                  f"{len(sizes)} runs: least {early} kB in the first half, {late} kB in the second, {max(sizes)} kB at most"))
    tests.append((recorded == len(sizes) and status == 0, f"each of them is recorded ({recorded})"))
    for i, (ok, text) in enumerate(tests, 1):
        print(f"{'ok' if ok else 'not ok'} {i} - {text}")
        for line in s.wrong if i == 1 else ():
            print("# " + line)
    print(f"1..{len(tests)}")
    print("# " + ", ".join(f"{k} {v}" for k, v in c.items()))
    print("# killed: " + ", ".join(f"{k} {v}" for k, v in s.kills.items()) +
          f"; largest loss {max(s.losses_ms, default=0)} ms of {len(s.losses_ms)}")
    if o.table:
        losses = sorted(s.losses_ms) or [0]
        print("\n| kills | of them runs while they drove | files | records expected | present | "
              "median loss | 99 % | largest | logs held up, and said so |\n"
              "|---|---|---|---|---|---|---|---|---|")
        print(f"| {c['killed']} | {len(s.losses_ms)} | {c['files'] + c['recordings']} | "
              f"{c['expected']} | {c['present']} | {losses[len(losses) // 2]} ms | "
              f"{losses[len(losses) * 99 // 100]} ms | {losses[-1]} ms | {c['held_up']} |")
    return not all(ok for ok, _ in tests)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("folder")
    options.add_argument("seconds", type=float)
    options.add_argument("kills", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--runs", type=int, default=100)
    options.add_argument("--drive", type=float, default=1.5, help="s that a round drives at most")
    options.add_argument("--benches", type=int, default=3, help="so many at a time")
    options.add_argument("--table", action="store_true")
    s = Soak(options.parse_args())
    shutil.rmtree(s.folder, ignore_errors=True)
    s.folder.mkdir(parents=True, exist_ok=True)
    s.run()
    sys.exit(report(s, *s.memory()))


main()
