"""Cameras that deliver H.264 and send key frames seldom: what is requested of them, and what becomes of
recordings if none comes.

The delays are numbers of frames that the cameras have sent, so they don't depend on the speed of the machine.
"""

import pytest

import h264_stream
from camera_picture import read_picture
from controller import Controller
from guest_agent import GuestAgent
from guest_photos import seen
from guest_recordings import await_pictures, begin, consistent, file, stop
from movie_file import pictures
from virtual_camera import Camera
from waiting import eventually

pytestmark = pytest.mark.deep

#: Access units of the stream, which is sent over and over. Only the first one is a key frame: one comes in
#: ten seconds.
FRAMES = 300
#: Where in the stream a test begins: the next key frame by itself is far away.
EARLY = range(5, 60)


@pytest.fixture(scope="module")
def cameras(guest):
    """`asked` has a control for key frames, which the driver knows; `seldom` has none."""
    h264_stream.make(guest.share / "long.h264", frames=FRAMES, group=FRAMES)
    common = {"only_h264": True, "h264": "/share/long.h264", "without": ["zoom", "zoom_speed"]}
    cameras = {
        "asked": Camera(guest, "asked", port=0, key_control=True, **common),
        "seldom": Camera(guest, "seldom", port=1, **common)}
    cameras["asked"].map_key_frame()
    return cameras


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = [{"id": name, "source": {"serial": name}} for name in cameras]
    agent = GuestAgent(guest, broker, cameras=settings, log={"level": "debug"}).start()
    yield agent
    assert agent.ending() is None


def preview(controller: Controller, camera: Camera) -> int:
    """Starts a preview, and with it the stream. Returns how many frames the camera has sent when the stream
    is near its beginning."""
    controller.obeyed("preview", {"seconds": 300, "fps": 5, "width": 320})
    eventually(lambda: controller.state("preview")["live"], "a preview")
    return eventually(lambda: position[0] if (position := camera.h264_position)[1] in EARLY else None, "the beginning of the stream")


def requested(camera: Camera, since: int) -> int:
    """How many frames the camera had sent when a key frame was requested first."""
    words = "key frame requested after "
    entry = eventually(lambda: next((each.text for each in camera.log(since) if each.text.startswith(words)), None), "a request")
    return int(entry.removeprefix(words))


def test_recording_requests_a_key_frame_and_begins_with_it(controller_for, guest, cameras):
    controller, camera = controller_for("asked"), cameras["asked"]
    sent, since = preview(controller, camera), camera.mark()
    state = begin(controller)
    delay = requested(camera, since) - sent
    # Without the request it would have been at least that.
    assert 0 <= delay < FRAMES - EARLY.stop, f"the key frame was requested {delay} frames late"
    assert "key_frame_delay_s" in state
    await_pictures(guest, state, lambda pictures: len(pictures) >= 5)
    recording = stop(controller)
    consistent(guest, recording)
    assert "encoder" not in recording and recording["key_frame_delay_s"] == state["key_frame_delay_s"]
    # The camera goes to the first frame of its file when a key frame is requested.
    assert read_picture(pictures(file(guest, recording))[0]).count == 0
    controller.obeyed("preview", {"stop": True})


def test_photo_after_a_loss_requests_a_key_frame(controller_for, guest, cameras):
    controller, camera = controller_for("asked"), cameras["asked"]
    preview(controller, camera)
    since = camera.mark()
    camera.command("h264-drop", 1)
    dropped = eventually(lambda: next((each.text for each in camera.log(since) if each.text.startswith("dropped ")), None), "a loss")
    after, _ = camera.h264_position
    photo = seen(guest, controller)
    assert photo.zoom == 100
    delay = requested(camera, since) - after
    assert delay < FRAMES - EARLY.stop, f"the key frame was requested {delay} frames after the loss ({dropped})"
    controller.obeyed("preview", {"stop": True})


def test_recording_without_a_key_frame_is_encoded(controller_for, guest, cameras, agent):
    """The preview has the stream run, so the agent can decode it; it needn't wait for the next key frame."""
    controller, camera = controller_for("seldom"), cameras["seldom"]
    preview(controller, camera)
    state = begin(controller)
    controller.obeyed("preview", {"stop": True})
    assert "key_frame_delay_s" not in state and (state["width"], state["height"]) == (640, 480)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 3)
    recording = stop(controller)
    consistent(guest, recording)
    assert recording["encoder"] == "libx264" and "earlier" not in recording and recording["reason"] == "stopped"
    # Its first picture isn't the stream's key frame.
    assert read_picture(pictures(file(guest, recording))[0]).count > EARLY.start
    agent.logs("seldom: no key frame came")
