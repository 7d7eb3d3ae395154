"""The quality of the session, the privacy, and the controls of a camera in the sheet of settings."""

import pytest
from PIL import Image

from broker import Broker
from camera_list import camera, retained
from chromium import phones_of
from controller import Controller
from waiting import eventually

pytestmark = pytest.mark.deep

#: A descriptor of each kind of control. The simulated camera has no button and no text.
EVERY_KIND = [
    {"name": "gain", "title": "Gain", "kind": "slider", "min": 0, "max": 100, "step": 1, "default": 10, "enabled": True},
    {"name": "iso", "title": "ISO", "kind": "discrete", "values": [100, 200, 400], "default": 100, "enabled": True},
    {"name": "mode", "title": "Mode of day", "kind": "picker", "default": 0, "enabled": True,
     "options": [{"value": 0, "title": "Day"}, {"value": 1, "title": "Night"}]},
    {"name": "lamp", "title": "Lamp", "kind": "toggle", "default": False, "enabled": True},
    {"name": "reset", "title": "Reset lens", "kind": "button", "default": False, "enabled": True},
    {"name": "wiper", "title": "Wiper", "kind": "button", "default": False, "enabled": False, "reason": "the wiper is away"},
    {"name": "firmware", "title": "Firmware", "kind": "text", "default": "", "enabled": False, "read_only": True},
    {"name": "lens", "title": "Lens", "kind": "slider", "min": 0, "max": 9, "step": 1, "default": 1, "enabled": False,
     "reason": "it is set by the zoom", "read_only": True},
]
VALUES = {"gain": 10, "iso": 200, "mode": 1, "lamp": True, "reset": False, "wiper": False, "firmware": "1.2", "lens": 1}


@pytest.fixture(autouse=True)
def as_before(controller):
    """Each test leaves the camera as it found it."""
    yield
    controller.obeyed("privacy", {"state": "OFF"})
    controller.obeyed("recording", {"on": False})
    controller.obeyed("session", {"quality": "high", "controls": {
        "autofocus": True, "brightness": 128, "exposure_bias": 0, "power_line_frequency": 1}})


def settings(phone):
    phone.button("Settings").tap()
    phone.until("$('dialog[open] [data-control]') !== null", "the controls")
    return phone


def input_of(phone, name: str):
    return phone.page.locator(f"[data-control='{name}'] :is(input, select, button)")


def choose(phone, select, text: str):
    """Chooses an option with the keyboard: a finger would open a list that belongs to the browser."""
    titles = select.locator("option").all_inner_texts()
    at = select.evaluate("(select) => select.selectedIndex")
    select.focus()
    for _ in range(abs(titles.index(text) - at)):
        phone.page.keyboard.press("ArrowDown" if titles.index(text) > at else "ArrowUp")


def value(controller, name: str, wanted):
    controller.state("controls", lambda controls: controls["values"][name] == wanted)


def shows(phone, name: str, expression: str):
    """Waits until an expression of the input `one` of a control is true."""
    phone.until(f"((one) => {expression})($('[data-control={name}] :is(input, select, button)'))", f"{name}: {expression}")


# Controls

def test_a_finger_moves_a_slider(phone, controller):
    settings(phone)
    slider = input_of(phone, "brightness")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    phone.fingers.slide([(box["x"] + box["width"] / 2, y)], [(box["x"] + box["width"] - 1, y)])
    value(controller, "brightness", 255)
    shows(phone, "brightness", "one.value === '255'")
    phone.until("$('[data-control=brightness] output').textContent === '255'", "the value in words")


def test_options_and_switches(phone, controller):
    settings(phone)
    choose(phone, input_of(phone, "exposure_bias"), "0.667\u00a0EV")
    value(controller, "exposure_bias", 0.667)
    choose(phone, input_of(phone, "power_line_frequency"), "60 Hz")
    value(controller, "power_line_frequency", 2)
    input_of(phone, "autofocus").tap()
    value(controller, "autofocus", False)


