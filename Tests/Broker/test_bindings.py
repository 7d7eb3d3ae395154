"""Topics of the bus that are shutter buttons: remotes that know nothing of us.

`Tests/MQTTFrontEndTests/RemoteButtonTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import copy
import json
import subprocess

import pytest

from agent import PROGRAM
from controller import V311
from movie_file import SMALL

BUTTONS = [
    {"topic": "home/bell", "press": ["single", "twice", "1"]},
    {"topic": "home/panel", "press": "tap", "remote": False},
    {"topic": "home/remote", "field": "action", "began": "down", "ended": "up", "cancelled": ["lost", "slid_off"]},
    {"topic": "home/remote", "field": "action", "press": "film", "button": "secondary"},
    {"topic": "zigbee2mqtt/remote", "field": "action", "press": ["single", "1", "true"]},
    {"topic": "shelly/events", "field": "params.button.event", "press": "push"},
]


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera={
        **SMALL, "shutter": {"buttons": BUTTONS, "long_press_ms": 0, "secondary": "record"}})


class Remote:
    """Sends messages on any topic of the bus, and reads what the camera publishes because of them."""

    def __init__(self, controller, topic):
        self.controller, self.topic = controller, topic

    def sends(self, payload, **how) -> "Remote":
        self.since = self.controller.mark()
        payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.controller.publish(self.topic, payload, **how)
        return self

    def answer(self, wanted=lambda reply: reply["status"] == "done") -> dict:
        """An answer that there is beside the camera's node since the last message."""
        def is_it(reply):
            return reply.get("client") == self.topic and wanted(reply)
        reply = self.controller.state("capture/reply", is_it, since=self.since)
        assert (reply["node"], reply["camera"]) == ("capture", "door")
        return reply

    def photo(self) -> dict:
        (photo,) = self.answer(lambda reply: "photos" in reply)["photos"]
        return photo

    def events(self, kind) -> list[dict]:
        events = self.controller.states("event", self.since)
        return [event for event in events if event["event"] == kind and event["client"] == self.topic]

    def is_ignored(self):
        """What is sent after it is done, and there is nothing else: messages keep their order."""
        since = self.since
        self.controller.obeyed("zoom", {"stop": True})
        assert not self.controller.inbox.all(self.controller.topic("capture/reply"), since)
        assert not self.controller.states("event", since)


@pytest.fixture
def bell(controller):
    return Remote(controller, "home/bell")


@pytest.fixture
def remote(controller):
    return Remote(controller, "home/remote")


def test_configured_payload_is_a_press(bell):
    assert bell.sends(b"single").photo()["width"] == 320
    (sound,) = bell.events("sound")
    assert (sound["sound"], sound["action"], sound["button"]) == ("default", "photo", "primary")
    assert len(bell.events("shutter")) == 1


@pytest.mark.deep
@pytest.mark.parametrize("payload", [b'"single"', b"twice", b"1", b'"1"'])
def test_payload_is_text_or_json_and_several_payloads_are_one_press(bell, payload):
    assert bell.sends(payload).photo()


@pytest.mark.deep
@pytest.mark.parametrize("value", ["single", 1, "1", True])
def test_payload_in_a_json_field(controller, value):
    remote = Remote(controller, "zigbee2mqtt/remote")
    assert remote.sends({"battery": 87, "action": value, "linkquality": 255}).photo()


@pytest.mark.deep
def test_payload_in_a_nested_json_field(controller):
    remote = Remote(controller, "shelly/events")
    assert remote.sends({"params": {"button": {"event": "push"}, "ts": 1.5}}).photo()


@pytest.mark.deep
def test_remote_with_press_release_and_cancel_payloads(remote):
    capture = remote.controller.state("capture", since=0)
    remote.sends({"action": "down"}).answer()
    remote.controller.state("capture", lambda state: state["pressed"] == ["primary"])
    photo = remote.sends({"action": "up"}).photo()
    remote.sends({"action": "down"}).answer()
    remote.sends({"action": "slid_off"}).answer()
    state = remote.controller.state("capture", lambda state: state["pressed"] == [])
    assert state["counter"] == photo["sequence"] > capture["counter"]


@pytest.mark.deep
def test_repeated_press_payloads_take_a_photo_and_release_the_button(remote):
    for word in ("down", "down", "up"):
        remote.sends({"action": word})
    assert remote.photo()
    remote.controller.state("capture", lambda state: state["pressed"] == [])


@pytest.mark.deep
def test_one_topic_with_payloads_of_both_buttons(remote):
    since = remote.controller.mark()
    remote.sends({"action": "film"})
    recording = remote.controller.state("recording", lambda state: state["state"] == "recording", since=since)
    assert recording["origin"]["client"] == "home/remote"
    remote.sends({"action": "up"}).photo()
    remote.sends({"action": "film"})
    ended = remote.answer(lambda reply: "recording" in reply)["recording"]
    assert (ended["path"], ended["reason"]) == (recording["path"], "stopped")


