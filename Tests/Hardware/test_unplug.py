"""Cameras that are pulled and plugged in again, in the middle of whatever they were at."""

import time

import pytest

from virtual_camera import PUBLICATION_LIMIT, Camera
from guest_agent import GuestAgent
from guest_photos import SMALL, seen
from simulated_scene import near
from camera_controllers import controllers_at
from waiting import eventually


@pytest.fixture(scope="module")
def cameras(guest):
    return {"front": Camera(guest, "front", port=0), "back": Camera(guest, "back", port=1, motor=100, auto_update="zoom")}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": "front", "source": {"v4l2": cameras["front"].node}, "v4l2": {**SMALL, "stream": "always"}},
        {"id": "back", "source": {"serial": "back"}, "v4l2": dict(SMALL)}]).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def controller_for(broker, agent, cameras):
    with controllers_at(broker, at=None) as controller_for:
        yield controller_for


def plugged(controller, camera: Camera):
    """Plugs it in; returns when the agent serves it."""
    since = controller.mark()
    camera.plug()
    controller.state("availability", lambda availability: availability["state"] == "online", since=since)


def assert_unplugged(controller, camera: Camera):
    """Pulls the cable; the agent must publish that soon."""
    since = controller.mark()
    camera.command("unplug")
    availability = controller.state("availability", lambda availability: availability["state"] == "offline", since=since)
    assert availability["reason"] == "unplugged"
    # An availability has no time: by the guest's clock, which is the host's only while the guest waits.
    assert camera.guest.clock() - camera.unplugged_at() < PUBLICATION_LIMIT * 1e9
    camera.unplug()


def assert_failed(pending):
    """The command was answered, and in words, that nothing came of it."""
    answer = pending.result()
    assert answer["status"] == "error" and answer["error"]["code"] in ("unavailable", "device"), answer


# The pull


@pytest.mark.parametrize("camera", ["front", "back"])
def test_unplugged_camera_is_offline_within_a_second(controller_for, cameras, camera):
    """The one streams, the other doesn't."""
    controller = controller_for(camera)
    assert_unplugged(controller, cameras[camera])
    for node, body in (("zoom", {"factor": 2}), ("capture", {}), ("controls", {"brightness": 1}), ("viewport", {"by": {"dx": 1}})):
        assert "unplugged" in controller.refused(node, body, "unavailable")["message"]
    plugged(controller, cameras[camera])
    controller.zoom_to(2)
    assert cameras[camera].lens() == 200


def test_unplug_during_a_photo(controller_for, cameras):
    controller, front = controller_for("front"), cameras["front"]
    front.command("freeze", 60)
    photos = [controller.send("capture", {}) for _ in range(3)]
    assert all(photo.answer()["status"] == "accepted" for photo in photos)
    assert_unplugged(controller, front)
    for photo in photos:
        assert_failed(photo)
    assert controller.state("capture", lambda state: state["pending"] == 0)
    front.command("freeze", 0)
    plugged(controller, front)
    assert seen(front.guest, controller).zoom == front.lens()


@pytest.mark.parametrize("camera, way", [("front", {"factor": 4, "rate": 0.2}), ("back", {"factor": 5})])
def test_unplug_during_a_ramp(controller_for, cameras, camera, way):
    controller, camera = controller_for(camera), cameras[camera]
    controller.zoom_to(1)
    ramp = controller.send("zoom", way)
    assert ramp.answer()["status"] == "accepted"
    eventually(lambda: camera.lens() > 110, "the ramp's way")
    assert_unplugged(controller, camera)
    assert_failed(ramp)
    plugged(controller, camera)
    assert controller.zoom_to(3)["optical"] == 3 and camera.lens() == 300


def test_unplug_during_a_hang(controller_for, cameras):
    controller, front = controller_for("front"), cameras["front"]
    front.command("hang", 60)
    wanted = {"zoom": {"factor": 4.5}, "controls": {"brightness": 3}, "capture": {}}
    pending = [controller.send(node, body) for node, body in wanted.items()]
    time.sleep(0.3)
    assert_unplugged(controller, front)
    for command in pending:
        assert_failed(command)
    front.command("hang", 0)
    plugged(controller, front)


