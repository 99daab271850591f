#!/bin/sh
# Requests to a run by raw datagrams, together and in any order: what was acknowledged holds.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
config=$PWD/config
socket=$scratch/run.sock
cat >"$scratch/bench.yaml" <<END
kind: bench
name: requests
scenario: $config/scenarios/brake_in_turn.yaml
realtime: {core: posix, period_us: 1000, cpu: -1, priority: 80}
limits: {missed: 100000000, missed_in_row: 0}
duration_s: 0
wait_for_start: true
log: $scratch/run.mf4
control: $socket
faults: [{name: yaw_offset, kind: offset, sensor: yaw_rate, amount_degps: 5}]
END
"${SKIDPAD_BUILD:-build}"/skidpad-run "$scratch/bench.yaml" --allow-nonrt >"$scratch/out" 2>"$scratch/err" &
pid=$!
python3 - "$socket" >"$scratch/said" <<'END'
import re, socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("")
s.settimeout(20)
for _ in range(2000):
    try:
        s.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.01)

def ask(*lines):
    """All at once; the answers by request."""
    for line in lines:
        s.send(line.encode())
    return [s.recv(4000).decode() for _ in lines]

def state():
    return ask("status")[0]

def number():
    found = re.search(r"SAFE STATE (\d+)", state())
    return int(found.group(1)) if found else 0

def say(good, what, *why):
    print(f"{0 if good else 1} {what}", *why, sep="\t", flush=True)

say("waiting" in state(), "it waits")
answers = ask("reset 0", "safe", "start")
say("SAFE STATE" in state(), "reset, safe, start before the start: the safe state", answers)
say(not ask("start")[0].startswith("ok"), "in which it does not start")
say(ask(f"reset {number()}")[0].startswith("ok") and ask("start")[0].startswith("ok"), "until it is left")
for first in ("safe", "reset"):
    held = 0
    for _ in range(20):
        n = number() or ask("safe") and number()
        pair = ["safe", f"reset {n}"]
        answers = ask(*(pair if first == "safe" else pair[::-1]))
        stopped = sum(a.startswith("ok") and ": safe state" in a and "left" not in a for a in answers)
        held += stopped == 1 and number() > n
    say(held == 20, f"{first} first, both at once: the stop holds in {held} of 20")
say(ask(f"reset {number() - 1}")[0].startswith("error"), "an older reset does not undo a newer stop")
say(ask(f"reset {number()}")[0].startswith("ok") and "running" in state(), "the right one leaves it")
for _ in range(20):
    answers = ask("fault yaw_offset on", "fault yaw_offset off", "fault yaw_offset on")
    ok = all(a.startswith("ok") for a in answers)
say(ok, "on, off, on: each is acknowledged", answers)
say(ask("@bert fault yaw_offset on")[0].startswith("error socket holds"), "another one is told who holds the bench")
say(ask("@bert safe")[0].startswith("ok"), "but may stop it")
say(ask("@bert take")[0].startswith("ok") and ask("@bert release")[0].startswith("ok"), "and take it over")
say(ask("@b%ert take")[0].startswith("error a name"), "a name that is none")
say(all(ask(line)[0].startswith("ok") for line in ("@b%ert safe", "Safe", "safe now!")), "safe is taken however it is written")
answers = ask(*(f"fault yaw_offset {'on' if i % 2 else 'off'}" for i in range(12)))
numbers = [int(a.split()[1]) for a in answers]
say(numbers == sorted(numbers), "answers come in the order of the requests", answers)
ask("fault yaw_offset on")
# More than may be on their way: a stop has its place all the same, however it is written.
odd = ["Safe!", "safe, please", "SAFE\n", "@b%ert @x safe", "safe" + " " * 600, "\tsafe;"]
answers = ask(*(["fault yaw_offset on"] * 100 + odd))
stops = [a for a in answers if "safe state" in a and not a.startswith("error")]
say(len(stops) == len(odd), f"{len(stops)} of {len(odd)} odd stops among 100 requests are carried out", answers[-9:])
numbers = [int(a.split()[1]) for a in answers if " tick " in a]
say(numbers == sorted(numbers), "and the answers come in the order of their numbers", numbers)
say(ask(f"reset {number()}")[0].startswith("ok"), "then it is left")
say(ask("set rear_bar 1.5")[0].startswith("ok"), "the set-up is changed")
say("did you mean status?" in ask("stat")[0], "who stops in the middle of a word is asked for that word")
ask("@bert safe")
say(ask("stop")[0].startswith("ok"), "the run ends on request")
END
while read -r bad what; do
    check "$bad" "$what"