def test_a_control_that_another_one_disables_stays_and_says_why(phone, controller):
    settings(phone)
    focus = input_of(phone, "focus")
    assert focus.is_visible() and focus.is_disabled()
    reason = phone.page.locator(f"#{focus.get_attribute('aria-describedby')}")
    assert reason.inner_text() == "The focus is automatic. Switch autofocus off first."
    input_of(phone, "autofocus").tap()
    shows(phone, "focus", "!one.disabled")
    phone.screenshot("settings-focus")
    choose_by_key = input_of(phone, "focus")
    choose_by_key.focus()
    phone.page.keyboard.press("End")
    value(controller, "focus", 250)


def test_the_sheet_follows_other_clients(phone, controller):
    settings(phone)
    controller.obeyed("controls", {
        "brightness": 77, "exposure_bias": -1, "power_line_frequency": 3, "autofocus": False, "focus": 40})
    shows(phone, "brightness", "one.value === '77'")
    shows(phone, "exposure_bias", "one.selectedOptions[0].text === '-1\\u00a0EV'")
    shows(phone, "power_line_frequency", "one.selectedOptions[0].text === 'Auto'")
    shows(phone, "autofocus", "!one.checked")
    shows(phone, "focus", "!one.disabled && one.value === '40'")


def test_each_kind_of_control(browser, console_at, tmp_path):
    """What the page sends for a camera that has a control of each kind. No agent answers."""
    broker = Broker(tmp_path / "broker").start()
    messages = camera("porch", "door", info={"controls": EVERY_KIND}, controls={"values": VALUES})
    try:
        with retained(broker, messages), Controller(broker) as observer:
            console = console_at(broker).start()
            with phones_of(browser, console.address()) as phone_for:
                phone = phone_for().open("#/porch/door")
                phone.until("!$('.chips button')?.disabled && $('.chips button') !== null", "the camera")
                settings(phone)
                shows(phone, "iso", "one.selectedOptions[0].text === '200'")
                shows(phone, "mode", "one.selectedOptions[0].text === 'Night'")
                shows(phone, "lamp", "one.checked")
                phone.until("$('[data-control=firmware]').innerText.includes('1.2')", "the text")
                phone.says("The camera only reports this.")
                assert input_of(phone, "wiper").is_visible() and input_of(phone, "wiper").is_disabled()
                phone.says("the wiper is away")
                phone.says("The zoom sets this.")
                phone.screenshot("settings-each-kind")
                phone.page.get_by_role("button", name="Reset lens").tap()
                input_of(phone, "lamp").tap()
                choose(phone, input_of(phone, "iso"), "400")
                choose(phone, input_of(phone, "mode"), "Day")
                for name, sent in [("reset", True), ("lamp", False), ("iso", 400), ("mode", 0)]:
                    observer.inbox.wait_for(
                        observer.topic("controls/set"), lambda message: message.json.get(name) is sent or
                        type(sent) is int and message.json.get(name) == sent, since=0)
    finally:
        broker.stop()


# The virtual camera

RUNNING = {"state": "running", "device": "/dev/video9", "width": 1280, "height": 720, "pixel_format": "YUYV", "fps": 30,
           "shows": "camera", "read": True}
FAILED = {"state": "failed", "device": "/dev/video9",
          "error": {"code": "device", "message": "There is no device /dev/video9."}}
#: States of a virtual camera, and what the sheet says.
VIRTUAL_CAMERA = [
    (RUNNING, "/dev/video9, HD · 30 fps, shows the camera"),
    ({**RUNNING, "shows": "black"}, "/dev/video9, HD · 30 fps, shows black"),
    ({**RUNNING, "state": "idle", "shows": "black", "read": False}, "/dev/video9, HD · 30 fps, no program reads it"),
    (FAILED, "/dev/video9, can't be used. There is no device /dev/video9."),
    ({"state": "starting", "device": "/dev/video9"}, "/dev/video9, is being opened"),
]


def test_the_state_of_the_virtual_camera(browser, console_at, tmp_path):
    """The sheet has it where the camera has one, and follows it."""
    broker = Broker(tmp_path / "broker").start()
    try:
        with retained(broker, camera("porch", "door", info={"controls": EVERY_KIND}, controls={"values": VALUES})):
            console = console_at(broker).start()
            with phones_of(browser, console.address()) as phone_for:
                phone = phone_for().open("#/porch/door")
                phone.until("!$('.chips button')?.disabled && $('.chips button') !== null", "the camera")
                settings(phone)
                phone.until("$('dialog dl').innerText.includes('Version')", "what the page knows")
                assert "Virtual camera" not in phone.run("$('dialog dl').innerText")
                for state, shown in VIRTUAL_CAMERA:
                    with retained(broker, camera("porch", "door", output=state)):
                        phone.until(f"$('dialog dl').innerText.includes({shown!r})", shown)
    finally:
        broker.stop()


