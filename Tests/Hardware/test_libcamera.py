"""Cameras of libcamera, through its V4L2 layer: vimc, the kernel's virtual camera with a media controller,
whose sensor shows eight bars of colour."""

import io
import json
import signal

import pytest
from PIL import Image, ImageChops, ImageStat

import guest_libcamera
from guest_agent import GuestAgent
from guest_image import Missing
from guest_photos import content, shot
from guest_recordings import begin, consistent, file, stop
from movie_file import pictures
from waiting import eventually

SIZE = 640, 480
SMALL = {**dict(zip(("width", "height"), SIZE)), "fps": 15}


@pytest.fixture(scope="module")
def guest(made, guest):
    try:
        guest_libcamera.prepare(made)
    except Missing as reason:
        pytest.skip(f"!!! NOTHING WAS TESTED WITH LIBCAMERA !!! {reason}")
    guest_libcamera.install(guest)
    guest_libcamera.load_vimc(guest)
    return guest


@pytest.fixture(scope="module")
def agent(guest, broker):
    agent = GuestAgent(guest, broker, libcamera=True, cameras=[
        # Any node of the camera will do.
        {"id": "csi", "source": {"v4l2": "/dev/video2"}, "v4l2": dict(SMALL)}]).start()
    yield agent
    assert agent.ending() is None
    assert agent.stop() == 0


def picture(jpeg: bytes) -> Image.Image:
    return Image.open(io.BytesIO(jpeg)).convert("RGB")


def photo(guest, controller) -> Image.Image:
    return picture(content(guest, shot(controller)))


def same(one: Image.Image, other: Image.Image) -> bool:
    """Whether they are the same except for noise, the edges of the bars and the words in the picture."""
    return one.size == other.size and max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < 6


def zoomed(image: Image.Image, factor: float) -> Image.Image:
    """The middle of a picture in the size of the whole one."""
    (width, height), part = image.size, 1 / factor
    box = [round(side * (1 + sign * part) / 2) for sign in (-1, 1) for side in (width, height)]
    return image.crop(box).resize(image.size, Image.Resampling.BICUBIC)


def devices(guest, *options: str):
    return json.loads(guest.check(f"{GuestAgent.PROGRAM} devices {' '.join(options)}", 60))


def test_devices_lists_the_camera_once(guest):
    (camera,) = devices(guest, "--libcamera", "--json")
    assert (camera["driver"], camera["path"], camera["model"]) == ("libcamera", "/dev/video0", "platform/vimc.0 Sensor B")
    assert camera["links"] == ["/dev/video1", "/dev/video2"]
    assert {device["driver"] for device in devices(guest, "--json")} == {"vimc"}


def test_report_has_its_answers(guest):
    report = {node["path"]: node for node in devices(guest, "--libcamera", "--report")["video"]}
    node = report["/dev/video0"]
    assert node["served"] and node["capability"]["driver"] == "libcamera" and node["controls"] == []
    formats = {form["pixel_format"]: form["sizes"] for form in node["buffers"]["video_capture"]["formats"]}
    assert "640x480" in [size["size"] for size in formats["RGB3"]]


def test_photo_shows_the_bars(controller_for, guest):
    controller = controller_for("csi")
    image = photo(guest, controller)
    image.save("/tmp/csi.png")
    assert image.size == SIZE
