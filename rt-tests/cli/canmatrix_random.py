#!/usr/bin/python3
"""Random frames of a CAN database, decoded by Debian's python3-canmatrix.

    canmatrix_random.py write FILE.dbc FRAMES OUT.log    FRAMES for each message, always the same ones
    canmatrix_random.py compare FILE.dbc IN.log OURS.csv

The second compares what `skidpad dbc FILE.dbc --decode IN.log --csv` printed with what canmatrix
decodes: the same messages and signals in every frame, and the same values. Status 1 if not.
"""
import csv
import logging
import random
import sys

logging.disable(logging.CRITICAL)
import canmatrix.formats  # noqa: E402

# canmatrix computes in decimal numbers, we in doubles. Factor, offset, product, sum and canmatrix's
# result are each rounded to a double once, by at most 1.1e-16 of the greatest of them.
RELATIVE = 5.6e-16


def load(path):
    return canmatrix.formats.loadp_flat(path, dbcImportEncoding="iso-8859-1")


def usable(frame):
    return 0 < frame.size <= 64 and frame.arbitration_id.id < 0x40000000


def write(path, count, out):
    rng = random.Random(20)
    number = 0
    with open(out, "w", encoding="ascii") as log:
        for frame in filter(usable, load(path).frames):
            form = "%08X" if frame.arbitration_id.extended else "%03X"
            name = form % frame.arbitration_id.id
            for _ in range(count):
                data = rng.randbytes(frame.size).hex().upper()
                mark = "##0" if frame.size > 8 else "#"
                log.write("(%d.000000) can0 %s%s%s\n" % (number, name, mark, data))
                number += 1


def expected(matrix, line):
    """Message, {signal: value} and the greatest magnitude in each signal's sum."""
    time, _, text = line.split()
    name, _, data = text.partition("#")
    data = data[2:] if data.startswith("#") else data
    arbitration = canmatrix.ArbitrationId(int(name, 16), extended=len(name) == 8)
    frame = matrix.frame_by_id(arbitration)
    data = bytes.fromhex(data)[: frame.size]
    values = {}
    for signal, decoded in frame.decode(data).items():
        s = frame.signal_by_name(signal)
        value = float(decoded.phys_value)
        values[signal] = (value, max(abs(value), abs(float(s.offset)), 1e-300))
    return time[1:-1], frame.name, values


def compare(path, log, ours):
    found = {}
    with open(ours, newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            found.setdefault((row["time_s"], row["message"]), {})[row["signal"]] = row["value"]
    matrix = load(path)
    frames = values = 0
    worst = 0.0
    for line in open(log, encoding="ascii"):
        time, message, wanted = expected(matrix, line)
        got = found.pop((time, message), {})
        if set(got) != set(wanted):
            print("%s %s: other signals: %s" % (time, message, set(got) ^ set(wanted)))
            return 1
        for signal, (value, size) in wanted.items():
            mine = float(got[signal])
            if mine != value and not (mine != mine and value != value):
                worst = max(worst, abs(mine - value) / size)
                if not abs(mine - value) <= RELATIVE * size:
                    print("%s %s %s: %r, canmatrix %r" % (time, message, signal, mine, value))
                    return 1
            values += 1
        frames += 1
    if found:
        print("frames that are not in the log: %d" % len(found))
        return 1
    print("%d frames, %d values alike, worst difference %.1e" % (frames, values, worst))
    return 0 if values else 1


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(compare(*sys.argv[2:5]))
