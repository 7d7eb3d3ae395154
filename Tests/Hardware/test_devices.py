"""Which cameras there are, by what they are known, and which of them are served."""

import json
from contextlib import closing

import pytest

from virtual_camera import Camera
from controller import Controller
from guest_agent import GuestAgent
from guest_photos import SMALL
from waiting import eventually

LINK = "/dev/v4l/by-id/usb-v4l2mqtt_Front_Door_front-video-index0"


@pytest.fixture(scope="module")
def vivid(guest) -> str:
    """A node for pictures, among others for overlays, metadata, VBI and radio; without a serial."""
    guest.load("vivid", n_devs=1, node_types="0x2045d", num_outputs=0)
    return next(path for path, name in guest.video_nodes().items() if name.endswith("vid-cap"))


@pytest.fixture(scope="module")
def cameras(guest, vivid):
    return [Camera(guest, "front", port=0, product="Front Door"), Camera(guest, "back", port=1, serial="B-0002", product="Back Yard")]


@pytest.fixture(scope="module")
def link(guest, cameras):
    """The one that udev would make for the first camera: the guest has no udev."""
    guest.check(f"mkdir -p /dev/v4l/by-id && ln -s {cameras[0].node} {LINK}")


@pytest.fixture
def start(guest, broker, cameras):
    """Starts the agent with these cameras in its configuration; it is stopped at the end of the test."""
    started = []

    def start(cameras: list[dict]) -> GuestAgent:
        agent = GuestAgent(guest, broker, cameras=cameras, name=f"agent{len(list(guest.share.iterdir()))}")
        if not cameras:
            agent.configure({key: value for key, value in agent.configuration.items() if key != "cameras"})
        started.append(agent.start())
        return agent

    yield start
    for agent in started:
        assert agent.ending() is None
        assert agent.stop() == 0


def listed(guest) -> list[dict]:
    return json.loads(guest.check(f"{GuestAgent.PROGRAM} devices --json"))


def controller_on(broker, agent, camera: str) -> Controller:
    return Controller(broker, agent=agent.name, camera=camera)


# The list


def test_each_camera_is_listed_once_and_nothing_else(guest, cameras, vivid):
    front, back = cameras
    assert len(guest.video_nodes()) > 5, "there are no other nodes to be left out"
    assert {device["path"] for device in listed(guest)} == {front.node, back.node, vivid}


def test_a_camera_is_known_by_its_serial_and_one_without_by_its_bus(guest, cameras, vivid):
    front, back = cameras
    by_path = {device["path"]: device for device in listed(guest)}
    reported = by_path[back.node]
    assert (reported["serial"], reported["model"].split(":")[0], reported["driver"]) == ("B-0002", "Back Yard", "uvcvideo")
    assert reported["bus"] != by_path[front.node]["bus"] and "usb" in reported["bus"]
    assert (by_path[vivid]["serial"], by_path[vivid]["bus"]) == ("", "platform:vivid-000")


def test_udev_names_are_listed_if_there_are_any(guest, cameras, link):
    by_path = {device["path"]: device for device in listed(guest)}
    assert by_path[cameras[0].node]["links"] == [LINK] and by_path[cameras[1].node]["links"] == []


def test_table_has_a_row_for_each_camera(guest, cameras, vivid):
    head, *rows = guest.check(f"{GuestAgent.PROGRAM} devices").splitlines()
    assert head.split()[:3] == ["DEVICE", "MODEL", "SERIAL"]
    assert len(rows) == 3
    (row,) = (row for row in rows if row.startswith(cameras[1].node))
    assert "Back Yard" in row and "B-0002" in row and row.index("B-0002") == head.index("SERIAL")


# Which is served


@pytest.mark.parametrize("source", [
    lambda camera: {"v4l2": camera.node}, lambda camera: {"serial": camera.serial},
    lambda camera: {"v4l2": LINK}], ids=["path", "serial", "by-id"])
def test_a_camera_is_found_by_each_of_its_names(start, broker, cameras, link, source):
    front = cameras[0]
    agent = start([{"id": "door", "source": source(front), "v4l2": dict(SMALL)}])
    with controller_on(broker, agent, "door") as controller:
        controller.zoom_to(2.5)
        assert front.lens() == 250
        assert controller.state("info")["serial"] == "front"
        controller.zoom_to(1)


@pytest.fixture
def same_serial(guest, cameras):
    """Of a maker who gives all the same serial."""
    with closing(Camera(guest, "left", port=2, serial="SN0001")) as left, closing(Camera(guest, "right", port=3, serial="SN0001")) as right:
        yield left, right


def test_two_cameras_with_the_same_serial_are_both_served(start, broker, same_serial):
    agent = start([{"id": twin.name, "source": {"v4l2": twin.node}, "v4l2": dict(SMALL)} for twin in same_serial])
    for factor, twin in enumerate(same_serial, 2):
        with controller_on(broker, agent, twin.name) as controller:
            controller.state("availability", lambda availability: availability["state"] == "online")
            controller.zoom_to(factor)
    assert [twin.lens() for twin in same_serial] == [200, 300]


