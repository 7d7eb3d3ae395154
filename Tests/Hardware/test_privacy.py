"""A private camera, as the kernel and the camera see it: its own privacy control is on, no process has its
device open, and it sends no frame.

The rules themselves are in `Tests/CameraCoreTests/PrivacyTests.swift`, in virtual time.
"""

import pytest

from controller import Controller
from guest_agent import GuestAgent
from guest_photos import SMALL, seen
from recording_steps import finished
from v4l2ctl import photo
from virtual_camera import Camera

#: Commands that need the device.
COMMANDS = {
    "zoom": {"factor": 2}, "capture": {}, "controls": {"brightness": 1}, "preview": {"seconds": 60},
    "recording": {"on": True, "codec": "mjpeg"}, "session": {"quality": "medium"}, "viewport": {"by": {"dx": 1}}}


@pytest.fixture(scope="module")
def front(guest):
    """Its privacy control can be set by the host; that of most cameras is a slider in front of the lens."""
    return Camera(guest, "front", writable="privacy")


@pytest.fixture(scope="module")
def agent(guest, broker, front):
    """It streams at all times, so that a device that is not closed shows itself."""
    camera = {"id": "door", "source": {"serial": "front"}, "v4l2": {**SMALL, "stream": "always"}}
    agent = GuestAgent(guest, broker, cameras=[camera], captures={"retain_image": True}).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def owner(broker, agent):
    with Controller(broker) as owner:
        owner.obeyed("privacy", {"state": "OFF"})
        yield owner


def holders(guest, camera: Camera) -> list[str]:
    """The descriptors of all processes that have the device open."""
    return guest.check(f"ls -l /proc/[0-9]*/fd/* 2>/dev/null | grep -e '-> {camera.node}$' || true").splitlines()


def streams(camera: Camera, since: int) -> list[str]:
    """The beginnings and ends of streams."""
    return [entry.text for entry in camera.log(since) if entry.text.startswith("stream ")]


def make_private(owner):
    owner.obeyed("privacy", {"state": "ON", "client": "owner"})
    assert owner.state("privacy")["state"] == "ON"


def assert_private(guest, owner, camera: Camera, since: int):
    """The device is closed, its own control is on, and no stream has begun since this mark in the camera's
    log."""
    assert camera.command("read", "privacy") == "1"
    assert owner.state("availability") == {"state": "online", "reason": "private"}
    for node, body in COMMANDS.items():
        owner.refused(node, body, "private")
    assert holders(guest, camera) == []
    assert not [text for text in streams(camera, since) if text != "stream stop"]


def assert_public(guest, owner, camera: Camera):
    owner.state("availability", lambda availability: availability == {"state": "online"})
    assert camera.command("read", "privacy") == "0"
    assert seen(guest, owner).zoom == camera.lens()
    assert len(holders(guest, camera)) == 1


def test_the_device_is_closed_with_its_own_control_on(guest, owner, front):
    assert_public(guest, owner, front)
    owner.obeyed("preview", {"seconds": 600, "width": 320})
    owner.obeyed("zoom", {"factor": 2})
    begin = owner.mark()
    owner.obeyed("recording", {"on": True, "codec": "mjpeg"})
    owner.state("recording", lambda state: state["state"] == "recording")
    owner.inbox.wait_for(owner.topic("preview/live"), since=begin)
    since = front.mark()

    make_private(owner)
    on = owner.mark()
    # The control is set while the device is still open.
    order = [entry.text for entry in front.log(since) if entry.text in ("SET_CUR privacy 1", "stream stop", "closed")]
    assert order.index("SET_CUR privacy 1") < order.index("closed")
    assert order.count("stream stop") == 1
    assert finished(owner, begin)["reason"] == "privacy"
    assert owner.state("preview") is None
    assert_private(guest, owner, front, since)

    # The device is free for another program. This camera sends it frames in spite of the control.
    mark = front.mark()
    assert photo(guest, front.node)
    assert any(text.startswith("stream MJPG 640x480") for text in streams(front, mark))
    assert_private(guest, owner, front, front.mark())
    assert not owner.inbox.all(owner.topic("preview/live"), on)
    assert not owner.inbox.all(owner.topic("image"), on)

    owner.obeyed("privacy", {"state": "OFF"})
    assert_public(guest, owner, front)
    assert front.lens() == 200


def test_a_killed_agent_starts_private(guest, owner, front, agent):
    make_private(owner)
    since = owner.state("privacy")["since"]
    agent.kill()
    mark, begin = front.mark(), owner.mark()
    agent.start()
    state = owner.state("privacy", since=begin)
    assert (state["state"], state["client"], state["since"]) == ("ON", "owner", since)
    assert_private(guest, owner, front, mark)
    assert not [entry for entry in front.log(mark) if entry.text == "opened"], "it was not opened, not even to read its name"
    owner.obeyed("privacy", {"state": "OFF"})
    assert_public(guest, owner, front)


@pytest.mark.parametrize("way", ["while the agent runs", "while the agent is stopped"])
def test_a_camera_is_plugged_in_again_while_it_is_private(guest, owner, front, agent, way):
    make_private(owner)
    mark = front.mark()
    if "stopped" in way:
        assert agent.stop() == 0
    front.unplug()
    front.plug()
    if "stopped" in way:
        agent.start()
    assert_private(guest, owner, front, mark)
    owner.obeyed("privacy", {"state": "OFF"})
    assert_public(guest, owner, front)


def test_off_waits_for_a_camera_that_is_away(guest, owner, front):
    make_private(owner)
    front.unplug()
    owner.refused("capture", {}, "private")
    owner.obeyed("privacy", {"state": "OFF"})
    assert owner.state("availability")["state"] == "offline"
    owner.refused("capture", {}, "unavailable")
    front.plug()
    assert_public(guest, owner, front)
