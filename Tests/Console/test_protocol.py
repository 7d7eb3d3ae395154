"""An agent that speaks MQTT 3.1.1: pictures come without their view, and photos not at all."""

import pytest

from chromium import phones_of
from conftest import CAMERA
from fingers import opposite
from simulated_scene import in_scene, open_photo, read_position

pytestmark = pytest.mark.deep

#: How far a place that is read from a photo's colours may be off, in fractions of the scene.
READING = 0.015
EXACT = 0.00005


@pytest.fixture
def world(bench, browser, console_at):
    """A phone that shows a camera, and a program beside it: (phone, controller)."""
    broker = bench.broker()
    bench.agent(broker, camera=CAMERA, mqtt={"protocol": "3.1.1"})
    console = console_at(broker).start()
    controller = bench.controller(broker)
    with phones_of(browser, console.address()) as phone_for:
        yield phone_for().open(), controller


def test_the_page_shows_pinches_and_takes_photos(world):
    phone, controller = world
    for header in phone.pictures:
        assert "viewport" not in header, header
    before = controller.state("zoom")
    middle = phone.place(0.3, 0.4)
    phone.fingers.slide(opposite(middle, 40, 0), opposite(middle, 80, 0))
    zoom = controller.settled(phone.answer("pinch", phase="ended"))
    assert zoom["factor"] == pytest.approx(2, abs=EXACT)
    assert in_scene(zoom, 0.3, 0.4) == pytest.approx(in_scene(before, 0.3, 0.4), abs=EXACT)
    phone.until("stage().dataset.factor === '2.0000'")
    phone.until("getComputedStyle($('.view canvas')).transform.match(/^(none|matrix\\(1, 0, 0, 1, 0, 0\\))$/)",
                "the picture at rest, as it came")
    phone.shows_pictures(after=phone.frame)
    phone.button("Zoom 4×").tap()
    zoom = controller.state("zoom", lambda zoom: zoom["factor"] == 4 and not zoom["ramping"])
    phone.until("$('.dial').getAttribute('aria-valuetext') === '4.0×'")

    phone.button("Take photo").tap()
    answer = phone.answer("capture", phase="ended")
    assert answer["status"] == "done", answer
    path = controller.state("event", lambda event: event["event"] == "shutter", since=0)["photo"]["path"]
    phone.says(f"Photo stored: {path.rpartition('/')[2]}")
    photo = open_photo(path)
    for x, y in [(0.05, 0.05), (0.95, 0.95)]:
        assert read_position(photo, x, y) == pytest.approx(in_scene(zoom, x, y), abs=READING), (x, y)
