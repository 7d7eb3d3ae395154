#!/usr/bin/env python3
"""Figures of the agent with real drivers, each beside a peer's in the same guest;
`Tests/Benchmarks/run hardware` makes the table.

Prints JSON: a list of [name, ours, peer, unit, note]. The guest is emulated: what counts is the ratio.
"""

import json
import re
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Hardware/support"), str(TESTS / "Broker/support")]

import output_latency  # noqa: E402
from virtual_camera import Camera  # noqa: E402
from controller import Controller  # noqa: E402
from guest import Guest  # noqa: E402
from guest_agent import GuestAgent  # noqa: E402
from guest_broker import GuestBroker  # noqa: E402
from guest_image import prepare  # noqa: E402
from waiting import eventually  # noqa: E402

COMMANDS, SECONDS, PLUGS = 100, 10, 10
VIDEO = {"width": 1920, "height": 1080, "fps": 30}


def main():
    with tempfile.TemporaryDirectory() as folder, closing(Guest(prepare(), Path(folder))) as guest:
        broker = GuestBroker(guest).start()
        front, other = Camera(guest, "front"), Camera(guest, "other", port=1)
        cameras = [{"id": "door", "source": {"serial": "front"}, "v4l2": VIDEO}]
        agent = GuestAgent(guest, broker, cameras=cameras, log={"level": "debug"}).start()
        with Controller(broker) as controller:
            rows = [latency(guest, controller, front, other), frames(guest, agent, controller), plugging(agent, controller, front)]
            agent.stop()
            rows.append(processor(guest, broker, front, other))
    rows.append(output_latency.figure())
    print(json.dumps(rows))


def latency(guest, controller, front, other):
    """From a bare subscriber's getting the command to the control transfer's reaching the camera."""
    script = f"mosquitto_sub -h 127.0.0.1 -t script | while read -r value; do v4l2-ctl -d {other.node} -c zoom_absolute=$value; done"
    guest.start("script", "sh", "-c", script)
    for name, topic in (("tap-ours", controller.topic("zoom/set")), ("tap-script", "script")):
        guest.start(name, "mosquitto_sub", "-h", "127.0.0.1", "-t", topic, "-F", "%U")
    time.sleep(1)
    at = front.mark(), other.mark()
    for n in range(COMMANDS):
        value = 110 + 37 * n % 380
        controller.obeyed("zoom", {"factor": value / 100})
        controller.publish("script", str(value).encode())
        eventually(lambda: other.lens() == value, f"the script's {value}")
    took = [transfers(guest, *of) for of in (("tap-ours", front, at[0]), ("tap-script", other, at[1]))]
    for name in ("script", "tap-ours", "tap-script"):
        guest.kill(name)
    note = (
        f"{COMMANDS} commands, medians. From when a bare subscriber in the guest gets the command to when the virtual camera gets SET_CUR. "
        "The peer is what one would write in a shell: mosquitto_sub, a loop, v4l2-ctl.")
    return ["zoom/set → control transfer at the camera", *took, "ms", "mosquitto_sub and v4l2-ctl", note]


def transfers(guest, tap, camera, since) -> float:
    """The median, in ms."""
    offset = int(guest.check("grep -m 1 -A 4 'ktime_get_real' /proc/timer_list | grep -m 1 offset").split()[1])
    received = [int(float(seconds) * 1e9) - offset for seconds in guest.log(tap).split()]
    set_ = [entry.time for entry in camera.log(since) if entry.text.startswith("SET_CUR zoom ")]
    assert len(received) == len(set_) == COMMANDS, (len(received), len(set_))
    return statistics.median(after - before for before, after in zip(received, set_)) / 1e6


def frames(guest, agent, controller):
    """Frames that the driver lost in ten seconds, with a hundred zooms a second and with none."""
    def lost(zooms: bool) -> int:
        before = len(reports(agent))
        shots = controller.send("capture", {"count": SECONDS, "interval_ms": 1000, "max_age_ms": 1000})
        until, n = time.monotonic() + SECONDS, 0
        while zooms and time.monotonic() < until:
            n += 1
            controller.send("zoom", {"factor": 1 + n % 300 / 100, "id": None}, qos=0)
            time.sleep(0.01)
        shots.result(timeout=60)
        # The stream ends five seconds after the last photo.
        guest.sleep(8)
        since = reports(agent)[before:]
        received[zooms] = sum(frames for frames, _ in since)
        return sum(lost for _, lost in since)

    received: dict[bool, int] = {}
    with_zooms, without = lost(True), lost(False)
    note = (
        f"1080p MJPG at 30 frames a second, about {SECONDS} s and the five that the stream goes on after the last photo: {received[True]} frames were "
        f"received with a hundred zoom/set a second, {received[False]} with none.")
    return ["frames lost at 1080p30, 100 zooms a second", with_zooms, without, "", "no zooms", note]


def reports(agent) -> list[tuple[int, int]]:
    """Frames that were received and lost since the report before, of each report in the log."""
    return [(int(received), int(lost)) for received, lost in re.findall(r"received (\d+) frames, lost (\d+)", agent.log)]


def plugging(agent, controller, front):
    """From the plug to `online`, beside from the plug to the driver's making the node."""
    def state(wanted):
        return lambda state: state["state"] == wanted

    nodes, online = [], []
    for _ in range(PLUGS):
        front.unplug()
        controller.state("availability", state("offline"))
        since, began = controller.mark(), time.monotonic()
        front.plug()
        nodes.append(time.monotonic() - began)
        controller.state("availability", state("online"), since=since)
        online.append(time.monotonic() - began)
    note = f"Medians of {PLUGS} cycles, as seen from outside of the guest. The peer is the driver alone: until the video node is there."
    return ["replug → `online`", statistics.median(online) * 1000, statistics.median(nodes) * 1000, "ms", "node is there", note]


def processor(guest, broker, front, other):
    """Processor time of a stream without a consumer."""
    cameras = [{"id": "door", "source": {"serial": "front"}, "v4l2": {**VIDEO, "stream": "always"}}]
    agent = GuestAgent(guest, broker, cameras=cameras, name="idle").start()
    guest.start("peer", "v4l2-ctl", "-d", other.node, "--set-fmt-video=width=1920,height=1080,pixelformat=MJPG",
                "--stream-mmap", "--stream-count=100000")
    time.sleep(3)
    spent = []
    for name in ("agent-idle", "peer"):
        before = busy(guest, name)
        time.sleep(SECONDS)
        spent.append((busy(guest, name) - before) / SECONDS / 1e6)
    guest.kill("peer")
    agent.stop()
    note = f"1080p MJPG at 30 frames a second for {SECONDS} s, one after the other, both streams on all the time. The peer is v4l2-ctl --stream-mmap."
    return ["processor time of an idle stream, 30 fps", *spent, "ms a second", "v4l2-ctl", note]


def busy(guest, name) -> int:
    """Nanoseconds, of all threads."""
    lines = guest.check(f"cat /proc/$(cat /run/job/{name}.pid)/task/*/schedstat").splitlines()
    return sum(int(line.split()[0]) for line in lines)


if __name__ == "__main__":
    main()
