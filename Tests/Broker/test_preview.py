"""Live frames while a client has a lease."""

import io
import os
import socket
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from PIL import Image

from inbox import Message
from movie_file import SMALL
from plain_client import connected, subscribe
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


@pytest.mark.needs("anonymous clients")
def test_stalled_subscriber_delays_no_other_subscriber(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"width": 1280, "height": 720}})
    viewer = bench.controller(broker)
    stalled = connected(broker, "dawdler")
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    subscribe(stalled, viewer.topic(LIVE))
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
    stalled.close()


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
