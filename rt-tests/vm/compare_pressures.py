#!/usr/bin/env python3
"""Compares pressures decoded from a candump log by canmatrix with those that a run's log has.

usage: compare_pressures.py FILE.dbc BUS.log RUN.csv

The four pressures of each frame WheelPressures, in their order, must be the four of the log, in the order
in which they change there; frames before the first tick and after the last are not in the log.
"""
import csv
import re
import sys

import canmatrix.formats


def frames(dbc, log):
    """Pressures in bar, one tuple for each frame."""
    matrix = canmatrix.formats.loadp_flat(dbc)
    message = matrix.frame_by_name("WheelPressures")
    for line in open(log):
        match = re.match(r"\(([0-9.]+)\) \S+ ([0-9A-F]+)#([0-9A-F]*)", line)
        if not match or int(match[2], 16) != message.arbitration_id.id:
            continue
        values = message.decode(bytes.fromhex(match[3]))
        yield tuple(round(float(values["Pressure" + w].phys_value), 4) for w in ("FL", "FR", "RL", "RR"))


def logged(path):
    """The same from the table, one tuple for each row."""
    for row in csv.DictReader(open(path)):
        yield tuple(round(1e-5 * float(row[w + "_unit_pressure_Pa"]), 4) for w in ("fl", "fr", "rl", "rr"))


def applied(path):
    """Of the pressures that the unit held for 10 ticks, so that any ramp is over: how many acted otherwise."""
    wrong = rows = 0
    for wheel in ("fl", "fr", "rl", "rr"):
        held = 0
        last = None
        for row in csv.DictReader(open(path)):
            asked = float(row[wheel + "_unit_pressure_Pa"])
            held = held + 1 if asked == last else 0
            last = asked
            if held < 10 or float(row["time_s"]) < 0.5:
                continue
            rows += 1
            wrong += abs(float(row[wheel + "_in_pressure_Pa"]) - asked) > 1.0
    return wrong, rows


def changes(values):
    """Each value that differs from the one before."""
    last = None
    for value in values:
        if value != last:
            yield value
        last = value


def main():
    sent = list(changes(frames(sys.argv[1], sys.argv[2])))
    taken = list(changes(logged(sys.argv[3])))
    if len(taken) < 100:
        sys.exit("the log has only %d different pressures" % len(taken))
    # The log begins with zeros before the first frame; the bus goes on after its end.
    start = next((i for i in range(len(sent)) if sent[i : i + 20] == taken[1:21]), None)
    if start is None and sent[:20] == taken[:20]:
        start, taken = 0, [None] + taken
    if start is None:
        sys.exit("the first pressures of the log are not on the bus")
    for i, (a, b) in enumerate(zip(sent[start:], taken[1:])):
        if a != b:
            sys.exit("change %d: the bus has %s, the log %s" % (i, a, b))
    wrong, rows = applied(sys.argv[3])
    if rows < 1000 or wrong > 0:
        sys.exit("%d of %d pressures that stayed for a while did not act as asked" % (wrong, rows))
    print("%d changes of pressure are equal" % (len(taken) - 1))


main()
