"""Cameras that deliver H.264: the UVC camera's frame-based format, through the kernel's own driver."""

import pytest

import h264_stream
from guest_agent import GuestAgent
from guest_photos import content, seen, shot
from guest_recordings import await_pictures, begin, consistent, elementary, file, gaps, stop
from camera_picture import read_jpeg, read_picture
from movie_file import pictures
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
    answer = controller.send("capture", {}).result(60)
    assert answer["error"]["code"] == "device"
    assert "no key frame of H.264 came within 10 s" in answer["error"]["message"]
    state = controller.state("preview", lambda state: state and "error" in state, since=since, timeout=60)
    assert "no key frame of H.264 came within 10 s" in state["error"]["message"]
    assert "no key frame of H.264 came within 10 s" in agent.log
    # Other cameras are not affected.
    assert seen(guest, other).zoom == 100
    since = controller.mark()
    cameras["keyless"].command("h264-keys", "on")
    controller.state("preview", lambda state: state and "error" not in state, since=since, timeout=60)
    assert seen(guest, controller).zoom == 100
    controller.obeyed("preview", {"stop": True})


# Recordings


def test_recordings_at_1x_are_the_camera_s_own_video(controller_for, guest, streams):
    controller = controller_for("video")
    state = begin(controller)
    assert "key_frame_delay_s" in state and "earlier" not in state
    await_pictures(guest, state, lambda pictures: len(pictures) >= 40)
    # Photos and previews go on meanwhile.
    assert seen(guest, controller).zoom == 100
    recording = stop(controller)
    movie = consistent(guest, recording)
    assert "encoder" not in recording and recording["reason"] == "stopped"
    assert 0 <= recording["key_frame_delay_s"] < 5
    stored = h264_stream.slices(elementary(file(guest, recording)))
    stream = h264_stream.slices(streams["short"].read_bytes())
    assert len(stored) == movie.frames
    # A busy machine may lose frames.
    missing = gaps(stream, stored)
    assert missing <= recording["lost"] <= missing + 3


def test_zoom_continues_the_recording_in_a_second_file(controller_for, guest):
    controller = controller_for("video")
    since = controller.mark()
    first = begin(controller)
    await_pictures(guest, first, lambda pictures: len(pictures) >= 10)
    controller.zoom_to(2)
    second = controller.state("recording", lambda state: state["state"] == "recording" and "earlier" in state, since=since, timeout=60)
    assert second["earlier"] == [first["path"]] and second["path"] != first["path"]
    await_pictures(guest, second, lambda pictures: read_picture(pictures[-1]).viewport.width < 0.6)
    last = stop(controller)
    assert (last["path"], last["earlier"], last["reason"]) == (second["path"], [first["path"]], "stopped")
    assert last["encoder"] == "libx264"
    events = [event for event in controller.states("event", since) if event["event"].startswith("recording_")]
    assert sorted(event["event"] for event in events) == ["recording_finished"] * 2 + ["recording_started"] * 2
    (ended,) = [event["recording"] for event in events if event.get("recording", {}).get("reason") == "continued"]
    assert (ended["path"], ended["cause"]) == (first["path"], "zoom") and "encoder" not in ended
    for recording in (ended, last):
        consistent(guest, recording)
    before = [read_picture(picture) for picture in pictures(file(guest, ended))]
    after = [read_picture(picture) for picture in pictures(file(guest, last))]
    assert all(picture.viewport.width == pytest.approx(1, abs=0.02) for picture in before)
    assert after[-1].viewport.width == pytest.approx(0.5, abs=0.02)
    # The camera's count goes on: 60 frames, over and over.
    assert 1 <= (after[0].count - before[-1].count) % 60 <= 1 + last["lost"] + ended["lost"]


def test_recording_of_a_zoomed_picture_is_one_file(controller_for, guest):
    controller = controller_for("video")
    controller.zoom_to(2)
    state = begin(controller)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 3)
    recording = stop(controller)
    assert recording["encoder"] == "libx264" and "earlier" not in recording and "key_frame_delay_s" not in recording
    consistent(guest, recording)
    assert all(read_picture(picture).viewport.width < 0.6 for picture in pictures(file(guest, recording)))


def test_recordings_with_losses_play(controller_for, guest, cameras):
    """What can't be decoded without the missing frame is left out."""
    controller = controller_for("video")
    state = begin(controller)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 5)
    cameras["video"].command("h264-drop", 1)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 40)
    recording = stop(controller)
    consistent(guest, recording)
    assert recording["lost"] > 0
