"""Short uses of the programs, in which calls are made to fail. Each returns what its programs said
and left behind; none judges."""
import errno
import grp
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parent.parent / "host"))
from page_client import Page  # noqa: E402
from ports import free_port  # noqa: E402

HERE = os.getcwd()
END_S = 30.0     # no program of a scene takes longer, whatever fails: a run waits 20 s for its host
STEP_S = 1.5     # for an answer that never comes

BENCH = """kind: bench
name: inject
scenario: {config}/scenarios/{scenario}.yaml
realtime: {{period_us: 1000, cpu: -1}}
limits: {{missed: 1000000, missed_in_row: 0}}
duration_s: {seconds}
log: {folder}/run.mf4
provoke: [{{tick: 20, delay_us: 1500}}]
faults: [{{name: yaw_offset, kind: offset, sensor: yaw_rate, amount_degps: 5}}]
"""
CAN = """can: [{{name: chassis, bus: {bus}, transport: {transport}}}]
stand_in: {{params: {config}/ecu/sedan.yaml}}
frames: {folder}/frames.log
"""


class Process:
    """A program of the scene; `plan` is the library's."""

    def __init__(self, scene, name, *arguments, plan=None):
        self.name = name
        environment = dict(os.environ, SKIDPAD_CONFIG_DIR=HERE + "/config",
                           SKIDPAD_KEY=f"{scene.folder}/key", LD_PRELOAD=scene.library,
                           INJECT_TABLE=scene.table, **scene.environment)
        if scene.plan:
            environment["INJECT_PLAN"] = scene.plan
        stem = f"{scene.folder}/{name}{len(scene.processes)}"
        self.files = [stem + ".out", stem + ".err"]
        with open(self.files[0], "wb") as out, open(self.files[1], "wb") as err:
            self.popen = subprocess.Popen([f"{scene.build}/{name}", *map(str, arguments)],
                                          stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                          env=environment, start_new_session=True)
        self.status = None
        self.interrupted = False   # it did not end by itself
        self.stays = "--serve" in arguments or (name == "skidpad-host" and "--new-key" not in arguments)
        scene.processes.append(self)

    @property
    def out(self):
        return Path(self.files[0]).read_text(errors="replace")

    @property
    def err(self):
        return Path(self.files[1]).read_text(errors="replace")

    def alive(self):
        return self.popen.poll() is None

    def end(self, seconds=END_S):
        """Its status; "hang" if it had to be killed."""
        if self.status is None:
            try:
                self.status = self.popen.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(self.popen.pid, signal.SIGKILL)
                self.popen.wait()
                self.status = "hang"
        return self.status

    def interrupt(self, number=signal.SIGINT):
        if self.alive():
            self.interrupted = True
            self.popen.send_signal(number)

    def end_soon(self, seconds=STEP_S):
        """Its status; it is interrupted if nothing else ends it."""
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.interrupt()
        return self.end()


class Scene:
    """`plan`: what fails; None: nothing."""

    def __init__(self, folder, build, library, table, plan=None, environment=None):
        self.folder, self.build, self.library, self.table = str(folder), build, library, table
        self.plan, self.environment, self.processes = plan, environment or {}, []
        self.acknowledged = []   # requests that were answered "ok"
        Path(folder).mkdir(parents=True, exist_ok=True)

    def bench(self, *lines, scenario="brake_in_turn", seconds=0.05, transport=None):
        words = {"config": HERE + "/config", "folder": self.folder, "scenario": scenario,
                 "seconds": seconds, "transport": transport, "bus": self.patient_bus()}
        body = BENCH + (CAN if transport else "") + "".join(line + "\n" for line in lines)
        path = f"{self.folder}/bench.yaml"
        Path(path).write_text(body.format(**words))
        return path

    def patient_bus(self):
        """The bus without time-outs that a busy machine exceeds: no scene judges timing."""
        folder = HERE + "/config/can/"
        body = Path(folder + "skidpad_chassis.yaml").read_text()
        body = re.sub(r"timeout_ms: *\d+", "timeout_ms: 60000", body)
        body = re.sub(r"^dbc: *", "dbc: " + folder, body, flags=re.M)
        Path(self.folder + "/bus.yaml").write_text(body)
        return self.folder + "/bus.yaml"

    def wait(self, what, process, seconds=STEP_S):
        """Until it is true, or the process has ended."""
        end = time.monotonic() + seconds
        while not what() and process.alive() and time.monotonic() < end:
            time.sleep(0.003)
        return what()

    def ask(self, lines, process, until=None):
        """Sends the lines to the run's socket; notes which are answered "ok"."""
        path = f"{self.folder}/run.sock"
        if not self.wait(lambda: os.path.exists(path), process):
            return
        own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        own.bind("")
        own.settimeout(0.02)
        try:
            own.connect(path)
            for line in lines:
                own.send(line.encode())
        except OSError as error:
            if error.errno not in (errno.ECONNREFUSED, errno.ENOENT):
                raise
            return
        answers, end = [], time.monotonic() + STEP_S
        while len(answers) < len(lines) and time.monotonic() < end:
            try:
                answers.append(own.recv(1000).decode())
            except (TimeoutError, ConnectionError):
                if not process.alive():
                    break
        own.close()
        self.acknowledged += [a for a in answers if a.startswith("ok")]


def drive(s):
    """A run on the simulated clock with unit, log, frames and requests."""
    run = Process(s, "skidpad-run", s.bench(
        "control: {folder}/run.sock", "wait_for_start: true", scenario="abs_split",
        transport="auto"), "--rt", "virtual")
    for line in ("status", "set rear_bar 2", "fault yaw_offset on", "start"):
        s.ask([line], run)
    run.end_soon()


