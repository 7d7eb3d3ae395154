"""The documents that are in `Tests/HomeAssistantTests/golden`, held against Home Assistant's rules, and its
templates."""

import copy
import json
import re
from pathlib import Path

import pytest

import contract
from home_assistant_rules import GOLDEN, commanded, commands_of, merged, objections, rendered

CAMERAS = ["simulated", "webcam", "ptz", "vivid"]
TOPIC = "homeassistant/device/v4l2mqtt_door_AT_porch/config"


def golden(camera: str) -> dict:
    return json.loads((GOLDEN / f"{camera}.json").read_text())


def info(camera: str) -> dict:
    return json.loads((GOLDEN.parent / "cameras" / f"{camera}.json").read_text())


def components(camera: str) -> dict:
    return merged(golden(camera))["cmps"]


@pytest.mark.parametrize("camera", CAMERAS)
def test_documents_pass_the_validation_of_home_assistant(camera):
    assert objections(TOPIC, json.dumps(golden(camera)).encode()) == []


@pytest.mark.parametrize("camera", CAMERAS)
def test_info_of_each_camera_passes_its_schema(camera):
    assert contract.objection("camera.info.schema.json", info(camera)) is None


BREACHES = [
    ("no origin", lambda d: d.pop("o")),
    ("an unknown key at the top", lambda d: d.update(x=1)),
    ("a base topic at the top", lambda d: d.update({"~": "x"})),
    ("null in the device", lambda d: d["dev"].update(sn=None)),
    ("no identifier", lambda d: d["dev"].pop("ids")),
    ("a URL that is none", lambda d: d["o"].update(url="here")),
    ("a component without an id", lambda d: d["cmps"]["zoom"].pop("uniq_id")),
    ("two kinds of availability", lambda d: d["cmps"]["zoom"].update(avty=[], avty_t="x")),
    ("no command topic", lambda d: (d.pop("cmd_t"), d["cmps"]["zoom"].pop("cmd_t"))),
    ("an icon without its prefix", lambda d: d["cmps"]["zoom"].update(ic="magnify")),
    ("a wildcard", lambda d: d["cmps"]["zoom"].update(cmd_t="a/+/b")),
    ("a range that is none", lambda d: d["cmps"]["zoom"].update(min=9)),
    ("too small a step", lambda d: d["cmps"]["zoom"].update(step=0.0001)),
    ("a bad template", lambda d: d["cmps"]["zoom"].update(val_tpl="{{ ")),
    ("a sensor under configuration", lambda d: d["cmps"]["resolution"].update(ent_cat="config")),
    ("a unit that doesn't fit", lambda d: d["cmps"]["disk_free"].update(unit_of_meas="×")),
    ("an option None", lambda d: d["cmps"]["preset"]["ops"].append("none")),
    ("an option twice", lambda d: d["cmps"]["preset"]["ops"].append("home")),
    ("no QoS", lambda d: d["cmps"]["zoom"].pop("qos")),
    ("an optimistic switch", lambda d: (d.pop("stat_t"), d["cmps"]["recording"].pop("stat_t"))),
    ("a bad id", lambda d: d["cmps"].update({"a.b": d["cmps"]["zoom"]})),
    ("a component without a platform", lambda d: d["cmps"]["zoom"].pop("p")),
    ("a text that is too long", lambda d: d["cmps"]["preset_save_as"].update(max=256)),
    ("options of what is no enum", lambda d: d["cmps"]["resolution"].update(ops=["a"])),
    ("an image of two kinds", lambda d: d["cmps"]["last_photo"].update(url_t="x/y")),
    ("an event without types", lambda d: d["cmps"]["shutter"].pop("evt_typ")),
    ("two availabilities at the top", lambda d: d.update(avty_t="x")),
    ("a name for the device that is null", lambda d: d["dev"].update(name=None)),
    ("two entity ids for one entity", lambda d: d["cmps"]["switch_autofocus"].update(obj_id="door_lens")),
    ("the same entity twice", lambda d: d["cmps"].update(zoom2=d["cmps"]["zoom"])),
]