@pytest.mark.deep
def test_client_of_a_long_topic_is_its_last_64_bytes_at_most(bench):
    topic = "/".join(["häuser/grün"] * 20)
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": {"buttons": [{"topic": topic, "press": "go"}]}})
    controller = bench.controller(broker)
    controller.publish(topic, b"go")
    client = controller.state("capture/reply", lambda reply: "photos" in reply, since=0)["client"]
    assert topic.endswith(client) and 60 < len(client.encode()) <= 64


@pytest.mark.deep
def test_long_press_records(bench):
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": {"buttons": BUTTONS, "long_press_ms": 200}})
    remote = Remote(bench.controller(broker), "home/remote")
    remote.sends({"action": "down"})
    remote.controller.state("recording", lambda state: state["state"] == "recording", since=remote.since)
    remote.sends({"action": "up"})
    assert remote.answer(lambda reply: "recording" in reply)["recording"]["reason"] == "stopped"


@pytest.mark.deep
def test_button_without_remote_publishes_no_sound_event(controller):
    panel = Remote(controller, "home/panel")
    panel.sends(b"tap").photo()
    assert not panel.events("sound") and panel.events("shutter")


@pytest.mark.parametrize("payload", [
    b"double", b"", b"SINGLE", b"single single", b"\xff\xfe", b"{", b'["single"]', b'{"action":"single"}', b"null", b"[" * 9000,
    b"single" * 20000], ids=lambda payload: repr(payload[:10]))
@pytest.mark.deep
def test_other_payloads_are_ignored(bell, payload):
    bell.sends(payload).is_ignored()


@pytest.mark.parametrize("payload", [
    {"battery": 12}, {"action": ""}, {"action": "double"}, {"action": None}, {"action": ["single"]},
    {"action": {"action": "single"}}, {"Action": "single"}, "single", ["action", "single"], {"action": 1.5},
    {"update": {"state": "single"}},
], ids=json.dumps)
@pytest.mark.deep
def test_json_without_the_configured_field_value_is_ignored(controller, payload):
    Remote(controller, "zigbee2mqtt/remote").sends(payload).is_ignored()


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_retained_message_is_ignored_at_the_start(bench, protocol):
    broker = bench.broker()
    bell = Remote(bench.controller(broker, version=V311), "home/bell").sends(b"single", retain=True)
    bench.agent(broker, camera={**SMALL, "shutter": {"buttons": BUTTONS}}, mqtt={"protocol": protocol})
    bell.is_ignored()
    assert bell.controller.state("capture", since=0)["counter"] == 0
    assert bell.sends(b"single").photo()


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_press_with_the_retain_flag_takes_a_photo(bench, protocol):
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": {"buttons": BUTTONS}}, mqtt={"protocol": protocol})
    bell = Remote(bench.controller(broker, version=V311), "home/bell").sends(b"single", retain=True)
    assert bell.photo()


@pytest.mark.deep
def test_press_without_a_camera_is_answered_as_unavailable(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/nosuch"}, "shutter": {"buttons": BUTTONS}})
    controller = bench.controller(broker)
    for topic, payload in (("home/bell", b"single"), ("home/remote", {"action": "down"}), ("home/remote", {"action": "up"})):
        answer = Remote(controller, topic).sends(payload).answer(lambda reply: reply["status"] == "error")
        assert answer["error"]["code"] == "unavailable"


@pytest.mark.deep
def test_one_button_topic_triggers_two_cameras(bench):
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera={**SMALL, "shutter": {"buttons": BUTTONS}})
    (door,) = agent.configuration["cameras"]
    agent.configure({**agent.configuration, "cameras": [door, {**copy.deepcopy(door), "id": "yard"}]})
    agent.start()
    both = bench.controller(broker), bench.controller(broker, camera="yard")
    both[0].publish("home/bell", b"single")
    for controller in both:
        assert controller.state("capture/reply", lambda reply: "photos" in reply, since=0)["photos"]


@pytest.mark.parametrize("topic", ["v4l2mqtt/porch/door/zoom/set", "v4l2mqtt/other/door/event", "v4l2mqtt/groups/all/capture/set"])
def test_button_topic_below_the_base_is_a_configuration_error(bench, topic):
    agent = bench.agent(bench.broker(), start=False, camera={"shutter": {"buttons": [{"topic": topic, "press": "go"}]}})
    check = subprocess.run([PROGRAM, "check", "--config", agent.configuration_file], capture_output=True, text=True)
    assert check.returncode == 64
    assert "shutter.buttons" in check.stderr and topic in check.stderr


@pytest.mark.deep
def test_press_flood_is_rate_limited_and_its_release_is_executed(bench):
    broker = bench.broker()
    bench.agent(
        broker, camera={**SMALL, "shutter": {"buttons": BUTTONS, "long_press_ms": 0}}, limits={"commands_per_second": 10})
    remote = Remote(bench.controller(broker), "home/remote")
    for _ in range(40):
        remote.sends({"action": "down"}, qos=0)
    since = remote.since = 0
    error = remote.answer(lambda reply: reply["status"] == "error")["error"]
    assert error["code"] == "rate_limited"
    assert remote.sends({"action": "up"}).photo()
    remote.controller.state("capture", lambda state: state["pressed"] == [])
    assert sum(
        reply.json.get("error", {}).get("code") == "rate_limited"
        for reply in remote.controller.inbox.all(remote.controller.topic("capture/reply"), since)) <= 3
