"""Recordings of UVC cameras and of vivid: what is in the file, and that it plays whatever becomes of the
camera."""

import itertools
from datetime import datetime

import pytest

from virtual_camera import PUBLICATION_LIMIT, Camera
from guest_recordings import await_pictures, begin, consistent, file, finished, stop
from guest_agent import GuestAgent
from movie_file import CODECS, jpegs, pictures, played
from guest_photos import SMALL, seen, shot
from camera_picture import read_jpeg, read_picture
from camera_controllers import controllers_at
from v4l2ctl import v4l2
from waiting import eventually

#: Of vivid, with the formats that it is to give.
FORMATS = {"yuyv": "YUYV", "nv12": "NV12"}
#: What a part of a Matroska begins with.
CLUSTER = b"\x1f\x43\xb6\x75"
#: What ails a camera that gives no more frames.
FAULTS = {"frozen": "freeze", "hung": "hang"}


@pytest.fixture(scope="module")
def cameras(guest):
    made = {
        "front": Camera(guest, "front", port=0, zoom=(100, 300, 1, 100)),
        "bare": Camera(guest, "bare", port=1, no_huffman=True)}
    return made | {name: Camera(guest, name, port=port) for port, name in enumerate(FAULTS, 2)}


@pytest.fixture(scope="module")
def nodes(guest, cameras):
    """Two of vivid's, without text in their picture."""
    guest.load("vivid", n_devs=2, node_types="1,1", num_inputs="1,1", input_types="0x0,0x0", num_outputs="0,0")
    nodes = sorted(node for node, name in guest.video_nodes().items() if name.startswith("vivid"))
    for node in nodes:
        assert v4l2(guest, node, "-c osd_text_mode=2").status == 0
    return dict(zip(FORMATS, nodes))


@pytest.fixture(scope="module")
def agent(guest, broker, cameras, nodes):
    settings = [{"id": name, "source": {"serial": name}, "v4l2": dict(SMALL)} for name in cameras]
    settings += [
        {"id": name, "source": {"v4l2": node},
         "v4l2": {"width": 320, "height": 180, "fps": 15, "pixel_format": FORMATS[name]}} for name, node in nodes.items()]
    agent = GuestAgent(guest, broker, cameras=settings).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture(scope="module")
def stuck(broker, agent, cameras, guest):
    """Controllers of cameras whose recordings get no more frames. These must not delay other recordings."""
    with controllers_at(broker) as controller_for:
        controllers = {name: controller_for(name) for name in FAULTS}
        for controller in controllers.values():
            begin(controller, codec="mjpeg")
        guest.sleep(0.3)
        for name, fault in FAULTS.items():
            cameras[name].command(fault, 60)
        yield controllers


@pytest.fixture(autouse=True)
def while_others_are_stuck(stuck):
    """All the other tests run beside recordings without frames."""


def gaps(counts: list[int]) -> int:
    """How many of the camera's frames aren't there; it counts them modulo 256."""
    return sum((after - before - 1) % 256 for before, after in itertools.pairwise(counts))


def cropped(reading) -> bool:
    """Whether the lens is at its end, 3, and the crop has doubled that."""
    return reading.zoom == 300 and reading.viewport.width < 0.6


# What is in it


@pytest.mark.parametrize("camera, tables", [("front", True), ("bare", False)])
def test_camera_jpegs_are_stored_byte_by_byte(controller_for, guest, frame_of, camera, tables):
    controller = controller_for(camera)
    state = begin(controller, codec="mjpeg")
    guest.sleep(0.5)
    controller.zoom_to(2)  # the lens's doing
    await_pictures(guest, state, lambda pictures: read_picture(pictures[-1]).zoom == 200)
    recording = stop(controller)
    consistent(guest, recording)
    assert "encoder" not in recording
    frames = jpegs(file(guest, recording))
    readings = [read_jpeg(frame) for frame in frames]
    assert all(frame == frame_of(reading, tables) for frame, reading in zip(frames, readings))
    assert {reading.zoom for reading in readings} == {100, 200}
    missing = gaps([reading.count for reading in readings])
    # frames that are missing at its end cannot be detected
    assert missing <= recording["lost"] <= missing + 3


def test_zoom_beyond_the_lens_applies_to_the_next_frame(controller_for, guest, frame_of):
    controller = controller_for("front")
    state = begin(controller, codec="mjpeg")
    controller.obeyed("zoom", {"factor": 6, "anchor": {"x": 0, "y": 1}})
    await_pictures(guest, state, lambda pictures: cropped(read_picture(pictures[-1])))
    recording = stop(controller)
    consistent(guest, recording)
    frames = jpegs(file(guest, recording))
    readings = [read_jpeg(frame) for frame in frames]
    assert {reading.size for reading in readings} == {(640, 480)}
    assert frames[0] == frame_of(readings[0])
    last = readings[-1]
    assert (last.zoom, last.viewport.x, last.viewport.y, last.viewport.width) == (
        300, pytest.approx(0, abs=0.02), pytest.approx(0.5, abs=0.02), pytest.approx(0.5, abs=0.02))
    kinds = [(reading.zoom, round(reading.viewport.width, 1)) for reading in readings]
    assert len(list(itertools.groupby(kinds))) <= 3, kinds  # as it was, perhaps the lens on its way, as it is


