#!/usr/bin/env python3
"""Compares a MATLAB file of version 5 with a CSV file, by a reader of its own.

    mat_compare.py FILE.mat FILE.csv

Every column of the CSV must be a variable with the same numbers to the last bit, and nothing else
may be there.
"""
import csv
import struct
import sys

DOUBLE, INT8, INT32, UINT32, MATRIX = 9, 1, 5, 6, 14


def element(data, at):
    """Type, payload and where the next element begins."""
    word, = struct.unpack_from("<I", data, at)
    if word >> 16:  # small: length and type share a word
        return word & 0xffff, data[at + 4:at + 4 + (word >> 16)], at + 8
    kind, size = struct.unpack_from("<II", data, at)
    return kind, data[at + 8:at + 8 + size], at + 8 + size + (-size % 8 if kind != 15 else 0)


def variables(data):
    assert data[124:128] == b"\x00\x01IM", "not a little-endian file of version 5"
    at = 128
    while at < len(data):
        kind, body, at = element(data, at)
        assert kind == MATRIX, f"element of type {kind}"
        _, flags, inside = element(body, 0)
        kind, size, inside = element(body, inside)
        _, name, inside = element(body, inside)
        rows, columns = struct.unpack("<2i", size)
        kind, numbers, inside = element(body, inside)
        assert flags[0] == 6 and kind == DOUBLE and columns == 1, name
        yield name.decode(), struct.unpack(f"<{rows}d", numbers)


def main():
    found = dict(variables(open(sys.argv[1], "rb").read()))
    with open(sys.argv[2], newline="") as f:
        rows = list(csv.reader(f))
    names, rows = rows[0], rows[1:]
    assert len(names) == len(found), (len(names), len(found))
    for column, name in enumerate(names):
        values = [float(row[column]) for row in rows]
        assert tuple(values) == found[name], f"{name} differs"
    print(f"{len(names)} columns, {len(rows)} rows: equal")


main()
