"""Names from agents and people are text on the page, whatever they contain."""

import json

import pytest

from broker import Broker
from camera_list import camera, retained
from chromium import phones_of

pytestmark = pytest.mark.deep

HOSTILE = [
    "<img src=x onerror=alert(1)>", "\"><script>alert(1)</script>", "'); alert(1); ('", "${alert(1)} {{7*7}} {client}",
    "javascript:alert(1)", "</style><style>*{display:none}</style>", "\u202eevil \u0000name".replace("\0", ""), "é 中文 🎥",
    "&lt;b&gt;", "__proto__", "constructor", "a" * 64]


@pytest.fixture
def no_alerts():
    """Alerts of the page: a test fails if there is one."""
    alerts = []
    yield lambda phone: phone.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    assert alerts == []


@pytest.mark.parametrize("name", [name for name in HOSTILE if len(name.encode()) <= 64])
def test_a_preset_of_any_name(phone, controller, no_alerts, name):
    no_alerts(phone)
    controller.zoom_to(3)
    controller.obeyed("presets", {"save": name})
    try:
        phone.until(f"[...document.querySelectorAll('[data-preset]')].some((one) => one.textContent === {name!a})"
                    if "\U0001f3a5" not in name else "$('[data-preset]') !== null", f"the preset {name!r}")
        controller.zoom_to(1)
        phone.page.locator("[data-preset]").last.tap()
        controller.state("zoom", lambda zoom: zoom["factor"] == 3)
        phone.button("Save or delete presets").tap()
        phone.until(f"$('dialog li span').textContent.length === {len(name.encode('utf-16-le')) // 2}")
        phone.page.locator("dialog li button").tap()
        controller.state("presets", lambda presets: name not in presets["presets"])
        phone.until("$('dialog li') === null", "no preset")
        phone.button("Done").tap()
    finally:
        controller.command("presets", {"delete": name})


def test_cameras_that_describe_themselves_by_markup(browser, console_at, tmp_path, no_alerts):
    """A broker where a stranger may publish what no agent would."""
    broker = Broker(tmp_path / "broker").start()
    try:
        markup = "<img src=x onerror=alert(1)>"
        info = {
            "name": markup, "model": markup, "groups": [*HOSTILE], "qualities": [markup, "\"onfocus=alert(1)"],
            "controls": [
                {"name": "one", "title": markup, "kind": "slider", "min": 0, "max": 9, "step": 1, "unit": markup,
                 "default": 1, "enabled": False, "reason": markup},
                {"name": "two", "title": "\"'><b>", "kind": "picker", "options": [{"value": 0, "title": markup}],
                 "default": 0, "enabled": True}]}
        messages = camera(
            "porch", "door", info=info, controls={"values": {"one": 1, "two": 0}}, session={"quality": markup, "width": 960, "height": 540, "fps": 30},
            lease={"client": markup, "proved": False, "until": "2030-01-01T00:00:00.000Z"},
            presets={"presets": {name: {"factor": 2} for name in HOSTILE}, "current": None})
        messages |= {
            "v4l2mqtt/<script>alert(1)<∕script>/door/info": {"model": "x"},
            "v4l2mqtt/porch/<b>/availability": {"state": "online"},
            "v4l2mqtt/porch/other/info": b"\xff\xfe not JSON",
            "v4l2mqtt/porch/third/info": {"model": 7, "groups": "no list"},
            "v4l2mqtt/porch/third/availability": {"state": "online", "reason": markup}}
        with retained(broker, messages):
            console = console_at(broker).start()
            with phones_of(browser, console.address()) as phone_for:
                phone = phone_for(camera=None)
                no_alerts(phone)
                phone.open("").until("$('[data-camera=\"porch/door\"]') !== null", "the camera")
                phone.until(
                    f"$('[data-camera=\"porch/door\"] strong').textContent === {json.dumps(markup)}", "its name, as text")
                names = phone.run("[...document.querySelectorAll('.grid li')].map((li) => li.dataset.camera)")
                assert set(names) <= {"porch/door", "porch/other", "porch/third"}
                groups = phone.run("[...document.querySelectorAll('[data-group]')].map((one) => one.textContent)")
                assert set(HOSTILE) <= set(groups)
                phone.screenshot("hostile-grid")
                phone.page.locator("[data-camera='porch/door'] a").tap()
                phone.until("document.querySelectorAll('[data-preset]').length > 0", "the presets")
                phone.says(f"Only {markup} zooms.")
                phone.until(f"$('h1 span').textContent === {json.dumps(markup)}", "its name in the heading, as text")
                phone.button("Settings").tap()
                phone.until(f"$('dialog').innerText.includes({json.dumps(markup)})", "the control's title, as text")
                phone.screenshot("hostile-settings")
                assert phone.run("document.querySelectorAll('main img, main script, dialog img, dialog script').length") == 0
    finally:
        broker.stop()