done <"$scratch/said"
check "$(grep -c . "$scratch/said" | grep -qx 21; echo $?)" 'all of it was asked'
wait "$pid"
check $? 'the run ends clean'
check "$(grep -qx 'SAFE STATE operator stop by bert' "$scratch/out"; echo $?)" 'its summary names who stopped it'
# Acknowledged, carried out and logged: numbers without a gap, the last fault on.
gaps=$(sed -n 's/.*request: \([0-9]*\) .*/\1/p' "$scratch/run.events.txt" | awk '$1 != NR' | wc -l)
check "$gaps" 'every number is in the events once, in order'
check "$(grep -q 'request: [0-9]* safe by bert: done$' "$scratch/run.events.txt"; echo $?)" 'with who asked for it'
for what in 'fault yaw_offset on' 'set rear_bar 1.5' 'reset [0-9]*'; do
    check "$(grep -q "request: [0-9]* $what by socket: done$" "$scratch/run.events.txt"; echo $?)" "with what was asked for: $what"
done
run skidpad export "$scratch/run.mf4" --group events --signals kind,text --out -
expect_out 'safe by bert: done' 'as the log has it'
check "$(grep 'fault \(begins\|ends\): yaw_offset' "$scratch/run.events.txt" | tail -n 1 | grep -q begins; echo $?)" \
    'on was the last word'

run skidpad control "$scratch/nothing.sock" status --as 123456789012345678901234567890123
expect_status 2 'a name that is too long is refused'
expect_err '1 to 31 letters' 'and says so'

# A unit that was silent counts, also when a person has left the safe state and the run ends well.
programs=${SKIDPAD_BUILD:-build}
sed -e "s|\.\./|$config/|g" -e '/^log:/d; /^frames:/d; /^control:/d' "$config/benches/abs_split.yaml" >"$scratch/unit.yaml"
printf 'duration_s: 0\nlimits: {missed: 100000000, missed_in_row: 0}\nlog: %s\ncontrol: %s\n' \
    "$scratch/unit.mf4" "$scratch/unit.sock" >>"$scratch/unit.yaml"
# until_status WORDS: until the run says so.
until_status() {
    n=0
    until "$programs/skidpad-control" "$scratch/unit.sock" status 2>/dev/null | grep -q "$1" || [ $n -ge 400 ]; do
        sleep 0.05
        n=$((n + 1))
    done
}
"$programs/skidpad-run" "$scratch/unit.yaml" --allow-nonrt >"$scratch/out" 2>"$scratch/err" &
pid=$!
until_status 'km/h running'
unit=$(pgrep -P $pid skidpad-ecu)
kill -STOP "$unit"
until_status 'SAFE STATE'
kill -CONT "$unit"
n=0
until "$programs/skidpad-control" "$scratch/unit.sock" reset >/dev/null 2>&1 &&
    "$programs/skidpad-control" "$scratch/unit.sock" status | grep -q running || [ $n -ge 100 ]; do
    sleep 0.05
    n=$((n + 1))
done
"$programs/skidpad-control" "$scratch/unit.sock" stop >/dev/null
status=0
wait $pid || status=$?
out=$(cat "$scratch/out") err=$(cat "$scratch/err") ran='skidpad run, its unit stopped, reset, ended'
expect_status 3 'a silent unit, left by a reset: status 3'
expect_out 'safe state: the unit is silent (left by a reset)' 'a silent unit, left by a reset: the last line says so'
expect_out 'left by a reset; the events say when' 'a silent unit, left by a reset: the summary'

# A bench that is ended before its start has nothing to answer for.
printf 'wait_for_start: true\n' >>"$scratch/unit.yaml"
"$programs/skidpad-run" "$scratch/unit.yaml" --allow-nonrt >"$scratch/out" 2>"$scratch/err" &
pid=$!
until_status 'waiting for a start'
kill "$pid"
status=0
wait $pid || status=$?
out=$(cat "$scratch/out") err=$(cat "$scratch/err") ran='skidpad run, ended before its start'
expect_status 0 'ended before its start: status 0'
expect_out 'ended before its start' 'ended before its start: says so'
finish
