"""From the start of the process to `online` at a subscriber, and what is resident two seconds later.

The peer is an agent in Python with paho-mqtt that does the least of the same.
"""
import time

from figures import Figure, median
from stage import AGENT, PAHO_AGENT, Stage, memory, online

RUNS = 10
MEGABYTE = 1e6
#: The other files that are saved per second, and their size in bytes, while the disk is busy.
SAVES, SAVED_BYTES = 20, 16384
NOTE = (
    "Medians of {runs} starts of each, in turns. From before the fork to `online` seen by another process. Memory "
    "two seconds after, idle; 1 MB = 1,000,000 bytes. The peer only remembers a factor: no checks, no file, no "
    "camera. The agent has a state file, as after the first start. While the disk is busy, another process saves and syncs files "
    "of 16 KiB in the same folder.")


def figures(program, runs=RUNS):
    with Stage(program) as stage:
        tap = stage.tap(None, "v4l2mqtt/+/availability")
        # Makes the state file.
        _start(tap, stage.agent, AGENT, 0)
        quiet = _starts(stage, tap, runs, 2)
        stage.peer("saver", stage.folder, SAVES, SAVED_BYTES)
        busy = _starts(stage, tap, runs, 0)
    note = NOTE.format(runs=runs)

    def figure(name, found, key, unit, scale, most):
        values = [median(run[key] / scale for run in of) for of in found]
        return Figure(name, *values, unit, "Python, paho", most_ours=most, note=note)

    return [
        figure("start to `online`", quiet, "start", "ms", 1e6, 25),
        figure("start to `online`, the disk busy", busy, "start", "ms", 1e6, 30),
        figure("resident memory, idle", quiet, "VmRSS", "MB", MEGABYTE, 20),
        figure("… its proportional share (PSS)", quiet, "Pss", "MB", MEGABYTE, None),
    ]


def _starts(stage, tap, runs, idle):
    """What the starts of our agent and of the peer's took, in turns."""
    ours, paho = [], []
    for _ in range(runs):
        ours.append(_start(tap, stage.agent, AGENT, idle))
        paho.append(_start(tap, stage.paho_agent, PAHO_AGENT, idle))
    return ours, paho


def _start(tap, begin, agent, idle):
    """One start and stop: nanoseconds to `online`, and bytes after so many idle seconds."""
    process = begin()
    seen = online(tap, agent, process)
    time.sleep(idle)
    found = {"start": seen - process.started, **memory(process.pid)}
    process.end()
    return found
