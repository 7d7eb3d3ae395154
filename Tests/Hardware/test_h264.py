"""Cameras that deliver H.264: the UVC camera's frame-based format, through the kernel's own driver."""

import pytest

import h264_stream
from guest_agent import GuestAgent
from guest_photos import content, seen, shot
from camera_picture import read_jpeg
from virtual_camera import Camera
from waiting import eventually

LIVE = "preview/live"


@pytest.fixture(scope="module")
def streams(guest):
    """`short`: a key frame every half second; `long`: one every ten seconds."""
    return {
        "short": h264_stream.make(guest.share / "short.h264", frames=60, group=15),
        "long": h264_stream.make(guest.share / "long.h264", frames=300, group=300)}


@pytest.fixture(scope="module")
def cameras(guest, streams):
    common = {"only_h264": True, "without": ["zoom", "zoom_speed"]}
    return {
        "video": Camera(guest, "video", port=0, h264="/share/short.h264", **common),
        "keyless": Camera(guest, "keyless", port=1, h264="/share/short.h264", **common)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = [{"id": name, "source": {"serial": name}} for name in cameras]
    agent = GuestAgent(guest, broker, cameras=settings, log={"level": "debug"}).start()
    yield agent
    assert agent.ending() is None


# Photos and previews


def test_the_format_is_reported(controller_for):
    controller = controller_for("video")
    (format,) = controller.state("info")["formats"]
    assert (format["pixel_format"], format["width"], format["height"]) == ("H264", 640, 480)
    assert controller.state("session")["pixel_format"] == "H264"


def test_photos_are_decoded(controller_for, guest):
    controller = controller_for("video")
    first, second = seen(guest, controller), seen(guest, controller)
    assert (first.zoom, first.size, first.viewport.width) == (100, (640, 480), pytest.approx(1, abs=0.02))
    assert first.count != second.count


def test_a_photo_shows_the_part_that_the_zoom_shows(controller_for, guest):
    controller = controller_for("video")
    picture = read_jpeg(content(guest, shot(controller, {"zoom": {"factor": 2}})))
    assert (picture.viewport.x, picture.viewport.width) == (pytest.approx(0.25, abs=0.02), pytest.approx(0.5, abs=0.02))


def test_previews_are_decoded(controller_for):
    controller = controller_for("video")
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 60, "fps": 10, "width": 320})
    frames = eventually(lambda: (found := controller.inbox.all(controller.topic(LIVE), since))[5:] and found, "frames of the preview")
    controller.obeyed("preview", {"stop": True})
    counts = [read_jpeg(frame.payload).count for frame in frames]
    assert len(set(counts)) == len(counts), counts


# Losses


def test_frames_after_a_loss_wait_for_the_next_key_frame(controller_for, guest, cameras, agent):
    """The driver does not notice that the camera left out a frame."""
    controller = controller_for("video")
    controller.obeyed("preview", {"seconds": 60, "fps": 10, "width": 320})
    eventually(lambda: controller.state("preview")["live"], "a preview")
    cameras["video"].command("h264-drop", 1)
    for _ in range(3):
        seen(guest, controller)
    controller.obeyed("preview", {"stop": True})
    eventually(lambda: any(lost(line) > 0 for line in agent.log.splitlines()), "a count of lost frames")


def lost(line: str) -> int:
    """The lost frames in a line of the log."""
    _, found, count = line.partition(" frames, lost ")
    return int(count.split()[0]) if found and "video: received" in line else 0


def test_camera_without_key_frames_has_an_error_and_heals(controller_for, guest, cameras, agent):
    controller, other = controller_for("keyless"), controller_for("video")
    cameras["keyless"].command("h264-keys", "off")
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 120, "fps": 5, "width": 320})
    error = controller.refused("capture", {}, "device", timeout=60)["message"]
    assert "no key frame of H.264 came within 10 s" in error
    state = controller.state("preview", lambda state: state and "error" in state, since=since)
    assert "no key frame of H.264 came within 10 s" in state["error"]["message"] and not state["live"]
    assert "no key frame of H.264 came within 10 s" in agent.log
    # Other cameras are not affected.
    assert seen(guest, other).zoom == 100
    cameras["keyless"].command("h264-keys", "on")
    controller.state("preview", lambda state: state and state["live"] and "error" not in state, since=since)
    assert seen(guest, controller).zoom == 100
    controller.obeyed("preview", {"stop": True})
