"""One agent with ever more simulated cameras, each with a pinch of ten samples a second: does it cost more
than its share?"""
import dataclasses
import pathlib
import time

from figures import Figure
from stage import AGENT, Stage, memory, online
from workshop import Unable

CAMERAS = (1, 10, 100, 1000)
RATE = 10
SECONDS = 10
RUNS = 3


@dataclasses.dataclass
class Load:
    """What one agent took for its cameras: processor time of a command in µs, memory in bytes, times in
    milliseconds."""

    cameras: int
    processor: float
    idle: float
    rest: int
    resident: int
    threads: int
    late: float
    backlog: float
    states: float
    lives: float
    by_thread: dict


def figures(program, seconds=SECONDS, runs=RUNS):
    # Interleaved, so that what the machine does meanwhile befalls all alike.
    loads = {cameras: [] for cameras in CAMERAS}
    for _ in range(runs):
        for cameras in CAMERAS:
            loads[cameras].append(_load(program, cameras, seconds))
    middle = {cameras: sorted(of, key=lambda load: load.processor)[len(of) // 2] for cameras, of in loads.items()}
    one, ten, most = middle[CAMERAS[0]], middle[10], middle[CAMERAS[-1]]

    found = []
    for cameras, load in middle.items():
        each = sorted(of.processor for of in loads[cameras])
        threads = ", ".join(f"{name} {time_of:.1f}" for name, time_of in sorted(load.by_thread.items()) if time_of >= 0.1)
        note = (
            f"{_of(cameras)} at {RATE} samples a second each for {seconds} s: the median of {len(each)} runs (least "
            f"{each[0]:.1f}, most {each[-1]:.1f} µs), all threads' processor time divided by the samples; by thread, in µs: {threads}. The "
            f"sender lay at most {load.late:.0f} ms behind its own time; {load.backlog:.0f} ms after the last sample the agent had taken all. "
            f"For each sample subscribers got {load.states:.2f} states and {load.lives:.2f} samples on zoom/live. "
            f"Without samples the agent took {load.idle * 100:.2f} % of a core.")
        found.append(Figure(f"{_of(cameras)}: processor time a command", load.processor, None, "µs", "", note=note))
        found.append(Figure(f"{_of(cameras)}: memory", load.resident / 1e6, None, "MB", "", note=note))
    each = {cameras: (load.resident - one.resident) / 1e3 / (cameras - 1) for cameras, load in middle.items() if cameras > 1}
    rest = (most.rest - one.rest) / 1e3 / (most.cameras - 1)
    memory_note = (
        "What is resident after the samples, less the agent with one camera, divided by the cameras that are more; "
        f"before the samples it was {rest:.1f} kB.")
    found += [
        Figure(f"{_of(most.cameras)}: memory a camera", each[most.cameras], None, "kB", "", note=memory_note),
        Figure(
            f"{_of(most.cameras)} beside 10: processor time a command", most.processor, ten.processor, "µs", "10 cameras",
            most_ratio=1.2),
        Figure(f"{_of(most.cameras)} beside 1: threads", most.threads, one.threads, "", "1 camera", most_ratio=1),
    ]
    return found


def _of(cameras):
    return f"{cameras:,} camera{'s' * (cameras > 1)}"


def _load(program, cameras, seconds):
    with Stage(program) as stage:
        stage.configure_cameras(cameras)
        tap = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        # That all the work was done for all the samples, and nothing saved by leaving states out.
        states = stage.tap(f"v4l2mqtt/{AGENT}/+/zoom", f"v4l2mqtt/{AGENT}/+/zoom")
        lives = stage.tap(f"v4l2mqtt/{AGENT}/+/zoom/live", f"v4l2mqtt/{AGENT}/+/zoom/live")
        agent = stage.agent()
        online(tap, AGENT, agent, within=60)
        time.sleep(1.5)
        rest = memory(agent.pid)["VmRSS"]
        before = sum(_nanoseconds(agent.pid).values())
        time.sleep(1)
        idle = (sum(_nanoseconds(agent.pid).values()) - before) / 1e9

        peer = stage.peer("scale", stage.port, seconds, RATE, f"v4l2mqtt/{AGENT}", cameras)
        peer.line(lambda line: line == "began", within=60)
        before = _nanoseconds(agent.pid)
        sent = peer.line(lambda line: line.startswith("sent "), within=seconds + 120).split()
        taken = peer.line(lambda line: line.startswith("taken "), within=130).split()
        after = _nanoseconds(agent.pid)
        if set(before) != set(after):
            raise Unable(f"threads came or went: {sorted(before)}, then {sorted(after)}")
        samples = int(sent[1])
        by_thread = {}
        for (number, name), time_of in after.items():
            by_thread[name] = by_thread.get(name, 0) + (time_of - before[number, name]) / 1e3 / samples
        for counter in (states, lives):
            _wait_until_quiet(counter.pid)
        seen = [int(counter.end(within=60)[-1].split()[1]) / samples for counter in (states, lives)]
        return Load(
            cameras=cameras, processor=sum(by_thread.values()), idle=idle, rest=rest,
            resident=memory(agent.pid)["VmRSS"], threads=len(after), late=float(sent[2]), backlog=float(taken[1]),
            states=seen[0], lives=seen[1], by_thread=by_thread)


def _wait_until_quiet(pid):
    """Waits until a subscriber has had next to nothing to do for a second: the broker may still hold messages
    for it."""
    deadline, before = time.monotonic() + 120, 0
    while (now := sum(_nanoseconds(pid).values())) - before > 2_000_000:
        if time.monotonic() > deadline:
            raise Unable("a subscriber is still busy two minutes after the last sample")
        before = now
        time.sleep(1.2)


def _nanoseconds(pid):
    """The processor time of each thread, by its number and name; to the nanosecond, unlike /proc/PID/stat."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return {
        (task.name, (task / "comm").read_text().strip()): int((task / "schedstat").read_text().split()[0]) for task in tasks}