# Privacy

def covered(phone):
    """No picture, and words instead of it."""
    phone.until("$('.view canvas').hidden && stage().dataset.frame === undefined"
                " && $('.message').textContent === 'The camera is private.'", "a covered picture")


def test_privacy_covers_the_picture_until_it_is_switched_off(phone_for, controller):
    phone, other = phone_for().open(), phone_for().open()
    settings(phone)
    phone.page.get_by_role("switch", name="Privacy").tap()
    controller.state("privacy", lambda privacy: privacy["state"] == "ON")
    for one in (phone, other):
        covered(one)
    phone.screenshot("private-settings")
    other.screenshot("private")
    for name in ("Take photo", "Zoom 2×"):
        assert other.button(name).is_disabled() and other.button(name).get_attribute("title") == "The camera is private.", name
    shown = other.run("$('.view').getBoundingClientRect().width > 0 && getComputedStyle($('.view')).backgroundImage")
    assert shown == "none"
    phone.page.get_by_role("switch", name="Privacy").tap()
    controller.state("privacy", lambda privacy: privacy["state"] == "OFF")
    for one in (phone, other):
        one.shows_pictures().until("$('.message').textContent === ''", "no words over the picture")


def test_privacy_of_another_client_is_named(phone, controller):
    settings(phone)
    controller.obeyed("privacy", {"state": "ON", "client": "hall-tablet"})
    covered(phone)
    phone.says("Private, switched on by hall-tablet")
    phone.until("$('#privacy').checked", "the switch")


def test_only_managers_switch_privacy_off(browser, broker, console_at, controller):
    console = console_at(broker)
    secret = console.token("tablet")
    console.start()
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for(camera=None).open(f"#t={secret}")
        phone.until("$('.grid li') !== null", "the grid")
        phone.page.locator("[data-camera='porch/door'] a").tap()
        settings(phone.shows_pictures())
        phone.page.get_by_role("switch", name="Privacy").tap()
        controller.state("privacy", lambda privacy: privacy["state"] == "ON")
        covered(phone)
        phone.says("Only a device with the role “manage” may do this.")
        assert phone.page.get_by_role("switch", name="Privacy").is_disabled()


# Qualities

def quality_of(phone):
    """The picker in the sheet of settings."""
    return settings(phone).page.get_by_role("combobox", name="Quality", exact=True)


def test_the_quality_is_chosen_and_said_with_its_size(phone, controller):
    choose(phone, quality_of(phone), "Low")
    controller.state("session", lambda session: session["quality"] == "low")
    session = controller.state("session")
    phone.says(f"Quality Low: {session['width']} × {session['height']} · 30 fps")


def test_the_quality_follows_another_client(phone, controller):
    picker = quality_of(phone)
    controller.obeyed("session", {"quality": "medium"})
    eventually(lambda: picker.input_value() == '"medium"', "the quality in effect")


def test_a_quality_that_is_refused_falls_back_and_says_why(phone, controller):
    controller.obeyed("recording", {"on": True, "codec": "mjpeg"})
    choose(phone, quality_of(phone), "Medium")
    phone.says("The camera is busy. Try again.")
    phone.until("$('#quality').value === '\"high\"'", "the quality in effect")
    assert controller.state("session")["quality"] == "high"


def test_a_camera_without_a_small_size_says_which_one_it_has(browser, bench, console_at, tmp_path):
    """No quality is below the size of the image: the camera falls back to it."""
    image = tmp_path / "view.jpg"
    Image.new("RGB", (800, 600), (90, 120, 150)).save(image)
    broker = bench.broker()
    bench.agent(broker, camera={"image": str(image), "simulated": {"optical_max": 1}})
    console = console_at(broker).start()
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for().open()
        choose(phone, quality_of(phone), "Low")
        phone.says("Quality Low: 800 × 600 ·")
        phone.until("$('#quality').value === '\"low\"'", "the quality in effect")
