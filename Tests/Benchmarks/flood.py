"""Very many pinch samples as fast as the broker gives them: memory, the last state, and a stop in the
middle."""
import dataclasses
import json
import os
import threading
import time

from figures import Figure, median
from stage import (
    AGENT, PAHO_AGENT, Stage, forget_high_water_mark, memory, online, processor_seconds, resident)
from workshop import Unable

SAMPLES = 200_000
STOP_INTERVAL_MS = 75
#: Floods of an agent with the priority that its unit has (deploy/v4l2mqtt.service).
PRIORITY, PRIORITY_RUNS = -10, 5
#: The flood with a new client name in each command, and the stops of another client meanwhile.
NAMES, NAMES_A_SECOND, NAME_STOP_INTERVAL_MS = 60_000, 30_000, 20
LARGE, LARGE_BYTES = 2_000, 54_000
DROPPED = "$SYS/broker/publish/messages/dropped"


@dataclasses.dataclass
class Flood:
    """What one flood did to one agent; times in milliseconds, memory in bytes."""

    samples: int
    delivered: int
    dropped: int
    published_in: float
    taken_in: float
    grown: int
    processor: float
    last_factor: float
    last_scale: float
    after_tap: list
    after_broker: list
    round_trips: list
    tap_delays: list

    @property
    def error(self):
        """How far the last state's factor is from the last sample's scale; the gesture began at factor 1."""
        return abs(self.last_factor - self.last_scale)

    @property
    def processor_us(self):
        return self.processor * 1e6 / self.samples


def figures(program, samples=SAMPLES):
    with Stage(program) as stage:
        ours = _flood(stage, stage.agent, AGENT, samples)
    with Stage(program) as stage:
        paho = _flood(stage, stage.paho_agent, PAHO_AGENT, samples)

    worst = [[max(_with_priority(program, begin, agent, samples).after_tap) for _ in range(PRIORITY_RUNS)]
             for begin, agent in ((Stage.agent, AGENT), (Stage.paho_agent, PAHO_AGENT))]
    note = (
        f"{ours.samples:,} samples published at QoS 0 in {ours.published_in / 1000:.1f} s (peer: "
        f"{paho.published_in / 1000:.1f} s); a second subscriber to the same topic got {ours.delivered:,} of them "
        f"(peer: {paho.delivered:,}), the broker reports that it dropped {ours.dropped}. The agent had answered the end of the gesture "
        f"{ours.taken_in - ours.published_in:,.0f} ms after the last was sent (peer: "
        f"{paho.taken_in - paho.published_in:,.0f} ms).")
    final = (
        f"The last sample's scale was {ours.last_scale:g} from factor 1 with no clamping; the last state had "
        f"{ours.last_factor:.6g}. The row is about their difference.")
    stops = (
        f"{len(ours.after_tap)} stops from another client while samples were under way (peer: {len(paho.after_tap)}). "
        f"The clock starts when a bare C subscriber to the same topics has got the stop, and ends when the stop's "
        f"sender has the answer. From when a subscriber gets it that has no samples before it, so with the broker's "
        f"queue for the agent in it: median {median(ours.after_broker):.1f}, at most {max(ours.after_broker):.1f} ms; "
        f"from sending: median {median(ours.round_trips):.1f}, at most {max(ours.round_trips):.1f} ms. The bare "
        f"subscriber itself had it {median(ours.tap_delays):.1f}, at most {max(ours.tap_delays):.1f} ms after sending.")

    priority = (
        f"As the row above, with the priority of the unit: the median of {PRIORITY_RUNS} floods. The slowest stop of each: "
        + " ms (peer: ".join(", ".join(f"{most:.1f}" for most in sorted(of)) for of in worst) + " ms).")

    def figure(name, our_value, peer_value, unit, note, most=None):
        return Figure(
            f"pinch flood: {name}", our_value, peer_value, unit, "Python, paho", most_ours=most, note=note)

    return [
        figure("memory grows by", ours.grown / 1e6, paho.grown / 1e6, "MB", note, most=8),
        figure("last state off the last sample", ours.error, paho.error, "", final, most=1e-6),
        figure("stop answered, most", max(ours.after_tap), max(paho.after_tap), "ms", stops),
        figure(f"stop answered, most, at nice {PRIORITY}", *map(median, worst), "ms", priority, most=10),
        figure("stop answered, median", median(ours.after_tap), median(paho.after_tap), "ms", stops),
        figure("processor time a sample", ours.processor_us, paho.processor_us, "µs", note),
        _names(program),
        _large(program),
    ]


def _names(program):
    """How long a client with QoS 1 waits for answers while another floods, with the limits as installed."""
    camera = f"v4l2mqtt/{AGENT}/door"
    with Stage(program) as stage:
        stage.limit_as_installed()
        watch = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        online(watch, AGENT, stage.agent())
        stopper = stage.peer("stopper", stage.port, camera, NAME_STOP_INTERVAL_MS, 5000)
        stopper.line(lambda line: line == "ready")
        began, ended = map(int, stage.peer("names", stage.port, NAMES, NAMES_A_SECOND, camera).rest(within=100)[0].split())
        stops = [tuple(map(int, line.split()[1:])) for line in stopper.end(within=70)]
    times = [(answered - sent) / 1e6 for sent, answered in stops if began <= sent <= ended]
    if not times:
        raise Unable("no stop was sent during the flood with names: take more commands")
    note = (
        f"{NAMES:,} zoom commands at QoS 0 in {(ended - began) / 1e9:.1f} s, each with another client name, to an agent with the limits "
        f"as installed. {len(times)} stops at QoS 1 from another client meanwhile, each answered `done`: at most {max(times):.1f} ms from "
        f"sending to the answer.")
    return Figure("flood with new names: answer to a command at QoS 1, median", median(times), None, "ms", "", most_ours=20, note=note)


