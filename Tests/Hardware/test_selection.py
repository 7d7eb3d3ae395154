"""Cameras that are chosen by what they are, and pictures that the driver turns."""

import io
import json
from contextlib import ExitStack

import pytest
from PIL import Image, ImageStat

from controller import Controller
from guest_agent import GuestAgent
from guest_photos import SMALL, content, shot
from v4l2ctl import v4l2
from virtual_camera import Camera
from waiting import eventually

PHONE = [{"kind": "dual"}, {"kind": "wide", "position": "back"}, {"driver": "vivid"}]


@pytest.fixture(scope="module")
def vivid(guest) -> dict[str, str]:
    """Three webcams: one for the list of a phone, and two whose pictures are turned."""
    guest.load("vivid", n_devs=3, node_types="1,1,1", num_inputs="1,1,1", input_types="0x0,0x0,0x0", num_outputs="0,0,0")
    nodes = dict(zip(("any", "half", "quarter"), sorted(guest.video_nodes())))
    for node in nodes.values():
        assert v4l2(guest, node, "-c osd_text_mode=2").status == 0
    return nodes


@pytest.fixture(scope="module")
def cameras(guest, vivid):
    return {"dual": Camera(guest, "dual", port=0, product="Twin", serial="D-1"),
            "wide": Camera(guest, "wide", port=1, product="Back", serial="W-1")}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras, vivid):
    small = {"width": 320, "height": 180, "fps": 15}
    agent = GuestAgent(guest, broker, cameras=[
        {"id": "phone", "source": PHONE, "v4l2": dict(SMALL)},
        {"id": "second", "source": [{"kind": "dual"}, {"kind": "wide"}], "v4l2": dict(SMALL)},
        {"id": "half", "source": {"v4l2": vivid["half"]}, "v4l2": dict(small), "rotation": 180},
        {"id": "quarter", "source": {"v4l2": vivid["quarter"]}, "v4l2": dict(small), "rotation": 90, "mirror": "horizontal"}],
        devices=[{"serial": "D-1", "kind": "dual"}, {"model": "Back: Back", "kind": "wide", "position": "back"},
                 {"serial": "W-1", "kind": "wide", "position": "back"}]).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture(scope="module")
def controllers(broker, agent):
    with ExitStack() as made:
        yield {name: made.enter_context(Controller(broker, agent=agent.name, camera=name))
               for name in ("phone", "second", "half", "quarter")}


def serves(controller, serial: str):
    """Waits until the camera is online with the device of this serial."""
    def is_served():
        info, availability = controller.state("info"), controller.state("availability")
        return info["serial"] == serial and availability["state"] == "online"
    eventually(is_served, f"{serial!r} is served")


def test_the_list_of_a_phone_unplugged_and_plugged_in(controllers, cameras, vivid):
    phone, second = controllers["phone"], controllers["second"]
    serves(phone, "D-1")
    assert phone.state("info")["kind"] == "dual"
    serves(second, "W-1")
    cameras["dual"].unplug()
    # The wide one is in use by the other camera, so the next entry is taken.
    eventually(lambda: phone.state("info")["model"] == "vivid", "the next entry")
    assert second.state("info")["serial"] == "W-1"
    since = phone.mark()
    cameras["dual"].plug()
    # The device of the last entry is not in use: the first entry takes its place.
    reason = phone.state("availability", lambda availability: availability["state"] == "offline", since=since)
    assert reason["reason"] == "replaced"
    serves(phone, "D-1")
    cameras["wide"].unplug()
    eventually(lambda: second.state("availability")["state"] == "offline", "a camera without a device")
    cameras["wide"].plug()
    serves(second, "W-1")
    assert phone.state("info")["serial"] == "D-1"


def test_devices_shows_what_each_entry_matches(guest, agent, cameras, vivid, controllers):
    serves(controllers["phone"], "D-1")
    command = f"{GuestAgent.PROGRAM} devices --config /share/{agent.name}/agent.yaml"
    rows = [line.split() for line in guest.check(command).splitlines()]
    table = {(row[0], row[1]): row for row in rows if row and row[0] in ("phone", "second")}
    dual, wide = cameras["dual"].node, cameras["wide"].node
    assert table["phone", "0"][-2:] == [dual, dual]
    assert table["phone", "1"][-2:] == [wide, "-"]
    # The devices that other cameras name are matched, and not used.
    assert table["phone", "2"][-4:] == [*sorted(vivid.values()), "-"]
    assert table["second", "0"][-2:] == [dual, "-"] and table["second", "1"][-2:] == [wide, wide]
    by_path = {device["path"]: device for device in json.loads(guest.check(command + " --json"))}
    assert (by_path[wide]["kind"], by_path[wide]["position"]) == ("wide", "back")
    assert by_path[wide]["matches"] == [
        {"camera": "phone", "entry": 1, "used": False}, {"camera": "second", "entry": 1, "used": True}]


def bars(guest, controller) -> tuple[tuple[int, int], list[list[float]]]:
    """The size of a photo, and the colours of its eight bars, from the left to the right or downwards."""
    image = Image.open(io.BytesIO(content(guest, shot(controller)))).convert("RGB")
    size = image.size
    if size[0] < size[1]:
        image = image.transpose(Image.Transpose.TRANSPOSE)
    step = image.width / 8
    middles = [image.crop((round((n + .3) * step), 10, round((n + .7) * step), image.height - 10)) for n in range(8)]
    return size, [ImageStat.Stat(middle).mean for middle in middles]


def is_near(one, other) -> bool:
    return all(abs(a - b) < 12 for each, same in zip(one, other) for a, b in zip(each, same))


def test_the_driver_turns_what_it_can_and_the_agent_the_rest(guest, controllers, vivid):
    half, quarter = controllers["half"], controllers["quarter"]
    assert half.state("info")["orientation"] == {"rotation": 180, "mirrored": False, "driver": True}
    assert quarter.state("info")["orientation"] == {"rotation": 90, "mirrored": True, "driver": False}
    for node, value in ((vivid["half"], "1"), (vivid["quarter"], "0")):
        values = v4l2(guest, node, "-C horizontal_flip,vertical_flip").output
        assert [line.split()[-1] for line in values.splitlines()] == [value, value]
    controls = {control["name"]: control for control in half.state("info")["controls"]}
    assert controls["horizontal_flip"]["read_only"] and "rotation" in controls["horizontal_flip"]["reason"]
    half.refused("controls", {"horizontal_flip": False}, "unavailable")

    size, turned = bars(guest, half)
    assert size == (320, 180)
    # White is the first bar of the test picture, black the last one.
    assert sum(turned[0]) < 100 < 500 < sum(turned[-1])
    # A quarter turn and a mirror: columns become rows, and the first bar is the top one.
    size, turned_quarter = bars(guest, quarter)
    assert size == (180, 320)
    assert is_near(turned_quarter, list(reversed(turned)))