def test_a_path_does_not_take_what_another_camera_names_by_its_serial(start, broker, cameras):
    """Its own camera is away, and the number went to another."""
    back = cameras[1]
    agent = start([{"id": "path", "source": {"v4l2": back.node}}, {"id": "serial", "source": {"serial": back.serial}}])
    with controller_on(broker, agent, "serial") as controller:
        controller.zoom_to(2)
        assert back.lens() == 200
    with controller_on(broker, agent, "path") as controller:
        assert controller.state("availability") == {"state": "offline", "reason": "not_found"}


def test_info_has_the_tags_of_a_camera(start, broker, cameras):
    agent = start([{"id": "door", "source": {"serial": "front"}, "position": "back", "kind": "tele"}])
    with controller_on(broker, agent, "door") as controller:
        info = controller.state("info")
        assert (info["position"], info["kind"], info["model"].split(":")[0]) == ("back", "tele", "Front Door")
        sizes = {(each["pixel_format"], each["width"], each["height"]) for each in info["formats"]}
        assert ("MJPG", 1920, 1080) in sizes and ("YUYV", 640, 480) in sizes


@pytest.mark.parametrize("first", ["nosuch", "B-0002"])
def test_first_present_source_of_a_list_is_served(start, broker, cameras, first):
    agent = start([{"id": "door", "source": [{"serial": first}, {"serial": "front"}, "simulated"]}])
    with controller_on(broker, agent, "door") as controller:
        assert controller.state("info")["serial"] == ("front" if first == "nosuch" else "B-0002")


def test_next_source_replaces_an_unplugged_one(start, broker, cameras):
    front, back = cameras
    agent = start([{"id": "door", "source": [{"serial": "B-0002"}, {"serial": "front"}]}])
    with controller_on(broker, agent, "door") as controller:
        controller.zoom_to(2)
        assert (back.lens(), front.lens()) == (200, 100)
        back.unplug()
        controller.state("info", lambda info: info["serial"] == "front")
        controller.state("availability", lambda availability: availability["state"] == "online")
        controller.zoom_to(3)
        assert front.lens() == 300
        controller.zoom_to(1)
    back.plug()


def test_a_list_that_ends_with_a_simulated_camera_always_has_one(start, broker, cameras):
    agent = start([{"id": "door", "source": [{"serial": "nosuch"}, {"v4l2": "/dev/video63"}, "simulated"]}])
    with controller_on(broker, agent, "door") as controller:
        assert controller.zoom_to(2) and controller.state("info")["bus"] == "simulated"


def test_all_cameras_are_served_without_a_camera_configuration(start, broker, guest, cameras, vivid):
    """And those that are plugged in later too."""
    front, back = cameras
    back.unplug()
    agent = start([])
    with controller_on(broker, agent, "+") as listener:
        def served() -> list[str]:
            reported = listener.inbox.newest(f"{listener.agent_topic}/info")
            return reported.json["cameras"] if reported else []
        eventually(served, "the agent's info")
        assert len(served()) == 2
        infos = {name: serial_of(listener, name) for name in served()}
        assert sorted(infos.values()) == ["", "front"]
        back.plug()
        eventually(lambda: len(served()) == 3, "the camera that was plugged in later")
        (newcomer,) = set(served()) - set(infos)
        listener.inbox.wait_for(f"{listener.agent_topic}/{newcomer}/availability", lambda message: message.json["state"] == "online")
    (name,) = (name for name, serial in infos.items() if serial == "front")
    for name, camera in ((name, front), (newcomer, back)):
        with controller_on(broker, agent, name) as controller:
            controller.zoom_to(4)
            assert camera.lens() == 400


def test_previously_found_camera_that_is_absent_is_offline(start, broker, cameras):
    """After a crash the retained state is `online`, and no other client would correct it."""
    front, back = cameras
    agent = start([])
    with controller_on(broker, agent, "+") as listener:
        served = listener.inbox.wait_for(f"{listener.agent_topic}/info", since=0).json["cameras"]
        (name,) = (name for name in served if serial_of(listener, name) == "B-0002")
        availability = f"{listener.agent_topic}/{name}/availability"
        listener.inbox.wait_for(availability, lambda message: message.json["state"] == "online")
        agent.kill()
        back.unplug()
        since = listener.mark()
        agent.start()
        message = listener.inbox.wait_for(availability, since=since)
        assert message.json == {"state": "offline", "reason": "not_found"}
        back.plug()
        listener.inbox.wait_for(availability, lambda message: message.json["state"] == "online", since=since)


def serial_of(listener: Controller, name: str) -> str:
    return listener.inbox.wait_for(f"{listener.agent_topic}/{name}/info", since=0).json["serial"]
