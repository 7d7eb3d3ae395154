"""Photos of UVC cameras. Their picture encodes the position of the lens and of each part."""

import io
from datetime import timedelta

import pytest
from PIL import Image

from virtual_camera import Camera
from guest_agent import GuestAgent
from guest_photos import SMALL, content, narrowed, seen, shot
from camera_picture import read_jpeg
from v4l2ctl import v4l2, value
from waiting import eventually


@pytest.fixture(scope="module")
def cameras(guest):
    return {
        "front": Camera(guest, "front", port=0, zoom=(100, 500, 1, 100)),
        "bare": Camera(guest, "bare", port=1, no_huffman=True),
        "slow": Camera(guest, "slow", port=2, motor=400, auto_update="zoom"),
        "raw": Camera(guest, "raw", port=3)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = [{"id": name, "source": {"serial": name}, "v4l2": dict(SMALL)} for name in cameras]
    settings[0]["v4l2"] = {"width": 1920, "height": 1080}
    settings[3]["v4l2"]["pixel_format"] = "YUYV"
    for camera in settings[1:3]:
        camera["groups"] = ["stage"]
    agent = GuestAgent(guest, broker, cameras=settings).start()
    yield agent
    assert agent.ending() is None


# When they are taken


def test_the_photos_of_a_group_are_of_the_first_frames_at_the_time(controller_for, guest):
    """In intervals that are long compared with what delays a guest. Its clock is not synchronised."""
    cameras = ("bare", "slow")
    for name in cameras:
        controller_for(name).obeyed("session", {"fps": 5})
    at = guest.wall_time(guest.clock()) + timedelta(seconds=5)
    pending = controller_for("bare").send(
        "capture", {"at": at.isoformat(), "at_any_clock": True}, topic="v4l2mqtt/groups/stage/capture/set")
    answers = [pending.answer() for _ in range(6)]
    photos = {each["camera"]: each["photos"][0] for each in answers if each["status"] == "done"}
    assert photos.keys() == set(cameras)
    for photo in photos.values():
        # The next frame after the first one is exposed 200 ms after it.
        assert 0 <= photo["at_offset_ms"] < 200 + 50, photos
    for name in cameras:
        controller_for(name).obeyed("session", {"fps": 30})


# What is on them


@pytest.mark.parametrize("factor", [1, 3, 5])
def test_photo_shows_the_lens_position(controller_for, guest, factor):
    controller = controller_for("front")
    controller.zoom_to(factor)
    picture = seen(guest, controller)
    assert (picture.zoom, picture.size) == (100 * factor, (1920, 1080))
    assert (picture.viewport.x, picture.viewport.width) == pytest.approx((0, 1), abs=0.01)


@pytest.mark.parametrize("anchor, x, y", [((0.5, 0.5), 0.1875, 0.1875), ((0, 0), 0, 0), ((1, 0), 0.375, 0)])
def test_beyond_the_lens_a_photo_shows_the_crop(controller_for, guest, anchor, x, y):
    controller = controller_for("slow")
    controller.zoom_to(5)
    controller.obeyed("zoom", {"factor": 8, "anchor": {"x": anchor[0], "y": anchor[1]}})
    picture = seen(guest, controller)
    assert picture.zoom == 500
    view = picture.viewport
    assert (view.x, view.y, view.width, view.height) == pytest.approx((x, y, 0.625, 0.625), abs=0.015)


def test_uncompressed_frames_become_photos(controller_for, guest, cameras):
    controller = controller_for("raw")
    controller.zoom_to(3)
    picture = read_jpeg(narrowed(content(guest, shot(controller))))
    assert (picture.zoom, picture.size, picture.viewport.width) == (300, (640, 480), pytest.approx(1, abs=0.02))
    assert "stream YUYV 640x480" in [entry.text for entry in cameras["raw"].log()]


def test_a_photo_with_a_zoom_of_its_own_waits_for_the_motor(controller_for, guest, cameras):
    controller = controller_for("slow")
    assert seen(guest, controller, {"zoom": {"factor": 2}}).zoom == cameras["slow"].lens() == 200


def test_a_photo_during_a_ramp_is_taken_at_its_end(controller_for, guest):
    controller = controller_for("slow")
    assert controller.send("zoom", {"factor": 2.5, "rate": 2}).answer()["status"] == "accepted"
    assert seen(guest, controller).zoom == 250


def test_a_series_is_of_different_frames(controller_for, guest):
    photos = controller_for("bare").obeyed("capture", {"count": 4})["photos"]
    assert len({read_jpeg(content(guest, photo)).count for photo in photos}) == 4


# Passed through


@pytest.mark.parametrize("camera, tables", [("front", True), ("bare", False)])
def test_a_photo_that_needs_no_change_is_the_cameras_frame_byte_for_byte(controller_for, guest, frame_of, camera, tables):
    controller = controller_for(camera)
    for factor in (1, 3):
        controller.zoom_to(factor)
        photo = content(guest, shot(controller))
        picture = read_jpeg(photo)
        assert picture.zoom == 100 * factor
        assert photo == frame_of(picture, tables)


def test_frames_without_huffman_tables_can_be_cropped(controller_for, guest, frame_of):
    controller = controller_for("bare")
    controller.zoom_to(8)
    photo = content(guest, shot(controller))
    assert b"\xff\xc4" in photo
    picture = read_jpeg(photo)
    assert (picture.zoom, picture.viewport.width) == (500, pytest.approx(0.625, abs=0.01))


def test_smaller_photo_with_a_quality_is_encoded_again(controller_for, guest):
    photo = shot(controller_for("bare"), {"size": {"width": 320}, "quality": 60})
    assert photo["quality"] == 60
    assert Image.open(io.BytesIO(content(guest, photo))).size == (320, 240)
    assert read_jpeg(content(guest, photo)).zoom == 100


# The stream


@pytest.mark.deep
def test_the_camera_streams_only_while_photos_are_wanted(controller_for, guest, cameras):
    """So that others can use it too: two programs cannot stream at the same time."""
    bare = cameras["bare"]
    since = bare.mark()
    shot(controller_for("bare"))
    bare.logged("stream stop", since)
    assert v4l2(guest, bare.node, "--stream-mmap", "--stream-count=1").status == 0


def test_a_stream_of_another_program_leaves_the_zoom_and_refuses_the_photo(controller_for, guest, cameras):
    controller, bare = controller_for("bare"), cameras["bare"]
    eventually(lambda: [e for e in bare.log() if e.text.startswith("stream")][-1].text == "stream stop", "the stream's end")
    guest.start("other", "v4l2-ctl", "-d", bare.node, "--stream-mmap")
    eventually(lambda: "fps" in guest.log("other"), "frames")
    assert "busy" in controller.refused("capture", {}, "device")["message"].lower()
    controller.zoom_to(2)
    assert value(guest, bare.node, "zoom_absolute") == 200
    guest.kill("other")
    guest.ended("other")
    assert seen(guest, controller).zoom == 200


def test_stalled_stream_fails_the_photo_and_recovers(controller_for, guest, cameras):
    controller, front = controller_for("front"), cameras["front"]
    front.command("freeze", 60)
    controller.refused("capture", {}, "device")
    front.command("freeze", 0)
    assert seen(guest, controller).zoom == 100
