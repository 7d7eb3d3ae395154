"""The virtual camera of a camera that delivers H.264, in pictures of several slices: they are decoded, at any
zoom, while a recording stores the camera's own video."""

import pytest
from PIL import Image

import h264_stream
import loopback_module
from camera_picture import Reading, read_picture
from guest_agent import GuestAgent
from guest_recordings import await_pictures, begin, consistent, stop
from v4l2ctl import v4l2
from virtual_camera import Camera
from waiting import eventually

pytestmark = pytest.mark.deep

NODE = "/dev/video40"
SIZE = WIDTH, HEIGHT = 320, 240


@pytest.fixture(scope="module")
def camera(guest):
    h264_stream.make(guest.share / "short.h264", frames=60, group=15, slices=4)
    return Camera(guest, "video", port=0, only_h264=True, h264="/share/short.h264", without=["zoom", "zoom_speed"])


@pytest.fixture(scope="module")
def agent(guest, made, broker, camera):
    guest.check(f"insmod {loopback_module.build(made)} video_nr={NODE.removeprefix('/dev/video')} exclusive_caps=1 card_label=video")
    guest.wait_for(NODE)
    output = {"v4l2": NODE, "width": WIDTH, "height": HEIGHT, "fps": 5, "pixel_format": "YUYV"}
    agent = GuestAgent(guest, broker, cameras=[{"id": "video", "source": {"serial": "video"}, "output": output}]).start()
    yield agent
    assert agent.ending() is None


def shown(guest) -> Reading:
    """What a program sees that begins to read now. The device has the range of videos."""
    path = guest.share / "seen"
    path.unlink(missing_ok=True)
    result = v4l2(guest, NODE, "--stream-mmap", "--stream-skip=2", "--stream-count=1", "--stream-to=/share/seen")
    assert result.status == 0 and path.exists(), result.output
    content = path.read_bytes()
    luma = Image.frombytes("L", SIZE, content[::2]).point(lambda level: (level - 16) * 255 / 219)
    chroma = [
        Image.frombytes("L", (WIDTH // 2, HEIGHT), content[start::4]).point(lambda level: 128 + (level - 128) * 255 / 224).resize(SIZE)
        for start in (1, 3)]
    return read_picture(Image.merge("YCbCr", [luma, *chroma]))


def test_a_program_sees_decoded_pictures(guest, agent, controller_for):
    controller = controller_for("video")
    controller.state("output", lambda state: state["state"] == "running" and state["shows"] == "camera", timeout=60)
    first = shown(guest)
    assert (first.zoom, first.size) == (100, SIZE) and first.viewport.width == pytest.approx(1, abs=0.03)
    eventually(lambda: shown(guest).count != first.count, "another picture", 60)
    controller.zoom_to(2)
    eventually(lambda: abs(shown(guest).viewport.width - 0.5) < 0.03, "the zoomed picture", 60)


def test_a_recording_stores_the_camera_s_own_video_meanwhile(guest, agent, controller_for):
    controller = controller_for("video")
    state = begin(controller)
    assert "key_frame_delay_s" in state
    await_pictures(guest, state, lambda pictures: len(pictures) >= 10)
    assert shown(guest).zoom == 100
    recording = stop(controller)
    consistent(guest, recording)
    assert "encoder" not in recording and "earlier" not in recording