def test_an_mp4_shows_what_the_lens_and_the_crop_show(controller_for, guest):
    controller = controller_for("front")
    controller.zoom_to(2)
    state = begin(controller, codec="h264")
    controller.zoom_to(6)
    await_pictures(guest, state, lambda pictures: cropped(read_picture(pictures[-1])))
    recording = stop(controller)
    assert recording["encoder"]
    consistent(guest, recording)
    readings = [read_picture(picture) for picture in pictures(file(guest, recording))]
    first, last = readings[0], readings[-1]
    assert (first.zoom, first.viewport.x, first.viewport.width) == (200, pytest.approx(0, abs=0.02), pytest.approx(1, abs=0.02))
    assert (last.zoom, last.viewport.x, last.viewport.width) == (300, pytest.approx(0.25, abs=0.02), pytest.approx(0.5, abs=0.02))
    missing = gaps([reading.count for reading in readings])
    assert missing <= recording["lost"] <= missing + 30


def bars(image) -> int:
    """How many of vivid's bars of colour are in the picture."""
    middle = image.height // 2
    row = image.crop((0, middle, image.width, middle + 1)).tobytes()
    pixels = [tuple(level // 24 for level in row[at:at + 3]) for at in range(0, len(row), 3)]
    wide = [colour for colour, same in itertools.groupby(pixels) if len(list(same)) > image.width // 32]
    return len(list(itertools.groupby(wide)))


@pytest.mark.parametrize("camera, codec", [("yuyv", "h264"), ("yuyv", "mjpeg"), ("nv12", "h264")])
def test_uncompressed_frames(controller_for, guest, camera, codec):
    controller = controller_for(camera)
    state = begin(controller, codec=codec)
    controller.zoom_to(2)
    await_pictures(guest, state, lambda pictures: bars(pictures[-1]) == 4)
    recording = stop(controller)
    movie = consistent(guest, recording)
    assert (movie.width, movie.height, recording["codec"]) == (320, 180, codec)
    images = pictures(file(guest, recording))
    assert (bars(images[0]), bars(images[-1])) == (8, 4)


def test_frames_that_the_driver_lost_are_counted(controller_for, guest, nodes):
    """For a while the driver drops every frame. Its sequence numbers go on, so they count the lost frames."""
    rate, seconds = 15, 0.5
    controller, drop = controller_for("yuyv"), f"v4l2-ctl -d {nodes['yuyv']} -c percentage_of_dropped_buffers"
    begin(controller, codec="mjpeg")
    guest.check(f"{drop}=100; usleep {seconds * 1e6:.0f}; {drop}=0")
    shot(controller)  # so there are frames again
    recording = stop(controller)
    times = consistent(guest, recording).times
    longest = max(after - before for before, after in itertools.pairwise(times))
    assert longest > seconds - 1 / rate
    assert recording["lost"] >= round(longest * rate) - 1
    assert recording["frames"] + recording["lost"] == pytest.approx(recording["duration_s"] * rate, abs=3)


def test_consecutive_recordings_use_one_stream(controller_for, guest, cameras):
    controller, since = controller_for("front"), cameras["front"].mark()
    recordings = []
    for codec in CODECS:
        begin(controller, codec=codec)
        recordings.append(stop(controller))
    assert len({recording["path"] for recording in recordings}) == 2
    for recording in recordings:
        consistent(guest, recording)
    assert sum(entry.text.startswith("stream ") for entry in cameras["front"].log(since)) <= 1


# What becomes of the camera


@pytest.mark.parametrize("codec", ["mjpeg", pytest.param("h264", marks=pytest.mark.deep)])
def test_unplug_during_a_recording(controller_for, guest, cameras, codec):
    controller, camera = controller_for("front"), cameras["front"]
    since = controller.mark()
    state = begin(controller, codec=codec)
    await_pictures(guest, state, lambda pictures: len(pictures) > 1)
    camera.command("unplug")
    ended = controller.state("recording", lambda state: state["state"] in ("finishing", "idle"), since=since)
    # Times of messages are in whole milliseconds.
    assert -0.001 <= guest.seconds_until(ended, camera.unplugged_at()) < PUBLICATION_LIMIT
    recording = finished(controller, since)
    assert (recording["path"], recording["reason"]) == (state["path"], "unplugged") and "error" not in recording
    assert consistent(guest, recording).frames > 1
    assert "unplugged" in controller.refused("recording", {"on": True}, "unavailable")["message"]
    controller.obeyed("recording", {"on": False})
    camera.unplug()
    since = controller.mark()
    camera.plug()
    controller.state("availability", lambda availability: availability["state"] == "online", since=since)
    begin(controller, codec=codec)
    again = stop(controller)
    assert again["path"] != state["path"]
    consistent(guest, again)


def test_short_stall_of_the_camera_leaves_a_gap(controller_for, guest, cameras):
    """After three seconds its stream is started anew."""
    seconds = 3.3
    controller = controller_for("front")
    begin(controller, codec="mjpeg")
    guest.sleep(0.2)
    cameras["front"].command("freeze", seconds)
    guest.sleep(seconds + 0.3)
    recording = stop(controller)
    assert recording["reason"] == "stopped" and "error" not in recording
    times = consistent(guest, recording).times
    assert seconds - 0.2 < max(after - before for before, after in itertools.pairwise(times)) < seconds + 0.8
    assert recording["lost"] < 50, "what was never made isn't lost"


@pytest.mark.parametrize("camera", FAULTS)
def test_camera_without_further_frames_ends_the_recording(stuck, guest, cameras, camera):
    controller = stuck[camera]
    controller.state("recording", lambda state: state["state"] == "idle" and "last" in state)
    cameras[camera].command(FAULTS[camera], 0)
    recording = finished(controller)
    assert recording["reason"] == "failed" and recording["error"]["code"] == "device", recording
    assert recording["error"]["message"]
    consistent(guest, recording)
    begin(controller)
    assert stop(controller)["reason"] == "stopped"


def test_end_of_a_recording_does_not_wait_for_a_stalled_camera(controller_for, guest, cameras):
    controller, front = controller_for("front"), cameras["front"]
    begin(controller, codec="mjpeg")
    front.command("hang", 60)
    guest.sleep(0.5)
    before = guest.clock()
    recording = stop(controller)
    idle = controller.state("recording", lambda state: state["state"] == "idle")
    assert guest.seconds_until(idle, before) < 4, "it waited for the driver, which gives up after five seconds"
    front.command("hang", 0)
    assert recording["reason"] == "stopped"
    consistent(guest, recording)
    assert seen(guest, controller).zoom == 100


def test_interrupted_stream_is_restarted(controller_for, guest, nodes):
    controller = controller_for("nv12")
    begin(controller, codec="h264")
    before = shot(controller)
    assert v4l2(guest, nodes["nv12"], "-c inject_fatal_streaming_error=1").status == 0
    guest.sleep(2)
    after = shot(controller)
    recording = stop(controller)
    assert recording["reason"] == "stopped" and "error" not in recording
    movie = consistent(guest, recording)
    # Both photos are frames of the recording; the last ones may be left out when the encoder is behind.
    lasted = datetime.fromisoformat(after["exposed_at"]) - datetime.fromisoformat(before["exposed_at"])
    assert lasted.total_seconds() > 2
    assert movie.times[-1] > lasted.total_seconds() - 0.5, "nothing came after it"


# What becomes of the agent


@pytest.mark.deep
def test_a_kill_leaves_files_that_play(controller_for, guest, agent):
    controllers = {"mjpeg": controller_for("front"), "h264": controller_for("nv12")}
    states = [begin(controller, codec=codec) for codec, controller in controllers.items()]
    paths = [file(guest, state) for state in states]
    controller = controllers["h264"]
    try:
        # There is one a second, and what comes after the last may be lost. The emulated machine takes longer.
        eventually(lambda: paths[0].read_bytes().count(CLUSTER) >= 2 and b"moof" in paths[1].read_bytes(), "parts of both")
    finally:
        agent.kill()
        since = controller.mark()
        agent.start()
    for path, state in zip(paths, states):
        movie = played(path)
        assert (movie.codec, movie.width, movie.height) == (state["codec"], state["width"], state["height"])
        assert movie.frames > 0
    assert controller.state("recording", since=since)["state"] == "idle"
    again = begin(controller)
    assert again["path"] not in [state["path"] for state in states]
    consistent(guest, stop(controller))


def test_full_disk_ends_the_recording_and_the_file_plays(controller_for, guest, agent):
    controller, folder = controller_for("bare"), "/share/porch/recordings/bare"
    guest.check(f"mkdir -p {folder} && mount -t tmpfs -o size=400k tiny {folder}")
    try:
        since = controller.mark()
        begin(controller, codec="mjpeg")
        recording = finished(controller, since)
        guest.check(f"cp {recording['path']} /share/full")
        left = guest.check(f"ls {folder}").split()
    finally:
        guest.check(f"umount -l {folder}")
    assert recording["reason"] == "disk_full" and recording["error"]["code"] == "storage_full"
    assert len(left) == 1, left
    assert consistent(guest, {**recording, "path": "/share/full"}).frames > 5
    begin(controller, codec="mjpeg")
    assert stop(controller)["reason"] == "stopped"