# The return


def test_zoom_is_restored_before_the_camera_is_online(controller_for, cameras):
    """The lens takes two seconds to get there."""
    controller, back = controller_for("back"), cameras["back"]
    controller.zoom_to(3)
    controller.obeyed("controls", {"brightness": 33})
    assert_unplugged(controller, back)
    back.button("zoom", 100)
    back.button("brightness", 0)
    plugged(controller, back)
    assert (back.lens(), back.command("read", "brightness")) == (300, "33")
    state = controller.state("zoom", lambda state: not state["ramping"])
    assert (state["factor"], state["origin"]["kind"]) == (3, "restore")


def test_camera_absent_at_the_start_is_served_when_plugged_in(controller_for, cameras, agent):
    controller, front = controller_for("front"), cameras["front"]
    controller.zoom_to(4)
    assert_unplugged(controller, front)
    assert agent.stop() == 0
    front.button("zoom", 100)
    since = controller.mark()
    agent.start()
    controller.state("availability", lambda availability: availability.get("reason") == "not_found", since=since)
    plugged(controller, front)
    assert front.lens() == 400
    assert controller.state("zoom", lambda state: state["boot"] == 2)["factor"] == near(4)


def test_cameras_are_recognised_after_their_device_numbers_are_swapped(controller_for, cameras, guest):
    front, back = cameras["front"], cameras["back"]
    controllers = {camera: controller_for(camera.name) for camera in (front, back)}
    before = front.node, back.node
    for camera in (front, back):
        assert_unplugged(controllers[camera], camera)
    for camera in (back, front):
        plugged(controllers[camera], camera)
    assert (back.node, front.node) == before, "they have the numbers that they had"
    controllers[front].zoom_to(1.5)
    controllers[back].zoom_to(3.5)
    assert (front.lens(), back.lens()) == (150, 350)
    assert seen(guest, controllers[front]).zoom == 150


# Over and over


def resources(guest) -> int:
    """Threads and descriptors of the agent."""
    return int(guest.check("cd /proc/$(cat /run/job/agent-porch.pid) && ls task fd 2>/dev/null | wc -l"))


def large_mappings(guest) -> int:
    """Stacks of threads, 8 MiB each, among others."""
    lines = guest.check("cat /proc/$(cat /run/job/agent-porch.pid)/maps").splitlines()
    ranges = (line.split()[0].split("-") for line in lines)
    return sum(int(end, 16) - int(start, 16) >= 8 << 20 for start, end in ranges)


@pytest.mark.deep
def test_twenty_unplugs_under_load(controller_for, cameras, guest):
    """Commands are under way at every pull, and each is answered; the other camera never notices."""
    front, controller, other = cameras["front"], controller_for("front"), controller_for("back")
    controller.zoom_to(1)
    seen(guest, controller)
    before, stacks, pending, others = resources(guest), large_mappings(guest), [], []
    load = [("zoom", {"factor": 4}), ("capture", {"size": {"width": 64}}), ("zoom", {"factor": 2, "rate": 2}), ("controls", {"brightness": 7})]
    for cycle in range(20):
        pending += [controller.send(node, body) for node, body in load]
        others.append(other.send("zoom", {"factor": 3 + cycle / 100}))
        time.sleep((0, 0.03, 0.2)[cycle % 3])
        assert_unplugged(controller, front)
        pending.append(controller.send("zoom", {"factor": 2}))
        # it is gone again while it is being taken up; a transfer under way may hold the node for five seconds
        if cycle in (5, 15):
            front.plug()
            front.unplug()
        plugged(controller, front)
    answers = [command.result()["status"] for command in pending]
    assert "error" in answers and "accepted" not in answers
    assert {command.result()["status"] for command in others} <= {"done", "superseded"}
    assert controller.zoom_to(3)["optical"] == 3
    assert seen(guest, controller).zoom == front.lens() == 300
    eventually(lambda: resources(guest) <= before, f"no more threads and descriptors than the {before} before")
    # The system keeps a few stacks of ended threads for the next ones.
    assert large_mappings(guest) <= stacks + 6, "threads that have ended left their stacks"
