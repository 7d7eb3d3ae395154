"""The shutter as a button, with cameras whose exposure takes a while after each start of their stream."""

import io

import pytest
from PIL import Image, ImageStat

from virtual_camera import Camera
from guest_agent import GuestAgent
from guest_photos import SMALL, content, shot

pytestmark = pytest.mark.deep  # waits for exposures and long presses

#: Mean luma of the virtual camera's picture when its exposure is right, at the least: each cell has 96 or
#: 160.
RIGHT = 105
#: Frames until it is: of most cameras; of a slow one, from frame to frame there is little to be seen.
FRAMES, SLOW = 12, 27


@pytest.fixture(scope="module")
def cameras(guest):
    """As many as have to be cold: a stream goes on for five seconds."""
    names = ("pressed", "quick", "slow", "plain")
    frames = {"slow": SLOW}
    return {name: Camera(guest, name, port=port, warm_up=frames.get(name, FRAMES)) for port, name in enumerate(names)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": name, "source": {"serial": name}, "v4l2": dict(SMALL), "shutter": {"long_press_ms": 0}}
        for name in cameras]).start()
    yield agent
    assert agent.ending() is None


def brightness(photo: bytes) -> float:
    image = Image.open(io.BytesIO(photo))
    image.draft("YCbCr", image.size)
    return ImageStat.Stat(image.convert("YCbCr")).mean[0]


def press(controller, phase):
    return controller.send("capture", {"phase": phase, "client": "hand"})


def made_ready(controller):
    began = press(controller, "began")
    assert [began.answer()["status"], began.answer()["status"]] == ["accepted", "done"]


def photo_of(guest, pending) -> bytes:
    answer = pending.result()
    assert answer["status"] == "done", answer
    (photo,) = answer["photos"]
    return content(guest, photo)


def streams(camera: Camera) -> list[str]:
    return [entry.text for entry in camera.log() if entry.text.startswith("stream ")]


def test_a_press_waits_for_the_exposure_and_a_plain_photo_does_not(controller_for, guest, cameras):
    assert brightness(content(guest, shot(controller_for("plain")))) < RIGHT - 20, "the camera is no good for this test"
    controller = controller_for("pressed")
    assert streams(cameras["pressed"]) == []
    made_ready(controller)
    assert streams(cameras["pressed"]) == ["stream MJPG 640x480"]
    assert brightness(photo_of(guest, press(controller, "ended"))) > RIGHT


def test_release_before_the_exposure_has_settled_waits_for_it(controller_for, guest):
    controller = controller_for("quick")
    began, ended = press(controller, "began"), press(controller, "ended")
    assert brightness(photo_of(guest, ended)) > RIGHT
    assert began.result()["status"] == "done"


def test_an_exposure_that_changes_slowly_is_waited_for(controller_for, guest):
    controller = controller_for("slow")
    made_ready(controller)
    assert brightness(photo_of(guest, press(controller, "ended"))) > RIGHT
