"""What a scene must look like whatever failed in it."""
import re
import subprocess
from pathlib import Path

STATUSES = {"skidpad-run": (0, 1, 2, 3), "skidpad-host": (0, 1, 2), "skidpad-control": (0, 1, 2),
            "skidpad-replay": (0, 1, 2), "skidpad-export": (0, 1, 2)}
SANITIZER = re.compile(r"Sanitizer|runtime error:|Assertion .* failed")


def skidpad(build, command, *arguments):
    return subprocess.run([f"{build}/skidpad-{command}", *arguments], capture_output=True, text=True,
                          timeout=20, check=False)


class Log:
    """A log as it is read back."""

    def __init__(self, build, path):
        self.path, self.build = path, build
        info = skidpad(build, "export", str(path), "--info")
        self.readable = info.returncode == 0
        self.why = info.stderr.strip()
        counts = re.findall(r"group \d+: (\w+), (\d+) records", info.stdout)
        self.records = {name: int(count) for name, count in counts}
        self.finished = ", finished" in info.stdout
        replay = skidpad(build, "replay", str(path)) if self.records.get("ticks") else None
        # The state is a hash over all of the car.
        self.state = re.findall(r"state +([0-9a-f]+)", replay.stdout) if replay else []
        self.replays = not replay or \
            (replay.returncode == 0 and "every signal has the same bits" in replay.stdout)
        if not self.replays:
            self.why = replay.stderr.strip() + replay.stdout.strip()


def texts(folder):
    """The text files of a scene: frames, events, missed deadlines."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.name.endswith((".deadlines.txt", ".events.txt")) or path.name == "frames.log":
            found[re.sub(r"-\d{8}-\d{6}-[0-9a-f]*", "", path.name)] = path.read_text()
    return found


def logs(scene):
    """By name; a host's has its own."""
    return {p.name if p.parent == Path(scene.folder) else "recording": Log(scene.build, p)
            for p in sorted(Path(scene.folder).rglob("*.mf4"))}


class Truth:
    """A scene in which nothing failed."""

    def __init__(self, scene):
        self.wrong = [f"{p.name}: status {p.status}: {p.err.strip()}"
                      for p in scene.processes if p.status != 0]
        self.wrong += [f"{p.name} did not end by itself" for p in scene.processes
                       if p.interrupted and not p.stays]
        self.simulated = not any("core       posix" in p.out for p in scene.processes)
        self.texts = texts(scene.folder)
        self.logs = logs(scene)
        self.acknowledged = len(scene.acknowledged)
        for name, log in self.logs.items():
            if not (log.finished and log.replays):
                self.wrong.append(f"{name}: finished {log.finished}, replays {log.replays} {log.why}")


def judge_logs(found):
    """Every log is readable, and what it holds replays."""
    for name, log in found.items():
        if not log.readable:
            yield f"{name} ({log.path.stat().st_size} bytes) cannot be read: {log.why}"
        elif not log.replays:
            yield f"{name} does not replay: {log.why}"


def lost(scene, found, truth):
    """What there is less of than without a failure. Of a request that was not acknowledged nothing
    need follow: neither its event nor another run."""
    asked = len(scene.acknowledged) >= truth.acknowledged
    exact = truth.simulated and asked
    # Of a target that no packet came from a host cannot know.
    heard = any("target 0" in p.err for p in scene.processes if p.name == "skidpad-host")
    for name, log in truth.logs.items():
        mine = found.get(name)
        if not mine or not mine.readable:
            if (asked and name != "recording") or name == "run.mf4" or \
                    (name == "recording" and heard):
                yield f"{name} is missing"
        elif not mine.finished:
            yield f"{name} is not finished"
        elif exact and mine.records != log.records:
            yield f"{name} has {mine.records} of {log.records} records"
        elif exact and mine.state != log.state:
            yield f"{name} is another drive"
    own, copy = found.get("run.mf4"), found.get("recording")
    if own and copy and own.records != copy.records:
        yield f"the recording has {copy.records} of {own.records} records"
    mine = texts(scene.folder)
    for name, text in truth.texts.items():
        if name not in mine:
            if asked and (heard or not name.startswith("inject.")):
                yield f"{name} is missing"
        elif exact and len(mine[name].splitlines()) < len(text.splitlines()):
            yield f"{name} has {len(mine[name].splitlines())} of {len(text.splitlines())} lines"


def judge_statuses(scene, wrong):
    for p in scene.processes:
        if p.status == "hang":
            wrong.append(f"{p.name} hangs")
        elif p.status not in STATUSES[p.name]:
            wrong.append(f"{p.name} ended with {p.status}")
        elif p.stays and p.status == 0 and not p.interrupted:
            wrong.append(f"{p.name} ended by itself with status 0")
        sanitized = SANITIZER.search(p.err)
        if sanitized:
            wrong.append(f"{p.name}: {p.err[sanitized.start():].splitlines()[0]}")


def judge(scene, truth, site, action):
    """What is wrong, as texts; none if nothing is."""
    wrong = []
    judge_statuses(scene, wrong)
    found = logs(scene)
    wrong += judge_logs(found)
    bad = [p for p in scene.processes if p.status != 0]
    missing = list(lost(scene, found, truth))
    if action.absorbed and bad:
        wrong.append(f"must be absorbed, but {bad[0].name} has status {bad[0].status}: "
                     f"{bad[0].err.strip()[:200]}")
    if missing and not bad:
        wrong.append("status 0, but " + ", ".join(missing))
    for p in bad:
        said = p.err.strip() or (p.status in (1, 3) and p.out.strip())
        if not said and not (site.terminal and site.program == p.name):
            wrong.append(f"{p.name} has status {p.status} without a message")
    return wrong
