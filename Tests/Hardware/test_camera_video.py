"""Cameras with MJPEG and H.264: photos are MJPEG, recordings at 1× are the camera's own H.264. `both` has
them at one video node, as the older Logitech C920, `nodes` at two, as cameras with chips of Sonix."""

import pytest

import h264_stream
from camera_picture import read_jpeg, read_picture
from guest_agent import GuestAgent
from guest_photos import content, seen, shot
from guest_recordings import await_pictures, begin, consistent, elementary, file, gaps, stop
from movie_file import pictures
from virtual_camera import Camera
from waiting import eventually

LIVE = "preview/live"


@pytest.fixture(scope="module")
def stream(guest):
    return h264_stream.make(guest.share / "both.h264", frames=60, group=15)


@pytest.fixture(scope="module")
def cameras(guest, stream):
    common = {"h264": "/share/both.h264", "without": ["zoom", "zoom_speed"]}
    return {
        "both": Camera(guest, "both", port=0, **common), "off": Camera(guest, "off", port=1, **common),
        "nodes": Camera(guest, "nodes", port=2, second_node=True, **common)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    # The size that both formats have.
    settings = [
        {"id": name, "source": {"serial": name}, "v4l2": {"width": 640, "height": 480}, "recording": {"camera_video": name != "off"}}
        for name in cameras]
    agent = GuestAgent(guest, broker, cameras=settings, log={"level": "debug"}).start()
    yield agent
    assert agent.ending() is None


def formats(camera: Camera, since: int) -> list[str]:
    """Of the streams that the host began, one after the other."""
    found = [entry.text.split()[1] for entry in camera.log(since) if entry.text.startswith("stream ") and "x" in entry.text]
    return [format for place, format in enumerate(found) if place == 0 or found[place - 1] != format]


def is_the_camera_s_jpeg(guest, controller) -> bool:
    """Whether a photo was passed on, not encoded."""
    photo = shot(controller)
    read_jpeg(content(guest, photo))
    return "quality" not in photo


def test_photos_are_the_camera_s_jpegs(controller_for, guest):
    controller = controller_for("both")
    assert controller.state("session")["pixel_format"] == "MJPG"
    assert is_the_camera_s_jpeg(guest, controller)


def test_recordings_at_1x_are_the_camera_s_h264(controller_for, guest, cameras, stream):
    controller = controller_for("both")
    mark = cameras["both"].mark()
    state = begin(controller)
    assert state["source"] == "camera" and "key_frame_delay_s" in state
    await_pictures(guest, state, lambda pictures: len(pictures) >= 30)
    # Photos go on, and are decoded.
    assert seen(guest, controller).zoom == 100
    assert controller.state("session")["pixel_format"] == "MJPG"
    recording = stop(controller)
    movie = consistent(guest, recording)
    assert recording["source"] == "camera" and "encoder" not in recording and recording["reason"] == "stopped"
    stored = h264_stream.slices(elementary(file(guest, recording)))
    assert len(stored) == movie.frames
    assert sum(map(len, gaps(h264_stream.slices(stream.read_bytes()), stored))) <= recording["lost"]
    # Afterwards photos are MJPEG again.
    assert is_the_camera_s_jpeg(guest, controller)
    assert formats(cameras["both"], mark)[-2:] == ["H264", "MJPG"]


def test_previews_go_on(controller_for):
    controller = controller_for("both")
    controller.obeyed("preview", {"seconds": 120, "fps": 5, "width": 320})
    eventually(lambda: controller.state("preview")["live"], "a preview")

    def pictures_come():
        since = controller.mark()
        eventually(lambda: controller.inbox.all(controller.topic(LIVE), since)[3:], "pictures of the preview")

    pictures_come()
    begin(controller)
    pictures_come()
    stop(controller)
    pictures_come()
    controller.obeyed("preview", {"stop": True})


@pytest.mark.deep
def test_zoom_continues_the_recording_in_a_second_file(controller_for, guest, cameras):
    controller = controller_for("both")
    mark, since = cameras["both"].mark(), controller.mark()
    first = begin(controller)
    await_pictures(guest, first, lambda pictures: len(pictures) >= 10)
    controller.zoom_to(2)
    second = controller.state("recording", lambda state: state["state"] == "recording" and "earlier" in state, since=since)
    assert second["earlier"] == [first["path"]] and second["source"] == "encoder"
    eventually(lambda: formats(cameras["both"], mark)[-2:] == ["H264", "MJPG"], "MJPEG")
    await_pictures(guest, second, lambda pictures: read_picture(pictures[-1]).viewport.width < 0.6)
    # What is zoomed is made of the camera's JPEGs.
    photo = read_jpeg(content(guest, shot(controller)))
    assert photo.viewport.width == pytest.approx(0.5, abs=0.02)
    last = stop(controller)
    assert (last["path"], last["source"], last["encoder"]) == (second["path"], "encoder", "libx264")
    events = [event["recording"] for event in controller.states("event", since) if event["event"] == "recording_finished"]
    (ended,) = [recording for recording in events if recording["reason"] == "continued"]
    assert (ended["path"], ended["cause"], ended["source"]) == (first["path"], "zoom", "camera")
    for recording in (ended, last):
        consistent(guest, recording)
    assert all(read_picture(each).viewport.width == pytest.approx(1, abs=0.02) for each in pictures(file(guest, ended)))
    assert read_picture(pictures(file(guest, last))[-1]).viewport.width == pytest.approx(0.5, abs=0.02)
    controller.zoom_to(1)
    assert is_the_camera_s_jpeg(guest, controller)


@pytest.mark.deep
def test_a_driver_that_refuses_is_recorded_with_an_encoder(controller_for, guest, cameras, agent):
    controller = controller_for("both")
    cameras["both"].command("h264-refuse", "on")
    try:
        state = begin(controller)
        await_pictures(guest, state, lambda pictures: len(pictures) >= 10)
        recording = stop(controller)
    finally:
        cameras["both"].command("h264-refuse", "off")
    assert (state["source"], recording["source"], recording["encoder"]) == ("encoder", "encoder", "libx264")
    consistent(guest, recording)
    agent.logs("both: the camera's own video isn't recorded")
    assert is_the_camera_s_jpeg(guest, controller)


@pytest.mark.deep
def test_a_camera_without_key_frames_is_recorded_with_an_encoder(controller_for, guest, cameras):
    controller = controller_for("both")
    cameras["both"].command("h264-keys", "off")
    try:
        state = begin(controller)
        await_pictures(guest, state, lambda pictures: len(pictures) >= 10)
        recording = stop(controller)
    finally:
        cameras["both"].command("h264-keys", "on")
    assert (state["source"], recording["encoder"]) == ("encoder", "libx264")
    consistent(guest, recording)


@pytest.mark.deep
def test_the_key_switches_it_off(controller_for, guest, cameras):
    controller = controller_for("off")
    mark = cameras["off"].mark()
    state = begin(controller)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 10)
    recording = stop(controller)
    assert (state["source"], recording["source"], recording["encoder"]) == ("encoder", "encoder", "libx264")
    assert "H264" not in formats(cameras["off"], mark)
    consistent(guest, recording)