@pytest.mark.parametrize("what, breach", BREACHES, ids=[what for what, _ in BREACHES])
def test_validator_rejects_wrong_documents(what, breach):
    document = copy.deepcopy(golden("simulated"))
    breach(document)
    assert objections(TOPIC, json.dumps(document).encode())


# Templates

ZOOM = {
    "factor": 1, "target": 2.345678, "ramping": True, "min": 1, "max": 8, "position": 0, "optical": 1, "digital": 1,
    "viewport": {"x": 0, "y": 0, "width": 1, "height": 1}, "rev": 3, "boot": 1, "origin": {"kind": "gesture", "client": "phone"},
    "ts": "2026-11-21T09:46:34.152Z"}


def examples(schema: str) -> list:
    return json.loads((contract.SCHEMAS / f"{schema}.schema.json").read_text())["examples"]


STATES = {
    "zoom": examples("zoom.state") + [ZOOM, {**ZOOM, "origin": {"kind": "restore"}}],
    "recording": examples("recording.state"), "session": examples("session.state"), "presets": examples("presets.state"),
    "preview": examples("preview.state"), "privacy": examples("privacy.state"), "lease": examples("lease.state"), "capture": examples("capture.state"),
    "event": examples("event"), "diagnostics": examples("diagnostics.state"), "availability": examples("camera.availability"),
}


def values_of(camera: str) -> dict:
    return {control["name"]: control["default"] for control in info(camera)["controls"] if control["kind"] != "button"}


def states(camera: str, topic: str) -> list:
    node = topic.removeprefix("v4l2mqtt/porch/").removeprefix("door/")
    if topic == "v4l2mqtt/porch/info":
        return examples("agent.info")
    if topic == "v4l2mqtt/porch/availability":
        return examples("agent.availability")
    if node == "info":
        return [info(camera)]
    if node == "controls":
        return [{"values": values_of(camera)}, {"values": {}}]
    return STATES[node]


@pytest.mark.parametrize("camera", CAMERAS)
def test_templates_read_each_state_without_undefined_fields(camera):
    document = merged(golden(camera))
    for name, component in document["cmps"].items():
        pairs = [("stat_t", "val_tpl"), ("json_attr_t", "json_attr_tpl")]
        asked = [(component[topic], component[template]) for topic, template in pairs if template in component]
        asked += [(one["t"], one["val_tpl"]) for one in component.get("avty", document["avty"])]
        for topic, template in asked:
            for state in states(camera, topic):
                made = rendered(template, json.dumps(state).encode())
                assert len(made) <= 255 or template.startswith("{{dict") or "tojson" in template, name
                if topic.endswith("/availability") and name != "status" or topic.endswith(("/info", "/preview")) and template in [
                        one["val_tpl"] for one in component.get("avty", [])]:
                    assert made in ("online", "offline"), name


@pytest.mark.parametrize("camera", CAMERAS)
def test_each_control_shows_its_value(camera):
    names = {control["name"]: control for control in info(camera)["controls"]}
    state = json.dumps({"values": values_of(camera)}).encode()
    for name, component in components(camera).items():
        platform = component["p"]
        control = name.removeprefix(f"{platform}_")
        if component.get("stat_t", "").endswith("/controls"):
            made = rendered(component["val_tpl"], state)
            value = names[control]["default"]
            if platform == "number":
                assert float(made) == value and component["min"] <= float(made) <= component["max"]
            elif platform == "sensor":
                assert made == str(value)[:255]
            elif platform == "select":
                place = [option["value"] for option in names[control]["options"]].index(value)
                assert made == component["ops"][place]
            elif platform in ("switch", "binary_sensor"):
                assert made == ("ON" if value else "OFF")


@pytest.mark.parametrize("camera", CAMERAS)
def test_each_command_is_within_the_contract(camera):
    channels = contract.channels()
    for name, component in components(camera).items():
        for payload in commands_of(component):
            channel = next(channel for channel in channels.values() if channel.has(component["cmd_t"]))
            assert channel.objection(payload) is None, (name, payload)
            assert json.loads(payload)["client"] == "homeassistant"


