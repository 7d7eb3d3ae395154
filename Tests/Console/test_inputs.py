"""Mouse, trackpad and keyboard on the picture."""

import math

import pytest

from fingers import opposite
from simulated_scene import in_scene

pytestmark = pytest.mark.deep

EXACT = 0.00005
#: Pixels of a wheel, and of a pinch on a trackpad, for a factor of e.
WHEEL, TRACKPAD = 400, 100
#: Dispatches an event of Safari at a place of the page. Returns whether the page has prevented its default.
SAFARI = """([kind, clientX, clientY, scale]) => !document.querySelector(".stage").dispatchEvent(Object.assign(
    new Event(kind, { bubbles: true, cancelable: true }), { clientX, clientY, scale }))"""


def moved(before: dict, after: dict, x: float, y: float, to=None) -> list:
    """How far the point of the scene at x,y of the view was moved on the screen, in fractions of the view."""
    one, other = in_scene(before, x, y), in_scene(after, *(to or (x, y)))
    return [(a - b) * after["factor"] for a, b in zip(one, other)]


def ended(phone, controller) -> dict:
    """The zoom's state at rest after the last gesture."""
    return controller.settled(phone.answer("pinch", phase="ended"))


@pytest.mark.parametrize("key, pixels", [(None, WHEEL), ("Control", TRACKPAD)], ids=["wheel", "trackpad"])
def test_a_wheel_zooms_at_the_pointer(phone, controller, key, pixels):
    before, view = controller.state("zoom"), phone.view()
    # A mouse is at whole pixels.
    at = [round(part) for part in phone.place(0.3, 0.4)]
    point = (at[0] - view["x"]) / view["width"], (at[1] - view["y"]) / view["height"]
    phone.page.mouse.move(*at)
    if key:
        phone.page.keyboard.down(key)
    phone.page.mouse.wheel(0, -pixels)
    after = ended(phone, controller)
    assert after["factor"] == pytest.approx(math.e, abs=EXACT)
    assert moved(before, after, *point) == pytest.approx([0, 0], abs=EXACT)
    phone.page.mouse.wheel(0, 10 * pixels)
    controller.state("zoom", lambda zoom: zoom["factor"] == 1 and not zoom["ramping"])
    assert phone.run("visualViewport.scale") == 1, "the page itself is not zoomed"


def test_a_pinch_on_a_trackpad_in_safari(phone, controller):
    before, place = controller.state("zoom"), phone.place(0.7, 0.6)
    for kind, scale in [("gesturestart", 1), ("gesturechange", 1.5), ("gesturechange", 2), ("gestureend", 2)]:
        assert phone.page.evaluate(SAFARI, [kind, *place, scale]), kind
    after = ended(phone, controller)
    assert after["factor"] == pytest.approx(2, abs=EXACT)
    assert moved(before, after, 0.7, 0.6) == pytest.approx([0, 0], abs=EXACT)


def test_safaris_pinches_do_not_count_while_fingers_are_down(phone, controller):
    """On a phone Safari reports both: the fingers, and what it makes of them."""
    middle = phone.place(0.5, 0.5)
    before, after = (opposite(middle, radius, 0) for radius in (40, 60))
    for number, place in enumerate(before):
        phone.fingers.down({number: place})
    phone.page.evaluate(SAFARI, ["gesturestart", *middle, 1])
    phone.fingers.move(dict(enumerate(after)))
    phone.page.evaluate(SAFARI, ["gesturechange", *middle, 1.5])
    phone.page.evaluate(SAFARI, ["gestureend", *middle, 1.5])
    phone.fingers.up()
    assert ended(phone, controller)["factor"] == pytest.approx(1.5, abs=EXACT)


def test_keys_zoom_and_move_the_picture(phone, controller):
    phone.page.locator(".stage").focus()
    for key, factor in [("+", 1.25), ("=", 1.5625), ("-", 1.25), ("End", 8), ("Home", 1), ("End", 8)]:
        phone.page.keyboard.press(key)
        controller.state("zoom", lambda zoom: zoom["factor"] == pytest.approx(factor) and not zoom["ramping"])
    controller.zoom_to(2)
    for key, place in [("ArrowRight", (0.6, 0.5)), ("ArrowLeft", (0.4, 0.5)), ("ArrowDown", (0.5, 0.6)), ("ArrowUp", (0.5, 0.4))]:
        before, since = controller.state("zoom"), len(phone.sent)
        phone.page.keyboard.press(key)
        after = controller.settled(phone.answer("viewport", since=since))
        assert moved(before, after, *place, to=(0.5, 0.5)) == pytest.approx([0, 0], abs=EXACT), key


def test_keys_with_a_modifier_stay_those_of_the_browser(phone, controller):
    phone.page.locator(".stage").focus()
    phone.page.keyboard.press("Control++")
    phone.page.keyboard.press("Alt+ArrowUp")
    phone.page.keyboard.press("+")
    controller.state("zoom", lambda zoom: zoom["factor"] == 1.25)
    assert [command["payload"] for command in phone.commands("zoom")] == [{"by": 1.25}]
    assert phone.commands("viewport") == []


def test_the_space_bar_takes_one_photo(phone, controller):
    before = controller.state("capture")["counter"]
    phone.page.locator(".stage").focus()
    phone.page.keyboard.down(" ")
    phone.page.keyboard.down(" ")  # it repeats while it is held
    controller.state("capture", lambda capture: capture["pressed"] == ["primary"])
    phone.page.keyboard.up(" ")
    assert phone.answer("capture", phase="ended")["status"] == "done"
    controller.state("capture", lambda capture: (capture["pressed"], capture["counter"]) == ([], before + 1))
    assert [command["payload"]["phase"] for command in phone.commands("capture")] == ["began", "ended"]
    phone.until("$('.thumbnail img') !== null", "the photo")


def test_a_space_bar_on_a_button_presses_the_button(phone, controller):
    phone.button("Zoom 4×").focus()
    phone.page.keyboard.press(" ")
    controller.state("zoom", lambda zoom: zoom["factor"] == 4 and not zoom["ramping"])
    assert phone.commands("capture") == []
