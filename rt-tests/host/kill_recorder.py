#!/usr/bin/env python3
"""Kills the recorder with SIGKILL at random times while a target runs, and reads what it left.

    kill_recorder.py FOLDER PORT BENCH.yaml LOG.mf4 TIMES SEED

BENCH sends to PORT and logs to LOG. Each recording must be readable; what is read must be the first
records of the target's log, in order and to the last digit; and at most the last record of the file
may be cut off. Prints a line of JSON.
"""
import csv
import glob
import json
import random
import re
import signal
import subprocess
import sys
import time

SIGNALS = "tick,wake_ns,x_m,vx_mps,fl_load_N"


def table(log):
    done = subprocess.run(["./skidpad", "export", log, "--signals", SIGNALS, "--out", "-"],
                          capture_output=True, text=True)
    assert done.returncode == 0, f"{log}: {done.stderr}"
    left = re.search(r"its last (\d+) bytes", done.stderr)
    return list(csv.reader(done.stdout.splitlines()))[1:], int(left.group(1)) if left else 0


def longest_record(log):
    """Bytes of the longest record with its id before it."""
    info = subprocess.run(["./skidpad", "export", log, "--info"], capture_output=True, text=True,
                          check=True).stdout
    return max(int(n) for n in re.findall(r"records of (\d+) bytes", info)) + 1


def main():
    folder, port, bench, log, times, seed = sys.argv[1:]
    dice = random.Random(int(seed))
    run = subprocess.Popen(["./skidpad", "run", bench, "--allow-nonrt", "--for", "0", "--quiet"],
                           stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.3)
        for i in range(int(times)):
            host = subprocess.Popen(
                ["./skidpad", "host", "--listen", "127.0.0.1:" + port, "--port", "0", "--record",
                 f"{folder}/{i}", "--quiet"], stdout=subprocess.DEVNULL)
            # One in five while it starts, the others some time after it began to record.
            end = time.monotonic() + 10
            while i % 5 and not glob.glob(f"{folder}/{i}/*.mf4") and time.monotonic() < end:
                time.sleep(0.002)
            time.sleep(dice.uniform(0.0, 0.15))
            host.kill()
            assert host.wait() == -signal.SIGKILL
    finally:
        run.send_signal(signal.SIGINT)
        run.wait()
    truth, _ = table(log)
    result = {"killed": int(times), "files": 0, "records": 0, "cut": 0, "most": 0,
              "record": longest_record(log)}
    for path in glob.glob(f"{folder}/*/*.mf4"):
        rows, left = table(path)
        assert rows == truth[:len(rows)], f"{path}: not the target's records"
        result["files"] += 1
        result["records"] += len(rows)
        result["cut"] += left > 0
        result["most"] = max(result["most"], left)
    print(json.dumps(result))


main()
