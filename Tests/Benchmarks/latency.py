"""From a zoom command to the zoom state as a subscriber sees it.

The peer is a bare libmosquitto echo through the same broker.
"""
import threading
import typing

from figures import Figure, median, percentile
from stage import AGENT, Stage, online

ROUNDS, WARM_UP = 5000, 300
NOTE = (
    "{rounds:,} rounds of each, in turns, one in flight; both get `{{\"factor\":2.5}}` and the like. The echo sends "
    "it back as it is, the agent publishes its whole zoom state (retained, QoS 1) and answers; the round waits for "
    "the answer too, the time stops at the state. Subscribed at the round's QoS. TCP_NODELAY everywhere. The broker has a core of its own, everybody else shares the other: left to the kernel, "
    "the echo takes 70 to 115 µs and the agent 90 to 150 at QoS 0, by run, as a bare C program does that publishes the "
    "same two messages.")
DISK_NOTE = (
    " Meanwhile the agent replaced its state file {states} times (the zoom changes with each round), and "
    "another process saved and synced {busy} files of 16 KiB in the same folder.")


def figures(program, while_saving=False, rounds=ROUNDS):
    runs = {qos: _measure(program, qos, rounds, while_saving) for qos in (0, 1)}
    note = NOTE.format(rounds=rounds)
    if while_saving:
        states, busy = (sum(getattr(run, name) for run in runs.values()) for name in ("states", "busy"))
        note += DISK_NOTE.format(states=states, busy=busy)

    found = []
    for qos, run in runs.items():
        name = f"zoom/set → zoom, QoS {qos}" + (", the disk busy" if while_saving else "")
        found += [
            Figure(f"{name}, median", median(run.ours), median(run.echo), "µs", "C echo",
                   most_ratio=1.25, note=note),
            Figure(f"{name}, p99", percentile(run.ours, 0.99), percentile(run.echo, 0.99), "µs", "C echo",
                   most_ratio=1.5, note=note),
        ]
    return found


class _Run(typing.NamedTuple):
    """The times in microseconds; how often the state file was replaced, and how many other files were saved."""

    ours: list
    echo: list
    states: int
    busy: int


def _measure(program, qos, rounds, while_saving):
    with Stage(program, apart=True) as stage:
        tap = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        online(tap, AGENT, stage.agent())
        tap.end()
        stage.peer("echo", stage.port, qos).line(lambda line: line == "ready")
        saver = stage.peer("saver", stage.folder, 20, 16384) if while_saving else None
        with _Replacements(stage.folder / "state.json") as states:
            driver = stage.peer("roundtrip", stage.port, qos, rounds, WARM_UP, f"v4l2mqtt/{AGENT}/door")
            lines = driver.rest(within=300)
        busy = int(saver.end()[-1]) if saver else 0
    times = {"agent": [], "echo": []}
    for line in lines:
        who, nanoseconds = line.split()
        times[who].append(int(nanoseconds) / 1000)
    return _Run(times["agent"], times["echo"], states.count, busy)


class _Replacements:
    """Counts how often a file is replaced, as far as one sees it from twenty looks a second."""

    def __init__(self, path):
        self._path, self._over, self.count = path, threading.Event(), 0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        last = self._look()
        while not self._over.wait(0.05):
            now = self._look()
            self.count += now != last
            last = now

    def _look(self):
        try:
            return self._path.stat().st_ino, self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
