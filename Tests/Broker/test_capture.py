"""Photos: what they show, and where they are."""

import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from controller import V311
from simulated_scene import in_scene, open_photo, read_position

#: How far a place that is read from a photo's colours may be off, in fractions of the scene: JPEG rounds
#: colours.
READING = 0.015

CORNERS = [(0.05, 0.05), (0.95, 0.05), (0.05, 0.95), (0.95, 0.95)]


def shot(controller, body=None) -> dict:
    """The only photo of a capture."""
    (photo,) = controller.obeyed("capture", body or {})["photos"]
    return photo


def opened(photo: dict) -> Image.Image:
    return open_photo(photo["path"])


def assert_shows(image: Image.Image, zoom: dict):
    """Every corner of the photo shows the place that the state of the zoom gives."""
    for x, y in CORNERS:
        assert read_position(image, x, y) == pytest.approx(in_scene(zoom, x, y), abs=READING), (x, y)


@pytest.mark.parametrize("factor", [1, 1.5, 2, 3, 8])
def test_a_photo_shows_the_zoomed_picture(controller, factor):
    state = controller.zoom_to(factor)
    photo = shot(controller)
    image = opened(photo)
    assert (image.format, image.size) == ("JPEG", (1920, 1080))
    assert (photo["width"], photo["height"], photo["bytes"]) == (1920, 1080, Path(photo["path"]).stat().st_size)
    assert (photo["factor"], photo["viewport"]) == (factor, state["viewport"])
    assert_shows(image, state)


def test_photo_is_counted_and_published(controller):
    since = controller.mark()
    answer = controller.obeyed("capture", {"size": {"width": 64}, "id": "shot-1", "client": "tablet"})
    (photo,) = answer["photos"]
    event = controller.state("event", lambda event: event["event"] == "shutter", since=since)
    assert (event["photo"], event["id"], event["client"]) == (photo, "shot-1", "tablet")
    state = controller.state("capture", lambda state: state["last"] == photo and state["pending"] == 0)
    assert state["counter"] == photo["sequence"]
    image = controller.inbox.wait_for(controller.topic("image"), since=since)
    assert image.payload == Path(photo["path"]).read_bytes()
    assert image.content_type == "image/jpeg"
    assert dict(image.user_properties)["path"] == photo["path"]


def test_mqtt_5_answer_is_the_jpeg_with_reply_image(controller):
    since = controller.mark()
    capture = controller.send("capture", {"reply": "image", "size": {"width": 320}, "zoom": {"factor": 2}})
    answer = capture.message()
    assert answer.content_type == "image/jpeg"
    assert Image.open(io.BytesIO(answer.payload)).size == (320, 180)
    reported = dict(answer.user_properties)
    assert (reported["width"], reported["height"], float(reported["factor"])) == ("320", "180", 2)
    # The client receives the photo before it is stored; the event follows when it is stored.
    controller.inbox.wait_for(controller.topic("event"), lambda message: message.json["event"] == "shutter", since=since)
    assert answer.payload == Path(reported["path"]).read_bytes()


def test_mqtt_3_1_1_publishes_the_jpeg_on_image_with_reply_image(connect):
    controller = connect(version=V311)
    since = controller.mark()
    photo = shot(controller, {"reply": "image", "size": {"width": 320}})
    image = controller.inbox.wait_for(controller.topic("image"), since=since)
    assert hashlib.sha256(image.payload).digest() == hashlib.sha256(Path(photo["path"]).read_bytes()).digest()


def test_photo_is_retained_with_retain_image(bench):
    broker = bench.broker()
    bench.agent(broker, captures={"retain_image": True})
    photos = [shot(bench.controller(broker), {"size": {"width": width}}) for width in (64, 320)]
    newcomer = bench.controller(broker)
    image = newcomer.inbox.wait_for(newcomer.topic("image"), since=0)
    assert image.retained and image.payload == Path(photos[1]["path"]).read_bytes()
