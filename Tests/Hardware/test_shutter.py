"""The shutter as a button, with cameras whose exposure takes a while after each start of their stream."""

import io
import time

import pytest
from PIL import Image, ImageStat

from virtual_camera import Camera
from guest_recordings import consistent, finished
from guest_agent import GuestAgent
from guest_photos import SMALL, content, shot

pytestmark = pytest.mark.deep  # waits for exposures and long presses

#: Mean luma of the virtual camera's picture when its exposure is right, at the least: each cell has 96 or
#: 160.
RIGHT = 105
#: Frames until it is: of most cameras; of a slow one, from frame to frame there is little to be seen; and of
#: one that isn't done in time.
FRAMES, SLOW, LATE = 12, 27, 75


@pytest.fixture(scope="module")
def cameras(guest):
    """As many as have to be cold: a stream goes on for five seconds."""
    names = ("pressed", "quick", "slow", "late", "held", "cancelled", "pulled")
    frames = {"slow": SLOW, "late": LATE}
    return {name: Camera(guest, name, port=port, warm_up=frames.get(name, FRAMES)) for port, name in enumerate(names)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": name, "source": {"serial": name}, "v4l2": dict(SMALL), "shutter": {"long_press_ms": 400 if name == "pulled" else 0}}
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
    assert brightness(content(guest, shot(controller_for("pulled")))) < RIGHT - 20, "the camera is no good for this test"
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


def test_an_exposure_that_does_not_settle_delays_no_photo(controller_for, guest):
    controller = controller_for("late")
    made_ready(controller)
    assert brightness(photo_of(guest, press(controller, "ended"))) < RIGHT, "it waited until the exposure was right"


def test_camera_stays_prepared_only_while_the_button_is_pressed(controller_for, guest, cameras):
    """The one is held as long as it takes for the other, which was let go, to end its stream."""
    held, other = controller_for("held"), controller_for("cancelled")
    made_ready(held)
    made_ready(other)
    counter = other.state("capture")["counter"]
    before = guest.clock()
    assert "photos" not in press(other, "cancelled").result()
    assert cameras["cancelled"].logged("stream stop").time - before > 2e9
    assert other.state("capture")["counter"] == counter
    time.sleep(1)
    assert streams(cameras["held"]) == ["stream MJPG 640x480"]
    assert held.state("capture")["pressed"] == ["primary"]
    assert brightness(photo_of(guest, press(held, "ended"))) > RIGHT


def plugged(controller, camera: Camera):
    since = controller.mark()
    camera.plug()
    controller.state("availability", lambda availability: availability["state"] == "online", since=since)
    assert controller.state("capture")["pressed"] == []


def test_unplug_while_the_exposure_settles(controller_for, guest, cameras):
    """The exposure has 1.5 s. A busy machine may need longer until the cable is pulled; then it is tried
    again."""
    controller, camera = controller_for("pulled"), cameras["pulled"]
    for _ in range(5):
        camera.command("freeze", 60)
        before = guest.clock()
        pending = [press(controller, phase) for phase in ("began", "ended", "began")]
        assert [one.answer()["status"] for one in pending] == ["accepted"] * 3
        camera.unplug()
        in_time = camera.unplugged_at() - before < 1.4e9
        answers = [one.result() for one in pending]
        controller.refused("capture", {"phase": "ended", "client": "hand"}, "unavailable")
        camera.command("freeze", 0)
        plugged(controller, camera)
        if in_time:
            break
    assert in_time, "the cable was never pulled in time"
    assert [answer.get("error", {}).get("code") for answer in answers] == ["unavailable"] * 3


def test_unplug_during_a_recording_by_long_press(controller_for, guest, cameras):
    controller, camera = controller_for("pulled"), cameras["pulled"]
    since = controller.mark()
    made_ready(controller)
    controller.state("recording", lambda state: state["state"] == "recording", since=since)
    camera.unplug()
    recording = finished(controller, since)
    assert recording["reason"] == "unplugged"
    consistent(guest, recording)
    controller.refused("capture", {"phase": "ended", "client": "hand"}, "unavailable")
    plugged(controller, camera)
