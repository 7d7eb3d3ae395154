"""From a zoom command to the zoom state as a subscriber sees it.

The peers are bare libmosquitto programs at the same broker: one sends the same two messages as the agent, the
state and the answer; the other is an echo.
"""
import typing

from figures import Figure, median, percentile
from stage import AGENT, Stage, online

#: Each run has an agent, a broker and peers of its own.
RUNS, ROUNDS, WARM_UP = 5, 5000, 300
RESPONDER = "v4l2mqtt/responder/door"
NOTE = (
    "{rounds:,} rounds of each, in turns, one in flight; all get `{{\"factor\":2.5}}` and the like. The agent publishes "
    "its whole zoom state (retained, QoS 1) and answers, as does the bare C program with messages of the same size; the echo sends "
    "the command back as it is. The round waits for the answer too, the time stops at the state. Subscribed at the round's "
    "QoS. TCP_NODELAY everywhere. The broker and the driver share a core, the agent and its peers the other one. The row is the run "
    "with the middle ratio of {runs}.")
DISK_NOTE = (
    " Meanwhile another process saved and synced {busy} files of 16 KiB in the folder of the agent's state, which gets a line "
    "with each round.")
#: What the median may be beside the bare C program's, by QoS.
MOST_BESIDE_RESPONDER = {0: 1.15, 1: 1.35}


def figures(program, while_saving=False, rounds=ROUNDS):
    runs = {qos: [_measure(program, qos, rounds, while_saving) for _ in range(RUNS)] for qos in (0, 1)}
    note = NOTE.format(rounds=rounds, runs=RUNS)
    if while_saving:
        note += DISK_NOTE.format(busy=sum(run.busy for of_qos in runs.values() for run in of_qos))

    found = []
    for qos, of_qos in runs.items():
        name = f"zoom/set → zoom, QoS {qos}" + (", the disk busy" if while_saving else "")

        def figure(title, value, peer, peer_name, most):
            pairs = [(value(run.ours), value(getattr(run, peer))) for run in of_qos]
            ours, theirs = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
            return Figure(f"{name}, {title}", ours, theirs, "µs", peer_name, most_ratio=most, note=note)

        def p99(times):
            return percentile(times, 0.99)

        same = "C, the same two messages"
        found += [
            figure("median", median, "responder", same, None if while_saving else MOST_BESIDE_RESPONDER[qos]),
            figure("p99", p99, "responder", same, None),
            figure("median", median, "echo", "C echo", 1.25),
            figure("p99", p99, "echo", "C echo", 1.5),
        ]
    return found


class _Run(typing.NamedTuple):
    """The times in microseconds, and how many files another process saved meanwhile."""

    ours: list
    responder: list
    echo: list
    busy: int


def _measure(program, qos, rounds, while_saving):
    with Stage(program, apart=True) as stage:
        tap = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        online(tap, AGENT, stage.agent())
        tap.end()
        stage.peer("echo", stage.port, qos).line(lambda line: line == "ready")
        stage.peer("responder", stage.port, qos, RESPONDER).line(lambda line: line == "ready")
        saver = stage.peer("saver", stage.folder, 20, 16384) if while_saving else None
        driver = stage.peer("roundtrip", stage.port, qos, rounds, WARM_UP, f"v4l2mqtt/{AGENT}/door", RESPONDER)
        lines = driver.rest(within=300)
        busy = int(saver.end()[-1]) if saver else 0
    times = {"agent": [], "responder": [], "echo": []}
    for line in lines:
        who, nanoseconds = line.split()
        times[who].append(int(nanoseconds) / 1000)
    return _Run(times["agent"], times["responder"], times["echo"], busy)
