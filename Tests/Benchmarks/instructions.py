"""Instructions and allocations of the agent's loop thread for one command, counted by callgrind.

Two agents run under valgrind, one with twice as many commands as the other: what the start and the stop need
is the same in both, so the difference is that of the commands. Their loops have a slow clock, because
valgrind makes them slow: otherwise what happens at intervals, such as the states of a gesture, had a share
that depends on the machine and on what else it does.

The agents keep their state in files with slots, as installed: a command is answered when its line is in a
slot. That it is there is checked in each run.
"""
import re

import workshop
from figures import Figure
from stage import AGENT, Stage, online
from workshop import Unable

COMMANDS = 500
SAMPLES = 2_000
#: Functions of the C library that return new memory. `realloc` counts too: it may.
ALLOCATORS = ("malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign")
CAMERA = f"v4l2mqtt/{AGENT}/door"
NOTE = (
    "On the loop's thread, by callgrind: (a run with {twice:,} − a run with {once:,}) / {once:,}. The loop's clock is 100 times as "
    "slow, as valgrind makes the agent 50 to 100 times as slow.")


def figures(program, commands=COMMANDS, samples=SAMPLES):
    # Valgrind 3.19 ends when it reads Swift's debug information; the names of functions stay.
    program = workshop.without_debug_information(program)
    found = []
    for qos, most_instructions, most_allocations in ((0, 100_000, 40), (1, None, None)):
        instructions, allocations = _for_one(program, commands, _commands(qos))
        note = NOTE.format(once=commands, twice=2 * commands)
        name = f"zoom/set at QoS {qos}, one in flight"
        found += [
            Figure(f"{name}: instructions", instructions, None, "", "", most_ours=most_instructions, note=note),
            Figure(f"{name}: allocations", allocations, None, "", "", most_ours=most_allocations, note=note),
        ]
    instructions, allocations = _for_one(program, samples, _flood)
    note = NOTE.format(once=samples, twice=2 * samples)
    return found + [
        Figure("pinch sample in a flood: instructions", instructions, None, "", "", most_ours=30_000, note=note),
        Figure("pinch sample in a flood: allocations", allocations, None, "", "", note=note),
    ]


def _commands(qos):
    def send(stage, tap, count):
        stage.peer("commands", stage.port, qos, count, CAMERA).rest(within=600)

    return send


def _flood(stage, tap, count):
    stage.peer("flood", stage.port, count, CAMERA).rest(within=600)
    tap.line(lambda line: "/pinch/reply " in line and '"flood-end"' in line, within=600)


def _for_one(program, count, send):
    """Instructions and allocations for one of the commands that `send` sends."""
    once, twice = (_count(program, count * times, send) for times in (1, 2))
    return tuple((more - less) / count for less, more in zip(once, twice))


def _count(program, count, send):
    """Instructions and allocations of the loop's thread in a whole run."""
    with Stage(program) as stage:
        tap = stage.tap(None, f"v4l2mqtt/{AGENT}/availability", f"{CAMERA}/pinch/reply")
        profile = stage.folder / "callgrind"
        valgrind = workshop.needed("valgrind", "sudo apt-get install valgrind")
        agent = stage.agent(
            "env", f"LD_PRELOAD={workshop.preload('slow_clock')}", valgrind, "--tool=callgrind",
            "--separate-threads=yes", f"--callgrind-out-file={profile}")
        online(tap, AGENT, agent, within=300)
        send(stage, tap, count)
        if b'"factor"' not in b"".join(file.read_bytes() for file in (stage.folder / "state.json.slots").glob("camera-*")):
            raise Unable("no slot has a zoom: this is not what a command costs with a state")
        # On a busy machine a stop under valgrind may not wait for the disk: the agent ends with 74 then.
        agent.end(within=120, codes=(0, 74))
        # The main thread is the first, and the loop's.
        return read(f"{profile}-01")


def read(path):
    """Instructions and allocations in a profile of callgrind."""
    instructions, allocations, called = None, 0, ""
    names = {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("cfn="):
                # A name is written once, and has a number from then on: `cfn=(12) malloc`, `cfn=(12)`.
                number, name = re.match(r"cfn=(\(\d+\))(?: (.*))?", line).groups()
                called = names.setdefault(number, name)
            elif line.startswith("fn="):
                number, name = re.match(r"fn=(\(\d+\))(?: (.*))?", line).groups()
                names.setdefault(number, name)
            elif line.startswith("calls=") and called in ALLOCATORS:
                allocations += int(line[len("calls="):].split()[0])
            elif line.startswith(("summary:", "totals:")):
                instructions = int(line.split()[1])
    if instructions is None:
        raise Unable(f"{path}: no profile of callgrind")
    return instructions, allocations