# Two nodes


def test_a_second_node_is_recorded_beside_the_jpegs(controller_for, guest, stream):
    controller = controller_for("nodes")
    assert [format["pixel_format"] for format in controller.state("info")["formats"]].count("H264") == 0
    since = controller.mark()
    first = begin(controller)
    assert first["source"] == "camera"
    await_pictures(guest, first, lambda pictures: len(pictures) >= 20)
    assert is_the_camera_s_jpeg(guest, controller)
    controller.zoom_to(2)
    second = controller.state("recording", lambda state: state["state"] == "recording" and "earlier" in state, since=since)
    assert (second["source"], second["earlier"]) == ("encoder", [first["path"]])
    await_pictures(guest, second, lambda pictures: read_picture(pictures[-1]).viewport.width < 0.6)
    last = stop(controller)
    events = [event["recording"] for event in controller.states("event", since) if event["event"] == "recording_finished"]
    (ended,) = [recording for recording in events if recording["reason"] == "continued"]
    assert (ended["source"], last["source"]) == ("camera", "encoder")
    for recording in (ended, last):
        consistent(guest, recording)
    stored = h264_stream.slices(elementary(file(guest, ended)))
    assert len(stored) == ended["frames"]
    assert sum(map(len, gaps(h264_stream.slices(stream.read_bytes()), stored))) <= ended["lost"]
    # Again, and at once once more.
    controller.zoom_to(1)
    for _ in range(2):
        assert begin(controller)["source"] == "camera"
        assert stop(controller)["source"] == "camera"


@pytest.mark.deep
def test_a_second_node_that_refuses_is_recorded_with_an_encoder(controller_for, guest, cameras):
    controller = controller_for("nodes")
    cameras["nodes"].command("h264-refuse", "on")
    try:
        state = begin(controller)
        await_pictures(guest, state, lambda pictures: len(pictures) >= 5)
        recording = stop(controller)
    finally:
        cameras["nodes"].command("h264-refuse", "off")
    assert (state["source"], recording["encoder"]) == ("encoder", "libx264")
    consistent(guest, recording)
