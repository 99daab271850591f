"""Call sites: those that were met, from the library's table, and those that there are, from the
programs' code."""
import os
import re
import struct
import subprocess
from collections import namedtuple

SITES, SITE = 4096, struct.Struct("<6IQ24s24s")

# line: FILE:LINE of the call; function: in which it stands.
Site = namedtuple("Site", "program call offset count realtime terminal injected network function line")


def new_table(path):
    with open(path, "wb") as f:
        f.truncate(SITES * SITE.size)


def text(raw):
    return raw.split(b"\0")[0].decode()


def places(program, offsets):
    """(function, FILE:LINE) of each return address: of the call before it, in our own sources where
    libc's headers brought it in."""
    asked = "\n".join(f"{o - 1:#x}" for o in offsets)
    lines = subprocess.run(["addr2line", "-a", "-i", "-f", "-e", program], input=asked, text=True,
                           check=True, capture_output=True).stdout.splitlines()
    here, found = os.getcwd() + "/", []
    for i, line in enumerate(lines):
        if line.startswith("0x"):
            found.append([])
            frames = i + 1
        elif (i - frames) % 2:
            found[-1].append((lines[i - 1], line.split(" ")[0].replace(here, "").replace("/./", "/")))
    return [next((f for f in frames if not f[1].startswith("/usr/")), frames[0])
            for frames in found]


def entries(path):
    """What stands in the table, without places."""
    with open(path, "rb") as f:
        data = f.read()
    for i in range(SITES):
        state, count, realtime, terminal, injected, network, offset, program, call = \
            SITE.unpack_from(data, i * SITE.size)
        if state == 2:
            yield text(program), text(call), offset, count, realtime, terminal, injected, network


def injected(path):
    """How many calls were made to fail."""
    return sum(e[6] for e in entries(path))


def read_table(path, build):
    """Every site in the table, by program, call and offset."""
    found, sites = list(entries(path)), {}
    for program in {f[0] for f in found}:
        own = [f for f in found if f[0] == program]
        for f, (function, line) in zip(own, places(f"{build}/{program}", [f[2] for f in own])):
            sites[f[:3]] = Site(*f, function, line)
    return sites


CALL = re.compile(r"^ *([0-9a-f]+):\s.*\b(call|jmp)\s+[0-9a-f]+ <([A-Za-z0-9_]+)(@plt)?>")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:")
NEXT = re.compile(r"^ *([0-9a-f]+):\s")


def static_sites(program, calls):
    """Every place of the program's code that calls one of `calls`: {(call, offset)}. A call that is
    the last thing of a function is a jump; it returns to where that function was called from."""
    lines = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], text=True, check=True,
                           capture_output=True).stdout.splitlines()
    sites, returns, jumps, function = set(), {}, [], None
    for i, line in enumerate(lines):
        head = FUNCTION.match(line)
        if head:
            function = head.group(1)
            continue
        m = CALL.match(line)
        if not m:
            continue
        after = next((int(n.group(1), 16) for n in map(NEXT.match, lines[i + 1:i + 8]) if n), None)
        _, kind, name, foreign = m.groups()
        if kind == "call" and foreign and name in calls:
            sites.add((name, after))
        elif kind == "call":
            returns.setdefault(name, []).append(after)
        elif foreign and name in calls:
            jumps.append((name, function))
    # Jumps of functions that jump themselves are followed once, which is enough here.
    for name, function in jumps:
        sites.update((name, after) for after in returns.get(function, []))
    return sites


def undefined(program):
    """Functions that the program takes from libraries."""
    out = subprocess.run(["nm", "-D", "--undefined-only", program], text=True, check=True,
                         capture_output=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines() if line.split()}


def defined(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], text=True, check=True,
                         capture_output=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()
            if line.split()[-2:-1] == ["T"]}
