#!/usr/bin/env python3
"""Makes every call of the programs fail that can, one at a time, and judges what follows.

    inject.py BUILD FOLDER [--all] [--scenes a,b] [--only TEXT] [--workers N] [--list]

First each scene of scenes.py is played without a failure, which lists its call sites; then once for
each site and failure. Prints TAP: a test for each scene (every site of it), and what was reached.
--all: every failure of every call, at the first calls of each site and from then on; without it the
first call of each site, with each failure.
"""
import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import failures
import judge
import sites
from scenes import SCENES, Scene

HERE = Path(__file__).parent


class Driver:
    def __init__(self, options):
        self.o = options
        self.folder = Path(options.folder).resolve()
        self.build = Path(options.build).resolve()
        self.library = str(self.build / "inject.so")
        self.tests = self.failed = self.number = 0
        self.reached = {}      # sites of all scenes
        self.hit = set()       # those that failed at least once

    def play(self, name, table, plan=None):
        """Plays a scene in a new folder."""
        self.number += 1
        folder = self.folder / f"{self.number}-{name}"
        extra = {}
        if "asan" in str(self.build):
            extra["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        scene = Scene(folder, str(self.build), self.library, str(table), plan, extra)
        SCENES[name](scene)
        return scene

    def report(self, ok, text, lines=()):
        self.tests += 1
        self.failed += not ok
        print(f"{'ok' if ok else 'not ok'} {self.tests} - {text}", flush=True)
        for line in lines:
            print("# " + line)

    def list_sites(self, name):
        """What a scene does when nothing fails: its sites and its result."""
        table = self.folder / f"{name}.table"
        sites.new_table(table)
        scene = self.play(name, table)
        truth = judge.Truth(scene)
        log = Path(scene.folder) / "run.mf4"
        if log.exists():
            shutil.copy(log, self.folder / "log.mf4")   # for what reads logs
        found = sites.read_table(table, self.build)
        self.reached.update(found)
        return truth, [s for s in found.values() if s.count > s.realtime]

    def one(self, name, truth, site, nth, action):
        """A scene with one failure. Returns what is wrong, or None; and whether it happened."""
        table = self.folder / f"{self.number}-{name}-{site.offset:x}-{nth}-{action.name}.table"
        table = Path(str(table).replace("+", "p"))
        sites.new_table(table)
        plan = f"{site.program} {site.call} {site.offset:x} {nth} {action.plan}"
        scene = self.play(name, table, plan)
        happened = sites.injected(table) > 0
        table.unlink()
        wrong = judge.judge(scene, truth, site, action) if happened else None
        if not wrong:
            shutil.rmtree(scene.folder)
        return wrong, happened, plan, scene.folder

    def jobs(self, found):
        for site in sorted(found, key=lambda s: (s.program, s.line, s.offset)):
            if self.o.only and self.o.only not in f"{site.call} {site.function} {site.line}":
                continue
            if not self.o.all and (site.program, site.call, site.offset) in self.hit:
                continue   # in an earlier scene
            for action in failures.of(site, self.o.all):
                for nth in failures.turns(site, action, self.o.all):
                    yield site, nth, action

    def scene(self, name):
        truth, found = self.list_sites(name)
        if truth.wrong:
            self.report(False, f"{name}: without a failure", truth.wrong)
            return
        if self.o.list:
            for s in sorted(found, key=lambda s: (s.program, s.line)):
                print(f"# {name} {s.program} {s.call} x{s.count} {s.function} {s.line}")
            return
        wrong, count = [], 0
        # Most of the time of these is waiting.
        workers = self.o.workers * (4 if name in ("telemetry", "real", "odd") else 1)
        with ThreadPoolExecutor(workers) as pool:
            jobs = [(j, pool.submit(self.one, name, truth, *j)) for j in self.jobs(found)]
            for (site, nth, action), job in jobs:
                bad, happened, plan, folder = job.result()
                count += happened
                if happened:
                    self.hit.add((site.program, site.call, site.offset))
                if bad:
                    wrong.append(f"{site.program} {site.call} in {site.function} ({site.line}), "
                                 f"call {nth}, {action.name}: {'; '.join(bad)}")
                    wrong.append(f"    INJECT_PLAN=\"{plan}\"  {folder}")
        self.report(not wrong, f"{name}: {len(found)} call sites, {count} failures: "
                    "clear statuses, messages, readable logs", wrong)

    def missed_sites(self):
        """Call sites of the rooms under test that no scene reached, or that never failed."""
        calls = sites.defined(self.library)
        allowed = failures.allowed(HERE / "unreached.txt")
        used, missing, seen = set(), {}, set()
        hit = {(self.reached[key].line, self.reached[key].call) for key in self.hit}
        # Those of the real-time thread, and of what nothing can fail in.
        spared = {(s.line, s.call) for s in self.reached.values()
                  if s.count == s.realtime or not failures.of(s, False)}
        for program in failures.PROGRAMS:
            path = str(self.build / program)
            static = sorted(sites.static_sites(path, calls), key=lambda s: s[1])
            for (call, offset), (function, line) in zip(
                    static, sites.places(path, [s[1] for s in static])):
                if not failures.in_rooms(line) or (call == "clock_gettime" and
                                                   (program, call, offset) not in self.reached):
                    continue   # a clock that nobody can set
                seen.add((line, call))
                plain = call.removeprefix("__").removesuffix("_chk")   # fortified or not
                word = f"{line.split(':')[0]} {function} {plain}"
                if (line, call) in hit or (line, call) in spared:
                    continue
                if word in allowed:
                    used.add(word)
                else:
                    missing[line, call] = f"{word} ({line})"
        self.report(not missing, f"each of {len(seen)} call sites of log, host, control, publish "
                    f"has failed, but for {len(used)} with a reason", sorted(missing.values()))

    def unknown_calls(self):
        """Functions of libc that are neither made to fail nor known not to."""
        known = sites.defined(self.library) | failures.allowed(HERE / "harmless.txt")
        unknown = set().union(*(sites.undefined(str(self.build / p)) for p in failures.PROGRAMS)) - known
        self.report(not unknown, "every library function is made to fail, or cannot",
                    sorted(unknown))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("folder")
    options.add_argument("--all", action="store_true")
    options.add_argument("--list", action="store_true")
    options.add_argument("--scenes", default=",".join(SCENES))
    options.add_argument("--only", default="")
    options.add_argument("--workers", type=int, default=2)
    d = Driver(options.parse_args())
    shutil.rmtree(d.folder, ignore_errors=True)
    d.folder.mkdir(parents=True)
    for name in d.o.scenes.split(","):
        d.scene(name)
    if not d.o.only and not d.o.list and d.o.scenes == ",".join(SCENES):
        d.missed_sites()
        d.unknown_calls()
    print(f"1..{d.tests}")
    sys.exit(d.failed > 0)


main()
