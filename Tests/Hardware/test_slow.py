"""Slow and faulty devices: they delay no other camera, and what they refuse is answered with the driver's
error."""

import errno
import os
import signal
import time

import pytest

from virtual_camera import Camera
from guest_agent import GuestAgent
from guest_photos import SMALL, seen
from simulated_scene import near
from waiting import eventually

pytestmark = pytest.mark.deep  # waits for the driver's timeouts of five seconds

#: Seconds, by the guest's clock, that an answer may take while another camera, or a photo, is stuck: less
#: than a stream that stands still (3) or the driver (5) takes to fail. How fast it is, is measured in
#: Tests/Benchmarks.
AT_ONCE = 2.5


@pytest.fixture(scope="module")
def cameras(guest):
    return {
        "front": Camera(guest, "front", port=0, auto_update="zoom"),
        "back": Camera(guest, "back", port=1),
        "tele": Camera(guest, "tele", port=2, motor=80, auto_update="zoom")}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = [{"id": name, "source": {"serial": name}, "v4l2": dict(SMALL)} for name in cameras]
    agent = GuestAgent(guest, broker, cameras=settings).start()
    yield agent
    assert agent.ending() is None


def at_once(guest, awaited) -> dict:
    """What `awaited` returns: a message that the agent wrote soon after the call."""
    before = guest.clock()
    message = awaited()
    assert guest.seconds_until(message, before) < AT_ONCE
    return message


def assert_state_matches_lens(controller, camera: Camera):
    """The last state is what the lens is at, and what the picture shows."""
    state = controller.state("zoom", lambda state: not state["ramping"])
    assert state["optical"] == near(camera.lens() / 100)
    assert seen(camera.guest, controller).zoom == camera.lens()


# One hangs


def test_hanging_camera_does_not_delay_another_camera(controller_for, cameras, guest):
    """The driver waits five seconds for a camera that never answers."""
    front, back = controller_for("front"), controller_for("back")
    cameras["front"].command("hang", 5.5)
    stuck = [front.send("zoom", {"factor": 3}), front.send("controls", {"brightness": 5}), front.send("capture", {})]
    guest.sleep(0.2)
    for factor in (2, 3, 4):
        assert at_once(guest, lambda: back.obeyed("zoom", {"factor": factor}))["factor"] == factor
        assert cameras["back"].lens() == 100 * factor
    at_once(guest, lambda: back.obeyed("controls", {"brightness": 6}))
    assert seen(guest, back).zoom == 400
    answers = [command.result() for command in stuck]
    assert answers[0]["error"]["code"] == "device", answers[0]
    assert "timed out" in answers[0]["error"]["message"].lower()
    assert all(answer["status"] == "done" or answer["error"]["code"] == "device" for answer in answers)
    assert front.zoom_to(2) and cameras["front"].lens() == 200
    assert_state_matches_lens(front, cameras["front"])


def test_stop_during_a_hang_is_executed_after_it(controller_for, cameras):
    controller, front = controller_for("front"), cameras["front"]
    ramp = controller.send("zoom", {"factor": 4, "rate": 0.5})
    eventually(lambda: front.lens() > 105, "the ramp's way")
    front.command("hang", 5)
    time.sleep(0.5)
    since = front.mark()
    stop = controller.send("zoom", {"stop": True})
    answers = ramp.result(), stop.result()
    assert answers[0]["status"] in ("superseded", "error") and answers[1]["status"] in ("done", "error"), answers
    # At most the one setting that was under way came through; nothing of the ramp comes after the stop.
    assert len(set(front.settings("zoom", since))) <= 1
    at = front.lens()
    assert 105 < at < 250
    assert_state_matches_lens(controller, front)
    assert front.lens() == at


def test_stop_does_not_wait_for_a_photo(controller_for, cameras):
    controller, tele = controller_for("tele"), cameras["tele"]
    tele.command("freeze", 60)
    photo = controller.send("capture", {"max_age_ms": 0})
    assert photo.answer()["status"] == "accepted"
    moving = controller.send("zoom", {"factor": 5})
    eventually(lambda: tele.lens() > 120, "the lens on its way")
    at_once(tele.guest, lambda: controller.obeyed("zoom", {"stop": True}))
    assert moving.result()["status"] == "superseded"
    at = tele.lens()
    assert 120 < at < 300
    assert photo.answer()["error"]["code"] == "device"
    tele.command("freeze", 0)
    assert tele.lens() == at
    assert_state_matches_lens(controller, tele)


# What is refused


@pytest.mark.parametrize("code, error", [(1, errno.EBUSY), (2, errno.EILSEQ), (3, errno.EREMOTE)])
def test_each_driver_error_is_reported(controller_for, cameras, code, error):
    """Not ready, wrong state, power (UVC 1.1, section 4.2.1.2): each is another error of the driver's."""
    controller, back = controller_for("back"), cameras["back"]
    back.command("stall", "brightness", code)
    message = controller.refused("controls", {"brightness": 9}, "device")["message"]
    assert os.strerror(error) in message and "brightness" in message
    back.command("stall", "brightness", 0)
    controller.obeyed("controls", {"brightness": 9})


# The ends of the agent


def test_hanging_camera_does_not_block_stop_or_start_of_the_agent(controller_for, cameras, agent, guest):
    front, back = controller_for("front"), controller_for("back")
    back.zoom_to(3)
    cameras["front"].command("hang", 60)
    stuck = front.send("zoom", {"factor": 3})
    before = guest.clock()
    agent.signal(signal.SIGTERM)
    back.agent_availability("stopped")
    assert guest.clock() - before < 4e9  # lenses that move have a moment to stop
    assert stuck.result()["error"]["code"] == "unavailable"
    # The kernel keeps a process until its last thread is back from the driver: that takes five seconds.
    assert agent.exit_code() == 0
    since = back.mark()
    agent.launch()
    back.state("availability", lambda availability: availability["state"] == "online", since=since)
    assert back.zoom_to(2) and cameras["back"].lens() == 200
    cameras["front"].command("hang", 0)
    front.state("availability", lambda availability: availability["state"] == "online", since=since)
    assert front.zoom_to(2) and cameras["front"].lens() == 200
