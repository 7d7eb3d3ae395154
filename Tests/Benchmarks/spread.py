"""Commands at a time: how far apart agents begin their ramps, and how far from the time their photos are.

Ten agents, processes of their own, have a simulated camera each and are in one group. A command to the group
has the time `at` in half a second. The agents and the subscriber share one machine, so one clock.
"""
import datetime
import json
import subprocess
import time

import workshop
from figures import Figure, median, percentile
from stage import CONFIGURATION, Stage, online

AGENTS = 10
ROUNDS = 40
#: From a command to its time, in seconds.
AHEAD = 0.5
FRAMES_A_SECOND = 30
#: Ends of the ramps in turns, in octaves; each takes a tenth of a second.
FACTORS, RATE = (2, 1), 10

RAMP_NOTE = (
    f"{AGENTS} agents on this machine and {{rounds}} ramps that all begin at once. A ramp begins for a subscriber when it has the "
    "state with `ramping`, which follows the first step: the broker and the processors, which all share, are part of it. "
    "Ramps are computed from `at`, so a late beginning is made up by the next step, 17 ms later.")
PHOTO_NOTE = (
    f"{{photos}} photos of {AGENTS} simulated cameras with {FRAMES_A_SECOND} frames a second, each at its own phase: the field "
    "`at_offset_ms`, from `at` to the exposure.")


def figures(program, rounds=ROUNDS):
    with Stage(program) as stage:
        _start_agents(stage, program)
        ramps = [_ramps(stage, FACTORS[number % 2]) for number in range(rounds)]
        photos = [_photos(stage) for _ in range(rounds // 4)]
    spans = [max(times) - min(times) for times in ramps]
    delays = [delay for times in ramps for delay in times]
    offsets = [offset for found in photos for offset in found]
    about_ramps = RAMP_NOTE.format(rounds=rounds)
    about_photos = PHOTO_NOTE.format(photos=len(offsets))

    def figure(name, value, note, most=None):
        return Figure(f"{AGENTS} agents at one time: {name}", value, None, "ms", "", most_ours=most, note=note)

    return [
        figure("ramps, first beginning to last, median", median(spans), about_ramps, most=2),
        figure("ramps, first beginning to last, p95", percentile(spans, 0.95), about_ramps),
        figure("ramps, `at` → state, median", median(delays), about_ramps),
        figure("ramps, `at` → state, most", max(delays), about_ramps),
        figure("photos, offset, median", median(offsets), about_photos),
        figure("photos, offset, most", max(map(abs, offsets)), about_photos, most=round(1000 / FRAMES_A_SECOND, 1)),
        figure(
            "photos, first exposure to last, median", median(max(found) - min(found) for found in photos), about_photos),
    ]


def _start_agents(stage, program):
    tap = stage.tap(None, "v4l2mqtt/+/availability")
    for number in range(AGENTS):
        name, file = f"spread{number}", stage.folder / f"spread{number}.yaml"
        settings = CONFIGURATION.format(agent=name, port=stage.port, folder=stage.folder / name)
        camera = f"    groups: [stage]\n    simulated: {{ width: 640, height: 360, fps: {FRAMES_A_SECOND} }}\n"
        file.write_text(settings + camera)
        online(tap, name, stage.run(name, program, "run", "--config", file))


def _send(stage, node, **fields):
    """Sends a command to the group with a time in `AHEAD`. Returns that time on the subscriber's clock, in
    nanoseconds."""
    wall = time.time_ns() // 1000 * 1000 + int(AHEAD * 1e9)
    at = wall - time.time_ns() + time.monotonic_ns()
    text = datetime.datetime.fromtimestamp(wall // 1_000_000_000, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")
    body = {**fields, "at": f"{text}.{wall // 1000 % 1_000_000:06}Z", "at_any_clock": True}
    topic = f"v4l2mqtt/groups/stage/{node}/set"
    subprocess.run(
        [workshop.needed("mosquitto_pub", "sudo apt-get install mosquitto-clients"), "-p", str(stage.port), "-q", "1",
         "-t", topic, "-m", json.dumps(body)], check=True)
    return at


def _messages(tap):
    """What comes on a tap, without what was retained: when (ns), the topic and the JSON."""
    while True:
        when, retained, topic, payload = tap.line().split(" ", 3)
        if retained == "0":
            yield int(when), topic, json.loads(payload)


def _ramps(stage, factor):
    """From the time of a command to the first state of each ramp, in ms. It returns when all have ended."""
    tap = stage.tap(None, "v4l2mqtt/+/door/zoom")
    at = _send(stage, "zoom", factor=factor, rate=RATE)
    began, ended = {}, set()
    for when, topic, state in _messages(tap):
        if state["ramping"]:
            began.setdefault(topic, (when - at) / 1e6)
        elif topic in began:
            ended.add(topic)
        if len(ended) == AGENTS:
            break
    tap.end()
    return list(began.values())


def _photos(stage):
    """The offsets of the photos of one command, in ms."""
    tap = stage.tap(None, "v4l2mqtt/+/door/capture/reply")
    _send(stage, "capture", size={"width": 64})
    offsets = {}
    for _, topic, reply in _messages(tap):
        if reply["status"] == "error":
            raise workshop.Unable(f"{topic}: {reply['error']['message']}")
        if reply["status"] == "done":
            offsets[topic] = reply["photos"][0]["at_offset_ms"]
        if len(offsets) == AGENTS:
            break
    tap.end()
    return list(offsets.values())
