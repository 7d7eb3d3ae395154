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
#: Access units of the streams, which are sent over and over, and from one key frame to the next.
FRAMES, GROUP = 60, 15


@pytest.fixture(scope="module")
def streams(guest):
    """Each has a key frame every half second; `deep` has 10 bits."""
    return {
        "short": h264_stream.make(guest.share / "short.h264", frames=FRAMES, group=GROUP),
        "deep": h264_stream.make(guest.share / "deep.h264", frames=FRAMES, group=GROUP, pixels="yuv420p10le")}


@pytest.fixture(scope="module")
def cameras(guest, streams):
    common = {"only_h264": True, "without": ["zoom", "zoom_speed"]}
    return {
        "video": Camera(guest, "video", port=0, h264="/share/short.h264", **common),
        "keyless": Camera(guest, "keyless", port=1, h264="/share/short.h264", **common),
        "deep": Camera(guest, "deep", port=2, h264="/share/deep.h264", **common)}


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


@pytest.mark.deep
def test_frames_after_a_loss_wait_for_the_next_key_frame(controller_for, guest, cameras, agent):
    """The driver does not notice that the camera left out a frame."""
    controller, camera = controller_for("video"), cameras["video"]
    controller.obeyed("preview", {"seconds": 60, "fps": 10, "width": 320})
    eventually(lambda: controller.state("preview")["live"], "a preview")
    before, since = lost(agent), camera.mark()
    camera.command("h264-drop", 1)
    dropped = place_of(camera, "dropped", since)
    for _ in range(3):
        seen(guest, controller)
    controller.obeyed("preview", {"stop": True})
    # All up to the next key frame; a busy machine may lose frames besides.
    expected = GROUP - dropped % GROUP - 1
    eventually(lambda: lost(agent) - before >= expected, f"a count of {expected} lost frames after the one at {dropped}")


def test_damaged_frames_are_left_out(controller_for, guest, cameras, agent):
    controller, camera = controller_for("video"), cameras["video"]
    controller.obeyed("preview", {"seconds": 60, "fps": 10, "width": 320})
    eventually(lambda: controller.state("preview")["live"], "a preview")
    before, since, mark = lost(agent), camera.mark(), controller.mark()
    # For seconds only key frames can be decoded: a preview may be slow.
    camera.command("h264-damage", 4 * FRAMES)
    place_of(camera, "damaged", since)
    eventually(lambda: lost(agent) > before, "a count of lost frames")
    camera.command("h264-damage", 0)
    # More than come up to the next key frame.
    healed = controller.mark()
    frames = eventually(lambda: controller.inbox.all(controller.topic(LIVE), healed)[10:] and controller.inbox.all(controller.topic(LIVE), mark), "frames")
    # Each picture is checked as it is read.
    assert all(read_jpeg(frame.payload).zoom == 100 for frame in frames)
    assert "error" not in controller.state("preview") and seen(guest, controller).zoom == 100
    controller.obeyed("preview", {"stop": True})


def place_of(camera: Camera, what: str, since: int) -> int:
    """The place in its file of a frame that the camera has dropped or damaged."""
    def entry():
        return next((each.text for each in camera.log(since) if each.text.startswith(f"{what} ")), None)

    return int(eventually(entry, f"a frame that is {what}").split()[1])


def lost(agent) -> int:
    """The lost frames of the camera `video` so far, by the log."""
    lines = (line.partition(" frames, lost ")[2] for line in agent.log.splitlines() if "video: received" in line)
    return sum(int(count.split()[0]) for count in lines if count)


def test_video_that_cannot_be_decoded_is_an_error_of_the_preview(controller_for, guest):
    """It has 10 bits. Recordings at 1× needn't decode it."""
    controller, other = controller_for("deep"), controller_for("video")
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 120, "fps": 5, "width": 320})
    state = controller.state("preview", lambda state: state and "error" in state, since=since)
    assert state["error"]["code"] == "device" and state["live"] is False
    assert "only 8 bits" in state["error"]["message"]
    assert controller.send("capture", {}).result(60)["error"]["code"] == "device"
    recording = begin(controller)
    await_pictures(guest, recording, lambda pictures: len(pictures) >= 5)
    ended = stop(controller)
    consistent(guest, ended)
    assert "encoder" not in ended and "key_frame_delay_s" in ended
    assert seen(guest, other).zoom == 100
    controller.obeyed("preview", {"stop": True})


@pytest.mark.deep
def test_camera_without_key_frames_has_an_error_and_heals(controller_for, guest, cameras, agent):
    controller, other = controller_for("keyless"), controller_for("video")
    cameras["keyless"].command("h264-keys", "off")
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 120, "fps": 5, "width": 320})
    answer = controller.send("capture", {}).result(60)
    assert answer["error"]["code"] == "device"
    assert "no key frame of H.264 came within 10 s" in answer["error"]["message"]
    state = controller.state("preview", lambda state: state and "error" in state, since=since)
    assert "no key frame of H.264 came within 10 s" in state["error"]["message"]
    agent.logs("no key frame of H.264 came within 10 s")
    # Other cameras are not affected.
    assert seen(guest, other).zoom == 100
    since = controller.mark()
    cameras["keyless"].command("h264-keys", "on")
    controller.state("preview", lambda state: state and "error" not in state, since=since)
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
    # No recording of this camera was encoded yet.
    assert "encoder" not in controller.state("info")["recording"]
    assert 0 <= recording["key_frame_delay_s"] < 5
    stored = h264_stream.slices(elementary(file(guest, recording)))
    stream = h264_stream.slices(streams["short"].read_bytes())
    assert len(stored) == movie.frames
    # A busy machine may lose frames.
    missing = sum(map(len, gaps(stream, stored)))
    assert missing <= recording["lost"] <= missing + 3


@pytest.mark.deep
def test_recording_of_a_zoomed_picture_is_one_file(controller_for, guest):
    controller = controller_for("video")
    controller.zoom_to(2)
    state = begin(controller)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 3)
    recording = stop(controller)
    assert recording["encoder"] == "libx264" and "earlier" not in recording and "key_frame_delay_s" not in recording
    controller.state("info", lambda info: info["recording"].get("encoder") == "libx264")
    consistent(guest, recording)
    assert all(read_picture(picture).viewport.width < 0.6 for picture in pictures(file(guest, recording)))


@pytest.mark.deep
def test_recordings_with_losses_play(controller_for, guest, cameras, streams):
    """What can't be decoded without the missing frame is left out, and is counted."""
    controller, camera = controller_for("video"), cameras["video"]
    state = begin(controller)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 5)
    since = camera.mark()
    camera.command("h264-drop", 1)
    dropped = place_of(camera, "dropped", since)
    await_pictures(guest, state, lambda pictures: len(pictures) >= 40)
    recording = stop(controller)
    movie = consistent(guest, recording)
    stored = h264_stream.slices(elementary(file(guest, recording)))
    missing = gaps(h264_stream.slices(streams["short"].read_bytes()), stored)
    assert len(stored) == movie.frames
    left_out = set(range(dropped, (dropped // GROUP + 1) * GROUP))
    assert any(left_out <= set(gap) for gap in missing), f"the frames {left_out} are stored: only {missing} are missing"
    # The frame that the camera has dropped is none that it has made.
    total = sum(map(len, missing))
    assert total - 1 <= recording["lost"] <= total + 3
