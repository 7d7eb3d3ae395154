"""Fingers on the picture of a camera: the factor and the point between the fingers are exact."""

import time

import pytest

from fingers import opposite
from simulated_scene import in_scene

#: The least step of a state's numbers is a millionth; the fingers' places are doubles.
EXACT = 0.00005
#: Collects the shown picture, and how the page moves it: its scale, and where its middle is, in sizes of
#: the moved picture.
RECORD_PLACES = """() => {
    window.places = [];
    const stage = document.querySelector(".stage"), canvas = stage.querySelector(".view canvas");
    new MutationObserver(() => {
        const { a, e, f } = new DOMMatrix(canvas.style.transform);
        places.push([stage.dataset.frame, [a, e / canvas.clientWidth / a, f / canvas.clientHeight / a]]);
    }).observe(canvas, { attributes: true, attributeFilter: ["style"] });
}"""


def ended(phone, controller, phase="ended") -> dict:
    """The zoom's state at rest after the last gesture."""
    return controller.settled(phone.answer("pinch", phase=phase))


def moved(before: dict, after: dict, x: float, y: float, to=None) -> list:
    """How far the point of the scene at x,y of the view was moved on the screen, in fractions of the view."""
    one, other = in_scene(before, x, y), in_scene(after, *(to or (x, y)))
    return [(a - b) * after["factor"] for a, b in zip(one, other)]


@pytest.mark.parametrize("name, degrees, turn", [
    ("level", 0, 0), ("upright", 90, 0), ("slanted", 37, 0), ("rotating", 10, 70)])
def test_fingers_twice_as_far_apart_double_the_factor(phone, controller, name, degrees, turn):
    before, middle = controller.state("zoom"), phone.place(0.3, 0.4)
    path = [opposite(middle, 50 + 50 * step / 12, degrees + turn * step / 12) for step in range(13)]
    phone.fingers.follow(path)
    after = ended(phone, controller)
    assert after["factor"] == pytest.approx(2, abs=EXACT)
    assert moved(before, after, 0.3, 0.4) == pytest.approx([0, 0], abs=EXACT)
    phone.until("stage().dataset.factor === '2.0000'")


def test_fingers_beside_the_picture_count(phone, controller):
    phone.fingers.slide([(195, 280), (195, 380)], [(195, 180), (195, 480)])
    assert ended(phone, controller)["factor"] == pytest.approx(3, abs=EXACT)


def test_fingers_beside_the_picture_hold_its_edge(phone, controller):
    """The page shows at once what the agent makes of a gesture that begins below the picture."""
    before = controller.zoom_to(2)
    phone.until("stage().dataset.factor === '2.0000'")
    phone.page.evaluate(RECORD_PLACES)
    middle = phone.place(0.5, 1.3)
    phone.fingers.slide(opposite(middle, 40, 0), opposite(middle, 80, 0))
    after = ended(phone, controller)
    assert after["factor"] == pytest.approx(4, abs=EXACT)
    assert moved(before, after, 0.5, 1) == pytest.approx([0, 0], abs=EXACT)
    views = shown_views(phone)
    assert max(view["factor"] for view in views) == pytest.approx(4, abs=EXACT), "what was shown at the end"
    # Sideways a view may show one finger's move before the other's.
    for view in views:
        assert moved(before, view, 0.5, 1)[1] == pytest.approx(0, abs=0.001), view


def shown_views(phone) -> list[dict]:
    """The views that the page has shown: those of its pictures, as the page moved them."""
    places, views = phone.run("places"), []
    pictures = {str(picture["frame"]): picture for picture in phone.pictures}
    for frame, (scale, x, y) in places:
        picture = pictures[frame]
        left, top, width, height = (picture["viewport"][part] for part in ("x", "y", "width", "height"))
        views.append({"factor": picture["factor"] * scale, "optical": picture["optical"], "viewport": {
            "x": left + width * (0.5 - x - 0.5 / scale), "y": top + height * (0.5 - y - 0.5 / scale),
            "width": width / scale, "height": height / scale}})
    return views


def test_one_finger_drags_the_point_below_it(phone, controller):
    before = controller.zoom_to(3)
    phone.until("stage().dataset.factor === '3.0000'")
    phone.fingers.slide([phone.place(0.6, 0.5)], [phone.place(0.5, 0.4)])
    after = ended(phone, controller)
    assert moved(before, after, 0.6, 0.5, to=(0.5, 0.4)) == pytest.approx([0, 0], abs=EXACT)
    assert after["factor"] == 3
    phone.until("getComputedStyle($('.view canvas')).transform.match(/^(none|matrix\\(1, 0, 0, 1, 0, 0\\))$/)",
                "the picture at rest, as it came")


def test_a_finger_that_is_lifted_in_between_moves_nothing(phone, controller):
    fingers, place = phone.fingers, phone.place
    fingers.down({0: place(0.3, 0.5)})
    fingers.down({1: place(0.5, 0.5)})
    fingers.move({1: place(0.7, 0.5)})
    fingers.up(1)
    doubled = ended(phone, controller)
    assert doubled["factor"] == pytest.approx(2, abs=EXACT)
    fingers.move({0: place(0.35, 0.5)})
    fingers.move({0: place(0.4, 0.5)})
    fingers.down({1: place(0.6, 0.5)})
    dragged = ended(phone, controller)
    assert dragged["factor"] == pytest.approx(2, abs=EXACT), "one finger does not zoom"
    assert moved(doubled, dragged, 0.3, 0.5, to=(0.4, 0.5)) == pytest.approx([0, 0], abs=EXACT)
    fingers.move({1: place(0.7, 0.5)})
    fingers.up()
    last = ended(phone, controller)
    assert last["factor"] == pytest.approx(3, abs=EXACT), "the pinch goes on from the factor of the first one"
    names = [command["payload"]["gesture"] for command in phone.commands("pinch") if "id" in command]
    assert len(set(names)) == 3, "each number of fingers is a gesture of its own"


def test_a_double_tap_zooms_there_and_back(phone, controller):
    before, place, now = controller.state("zoom"), phone.place(0.3, 0.25), time.time()
    for at in (now, now + 0.2):
        phone.fingers.tap(place, at)
    after = controller.state("zoom", lambda zoom: zoom["factor"] == 2 and not zoom["ramping"])
    assert moved(before, after, 0.3, 0.25) == pytest.approx([0, 0], abs=EXACT)
    phone.until("stage().dataset.factor === '2.0000'")
    for at in (now + 5, now + 5.2):
        phone.fingers.tap(place, at)
    controller.state("zoom", lambda zoom: zoom["factor"] == 1 and not zoom["ramping"])


def test_two_pages_pinch_at_once_and_end_with_equal_values(phone_for, controller):
    phones = [phone_for().open(), phone_for().open()]
    controller.zoom_to(2)
    middle = phones[0].place(0.5, 0.5)
    for phone in phones:
        phone.until("stage().dataset.factor === '2.0000'")
        for number, place in enumerate(opposite(middle, 60, 0)):
            phone.fingers.down({number: place})
    for step in range(1, 13):
        for phone, growth in zip(phones, (-2, 6)):
            phone.fingers.move(dict(enumerate(opposite(middle, 60 + growth * step, 20))))
    for phone in phones:
        phone.fingers.up()
    last = max((phone.answer("pinch", phase="ended") for phone in phones), key=lambda answer: answer["rev"])
    zoom = controller.settled(last)
    assert zoom["factor"] not in (1, 2)
    for phone in phones:
        phone.until(f"stage().dataset.factor === '{zoom['factor']:.4f}'", f"a factor of {zoom['factor']}")
