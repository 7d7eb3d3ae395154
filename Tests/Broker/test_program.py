"""The program with a configuration: layers, the log, and what `info` says of it."""

import json
import re

import yaml


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
