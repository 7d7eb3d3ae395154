"""The page survives whatever is on the broker in the place of an agent's states, events and answers.

The messages are JSON objects, or null: the console passes no others on.
"""

import copy

import pytest

from broker import Broker
from camera_list import camera, retained
from chromium import phones_of
from scripted_agent import ScriptedAgent, done, refused
from waiting import eventually

pytestmark = pytest.mark.deep

WRONG = [None, -7, 0, "x", "", True, [], [7, None, {}], {}, {"__proto__": {"min": 1}, "x": [None]}]
INFO = {
    "qualities": ["low", "high"], "groups": ["outside"],
    "controls": [
        {"name": "gain", "title": "Gain", "kind": "slider", "min": 0, "max": 9, "step": 1, "unit": "dB", "default": 1, "enabled": True},
        {"name": "iso", "title": "ISO", "kind": "discrete", "values": [100, 200], "default": 100, "enabled": True},
        {"name": "mode", "title": "Day", "kind": "picker", "default": 0, "enabled": True, "options": [{"value": 0, "title": "A"}]},
        {"name": "lamp", "title": "Lamp", "kind": "toggle", "default": True, "enabled": False, "reason": "no lamp"},
        {"name": "reset", "title": "Reset", "kind": "button", "default": False, "enabled": True},
        {"name": "text", "title": "Text", "kind": "text", "default": "", "enabled": False, "read_only": True}]}
STATES = {
    "session": {"quality": "high", "width": 960, "height": 540, "fps": 30, "pixel_format": "MJPG"},
    "recording": {"on": True, "state": "recording", "started_at": "2026-11-21T09:05:38.958Z"},
    "controls": {"values": {"gain": 3, "iso": 200, "mode": 0, "lamp": True, "reset": False, "text": "t"}},
    "presets": {"presets": {"gate": {"factor": 2}}, "current": "gate"},
    "lease": {"client": "desk", "proved": False, "until": "2030-01-01T00:00:00.000Z"},
    "privacy": {"state": "OFF", "client": "desk", "proved": False},
}
EVENTS = [
    {"event": "recording_finished", "recording": {"reason": "disk_full", "duration_s": 3, "bytes": 7}},
    {"event": "recording_finished", "recording": {"reason": "stopped", "duration_s": 3, "bytes": 7}},
    {"event": "sound", "sound": "default", "action": "toString", "client": "console", "proved": False}]
ANSWERS = {
    "media": {"media": [{"name": "a.jpg", "kind": "photo", "bytes": 7, "created_at": "2026-11-21T09:05:38.958Z"}], "next": "a.jpg"},
    "session": {"session": STATES["session"]},
    "zoom": {"status": "error", "error": {"code": "held", "message": "m", "field": "f"}, "persisted": False},
}


def defects(value):
    """The value with each member missing, or of each wrong type, in turn."""
    yield from WRONG
    places = list(range(len(value))) if isinstance(value, list) else list(value) if isinstance(value, dict) else []
    for place in places:
        if isinstance(value, dict):
            yield {name: one for name, one in value.items() if name != place}
        for defect in defects(value[place]):
            changed = copy.copy(value)
            changed[place] = defect
            yield changed


@pytest.fixture
def world(browser, console_at, tmp_path):
    """A phone that shows a camera whose agent is a program of the test: (agent, phone_for)."""
    broker = Broker(tmp_path / "broker").start()
    try:
        with retained(broker, camera("porch", "door", info=INFO, **STATES)), ScriptedAgent(broker, done) as agent:
            console = console_at(broker).start()
            with phones_of(browser, console.address()) as phone_for:
                yield agent, phone_for
    finally:
        broker.stop()


def valid(node: str) -> dict:
    return camera("porch", "door", info=INFO, **STATES)[f"v4l2mqtt/porch/door/{node}"]


def opened(phone_for):
    phone = phone_for().open("#/porch/door")
    phone.until("$('.chips button') !== null && $('[data-preset=gate]') !== null", "the camera")
    return phone


def works(phone):
    """Everything is shown that the valid states say, and the dialogs open."""
    phone.until("$('[data-preset=gate]') !== null"
                " && $('.chips button').title === 'Only desk zooms.' && !$('.clock').hidden"
                " && $('.dial').getAttribute('aria-valuetext') === '1.0×'", "the valid states")
    phone.button("Settings").tap()
    phone.until("$('#quality').value === '\"high\"' && $('[data-control=gain] input').value === '3' && $('[data-control=text]').innerText.includes('t')"
                " && $('dl').innerText.includes('960 × 540 · 30 fps')", "the valid controls")
    phone.button("Done").tap()


@pytest.mark.parametrize("node", ["info", "zoom", *STATES])
def test_each_defect_of_a_state(world, node):
    """The sheet of settings is open while the states come, and is opened again afterwards."""
    agent, phone_for = world
    phone = opened(phone_for)
    phone.button("Settings").tap()

    def count():
        phone.run("0")  # lets messages of the browser in
        return sum(message.get("state", {}).get("node") == node for message in phone.received)

    for defect in (one for one in defects(valid(node)) if one is None or isinstance(one, dict)):
        before = count()
        agent.publish(f"door/{node}", defect)
        eventually(lambda: count() > before, f"the state {defect}")
        assert phone.objections == [], defect
    agent.publish(f"door/{node}", valid(node))
    phone.button("Done").tap()
    works(phone)


