"""The files of `deploy/home-assistant` that users paste: their entities exist, and their automations work."""

import json
from pathlib import Path

import pytest
import yaml

import contract
from home_assistant_rules import GOLDEN, merged, rendered
from home_assistant_client import HomeAssistantClient
from movie_file import SMALL

FOLDER = Path(__file__).parents[2] / "deploy" / "home-assistant"
REMOTE = yaml.safe_load((FOLDER / "remote.yaml").read_text())
CARD = yaml.safe_load((FOLDER / "card.yaml").read_text())
KNOWN = {
    component["def_ent_id"]: name
    for name, component in merged(json.loads((GOLDEN / "simulated.json").read_text()))["cmps"].items()}


def parts(value):
    """Every object in a document."""
    if isinstance(value, list):
        for item in value:
            yield from parts(item)
    elif isinstance(value, dict):
        yield value
        for item in value.values():
            yield from parts(item)


@pytest.mark.parametrize("document", [REMOTE, CARD], ids=["remote", "card"])
def test_entities_exist(document):
    named = [part[key] for part in parts(document) for key in ("entity", "entity_id") if key in part]
    named += [entity for part in parts(document) for entity in part.get("entities", [])]
    assert named and set(named) <= set(KNOWN)


@pytest.mark.parametrize("document", [REMOTE, CARD], ids=["remote", "card"])
def test_messages_pass_the_schemas(document):
    sent = [part for part in parts(document) if set(part) == {"topic", "payload"}]
    assert sent
    for part in sent:
        channel = next(channel for channel in contract.channels().values() if channel.has(part["topic"]))
        assert channel.objection(part["payload"].encode()) is None


# A Hue dimmer switch as zigbee2mqtt publishes it: the keys that it presses beside the battery and the link,
# and, before version 2, an empty action after each.


def published(action: str) -> list[dict]:
    device = {"battery": 100, "linkquality": 120, "update": {"installed_version": 1107323831, "latest_version": 1107323831, "state": "idle"}}
    pressed = {**device, "action": action, "action_duration": 0.8, "brightness": 255, "counter": 1}
    # While a button is held, the remote repeats the message.
    return [device, *[pressed] * (3 if action.endswith("_hold") else 1), {**device, "action": ""}, {**device, "action": None}]


class Automation:
    """Runs `remote.yaml` as Home Assistant would."""

    def __init__(self, home_assistant):
        self.home_assistant = home_assistant

    def handle(self, action: str):
        for payload in published(action):
            for trigger in REMOTE["triggers"]:
                if rendered(trigger["value_template"], json.dumps(payload).encode()) == trigger["payload"]:
                    self._act(trigger["id"])

    def _act(self, identity: str):
        (choice,) = [c for c in REMOTE["actions"][0]["choose"] if c["conditions"]["id"] == identity]
        for step in choice["sequence"]:
            if step["action"] == "mqtt.publish":
                self.home_assistant.publish(step["data"]["topic"], step["data"]["payload"].encode())
                continue
            name = KNOWN[step["target"]["entity_id"]]
            if step["action"] == "button.press":
                self.home_assistant.presses(name)
            else:
                assert step["action"] == "switch.toggle"
                self.home_assistant.turns(name, "off" if self.home_assistant.shows(name) == "ON" else "on")


@pytest.mark.parametrize("payload", ['{"battery":100}', '{"action":null}', "", "null", "[]", "online", "3", '"up_hold"'])
def test_other_payloads_of_the_remote_are_ignored(payload):
    """And no error in the log of Home Assistant: the template reads no field of a payload that has none."""
    for trigger in REMOTE["triggers"]:
        assert rendered(trigger["value_template"], payload.encode()) != trigger["payload"]


def test_the_remote(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.awaits_available("zoom")
        remote = Automation(home_assistant)
        remote.handle("up_hold")
        live = controller.topic("zoom/live")
        controller.inbox.wait_for(live, lambda message: message.json["factor"] > 1.2, since=0)
        remote.handle("up_hold_release")
        stopped = controller.state("zoom", lambda state: not state["ramping"])
        home_assistant.awaits("zoom", f"{stopped['factor']:.2f}".rstrip("0").rstrip("."))
        assert stopped["factor"] > 1
        remote.handle("down_press_release")
        controller.state("zoom", lambda state: not state["ramping"] and state["factor"] < stopped["factor"])
        remote.handle("on_press_release")
        controller.state("capture", lambda state: state["counter"] == 1)
        remote.handle("off_press_release")
        home_assistant.awaits("recording", "ON")
        remote.handle("off_press_release")
        home_assistant.awaits("recording", "OFF")


BUTTONS = [
    {"topic": "zigbee2mqtt/hall_remote", "field": "action", "press": "on_press_release", "began": "on_hold", "ended": "on_hold_release"}]


def test_the_same_remote_without_home_assistant(bench):
    """The agent's own binding: a press is a photo, a button that is held records."""
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": {"buttons": BUTTONS, "long_press_ms": 100}})
    controller = bench.controller(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.awaits_available("zoom")

        def presses(action):
            for payload in published(action):
                controller.publish("zigbee2mqtt/hall_remote", json.dumps(payload).encode())
        for action in ("on_press", "on_press_release"):
            presses(action)
        home_assistant.until(lambda: home_assistant.state("capture").get("counter") == 1, "the photo to be counted")
        presses("on_hold")
        home_assistant.awaits("recording", "ON")
        presses("on_hold_release")
        home_assistant.awaits("recording", "OFF")
        assert home_assistant.state("capture")["counter"] == 1, "another photo"
