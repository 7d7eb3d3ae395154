"""The controls of a UVC camera as data: what they are, what can be set, and that all of a command is done or
nothing."""

import pytest

from virtual_camera import Camera
from controller import Controller
from guest_agent import GuestAgent
from state_file import state_in
from v4l2ctl import value
from waiting import eventually


@pytest.fixture(scope="module")
def front(guest):
    return Camera(guest, "front")


@pytest.fixture(scope="module")
def agent(guest, broker, front):
    agent = GuestAgent(guest, broker, cameras=[{"id": "door", "source": {"v4l2": front.node}}]).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def controller(broker, agent, front):
    with Controller(broker) as controller:
        controller.obeyed("controls", {"focus_automatic_continuous": True, "brightness": 0, "contrast": 50, "sharpness": 3})
        yield controller


def described(controller, name: str, wanted=lambda control: True) -> dict:
    def found(info):
        return next((control for control in info["controls"] if control["name"] == name), None)
    return found(controller.state("info", lambda info: found(info) and wanted(found(info))))


# What they are


def test_integer_range_is_a_slider(controller):
    brightness = described(controller, "brightness")
    assert brightness == {
        "name": "brightness", "title": "Brightness", "kind": "slider", "min": -64, "max": 64, "step": 1, "default": 0, "enabled": True}
    assert described(controller, "pan_absolute")["step"] == 3600


def test_boolean_is_a_toggle(controller):
    automatic = described(controller, "focus_automatic_continuous")
    assert (automatic["kind"], automatic["default"], automatic["enabled"]) == ("toggle", True, True)
    assert controller.state("controls")["values"]["focus_automatic_continuous"] is True


def test_menu_is_a_picker_of_its_valid_items(controller):
    line = described(controller, "power_line_frequency")
    assert line["kind"] == "picker" and line["default"] == 1
    assert [option["value"] for option in line["options"]] == [0, 1, 2]
    assert "50 Hz" in line["options"][1]["title"]
    # GET_RES of the camera has its modes: two of the menu's four.
    exposure = described(controller, "auto_exposure")
    assert [option["value"] for option in exposure["options"]] == [1, 3]


def test_zoom_control_is_listed_as_disabled(controller):
    zoom = described(controller, "zoom_absolute")
    assert (zoom["min"], zoom["max"], zoom["enabled"]) == (100, 500, False)
    assert "zoom" in zoom["reason"]
    controller.refused("controls", {"zoom_absolute": 200}, "unavailable", "zoom_absolute")


@pytest.mark.parametrize("name, word", [("privacy", "read"), ("focus_absolute", "inactive"), ("white_balance_temperature", "inactive")])
def test_disabled_control_has_a_reason(controller, front, name, word):
    control = described(controller, name)
    assert control["enabled"] is False and word in control["reason"]
    since = front.mark()
    error = controller.refused("controls", {name: control["default"]}, "unavailable", name)
    assert control["reason"] in error["message"]
    assert not [entry.text for entry in front.log(since) if entry.text.startswith("SET_CUR") and "refused" not in entry.text]


def test_known_units_are_published(controller):
    assert described(controller, "white_balance_temperature")["unit"] == "K"
    assert "unit" not in described(controller, "brightness")


# Setting them


def test_value_reaches_the_camera_and_is_published(controller, front):
    since, log = controller.mark(), front.mark()
    answer = controller.obeyed("controls", {"brightness": 30, "contrast": 70, "client": "tablet"})
    assert (front.settings("brightness", log), front.settings("contrast", log)) == (["30"], ["70"])
    state = controller.state("controls", lambda state: state["values"]["brightness"] == 30, since=since)
    assert (state["values"]["contrast"], state["origin"]["kind"], state["origin"]["client"]) == (70, "command", "tablet")
    assert answer["values"]["brightness"] == 30


def test_disabled_automatic_enables_its_manual_control(controller, front):
    controller.obeyed("controls", {"focus_automatic_continuous": False})
    assert "reason" not in described(controller, "focus_absolute", lambda control: control["enabled"])
    controller.obeyed("controls", {"focus_absolute": 50})
    assert front.command("read", "focus") == "50"
    controller.obeyed("controls", {"focus_automatic_continuous": True})
    assert described(controller, "focus_absolute", lambda control: not control["enabled"])["reason"]


@pytest.mark.parametrize("order", [1, -1])
def test_automatic_and_manual_control_are_set_in_one_command(controller, front, order):
    wanted = [("focus_automatic_continuous", False), ("focus_absolute", 75), ("white_balance_automatic", False),
              ("white_balance_temperature", 5000)]
    controller.obeyed("controls", dict(wanted[::order]))
    assert (front.command("read", "focus"), front.command("read", "white_balance")) == ("75", "5000")
    controller.obeyed("controls", {"white_balance_automatic": True})


# All or nothing


@pytest.mark.parametrize("stalled", ["sharpness", "contrast", "brightness"])
def test_when_the_camera_refuses_one_none_is_set(controller, front, stalled):
    front.command("stall", stalled)
    since = controller.mark()
    try:
        error = controller.refused("controls", {"brightness": 30, "contrast": 70, "sharpness": 9}, "device")
        assert stalled in error["message"]
        assert "busy" in error["message"].lower(), "the driver's own words are missing"
    finally:
        front.command("stall", stalled, 0)
    at = {name: int(front.command("read", name)) for name in ("brightness", "contrast", "sharpness")}
    assert at == {"brightness": 0, "contrast": 50, "sharpness": 3}
    assert all(state["values"].items() >= at.items() for state in controller.states("controls", since))
    controller.obeyed("controls", {"brightness": 30, "contrast": 70, "sharpness": 9})


def test_when_the_camera_refuses_the_focus_the_automatic_stays_on(controller, front):
    front.command("stall", "focus", 7)
    try:
        controller.refused("controls", {"focus_automatic_continuous": False, "focus_absolute": 75, "brightness": 9}, "device")
    finally:
        front.command("stall", "focus", 0)
    assert (front.command("read", "autofocus"), front.command("read", "brightness")) == ("1", "0")
    assert described(controller, "focus_absolute")["enabled"] is False


def test_applied_value_is_read_back(controller, front, guest):
    """Without auto-update the driver caches the requested value; the value of the camera cannot be read."""
    front.command("round", "contrast", 20)
    try:
        answer = controller.obeyed("controls", {"contrast": 75})
        assert answer["values"]["contrast"] == value(guest, front.node, "contrast")
    finally:
        front.command("round", "contrast", 0)


def test_values_are_restored_after_a_restart(controller, front, agent):
    controller.obeyed("controls", {"focus_automatic_continuous": False, "focus_absolute": 120, "brightness": 17})
    eventually(lambda: "'focus_absolute': 120" in str(state_in(agent.state_file)), "the focus in the state file")
    agent.kill()
    front.button("brightness", 0)
    front.button("autofocus", 1)
    front.button("focus", 0)
    agent.start()
    at = {name: front.command("read", name) for name in ("brightness", "autofocus", "focus")}
    assert at == {"brightness": "17", "autofocus": "0", "focus": "120"}