@pytest.mark.parametrize("camera", CAMERAS)
def test_each_option_sends_the_value_of_its_label(camera):
    """Also one that is called None, has no name, or the name of another."""
    for control in info(camera)["controls"]:
        component = components(camera).get(f"select_{control['name']}")
        if component is None:
            continue
        for option, label in zip(control["options"], component["ops"], strict=True):
            assert json.loads(commanded(component, label))[control["name"]] == option["value"]
            state = json.dumps({"values": {control["name"]: option["value"]}}).encode()
            assert rendered(component["val_tpl"], state) == label


def test_a_preset_that_is_called_none_works():
    preset = components("simulated")["preset"]
    assert preset["ops"] == ["home", "Gate", "(None)"]
    assert json.loads(commanded(preset, "(None)"))["go"] == "None"
    assert rendered(preset["val_tpl"], b'{"presets":{},"current":"None"}') == "(None)"
    assert rendered(preset["val_tpl"], b'{"presets":{}}') == "None"  # which is: unknown


def test_zoom_entity_shows_the_target_within_its_bounds():
    zoom = components("simulated")["zoom"]
    for target, shown in ((2.345678, 2.35), (8, 8), (1, 1), (7.999999, 8)):
        assert float(rendered(zoom["val_tpl"], json.dumps({**ZOOM, "target": target}).encode())) == shown
    assert json.loads(commanded(zoom, 2.3000000000000003))["factor"] == 2.3


def test_an_event_is_for_one_of_two_entities():
    cmps = components("simulated")
    for event in examples("event") + [{"event": "shutter", "boot": 1, "ts": "x", "photo": {"path": "it's"}}]:
        made = [rendered(cmps[name]["val_tpl"], json.dumps(event).encode()) for name in ("shutter", "controllers")]
        (attributes,) = [json.loads(text) for text in made if text]
        assert attributes["event_type"] == event["event"] and attributes.items() >= event.items()


def test_the_page_on_home_assistant_has_the_exact_list():
    """Of all that every camera has, and of what it names of other cameras."""
    page = (Path(__file__).parents[2] / "deploy" / "home-assistant" / "README.md").read_text()
    table = page.split("| | entities of a camera `door` |")[1].split("\n\n")[0]
    named = set(re.findall(r"\bdoor_[a-z_]+", table)) | {"door_zoom"}
    controls = {f"{control['name']}" for camera in CAMERAS for control in info(camera)["controls"]}
    there = {name for camera in CAMERAS for name in (one["def_ent_id"].split(".")[1] for one in components(camera).values())}
    always = {one["def_ent_id"].split(".")[1] for name, one in components("simulated").items()
              if name.removeprefix(f"{one['p']}_") not in controls}
    assert named - there == set(), "named and not there"
    assert always - named == set(), "there and not named"
    off = {one["def_ent_id"].split(".")[1] for one in components("simulated").values() if one.get("en") is False}
    switched_off = next(line for line in table.splitlines() if "switched off" in line)
    assert set(re.findall(r"\bdoor_[a-z_]+", switched_off)) == off & always


def test_advanced_entities_are_disabled_by_default():
    cmps = components("vivid")
    assert cmps["button_disconnect"]["en"] is False
    assert "en" not in cmps["number_brightness"]
    main = [name for name, component in cmps.items() if "ent_cat" not in component]
    assert main[:4] == ["zoom", "zoom_in", "zoom_out", "zoom_stop"]
    assert set(main) <= {"zoom", "zoom_in", "zoom_out", "zoom_stop", "preset", "preset_save", "photo", "last_photo", "preview",
                         "live_view", "recording", "shutter", "privacy"}
    assert "ent_cat" not in components("ptz")["number_pan_absolute"]


@pytest.mark.parametrize("end, shown", [
    ({"reason": "continued", "cause": "zoom"}, "recording_continued"), ({"reason": "stopped"}, "recording_finished")])
def test_a_file_of_a_recording_that_goes_on_is_not_its_end(end, shown):
    shutter = components("simulated")["shutter"]
    event = {"event": "recording_finished", "recording": {**end, "path": "/r/1.mp4"}}
    made = json.loads(rendered(shutter["val_tpl"], json.dumps(event).encode()))
    assert made == {**event, "event_type": shown} and shown in shutter["evt_typ"]
