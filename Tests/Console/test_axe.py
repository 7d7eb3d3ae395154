"""Each screen by the rules of axe, level AA: in both schemes, languages, and on three sizes of screens."""

from contextlib import closing

import pytest
from axe_playwright_python.sync_playwright import Axe

from chromium import phones_of
from console import Console

pytestmark = pytest.mark.deep

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SIZES = [(390, 844), (844, 390), (1400, 900)]
TEXTS = {"en-GB": {"settings": "Settings", "done": "Done", "gallery": "Photos and recordings", "presets": "Save or delete presets"},
         "de-DE": {"settings": "Einstellungen", "done": "Fertig", "gallery": "Fotos und Aufnahmen",
                   "presets": "Ansichten sichern oder löschen"}}


def assert_no_findings(phone, where: str):
    response = Axe().run(phone.page, options={"runOnly": LEVELS}).response
    found = response["violations"]
    assert len(response["passes"]) > 5, "the rules were tried"
    report = [f"{one['id']}: {one['help']}: {node['html'][:150]} {node['failureSummary'][:300]}"
              for one in found for node in one["nodes"]]
    phone.screenshot(f"axe-{where}")
    assert not report, "\n".join([where, *report])


@pytest.fixture(scope="module")
def own_console(broker, agent, tmp_path_factory):
    """It has a token, and is stopped by the last of the states."""
    with closing(Console(broker, tmp_path_factory.mktemp("console"))) as console:
        console.secret = console.token("owner", "--role", "manage")
        yield console.start()


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("locale", TEXTS)
@pytest.mark.parametrize("width, height", SIZES)
def test_each_screen(browser, own_console, controller, scheme, locale, width, height):
    name, texts = f"{width}x{height}-{scheme}-{locale[:2]}", TEXTS[locale]
    controller.obeyed("recording", {"on": False})
    controller.obeyed("capture", {})
    with phones_of(browser, own_console.address()) as phone_for:
        phone = phone_for(camera=None, viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale)
        phone.permit("WebSocket connection", "Failed to load resource")
        phone.open("").until("$('.sign-in') !== null", "the form")
        assert_no_findings(phone, f"sign-in-{name}")
        phone.run(f"location.hash = '#t={own_console.secret}'")
        phone.until("thumbnails() === 1", "the grid")
        assert_no_findings(phone, f"grid-{name}")
        phone.run("location.hash = '#/porch/door'")
        phone.shows_pictures().until("$('.chips button') !== null && !$('.chips button').disabled", "the camera")
        assert_no_findings(phone, f"camera-{name}")
        for state in ("settings", "presets"):
            phone.button(texts[state]).tap()
            phone.until("$('dialog[open]') !== null")
            assert_no_findings(phone, f"{state}-{name}")
            phone.button(texts["done"]).tap()
        phone.button(texts["gallery"]).tap()
        phone.until("$('.media img')?.naturalWidth > 0", "the photos")
        assert_no_findings(phone, f"gallery-{name}")
        phone.button(texts["done"]).tap()
        controller.obeyed("recording", {"on": True})
        phone.until("!$('.clock').hidden && !$('.still').hidden", "the recording")
        assert_no_findings(phone, f"recording-{name}")
        controller.obeyed("recording", {"on": False})
        controller.obeyed("privacy", {"state": "ON"})
        phone.until("!$('.remedy button').hidden", "the private camera")
        assert_no_findings(phone, f"private-{name}")
        controller.obeyed("privacy", {"state": "OFF"})
        own_console.kill()
        try:
            phone.until("!$('.banner').hidden", "the lost connection")
            assert_no_findings(phone, f"lost-{name}")
        finally:
            own_console.start()
