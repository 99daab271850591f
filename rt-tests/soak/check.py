"""What must hold of what a round left behind."""
import csv
import io
import re
import subprocess
from pathlib import Path

KINDS = ("start", "stop", "safe", "reset", "fault on", "fault off", "set")


def skidpad(build, command, *arguments):
    return subprocess.run([f"{build}/skidpad-{command}", *map(str, arguments)], capture_output=True,
                          text=True, timeout=120, check=False)


def event_kind(name):
    """The number of a kind of event, from the list that the programs are built with."""
    text = Path("shared/wire/record.h").read_text(encoding="utf-8")
    body = re.search(r"enum loop_event_kind \{(.*?)\};", text, re.S).group(1)
    names = re.findall(r"^\s*(EVENT_\w+|LOOP_EVENTS)\b", body, re.M)
    return names.index(name)


def kind_of(line):
    """The kind of request that a line asks for; None: none that a tick carries out."""
    words = line.split()
    if words[0] == "fault":
        return KINDS.index(f"fault {words[-1]}")
    if words[0] == "scenario":
        return KINDS.index("stop")
    return KINDS.index(words[0]) if words[0] in KINDS else None


class Log:
    def __init__(self, build, path):
        self.path = Path(path)
        info = skidpad(build, "export", path, "--info")
        self.readable = info.returncode == 0
        self.why = info.stderr.strip()
        self.finished = ", finished" in info.stdout
        counts = dict(re.findall(r"group \d+: (\w+), (\d+) records", info.stdout))
        self.ticks, self.last_tick, self.requests, self.replays = int(counts.get("ticks", 0)), -1, {}, True
        if self.ticks:
            self.read(build)

    def table(self, build, *what):
        out = skidpad(build, "export", self.path, *what, "--csv", "-").stdout
        return list(csv.reader(io.StringIO(out)))[1:]

    def read(self, build):
        self.last_tick = int(self.table(build, "--signals", "tick")[-1][-1])
        events = self.table(build, "--group", "events", "--signals", "tick,kind,value")
        request = event_kind("EVENT_REQUEST")
        for tick, kind, value in ([int(float(v)) for v in row[-3:]] for row in events):
            if kind == request:
                self.requests[value >> 8] = (tick, value >> 4 & 15, value & 15)
        replay = skidpad(build, "replay", self.path)
        self.replays = replay.returncode == 0 and "every signal has the same bits" in replay.stdout
        if not self.replays:
            self.why = (replay.stderr + replay.stdout).strip()


def requests(log, asked, lost_after_s):
    """Acknowledged = carried out = logged, for the requests of one run. `lost_after_s`: answers
    after that moment may be lost with the process that was killed; None: none may."""
    for a in asked:
        if a.number is None or (not a.ok and "run ended" in a.text):
            continue   # no tick was concerned
        logged = log.requests.get(a.number)
        if not logged:
            if lost_after_s is None or a.at_s < lost_after_s:
                yield f"{log.path.name}: request {a.number} ({a.line}) was answered by tick {a.tick} but is not in the log"
            continue
        if logged[1] != kind_of(a.line) or (a.tick >= 0 and logged[0] != a.tick) or \
                a.ok != (logged[2] == 0):
            yield f"{log.path.name}: request {a.number} ({a.line}) was answered {a.ok} tick {a.tick}, the log has {logged}"


def readable(log):
    if not log.readable:
        yield f"{log.path} cannot be read: {log.why}"
    elif not log.replays:
        yield f"{log.path} does not replay: {log.why}"


def is_beginning(build, recording, log):
    """Whether a host's recording is the first records of the run's log, to the last digit."""
    signals = ("--signals", "tick,wake_ns,x_m,vx_mps,fl_load_N")
    a, b = recording.table(build, *signals), log.table(build, *signals)
    return a == b[:len(a)], len(a), len(b)