@pytest.mark.parametrize("wrong", [{}, None, WRONG[-1]], ids=["empty", "null", "prototype"])
def test_a_camera_with_nothing_but_defects(world, wrong):
    agent, phone_for = world
    for node in ("info", "zoom", *STATES):
        agent.publish(f"door/{node}", wrong)
    phone = phone_for().open("#/porch/door")
    phone.until("$('.stage') !== null", "the camera")
    for name in ("Settings", "Photos and recordings"):
        phone.button(name).tap()
        phone.until("$('dialog[open]') !== null", name)
        phone.button("Done").tap()
    phone.screenshot("defects")
    for node in ("info", "zoom", *STATES):
        agent.publish(f"door/{node}", valid(node))
    works(phone)


def test_a_session_without_a_rate_is_shown_without_it(world):
    agent, phone_for = world
    phone = opened(phone_for)
    agent.publish("door/session", {name: value for name, value in valid("session").items() if name != "fps"})
    phone.button("Settings").tap()
    phone.until("/960 × 540(?! ·)/.test($('dl').innerText)", "the size alone")


def test_each_defect_of_an_event(world):
    agent, phone_for = world
    phone = opened(phone_for)
    phone.page.locator(".stage").tap()  # browsers allow sounds after a touch
    defective = [defect for event in EVENTS for defect in [*defects(event), event]]
    for event in defective:
        agent.publish("door/event", event, retain=False)
    agent.publish("door/event", EVENTS[0], retain=False)
    phone.says("The recording has ended: the disk is full.")
    works(phone)


@pytest.mark.parametrize("node", ANSWERS)
def test_each_defect_of_an_answer(world, node):
    agent, phone_for = world
    phone = opened(phone_for)
    agent.publish("door/lease", None)
    agent.publish("door/recording", {**valid("recording"), "on": False, "state": "idle"})
    phone.until("!$('.chips button').disabled && $('.clock').hidden", "a zoom that can be used")
    order = {
        "zoom": lambda: phone.button("Zoom 2×").tap(),
        "session": lambda: (
            phone.button("Settings").tap(),
            phone.page.locator("#quality").evaluate("(one) => one.dispatchEvent(new Event('change'))"),
            phone.button("Done").tap()),
        "media": lambda: (phone.button("Photos and recordings").tap(), phone.button("Done").tap())}[node]
    whole = done(node, {}, **ANSWERS[node])
    phone.permit("media/porch/door/")  # no agent has the file
    for defect in (one for one in defects(whole) if isinstance(one, dict) and one.get("status") != "accepted"):
        agent.answer = lambda name, payload: defect if name == node else done(name, payload)
        before = len(phone.received)
        order()

        def answered():
            phone.run("0")
            return any("answer" in message for message in phone.received[before:])

        eventually(answered, f"the answer {defect}")
        assert phone.objections == [], defect
    agent.answer = done
    agent.publish("door/lease", valid("lease"))
    agent.publish("door/recording", valid("recording"))
    works(phone)


# The shutter

@pytest.fixture
def shutter(world):
    """(agent, phone): a camera that takes photos."""
    agent, phone_for = world
    agent.publish("door/recording", {**valid("recording"), "on": False, "state": "idle"})
    phone = phone_for().open("#/porch/door")
    phone.until("$('.shutter').disabled === false && $('.chips button') !== null", "the shutter")
    yield agent, phone


def phases(agent) -> list[str]:
    return [payload.get("phase") for node, payload in agent.commands if node == "capture"]


def press(phone):
    box = phone.button("Take photo").bounding_box()
    phone.fingers.down({0: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)})


def test_a_press_that_is_refused_holds_nothing(shutter):
    agent, phone = shutter
    agent.answer = lambda node, payload: refused(node, payload, "busy") if payload.get("phase") == "began" else done(node, payload)
    press(phone)
    phone.says("The camera is busy. Try again.")
    phone.until("!$('.shutter').classList.contains('pressed')", "a shutter that is not pressed")
    phone.fingers.up()
    agent.answer = done
    press(phone)
    phone.until("$('.shutter').classList.contains('pressed')", "a shutter that is pressed")
    phone.fingers.up()
    eventually(lambda: phases(agent) == ["began", "began", "ended"], "nothing of the refused press but its beginning")


def test_a_release_that_is_refused_holds_nothing(shutter):
    agent, phone = shutter
    agent.answer = lambda node, payload: refused(node, payload, "rate_limited") if payload.get("phase") == "ended" else done(node, payload)
    press(phone)
    phone.fingers.up()
    phone.says("Too many commands. Wait a little.")
    eventually(lambda: phases(agent) == ["began", "ended", "cancelled"], "the end of the press")
    phone.until("!$('.shutter').classList.contains('pressed')", "a shutter that is not pressed")
    agent.answer = done
    press(phone)
    phone.fingers.up()
    eventually(lambda: phases(agent)[3:] == ["began", "ended"], "a press that is not refused")
