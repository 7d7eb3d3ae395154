"""The program on a terminal: help, errors, flags and the demo."""

import json
import re
import subprocess

import pytest
import yaml

from agent import PROGRAM
from waiting import TIMEOUT


def run(*arguments, **how) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, **how)


GOOD = """\
agent: porch
mqtt:
  port: 1883
state_file: /tmp/state.json
cameras:
  - id: door
    source: simulated
    zoom: { min: 1, max: 8 }
"""

#: What is replaced by what in GOOD, the line that is then wrong, and a word that the message must have.
WRONG = {
    "an unknown key": ("agent: porch", "agnet: porch", 1, "agnet"),
    "an unknown key inside": ("  port: 1883", "  prot: 1883", 3, "prot"),
    "an unknown key of a camera": ("    source: simulated", "    sauce: simulated", 7, "sauce"),
    "a text for a number": ("port: 1883", "port: many", 3, "port"),
    "a port out of range": ("port: 1883", "port: 70000", 3, "65535"),
    "an unknown protocol": ("port: 1883", "protocol: 4", 3, "3.1.1"),
    "an unknown source": ("source: simulated", "source: webcam", 7, "source"),
    "a name with capitals": ("id: door", "id: Door", 6, "Door"),
    "a reserved name": ("agent: porch", "agent: groups", 1, "groups"),
    "a list for an object": ("zoom: { min: 1, max: 8 }", "zoom: [1, 8]", 8, "zoom"),
    "a maximum below the minimum": ("max: 8", "max: 0.5", 8, "max"),
    "no YAML": ("mqtt:", "mqtt: [", None, None),
}


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("old, new, line, word", WRONG.values(), ids=WRONG)
def test_configuration_error_names_file_and_line(tmp_path, command, old, new, line, word):
    file = tmp_path / "agent.yaml"
    assert GOOD.count(old) == 1
    file.write_text(GOOD.replace(old, new))
    ended = run(command, "--config", file)
    assert ended.returncode == 64
    place = f"{file}:{line}" if line else f"{file}:"
    assert place in ended.stderr
    assert word is None or word in ended.stderr


def test_flags_override_the_environment_and_the_environment_overrides_the_file(bench, monkeypatch):
    broker = bench.broker()
    written = {"live_rate": 10, "gesture_timeout_ms": 1000}
    agent = bench.agent(broker, start=False, zoom=written, camera={"zoom": {"max": 3}})
    monkeypatch.setenv("V4L2MQTT_ZOOM_LIVE_RATE", "20")
    monkeypatch.setenv("V4L2MQTT_ZOOM_GESTURE_TIMEOUT_MS", "1500")
    agent.start("--set", "zoom.live_rate=25")
    info = bench.controller(broker).state("info", since=0)["zoom"]
    assert (info["live_rate"], info["gesture_timeout_ms"], info["max"]) == (25, 1500, 3)


def test_json_log_can_be_parsed(bench):
    broker = bench.broker()
    agent = bench.agent(broker, log={"format": "json", "level": "debug"})
    bench.controller(broker).refused("zoom", {"factor": 0}, "bad_payload")
    agent.stop()
    lines = [json.loads(line) for line in agent.log.splitlines()]
    assert lines and all(isinstance(line, dict) for line in lines)


def test_info_has_the_configured_values(bench):
    broker = bench.broker()
    simulated = {"optical_max": 3, "width": 640, "height": 360}
    bench.agent(broker, camera={"zoom": {"min": 1, "max": 6}, "simulated": simulated})
    controller = bench.controller(broker)
    info = controller.state("info", since=0)
    assert (info["zoom"]["min"], info["zoom"]["max"], info["zoom"]["handover"]) == (1, 6, [3])
    assert [(form["width"], form["height"]) for form in info["formats"]] == [(640, 360), (320, 180)]
    names = {control["name"] for control in info["controls"]}
    assert names == controller.state("controls", since=0)["values"].keys()
    assert names == {"brightness", "exposure_bias", "power_line_frequency", "autofocus", "focus", "color_effects"}
    agent_info = controller.inbox.wait_for(f"{controller.agent_topic}/info", since=0).json
    assert (agent_info["agent"], agent_info["cameras"]) == ("porch", ["door"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", agent_info["version"])


def test_cameras_of_one_agent_are_independent(bench):
    broker = bench.broker()
    cameras = [{"id": name, "source": "simulated"} for name in ("door", "yard")]
    agent = bench.agent(broker, start=False)
    agent.configure({**yaml.safe_load(agent.configuration_file.read_text()), "cameras": cameras})
    agent.start()
    door, yard = (bench.controller(broker, camera=name) for name in ("door", "yard"))
    door.zoom_to(2)
    yard.zoom_to(5)
    assert door.state("zoom")["factor"] == 2
    photos = [who.obeyed("capture", {"size": {"width": 64}})["photos"][0] for who in (door, yard)]
    assert [photo["factor"] for photo in photos] == [2, 5]
    assert photos[0]["path"] != photos[1]["path"]