def _large(program):
    """What a command costs the agent that is refused for its size."""
    with Stage(program) as stage:
        watch = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        agent = stage.agent()
        online(watch, AGENT, agent)
        before = processor_seconds(agent.pid)
        stage.peer("large", stage.port, LARGE, LARGE_BYTES, f"v4l2mqtt/{AGENT}/door").rest(within=100)
        each = (processor_seconds(agent.pid) - before) * 1e3 / LARGE
    note = (
        f"Processor time of all threads for {LARGE:,} zoom commands with thousands of fields at QoS 1, one in flight, each answered "
        "`too_large`: with its receipt and the event.")
    return Figure(f"command of {LARGE_BYTES // 1000} kB, refused", each, None, "ms", "", most_ours=0.2, note=note)


def _with_priority(program, begin, agent, samples):
    with Stage(program) as stage:
        def started():
            process = begin(stage)
            os.setpriority(os.PRIO_PROCESS, process.pid, PRIORITY)
            return process
        try:
            return _flood(stage, started, agent, samples)
        except PermissionError:
            raise Unable(f"nice {PRIORITY} needs root") from None


def _flood(stage, begin, agent, samples):
    camera = f"v4l2mqtt/{agent}/door"
    watched = [f"{camera}/zoom", f"{camera}/zoom/set", f"{camera}/pinch/reply", DROPPED]
    watch = stage.tap(None, f"v4l2mqtt/{agent}/availability", *watched)
    tap = stage.tap(f"{camera}/pinch/set", f"{camera}/pinch/set", f"{camera}/zoom/set")
    process = begin()
    online(watch, agent, process)
    time.sleep(2)

    with _Peak(process.pid) as peak:
        processor = processor_seconds(process.pid)
        stopper = stage.peer("stopper", stage.port, camera, STOP_INTERVAL_MS, 5000)
        stopper.line(lambda line: line == "ready")
        flood = stage.peer("flood", stage.port, samples, camera)
        began, ended, last_scale = flood.rest(within=300)[0].split()
        seen = _until_the_end(watch)
        taken = int(seen[-1].split()[0])
        stops = [line.split() for line in stopper.end(within=70)]
        processor = processor_seconds(process.pid) - processor
    time.sleep(1.5)
    seen += watch.end()
    tapped = tap.end(within=60)

    states = [line.split(" ", 3)[3] for line in seen if f" {camera}/zoom " in line]
    dropped = [line.split(" ", 3)[3] for line in seen if f" {DROPPED} " in line]
    began, ended = int(began), int(ended)
    during = [
        (name, int(sent), int(answered)) for name, sent, answered in stops if began <= int(sent) <= taken]
    if not during or not states:
        raise Unable("no stop was sent while samples were under way, or no state came: take more samples")
    by_tap, by_watch = _receipts(tapped), _receipts(seen)
    return Flood(
        samples=samples, delivered=int(tapped[-1].split()[1]) - 2,  # less the gesture's begin and end
        dropped=int(dropped[-1]) if dropped else 0,
        published_in=(ended - began) / 1e6, taken_in=(taken - began) / 1e6, grown=peak.bytes, processor=processor,
        last_factor=json.loads(states[-1])["factor"], last_scale=float(last_scale),
        after_tap=[(answered - by_tap[name]) / 1e6 for name, _, answered in during],
        after_broker=[(answered - by_watch[name]) / 1e6 for name, _, answered in during],
        round_trips=[(answered - sent) / 1e6 for _, sent, answered in during],
        tap_delays=[(by_tap[name] - sent) / 1e6 for name, sent, _ in during])


def _until_the_end(watch):
    """All that the tap sees, up to the answer to the end of the gesture."""
    seen = []
    while not seen or "/pinch/reply " not in seen[-1] or '"flood-end"' not in seen[-1]:
        seen.append(watch.line(within=60))
    return seen


def _receipts(lines):
    """When each stop came, by its id."""
    found = {}
    for line in lines:
        if "/zoom/set " in line and '"stop"' in line:
            time_of, _, _, payload = line.split(" ", 3)
            found[json.loads(payload)["id"]] = int(time_of)
    return found


class _Peak:
    """How far the resident memory rises above what it was, in bytes.

    By the kernel's high-water mark, which is reset first; by twenty samples a second where that is not
    allowed.
    """

    def __init__(self, pid):
        self._pid, self._over, self._highest = pid, threading.Event(), 0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.bytes = 0

    def __enter__(self):
        self._before = resident(self._pid)
        try:
            forget_high_water_mark(self._pid)
            self._forgot = True
        except OSError:
            self._forgot = False
        self._thread.start()
        return self

    def _watch(self):
        while not self._over.wait(0.05):
            self._highest = max(self._highest, resident(self._pid))

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        mark = memory(self._pid)["VmHWM"] if self._forgot else 0
        self.bytes = max(mark, self._highest) - self._before
