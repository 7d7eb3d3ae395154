"""Screen readers hear each control by its role and name; thumbs reach each of them."""

import re

import pytest

pytestmark = pytest.mark.deep

#: CSS pixels of the smallest target, in both directions.
TARGET = 44
INTERACTIVE = {
    "button", "link", "slider", "textbox", "searchbox", "combobox", "switch", "checkbox", "spinbutton", "radio", "menuitem"}
#: What can be touched. Of an input with a label, the label counts too.
SMALL_TARGETS = """() => [...document.querySelectorAll("button, a, input, select, summary, [role=slider], [role=switch]")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert]"))
    .map((one) => [one, one.getBoundingClientRect(), one.closest("label")?.getBoundingClientRect()])
    .map(([one, box, label]) => [one.outerHTML.slice(0, 120),
        Math.max(box.width, label?.width ?? 0), Math.max(box.height, label?.height ?? 0)])
    .filter(([, width, height]) => width < %d - 0.01 || height < %d - 0.01)""" % (TARGET, TARGET)

#: Texts in a dialog that are wider than their element, or of more than two lines in a button.
CUT_OFF = """() => [...document.querySelectorAll("dialog :is(h2, button, label, p, dt, dd)")]
    .filter((one) => one.checkVisibility() && (one.scrollWidth > one.clientWidth + 1
        || one.localName === "button" && one.innerText && one.getBoundingClientRect().height > 60 && !one.closest(".media")))
    .map((one) => one.outerHTML.slice(0, 120))"""

SIZES = [(390, 844), (844, 390), (320, 568)]


def tree(phone) -> list[tuple[str, str, dict]]:
    """Role, name and properties (and the value) of what screen readers hear, in its order."""
    nodes = phone.page.context.new_cdp_session(phone.page).send("Accessibility.getFullAXTree")["nodes"]
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""),
         {"value": node.get("value", {}).get("value"),
          **{one["name"]: one["value"].get("value") for one in node.get("properties", [])}})
        for node in nodes if not node.get("ignored") and "role" in node]


def controls(phone) -> list[tuple[str, str]]:
    return [(role, name) for role, name, _ in tree(phone) if role in INTERACTIVE]


def assert_usable(phone, where: str):
    """Each control has a name, no two buttons have the same one, and each target is large enough."""
    heard = controls(phone)
    assert [role for role, name in heard if not name.strip()] == [], f"controls without a name: {where}"
    buttons = [name for role, name in heard if role == "button"]
    assert sorted(set(buttons)) == sorted(buttons), f"buttons with equal names: {where}"
    assert phone.page.evaluate(SMALL_TARGETS) == [], f"small targets: {where}"


def test_the_controls_of_a_camera(phone):
    phone.until("$('.chips button') && $('[data-preset], .presets')", "all controls")
    heard = controls(phone)
    for control in [
            ("link", "Back to all cameras"), ("button", "Settings"), ("button", "Zoom 1×"),
            ("button", "Zoom 2×"), ("button", "Zoom 4×"), ("button", "Zoom 8×"), ("slider", "Zoom"), ("button", "Photo"),
            ("button", "Video"), ("button", "Take photo"), ("button", "Photos and recordings"), ("button", "Take the zoom"),
            ("button", "Save or delete presets")]:
        assert control in heard, f"{control} is not in\n" + "\n".join(map(str, heard))
    dial = next(properties for role, name, properties in tree(phone) if (role, name) == ("slider", "Zoom"))
    assert (dial["valuemin"], dial["valuemax"]) == (1, 8)
    phone.until("$('.dial').getAttribute('aria-valuetext') === '1.0×'")
    roles = {(role, name) for role, name, _ in tree(phone)}
    assert {("image", "Picture of porch/door"), ("heading", "door porch"), ("main", "")} <= roles, sorted(roles)


def test_the_factor_is_said_when_it_rests(phone, controller):
    controller.zoom_to(3)
    phone.until("[...document.querySelectorAll('[aria-live=polite]')].some((one) => one.textContent === '3.0×')",
                "the factor for screen readers")


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
@pytest.mark.parametrize("width, height", SIZES)
def test_targets_and_names_on_each_screen(phone_for, controller, width, height, language):
    size = f"{width}x{height} {language}"
    phone = phone_for(camera=None, viewport={"width": width, "height": height}, locale=language).open("")
    phone.until("thumbnails() === 1", "the grid")
    assert_usable(phone, f"grid {size}")
    phone.page.locator(".grid a").tap()
    phone.shows_pictures().until("$('.chips button') !== null")
    assert_usable(phone, f"camera {size}")
    assert_nothing_is_cut_off(phone, size)
    phone.screenshot(f"camera-{width}x{height}-{language[:2]}")
    for name in ("Settings|Einstellungen", "Save or delete presets|Ansichten sichern oder löschen"):
        phone.page.get_by_role("button", name=re.compile(f"^({name})$")).tap()
        # What is behind a dialog is not to be heard or touched.
        phone.until("$('dialog[open]') !== null && $('.panel').inert")
        assert all(role != "slider" or name != "Zoom" for role, name in controls(phone))
        assert_usable_dialog(phone, f"{name} {size}")
        phone.screenshot(f"{name.split('|')[0].split()[0].lower()}-{width}x{height}-{language[:2]}")
        phone.page.get_by_role("button", name=re.compile("^(Done|Fertig)$")).tap()
        phone.until("$('dialog') === null")


@pytest.mark.parametrize("width, height", [*SIZES, (1280, 800)])
def test_german_texts_of_dialogs_are_not_cut_off(phone_for, controller, width, height):
    """German words are long: the titles and buttons of the dialogs have room for them."""
    phone = phone_for(viewport={"width": width, "height": height}, locale="de-DE").open()
    controller.obeyed("lease", {"take": True, "client": "Tablet im Flur", "ttl_ms": 600_000})
    phone.says("Nur Tablet im Flur zoomt.")
    for name, end in [("Zoom übernehmen", "Abbrechen"), ("Fotos und Aufnahmen", "Fertig"),
                      ("Ansichten sichern oder löschen", "Fertig"), ("Einstellungen", "Fertig")]:
        phone.button(name).tap()
        phone.until("$('dialog[open]') !== null", name)
        assert phone.page.evaluate(CUT_OFF) == [], f"cut off: {name} {width}x{height}"
        phone.button(end).tap()
        phone.until("$('dialog') === null")
    controller.obeyed("lease", {"release": True, "client": "Tablet im Flur"})


def assert_usable_dialog(phone, where: str):
    heard = controls(phone)
    assert [role for role, name in heard if not name.strip()] == [], f"controls without a name: {where}"
    small = [one for one in phone.page.evaluate(SMALL_TARGETS.replace('document.querySelectorAll("', 'document.querySelectorAll("dialog :is(').replace('")]', ')")]', 1))]
    assert small == [], f"small targets: {where}"


def assert_nothing_is_cut_off(phone, where: str):
    """The page is not wider than the screen, and the shutter is on it."""
    assert phone.run("document.documentElement.scrollWidth <= innerWidth"), where
    box = phone.page.locator(".shutter").bounding_box()
    size = phone.page.viewport_size
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"], where
    assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"], where