def real(s):
    """A run on the real clock; the unit is a process of its own."""
    a, b = free_port(), free_port()
    run = Process(s, "skidpad-run", s.bench(
        "control: {folder}/run.sock", "sync: {{every_s: 0.05}}", "diagnosis: off", seconds=0.3, transport=f'"udp:{a}:{b}"'), "--allow-nonrt")
    s.ask(["status", "dtc", "uds 22F190"], run)
    run.end_soon(3.0)


def control(s):
    """skidpad control asks a run that waits."""
    run = Process(s, "skidpad-run", s.bench("control: {folder}/run.sock", "wait_for_start: true"),
                  "--rt", "virtual")
    s.wait(lambda: os.path.exists(f"{s.folder}/run.sock"), run)
    Process(s, "skidpad-control", f"{s.folder}/run.sock", "status").end()
    Process(s, "skidpad-control", f"{s.folder}/run.sock", "start").end()
    run.end_soon()


def serve(s):
    """Two runs of a bench that stays, the second one with another scenario."""
    run = Process(s, "skidpad-run", s.bench("control: {folder}/run.sock"), "--rt", "virtual",
                  "--serve")
    for number, line in enumerate(("start", "scenario step_steer", "start", "status"), 1):
        s.wait(lambda n=number: run.err.count("waits for a start") >= n, run)
        s.ask([line], run)
    run.interrupt(signal.SIGTERM)
    run.end()


def telemetry(s):
    """A host records a run, a page looks on and starts it."""
    port, http = free_port(), free_port()
    host = Process(s, "skidpad-host", "--listen", f"127.0.0.1:{port}", "--port", http, "--record",
                   f"{s.folder}/rec")
    s.wait(lambda: "page " in host.out, host)
    run = Process(s, "skidpad-run", s.bench(
        "control: {folder}/run.sock", "wait_for_start: true",
        f'telemetry: {{{{to: "127.0.0.1:{port}", rate_hz: 1000}}}}'), "--rt", "virtual")
    if host.alive() and "page " in host.out:
        look(s, host.out.split("page ")[1].split()[0], run)
    s.ask(["take", "start"], run)   # from the page, which may be holding the bench
    run.end_soon(3.0)
    s.wait(lambda: "the run has ended" in host.err, host)
    host.interrupt()
    host.end()


def look(s, url, run):
    """A page: its file, a subscription, commands."""
    try:
        with urlopen(url, timeout=STEP_S) as file:
            file.read()
        page = Page(url)
        if page.status != 101:
            return
        page.sock.settimeout(0.05)
        asked, seen, end = False, set(), time.monotonic() + STEP_S
        while time.monotonic() < end and run.alive() and "status after" not in seen:
            try:
                opcode, payload = page.receive()
            except TimeoutError:
                continue
            message = json.loads(payload) if opcode == 1 else {"type": ""}
            if message["type"] == "describe" and not asked:
                page.send({"type": "subscribe", "target": 0, "stream": 1, "rate_hz": 1000,
                           "signals": ["vx_mps"]})
                page.send({"type": "command", "id": 1, "target": 0, "command": "setup",
                           "name": "rear_bar", "value": 2})
                asked = True
            if message["type"] == "reply":
                s.acknowledged += [message["text"]] if message["ok"] else []
                page.send({"type": "ping", "id": 2, "t": 1})
                seen.add("reply")
            if message["type"] == "status" and "reply" in seen:
                seen.add("status after")
        page.sock.close()
    except (OSError, HTTPException):
        pass   # a host that fails, as planned


def odd(s):
    """Ways that are gone rarely: keys and tokens, a socket left behind, a target that is asked, a
    unit that waits for the start, too."""
    port, listen, a, b = (free_port() for _ in range(4))
    Process(s, "skidpad-host", "--new-key", f"{s.folder}/key").end()
    Path(s.folder + "/token").write_text("0123456789abcdef" * 2)
    os.chmod(s.folder + "/token", 0o600)
    left = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.bind(f"{s.folder}/run.sock")
    left.close()
    host = Process(s, "skidpad-host", "--listen", f"127.0.0.1:{port}", "--port",
                   free_port(), "--token", f"{s.folder}/token", "--target",
                   f"127.0.0.1:{listen}", "--record", f"{s.folder}/rec")
    s.wait(lambda: "page " in host.out, host)
    run = Process(s, "skidpad-run", s.bench(
        "control: {folder}/run.sock", "wait_for_start: true", "diagnosis: off",
        "control_group: " + grp.getgrgid(os.getgid()).gr_name,
        f'telemetry: {{{{listen: "127.0.0.1:{listen}", rate_hz: 1000, key: {{folder}}/key}}}}',
        transport=f'"udp:{a}:{b}"'), "--allow-nonrt")
    s.wait(lambda: "target 0" in host.err, host, 3.5)   # hosts greet once a second
    s.ask(["start"], run)
    run.end_soon(3.0)
    s.wait(lambda: "the run has ended" in host.err, host)
    host.interrupt()
    host.end()


def read(s):
    """Replay and export of the log that LOG names."""
    log = f"{s.folder}/../log.mf4"
    for name, *arguments in (
            ("skidpad-replay", log), ("skidpad-export", log, "--info"),
            ("skidpad-export", log, "--csv", f"{s.folder}/log.csv"),
            ("skidpad-export", log, "--mat", "--out", f"{s.folder}/log.mat")):
        Process(s, name, *arguments).end()


SCENES = {f.__name__: f for f in (drive, real, control, serve, telemetry, odd, read)}
