"""Who may zoom: devices take the lease, see its holder, take it over and give it back."""

import pytest

from chromium import phones_of
from fingers import opposite

pytestmark = pytest.mark.deep

ZOOMS = ("Zoom 2×", "Go to Home")


@pytest.fixture
def devices(broker, browser, console_at, controller):
    """The pages of two devices that show the camera: a tablet, and the owner's phone."""
    console = console_at(broker)
    secrets = [console.token("tablet"), console.token("owner", "--role", "manage")]
    console.start()
    with phones_of(browser, console.address()) as phone_for:
        pages = []
        for secret in secrets:
            page = phone_for(camera=None).open(f"#t={secret}")
            page.until("$('.grid li') !== null", "the grid")
            page.page.locator("[data-camera='porch/door'] a").tap()
            pages.append(page.shows_pictures())
        yield pages
        controller.obeyed("lease", {"take": True, "force": True, "client": "test"})
        controller.obeyed("lease", {"release": True, "client": "test"})


def holder(controller, name: str | None):
    controller.state("lease", lambda lease: (lease and lease["client"]) == name)


def may_zoom(phone):
    phone.until("$('.chips button').disabled === false && $('.dial').getAttribute('aria-disabled') === 'false'",
                "a zoom that can be used")
    for name in ZOOMS:
        assert phone.button(name).is_enabled(), name


def may_not_zoom(phone, reason: str):
    """All that moves the zoom is disabled and says why; photos and the lease are not."""
    phone.says(reason)
    phone.until("$('.dial').getAttribute('aria-disabled') === 'true'", "a dial that cannot be turned")
    for name in ZOOMS:
        assert phone.button(name).is_disabled() and phone.button(name).get_attribute("title") == reason, name
    for name in ("Take photo", "Take the zoom", "Save or delete presets"):
        assert phone.button(name).is_enabled(), name


def moves_nothing(phone, controller):
    """Fingers, wheel and keys send nothing."""
    since = len(phone.sent)
    middle = phone.place(0.5, 0.5)
    phone.fingers.slide(opposite(middle, 40, 0), opposite(middle, 80, 0))
    phone.page.mouse.move(*middle)
    phone.page.mouse.wheel(0, -200)
    phone.page.locator(".stage").focus()
    for key in ("+", "-", "End", "ArrowLeft"):
        phone.page.keyboard.press(key)
    phone.page.locator(".dial").focus()
    for key in ("PageUp", "End"):
        phone.page.keyboard.press(key)
    assert [phone.commands(node, since) for node in ("zoom", "pinch", "viewport")] == [[], [], []]
    assert controller.state("zoom")["factor"] == 1


def test_a_lease_is_taken_shown_taken_over_and_released(devices, controller):
    tablet, owner = devices
    tablet.button("Take the zoom").tap()
    holder(controller, "tablet")
    tablet.says("Only this device zooms.")
    may_zoom(tablet)
    may_not_zoom(owner, "Only tablet zooms.")
    moves_nothing(owner, controller)
    owner.screenshot("lease-of-another")

    owner.button("Take the zoom").tap()
    owner.says("tablet has taken the zoom for itself. Take it over?")
    owner.screenshot("lease-question")
    owner.button("Cancel").tap()
    owner.until("$('dialog') === null", "no question")
    assert [command["payload"] for command in owner.commands("lease")] == [], "nothing without the confirmation"
    holder(controller, "tablet")
    owner.button("Take the zoom").tap()
    owner.button("Take over").tap()
    holder(controller, "owner")
    tablet.says("owner has taken over the zoom.")
    may_zoom(owner)
    may_not_zoom(tablet, "Only owner zooms.")

    owner.button("Zoom 4×").tap()
    controller.state("zoom", lambda zoom: zoom["factor"] == 4 and not zoom["ramping"])
    owner.button("Release the zoom").tap()
    holder(controller, None)
    for phone in devices:
        may_zoom(phone)
    tablet.button("Zoom 2×").tap()
    controller.state("zoom", lambda zoom: zoom["factor"] == 2 and not zoom["ramping"])


def test_a_lease_is_renewed_until_its_page_leaves_the_camera(devices, controller):
    tablet, _ = devices
    tablet.button("Take the zoom").tap()
    holder(controller, "tablet")
    first = controller.state("lease")["until"]
    controller.state("lease", lambda lease: lease["client"] == "tablet" and lease["until"] > first)
    tablet.page.get_by_role("link", name="Back to all cameras").tap()
    holder(controller, None)


def test_a_gesture_that_another_lease_interrupts_moves_nothing_more(devices, controller):
    tablet, _ = devices
    middle = tablet.place(0.5, 0.5)
    for number, place in enumerate(opposite(middle, 40, 0)):
        tablet.fingers.down({number: place})
    controller.state("pinch", lambda pinch: pinch is not None)
    controller.obeyed("lease", {"take": True, "client": "desk"})
    may_not_zoom(tablet, "Only desk zooms.")
    since = len(tablet.sent)
    tablet.fingers.move(dict(enumerate(opposite(middle, 80, 0))))
    tablet.fingers.up()
    tablet.run("0")
    assert [command for command in tablet.commands("pinch", since) if command["payload"]["phase"] == "changed"] == []
    assert controller.state("zoom")["factor"] == 1
    tablet.until("stage().dataset.factor === '1.0000'", "the factor of the agent")
