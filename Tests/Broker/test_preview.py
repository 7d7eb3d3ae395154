"""Live frames while a client has a lease."""

import io
import itertools
import os
import socket
import struct
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from PIL import Image

from inbox import Message
from movie_file import SMALL
from proxy import Proxy
from simulated_scene import in_scene, open_photo, read_position
from waiting import eventually

CORNERS = [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)]
LIVE = "preview/live"


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def viewer(controller):
    """A controller; at the end of the test no preview is leased."""
    yield controller
    newest = controller.inbox.newest(controller.topic("preview"))
    for client in newest.json["clients"] if newest and newest.json else []:
        controller.obeyed("preview", {"stop": True, "client": client})
    controller.obeyed("preview", {"stop": True})
    controller.state("preview", lambda state: state is None)


def frame(controller, since=None, wanted=lambda image: True):
    """The next frame, or one that is wanted."""
    since = controller.mark() if since is None else since
    message = controller.inbox.wait_for(
        controller.topic(LIVE), lambda message: wanted(opened(message.payload)), since=since)
    return opened(message.payload)


def opened(data: bytes) -> Image.Image:
    return open_photo(io.BytesIO(data))


def frames(controller, since) -> list:
    return controller.inbox.all(controller.topic(LIVE), since)


def shows(image: Image.Image, zoom: dict) -> bool:
    """Whether this part of the scene is on it."""
    return all(
        read_position(image, x, y, 0.1) == pytest.approx(in_scene(zoom, x, y), abs=0.03) for x, y in CORNERS)


def answered(controller) -> Message:
    """The answer to a command that changes nothing."""
    answer = controller.obeyed("zoom", {"stop": True})
    return next(message for message in controller.inbox.all(controller.response_topic) if message.json == answer)


def nothing_comes(controller):
    """Photos take as long as several frames."""
    since = controller.mark()
    controller.obeyed("capture", {"count": 4, "interval_ms": 50, "size": {"width": 64}})
    assert not frames(controller, since)


