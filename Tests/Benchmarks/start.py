"""From the start of the process to `online` at a subscriber, and what is resident two seconds later.

The peer is an agent in Python with paho-mqtt that does the least of the same.
"""
import time

from figures import Figure, median
from stage import AGENT, PAHO_AGENT, Stage, memory, online

RUNS = 10
MEGABYTE = 1e6
NOTE = (
    "Medians of {runs} starts of each, in turns. From before the fork to `online` seen by another process. Memory "
    "two seconds after, idle; 1 MB = 1,000,000 bytes. The peer only remembers a factor: no checks, no file, no "
    "camera.")


def figures(program, runs=RUNS):
    ours, paho = [], []
    with Stage(program) as stage:
        tap = stage.tap(None, "v4l2mqtt/+/availability")
        for _ in range(runs):
            ours.append(_start(tap, stage.agent, AGENT))
            paho.append(_start(tap, stage.paho_agent, PAHO_AGENT))
    note = NOTE.format(runs=runs)

    def figure(name, key, unit, scale, most):
        values = [median(run[key] / scale for run in of) for of in (ours, paho)]
        return Figure(name, *values, unit, "Python, paho", most_ours=most, note=note)

    return [
        figure("start to `online`", "start", "ms", 1e6, 100),
        figure("resident memory, idle", "VmRSS", "MB", MEGABYTE, 17),
        figure("… its proportional share (PSS)", "Pss", "MB", MEGABYTE, None),
    ]


def _start(tap, begin, agent):
    """One start and stop: nanoseconds to `online`, and bytes."""
    process = begin()
    seen = online(tap, agent, process)
    time.sleep(2)
    found = {"start": seen - process.started, **memory(process.pid)}
    process.end()
    return found
