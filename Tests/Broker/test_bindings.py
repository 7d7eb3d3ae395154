"""Topics of the bus that are shutter buttons: remotes that know nothing of us.

The rules are tested in `Tests/MQTTFrontEndTests/RemoteButtonTests.swift`, in virtual time.
"""

import json
import subprocess

import pytest

from agent import PROGRAM
from controller import V311
from movie_file import SMALL

BUTTONS = [
    {"topic": "home/bell", "press": "single"},
    {"topic": "home/remote", "field": "params.action", "began": "down", "ended": "up"},
]
CAMERA = {**SMALL, "shutter": {"buttons": BUTTONS, "long_press_ms": 0}}


class Remote:
    """Sends messages on any topic of the bus, and reads what the camera publishes because of them."""

    def __init__(self, controller, topic):
        self.controller, self.topic = controller, topic

    def sends(self, payload, **how) -> "Remote":
        self.since = self.controller.mark()
        payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.controller.publish(self.topic, payload, **how)
        return self

    def photo(self) -> dict:
        """The photo of an answer that comes beside the camera's node."""
        def is_it(reply):
            return reply.get("client") == self.topic and "photos" in reply
        (photo,) = self.controller.state("capture/reply", is_it, since=self.since)["photos"]
        return photo

    def is_ignored(self):
        """What is sent after it is done, and there is nothing else: messages keep their order."""
        since = self.since
        self.controller.obeyed("zoom", {"stop": True})
        assert not self.controller.inbox.all(self.controller.topic("capture/reply"), since)
        assert not self.controller.states("event", since)


def test_configured_payloads_are_presses(bench):
    broker = bench.broker()
    bench.agent(broker, camera=CAMERA)
    controller = bench.controller(broker)
    bell, remote = Remote(controller, "home/bell"), Remote(controller, "home/remote")
    assert bell.sends(b"single").photo()["width"] == 320
    bell.sends(b"double").is_ignored()
    remote.sends({"params": {"action": "down"}})
    controller.state("capture", lambda state: state["pressed"] == ["primary"])
    assert remote.sends({"params": {"action": "up"}}).photo()


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_retained_message_is_ignored_at_the_start(bench, protocol):
    broker = bench.broker()
    bell = Remote(bench.controller(broker, version=V311), "home/bell").sends(b"single", retain=True)
    bench.agent(broker, camera=CAMERA, mqtt={"protocol": protocol})
    bell.is_ignored()
    assert bell.controller.state("capture", since=0)["counter"] == 0
    assert bell.sends(b"single").photo()


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_press_with_the_retain_flag_takes_a_photo(bench, protocol):
    broker = bench.broker()
    bench.agent(broker, camera=CAMERA, mqtt={"protocol": protocol})
    bell = Remote(bench.controller(broker, version=V311), "home/bell").sends(b"single", retain=True)
    assert bell.photo()


@pytest.mark.parametrize("topic", ["v4l2mqtt/porch/door/zoom/set", "v4l2mqtt/other/door/event", "v4l2mqtt/groups/all/capture/set"])
def test_button_topic_below_the_base_is_a_configuration_error(bench, topic):
    agent = bench.agent(bench.broker(), start=False, camera={"shutter": {"buttons": [{"topic": topic, "press": "go"}]}})
    check = subprocess.run([PROGRAM, "check", "--config", agent.configuration_file], capture_output=True, text=True)
    assert check.returncode == 64
    assert "shutter.buttons" in check.stderr and topic in check.stderr
