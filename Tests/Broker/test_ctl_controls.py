"""The controller on the command line: presets, controls, and numbers as arguments."""

import json
import re

import pytest

from command_line import ctl, done, location, refused

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def place(controller, broker):
    """The options that name the shared agent's camera. The zoom is at 1."""
    return location(broker)


# Presets


def test_a_preset_is_saved_listed_gone_to_and_deleted(controller, place):
    controller.zoom_to(3)
    done("preset", "save", *place, "the gate")
    controller.zoom_to(1)
    done("preset", "go", *place, "the gate", "--rate", "8")
    assert controller.state("zoom", lambda state: not state["ramping"] and state["factor"] == 3)
    row = next(line for line in done("preset", "list", *place).splitlines() if line.startswith("the gate"))
    assert row.startswith("the gate *") and "3×" in row and "0.5,0.5" in row
    printed = json.loads(done("preset", "list", *place, "--json"))
    assert printed["current"] == "the gate" and printed["presets"]["the gate"]["factor"] == 3
    done("preset", "delete", *place, "the gate")
    left = done("preset", "list", *place)
    assert "the gate" not in left and "home" in left


def test_home_preset_is_marked_when_it_is_current(controller, place):
    done("preset", "go", *place, "home")
    controller.state("presets", lambda state: state.get("current") == "home")
    assert any(line.startswith("home * ") for line in done("preset", "list", *place).splitlines())
    controller.zoom_to(2)
    controller.state("presets", lambda state: "current" not in state)
    assert any(line.startswith("home  ") for line in done("preset", "list", *place).splitlines())


def test_an_unknown_preset_is_an_error(place):
    assert "nosuch" in refused("preset", "go", *place, "nosuch")


# Controls


def test_controls_are_listed_with_value_and_range(controller, place):
    controller.obeyed("controls", {"brightness": 77})
    lines = done("controls", *place).splitlines()
    assert lines[0].split() == ["NAME", "VALUE", "RANGE", "UNIT", "DEFAULT", "TITLE"]
    brightness = next(line.split() for line in lines if line.startswith("brightness "))
    assert brightness[:3] == ["brightness", "77", "0…255"]
    rows = {row["name"]: row for row in json.loads(done("controls", *place, "--json"))}
    assert rows["brightness"]["value"] == 77 and rows["brightness"]["kind"] == "slider"
    # As in info, and the value.
    info = controller.state("info", lambda info: info["controls"])
    assert [{**control, "value": rows[control["name"]]["value"]} for control in info["controls"]] == list(rows.values())


def test_a_disabled_control_is_listed_with_the_reason(controller, place):
    controller.obeyed("controls", {"autofocus": True})
    info = controller.state("info", lambda info: info["controls"])
    disabled = next(control for control in info["controls"] if not control["enabled"])
    row = next(line for line in done("controls", *place).splitlines() if line.startswith(disabled["name"] + " "))
    assert f"disabled: {disabled['reason']}" in row


def test_controls_are_set_by_number_word_and_title(controller, place):
    printed = done("controls", *place, "brightness=12", "autofocus=off", "color_effects=Sepia")
    state = controller.state("controls", lambda state: state["values"]["brightness"] == 12)
    assert state["values"]["autofocus"] is False
    assert "brightness 12\n" in printed and "autofocus off\n" in printed
    row = next(line for line in done("controls", *place).splitlines() if line.startswith("color_effects "))
    assert re.split("  +", row)[1].endswith(" Sepia")
    done("controls", *place, "color_effects=None", "autofocus=on", "brightness=128")


def test_controls_are_set_by_name_and_value_apart(controller, place):
    printed = done("controls", *place, "brightness", "13", "color_effects=Sepia", "exposure_bias", "-1", "autofocus", "off", "--json")
    values = json.loads(printed)["values"]
    assert (values["brightness"], values["autofocus"], values["exposure_bias"]) == (13, False, -1)
    done("controls", *place, "color_effects", "None", "autofocus", "on", "brightness", "128", "exposure_bias=0")


def test_controls_are_set_all_or_none(controller, place):
    controller.obeyed("controls", {"brightness": 50})
    assert "nosuch" in refused("controls", *place, "brightness=60", "nosuch=1")
    assert controller.state("controls")["values"]["brightness"] == 50


def test_an_impossible_value_is_refused_with_the_range(place):
    assert "0…255" in refused("controls", *place, "brightness=bright")


@pytest.mark.parametrize("wrong", [
    ("brightness",), ("=3",), ("brightness=1", "brightness=2"), ("brightness=1", "brightness", "2"), ("id=3",)])
def test_wrong_arguments_are_refused(wrong):
    assert ctl("controls", *wrong).returncode == 64


# Numbers


@pytest.mark.parametrize("command, field", [
    (["zoom", "-1", "--json"], "factor"), (["zoom", "--json", "-0.5"], "factor"), (["zoom", "2", "--rate", "-1"], "rate"),
    (["zoom", "--by", "-1"], "by"), (["preset", "go", "home", "--rate", "-1"], "rate"),
    (["capture", "--count", "-10"], "count"), (["capture", "--zoom=-1"], "factor"),
])
def test_a_negative_number_is_refused_by_the_camera_and_not_as_usage(place, command, field):
    ended = ctl(*command, *place)
    assert ended.returncode == 1
    assert field in ended.stderr and "Usage" not in ended.stderr, ended.stderr


def test_a_negative_number_is_accepted_as_a_velocity_and_as_a_name(controller, place):
    controller.zoom_to(4)
    done("zoom", "--move", "-1", "--timeout", "200", *place)
    controller.state("zoom", lambda state: state["factor"] < 4 and not state["ramping"])
    assert "above 0" in ctl("pinch", "-2", *place).stderr
    done("preset", "save", "-1", *place)
    done("preset", "delete", "-1", *place)


@pytest.mark.parametrize("number", ["nan", "inf", "1e999"])
def test_a_number_that_is_not_finite_is_refused(number):
    ended = ctl("zoom", number)
    assert ended.returncode == 64 and "finite" in ended.stderr