def processor_time(agent) -> int:
    """In hundredths of a second."""
    fields = Path(f"/proc/{agent.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def waits(agent) -> int:
    """How often its threads have waited for something. Of a thread that ended, nothing counts."""
    count = 0
    for status in Path(f"/proc/{agent.process.pid}/task").glob("*/status"):
        with suppress(FileNotFoundError, ProcessLookupError):
            count += int(status.read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return count


def memory(agent) -> int:
    """Resident, in bytes."""
    pages = Path(f"/proc/{agent.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def unsent(port: int) -> int:
    """Bytes that the kernel has taken for this port, and the other end has not."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(int(line[4].split(":")[0], 16) for line in lines if line[2].endswith(f":{port:04X}"))


def seconds(begin: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


@pytest.mark.deep
def test_no_frames_without_a_lease(viewer):
    assert viewer.state("preview", since=0) is None
    nothing_comes(viewer)


def test_state_lists_clients_and_expiry(viewer):
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 20, "width": 160, "seconds": 60, "client": "phone"})
    state = viewer.state("preview", lambda state: state, since=since)
    assert (state["fps"], state["width"], state["clients"]) == (20, 160, ["phone"])
    assert seconds(state["ts"], state["until"]) == pytest.approx(60, abs=1)
    message = viewer.inbox.wait_for(viewer.topic(LIVE), since=since)
    assert (message.qos, message.retained, message.content_type) == (0, False, "image/jpeg")
    assert Image.open(io.BytesIO(message.payload)).size == (160, 90)
    for _ in range(3):
        assert frame(viewer).size == (160, 90)


def test_a_frame_has_the_zoom_that_it_shows(viewer):
    """Also while the zoom moves: what the user properties say is what is in the picture."""
    viewer.obeyed("preview", {"fps": 20, "seconds": 60})
    since = viewer.mark()
    viewer.obeyed("zoom", {"factor": 4, "rate": 4, "anchor": {"x": 0.3, "y": 0.5}})
    state = viewer.state("zoom", lambda state: state["factor"] == 4, since=since)
    viewer.inbox.wait_for(viewer.topic(LIVE), lambda frame: dict(frame.user_properties)["rev"] == str(state["rev"]), since=since)
    shown = [dict(frame.user_properties) for frame in frames(viewer, since)]
    assert any(1 < float(properties["factor"]) < 4 for properties in shown)
    for message, properties in zip(frames(viewer, since), shown):
        image = opened(message.payload)
        assert image.size == (int(properties["width"]), int(properties["height"]))
        viewport = {name: float(properties[f"viewport.{name}"]) for name in ("x", "y", "width", "height")}
        assert float(properties["factor"]) == pytest.approx(float(properties["optical"]) / viewport["width"], abs=1e-4)
        assert shows(image, {"factor": float(properties["factor"]), "viewport": viewport})
    viewer.obeyed("zoom", {"factor": 1})


@pytest.mark.deep
@pytest.mark.parametrize("payload", [b"", b"ON", b"{}"])
def test_defaults_are_five_fps_for_30_seconds(viewer, payload):
    since = viewer.mark()
    viewer.obeyed("preview", payload)
    state = viewer.state("preview", lambda state: state, since=since)
    assert (state["fps"], state["width"], state["clients"]) == (5, 640, [])
    assert seconds(state["ts"], state["until"]) == pytest.approx(30, abs=1)
    assert frame(viewer, since).size == (320, 180)  # no wider than the camera's


@pytest.mark.deep
def test_lease_expires_and_frames_stop(viewer):
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 30, "width": 64, "seconds": 1})
    viewer.state("preview", lambda state: state, since=since)
    frame(viewer, since)
    viewer.state("preview", lambda state: state is None)
    nothing_comes(viewer)


@pytest.mark.deep
def test_lease_can_be_renewed(viewer):
    viewer.obeyed("preview", {"fps": 30, "width": 64, "seconds": 3, "client": "phone"})
    first = viewer.state("preview", lambda state: state)
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 30, "width": 64, "seconds": 60, "client": "phone"})
    # The first state may be published once more before.
    viewer.state("preview", lambda state: state and state["until"] > first["until"], since=since)
    # A command at the end that it would have had: its answer comes after that.
    viewer.obeyed("zoom", {"factor": 2, "at": first["until"], "at_any_clock": True})
    since_then = viewer.mark()
    frame(viewer, since_then)
    assert all(viewer.states("preview", since))


@pytest.mark.deep
def test_client_can_release_its_lease(viewer):
    viewer.obeyed("preview", {"fps": 30, "width": 64, "client": "phone"})
    viewer.obeyed("preview", {"fps": 10, "width": 160, "client": "desk"})
    state = viewer.state("preview", lambda state: state and len(state["clients"]) == 2)
    assert (state["fps"], state["width"], state["clients"]) == (30, 160, ["desk", "phone"])
    viewer.obeyed("preview", {"stop": True, "client": "phone"})
    state = viewer.state("preview", lambda state: state and len(state["clients"]) == 1)
    assert (state["fps"], state["width"], state["clients"]) == (10, 160, ["desk"])
    assert frame(viewer, wanted=lambda image: image.width == 160)
    viewer.obeyed("preview", b'{"stop":true,"client":"desk"}')
    viewer.state("preview", lambda state: state is None)
    nothing_comes(viewer)
    viewer.obeyed("preview", b"OFF")


@pytest.mark.deep
def test_larger_width_applies_to_the_next_frame(viewer):
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 30, "width": 64, "client": "phone"})
    assert frame(viewer, since).size == (64, 36)
    viewer.obeyed("preview", {"fps": 30, "width": 320, "client": "desk"})
    assert frame(viewer, wanted=lambda image: image.width == 320).size == (320, 180)


@pytest.mark.deep
def test_first_frame_is_published_immediately(viewer):
    viewer.obeyed("preview", {"fps": 30, "width": 64})
    frame(viewer)
    viewer.obeyed("preview", {"stop": True})
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 0.1, "width": 64})
    # the next one by itself would take ten seconds
    viewer.inbox.wait_for(viewer.topic(LIVE), since=since, timeout=9)


@pytest.mark.deep
def test_higher_rate_applies_to_the_next_frame(viewer):
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 30, "width": 64, "client": "calm"})
    frame(viewer, since)
    viewer.obeyed("preview", {"fps": 0.1, "width": 64, "client": "calm"})
    viewer.obeyed("capture", {"count": 3, "size": {"width": 64}})  # what was under way has come
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 30, "width": 64, "client": "hurried"})
    # the next one by itself would take ten seconds
    viewer.inbox.wait_for(viewer.topic(LIVE), since=since, timeout=9)


def test_frames_show_the_present_zoom(viewer):
    viewer.obeyed("preview", {"fps": 60, "width": 160})
    for factor in (4, 1, 8, 2):
        state = viewer.zoom_to(factor)
        since = viewer.mark()
        frame(viewer, wanted=lambda image: shows(image, state))
        late = next(place for place, message in enumerate(frames(viewer, since)) if shows(opened(message.payload), state))
        assert late <= 2, f"{late} frames still showed what was before"
        assert shows(frame(viewer), state)


@pytest.mark.deep
def test_frames_show_the_progress_of_a_ramp(viewer):
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 60, "width": 160})
    frame(viewer, since)

    def width(message) -> float:
        image = opened(message.payload)
        return read_position(image, 0.9, 0.5, 0.1)[0] - read_position(image, 0.1, 0.5, 0.1)[0]
    # On the way for nine seconds, so that a busy machine shows three frames of it too. Then it goes on
    # faster.
    slow, at = viewer.send("zoom", {"factor": 8, "rate": 0.25}), since
    for _ in range(3):
        message = viewer.inbox.wait_for(viewer.topic(LIVE), lambda message: 0.15 < width(message) < 0.7, since=at)
        at = viewer.inbox.place(message) + 1
    viewer.obeyed("zoom", {"factor": 8, "rate": 6})
    assert slow.result()["status"] == "superseded", "the way was over before its frames came"
    widths = [width(message) for message in frames(viewer, since)]
    assert all(after < before + 0.06 for before, after in itertools.pairwise(widths)), "an older frame came after a newer one"


@pytest.mark.deep
def test_preview_continues_over_a_change_of_the_session(viewer):
    viewer.obeyed("session", {"quality": "high"})
    viewer.obeyed("preview", {"fps": 60, "width": 640})
    assert frame(viewer).size == (320, 180)
    viewer.obeyed("session", {"fps": 15})
    frame(viewer)
    viewer.obeyed("session", {"fps": 30})
    assert viewer.state("preview")["fps"] == 60
    frame(viewer)


@pytest.mark.deep
def test_frame_rate_does_not_exceed_the_requested_rate(viewer):
    viewer.obeyed("preview", {"fps": 10, "width": 64})
    frame(viewer)
    # Frames have no time of their own. Messages come in order: between two answers there are the frames of
    # the time between them, by the agent's clock.
    before = answered(viewer)
    for _ in range(5):
        frame(viewer)
    after = answered(viewer)
    between = frames(viewer, viewer.inbox.place(before))
    late = frames(viewer, viewer.inbox.place(after))
    assert 5 <= len(between) - len(late) <= 10 * seconds(before.json["ts"], after.json["ts"]) + 2


@pytest.mark.deep
def test_at_most_64_leases(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL)
    viewer = bench.controller(broker)
    request = {"fps": 0.1, "width": 64}
    for pending in [viewer.send("preview", {**request, "client": f"c{n}"}) for n in range(64)]:
        assert pending.result()["status"] == "done"
    viewer.obeyed("preview", {**request, "client": "c0"})
    viewer.obeyed("preview", {**request, "client": "one more"})
    clients = viewer.state("preview", lambda state: "one more" in state["clients"])["clients"]
    assert len(clients) == 64 and "c0" in clients and "c1" not in clients


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_leases_end_with_the_agent(bench, end):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    viewer = bench.controller(broker)
    viewer.obeyed("preview", {"fps": 30, "width": 64, "seconds": 3600})
    frame(viewer)
    getattr(agent, end)()
    since = viewer.mark()
    agent.start()
    viewer.state("preview", lambda state: state is None, since=since)
    nothing_comes(viewer)


def test_preview_of_an_absent_camera_is_unavailable(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    viewer = bench.controller(broker)
    viewer.obeyed("preview", {"seconds": 3600})
    viewer.state("preview", lambda state: state)
    agent.kill()
    agent.configuration["cameras"][0]["source"] = {"v4l2": "/dev/nosuch"}
    agent.configure(agent.configuration)
    agent.start()
    viewer.refused("preview", {}, "unavailable")
    viewer.state("preview", lambda state: state is None)  # not the state of the run before


@pytest.mark.deep
def test_stop_without_a_lease_is_done(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/nosuch"}})
    bench.controller(broker).obeyed("preview", {"stop": True})


@pytest.mark.deep
def test_camera_without_frames_uses_little_processor_time(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"inject_fault": "frame_error"}})
    viewer = bench.controller(broker)
    since, before = viewer.mark(), processor_time(agent)
    viewer.obeyed("preview", {"fps": 60, "seconds": 1})
    viewer.state("preview", lambda state: state, since=since)
    viewer.state("preview", lambda state: state is None)
    # A fifth of the lease: requests without a pause between them would take all that other processes leave.
    assert processor_time(agent) - before < 20


@pytest.mark.deep
def test_processor_time_returns_to_idle_after_the_last_lease(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    viewer = bench.controller(broker)

    def wakeups() -> int:
        """How often its threads wait in half a second: with frames of the camera at least 15 times."""
        before = waits(agent)
        time.sleep(0.5)
        return waits(agent) - before
    eventually(lambda: wakeups() < 8, "an idle agent")
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 60, "width": 320})
    for _ in range(10):
        frame(viewer)
    eventually(lambda: wakeups() >= 8, "frames")
    viewer.obeyed("preview", {"stop": True})
    viewer.state("preview", lambda state: state is None, since=since)
    eventually(lambda: wakeups() < 8, "an agent as idle as before")


# Who doesn't keep up


class StalledSubscriber:
    """Subscribes to the frames, and never reads one."""

    def __init__(self, broker, topic: str):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(("127.0.0.1", broker.port))
        name = b"dawdler"
        connect = b"\x00\x04MQTT\x04\x02\x00\x3c" + struct.pack("!H", len(name)) + name
        self.socket.sendall(bytes([0x10, len(connect)]) + connect)
        assert self.socket.recv(4, socket.MSG_WAITALL)[3:] == b"\x00"
        subscribe = b"\x00\x01" + struct.pack("!H", len(topic)) + topic.encode() + b"\x00"
        self.socket.sendall(bytes([0x82, len(subscribe)]) + subscribe)
        assert self.socket.recv(5, socket.MSG_WAITALL)[:1] == b"\x90"


@pytest.mark.needs("anonymous clients")
def test_stalled_subscriber_delays_no_other_subscriber(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"width": 1280, "height": 720}})
    viewer = bench.controller(broker)
    stalled = StalledSubscriber(broker, viewer.topic(LIVE))
    since = viewer.mark()
    viewer.obeyed("preview", {"fps": 60, "width": 1280})
    frame(viewer, since)
    before = memory(agent)
    for n in range(15):
        since = viewer.mark()
        assert viewer.obeyed("zoom", {"factor": 1 + n % 2})["status"] == "done"
        frame(viewer, since)
    assert memory(agent) - before < 16 << 20
    viewer.obeyed("preview", {"stop": True})
    stalled.socket.close()


def test_stalled_broker_gets_the_newest_frames_afterwards(bench):
    broker = bench.broker()
    with Proxy(broker) as proxy:
        agent = bench.agent(broker, camera={"simulated": {"width": 1280, "height": 720}}, mqtt={"port": proxy.port})
        viewer = bench.controller(broker)
        viewer.obeyed("preview", {"fps": 60, "width": 1280})
        frame(viewer)
        proxy.stall()
        eventually(lambda: unsent(proxy.port), "the way to be full")
        before, waited = memory(agent), waits(agent)
        eventually(lambda: waits(agent) - waited > 60, "a second of frames")
        assert memory(agent) - before < 16 << 20
        proxy.resume()
        state = viewer.zoom_to(4)
        frame(viewer, wanted=lambda image: shows(image, state))
        assert shows(frame(viewer), state)
        viewer.obeyed("preview", {"stop": True})
