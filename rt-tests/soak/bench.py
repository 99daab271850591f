"""A serving bench with its unit, a host with pages, and a recorder: started, asked, killed."""
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "host"))
from page_client import Page  # noqa: E402
from ports import free_port  # noqa: E402

PERIOD_MS = 1

# One request and what became of it: number and tick are None if no tick was concerned.
Asked = namedtuple("Asked", "source line ok number tick text at_s run")
ANSWER = re.compile(r"(?:(\d+) tick (-?\d+): )?(.*)", re.S)


def parse(text):
    """ok, number, tick, rest of an answer of the control socket: the one place that knows how."""
    word, _, rest = text.partition(" ")
    number, tick, said = ANSWER.fullmatch(rest).groups()
    return word == "ok", number and int(number), tick and int(tick), said


class Bench:
    """Everything of one round, in a folder of its own."""

    def __init__(self, folder, build, seed):
        self.folder, self.build, self.dice = Path(folder), build, random.Random(seed)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.asked, self.unanswered, self.lock = [], 0, threading.Lock()
        self.runs = {}       # process of a run: its log
        self.processes = {}
        self.over = threading.Event()
        self.socket = str(self.folder / "run.sock")
        self.environment = dict(os.environ, SKIDPAD_KEY=str(self.folder.parent / "key"),
                                SKIDPAD_CONFIG_DIR=os.getcwd() + "/config")

    def write(self, to, listen):
        a, b = free_port(), free_port()
        config = os.getcwd() + "/config"
        bus = Path(config + "/can/skidpad_chassis.yaml").read_text()
        bus = re.sub(r"timeout_ms: *\d+", "timeout_ms: 400", bus)   # a busy machine is no dead unit
        bus = re.sub(r"^dbc: *", f"dbc: {config}/can/", bus, flags=re.M)
        (self.folder / "bus.yaml").write_text(bus)
        (self.folder / "bench.yaml").write_text(f"""kind: bench
name: soak
scenario: {config}/scenarios/abs_split.yaml
realtime: {{period_us: {1000 * PERIOD_MS}, cpu: -1}}
limits: {{missed: 1000000000, missed_in_row: 0}}
duration_s: 0
can: [{{name: chassis, bus: {self.folder}/bus.yaml, transport: "udp:{a}:{b}"}}]
stand_in: {{params: {config}/ecu/sedan.yaml}}
faults:
  - {{name: yaw_offset, kind: offset, sensor: yaw_rate, amount_degps: 5}}
  - {{name: no_edges, kind: no_edges, sensor: wheel_fl}}
log: {self.folder}/run.mf4
control: {self.socket}
telemetry: {{to: "127.0.0.1:{to}", listen: "127.0.0.1:{listen}", rate_hz: 1000}}
""")

    def start(self, name, program, *arguments):
        with open(self.folder / f"{name}.out", "ab") as out, \
                open(self.folder / f"{name}.err", "ab") as err:
            p = subprocess.Popen([f"{self.build}/{program}", *map(str, arguments)],
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 env=self.environment)
        self.processes[name] = p
        return p

    def start_run(self):
        return self.start("run", "skidpad-run", self.folder / "bench.yaml", "--serve",
                          "--allow-nonrt")

    def start_host(self, name, port, http, *more):
        return self.start(name, "skidpad-host", "--listen", f"127.0.0.1:{port}", "--port", http,
                          "--record", self.folder / name, *more)

    def url(self, name):
        """Of a host's page, once it says so."""
        end = time.monotonic() + 10
        while time.monotonic() < end and not self.over.is_set():
            found = re.search(r"^page +(\S+)", (self.folder / f"{name}.out").read_text(), re.M)
            if found:
                return found.group(1)
            time.sleep(0.02)
        return None

    # ---- processes of the run

    def child(self):
        """The process of the run at hand; None: none at the moment."""
        run = self.processes["run"]
        try:
            found = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        except OSError:
            return None
        for pid in map(int, found):
            log = self.log_of(pid)
            if log:
                self.runs[pid] = log
            return pid
        return None

    def log_of(self, pid):
        try:
            for fd in os.listdir(f"/proc/{pid}/fd"):
                name = os.readlink(f"/proc/{pid}/fd/{fd}")
                if name.endswith(".mf4") or ".mf4." in name:
                    return name
        except OSError:
            pass
        return None

    def unit(self, child):
        """The process of the stand-in unit."""
        try:
            found = Path(f"/proc/{child}/task/{child}/children").read_text().split()
            for pid in map(int, found):
                if "skidpad-ecu" in Path(f"/proc/{pid}/cmdline").read_text():
                    return pid
        except OSError:
            pass
        return None

    # ---- requests

    def request(self):
        """One at random, as a line of the control socket."""
        d = self.dice
        return d.choice([
            "start", "start", "start", "safe", f"reset {d.randrange(1, 6)}", "reset now",
            "reset now", "fault yaw_offset on", "fault yaw_offset off", "fault no_edges on",
            "fault no_edges off", f"set rear_bar {d.uniform(0.5, 3):.3f}",
            f"set front_bar {d.uniform(0.5, 3):.3f}", "take", "release", "status", "status",
            "status", "fault none on", "set rear_bar x", "nonsense"]
            + (["stop", f"scenario {d.choice(['step_steer', 'brake_in_turn'])}"]
               if d.random() < 0.15 else []))

    def note(self, source, line, answer, run):
        with self.lock:
            self.asked.append(Asked(source, line, *answer, time.monotonic(), run))

    def ask(self, client, line, source="socket", seconds=2.0):
        """Over the socket. The run is known if it is the same before and after."""
        before = self.child()
        try:
            client.settimeout(seconds)
            client.sendto(f"@{source} {line}".encode(), self.socket)
            text = client.recv(2000).decode()
        except OSError:
            with self.lock:
                self.unanswered += 1
            return None
        answer = parse(text)
        self.note(source, line, answer, before if before and before == self.child() else None)
        return answer

    def ask_by_socket(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        client.bind("")
        # Most benches drive, some are left waiting.
        safe, first = 0, ["take", "start"] if self.dice.random() < 0.9 else []
        while not self.over.is_set():
            line = first[0] if first else self.request().replace("now", str(safe))
            answer = self.ask(client, line)
            if not answer:
                client.close()   # a late answer is none of the next request
                client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                client.bind("")
                time.sleep(0.05)
                continue
            first = first[1:]
            found = re.search(r"SAFE STATE (\d+)", answer[3])
            safe = int(found.group(1)) if found else safe
            time.sleep(self.dice.uniform(0, 0.02))
        client.close()

    PAGE = {"start": {"command": "start"}, "stop": {"command": "end"}, "safe": {"command": "stop"},
            "take": {"command": "take"}, "release": {"command": "release"}}

    def page_message(self, line, safe):
        words = line.split()
        if line in self.PAGE:
            return dict(self.PAGE[line])
        if words[0] == "reset":
            return {"command": "reset", "safe": safe if words[1] == "now" else int(words[1])}
        if words[0] == "fault":
            return {"command": "fault", "fault": words[1], "on": words[2] == "on"}
        if words[0] == "set" and words[2] != "x":
            return {"command": "setup", "name": words[1], "value": float(words[2])}
        if words[0] == "scenario":
            return {"command": "scenario", "scenario": words[1]}
        return None

    def ask_by_page(self, host):
        """A page of that host; it comes again when it is thrown out."""
        while not self.over.is_set():
            url = self.url(host)
            try:
                if url:
                    self.one_page(Page(url), host)
            except (OSError, ValueError, IndexError):
                pass
            time.sleep(0.1)

    def one_page(self, page, host):
        pending, targets, safe, number, due = None, {}, 0, 0, 0.0
        page.sock.settimeout(0.05)
        while not self.over.is_set():
            now = time.monotonic()
            message = None
            live = [t for t, state in targets.items() if state in ("waiting", "running", "safe")]
            if not pending and now >= due and live:
                line = self.request()
                message = self.page_message(line, safe)
            if message:
                number += 1
                page.send(dict(message, type="command", id=number, target=live[-1]))
                pending = (number, line.replace("now", str(safe)), self.child(), now)
            try:
                opcode, payload = page.receive()
            except TimeoutError:
                opcode, payload = 0, b""
            said = json.loads(payload) if opcode == 1 else {"type": ""}
            if opcode == 8:
                return
            if said["type"] == "hello":
                targets = {t["id"]: t["state"] for t in said["targets"]}
            elif said["type"] == "status":
                safe = said.get("safe", 0)
            elif said["type"] == "reply" and pending and said["id"] == pending[0]:
                same = pending[2] if pending[2] and pending[2] == self.child() else None
                self.note("page of " + host, pending[1], (said["ok"], said.get("number"),
                                                          said.get("tick"), said["text"]), same)
                pending, due = None, now + self.dice.uniform(0, 0.03)
            if pending and now - pending[3] > 4.0:
                with self.lock:
                    self.unanswered += 1
                pending = None

    # ---- the end

    def kill(self, what):
        """SIGKILL; returns what the run said right before, for what it may lose."""
        child, before = self.child(), None
        if what == "run" and child:
            before = self.look()
        pid = {"run": child, "unit": child and self.unit(child)}.get(what) or \
            (self.processes[what].pid if what in ("host", "recorder") else None)
        try:
            if pid:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return None, None   # it has ended meanwhile
        return pid, before

    def look(self):
        """Tick of a status that was answered just now, and how far it says the log is behind, in
        ms; None: none was answered, or it waits."""
        client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        client.bind("")
        answer = self.ask(client, "status", "last")
        client.close()
        tick = re.search(r"^tick (\d+)", answer[3]) if answer else None
        behind = re.search(r"LOG ([\d.]+) s BEHIND", answer[3]) if answer else None
        return (int(tick.group(1)), 1e3 * float(behind.group(1)) if behind else 0.0) \
            if tick and "waiting" not in answer[3] else None

    def end(self, name, number=signal.SIGTERM, seconds=40):
        """Its status; "hang" if it had to be killed."""
        p = self.processes.pop(name, None)
        if not p:
            return None
        if p.poll() is None:
            p.send_signal(number)
        try:
            return p.wait(seconds)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
            return "hang"
