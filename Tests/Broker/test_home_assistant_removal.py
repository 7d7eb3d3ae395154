"""Discovery documents in Home Assistant: which are removed, which stay, and when one is published again."""

import pytest

from home_assistant_client import HomeAssistantClient
from movie_file import SMALL
from state_file import state_in
from waiting import eventually


@pytest.fixture(params=["5", "3.1.1"])
def own(bench, request):
    """A broker and an agent for one test, with each version of MQTT."""
    broker = bench.broker()
    return broker, bench.agent(broker, camera=SMALL, mqtt={"protocol": request.param})


def discovered(agent) -> dict:
    """The documents that the agent has published, by its state file."""
    return state_in(agent.state_file)["discovered"]


@pytest.mark.parametrize("change", ["renamed", "without", "off", "off for it", "prefix"])
def test_a_document_that_the_configuration_no_longer_has_is_removed(own, change):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant, HomeAssistantClient(broker, prefix="other") as other:
        home_assistant.uses_the_zoom()
        agent.stop()
        before = agent.configuration
        renamed = {**before["cameras"][0], "id": "gate"}
        agent.configure({
            "renamed": {**before, "agent": "barn"}, "without": {**before, "cameras": [renamed]},
            "off": {**before, "home_assistant": {"discovery": False}},
            "off for it": {**before, "cameras": [{**before["cameras"][0], "discovery": False}]},
            "prefix": {**before, "home_assistant": {"prefix": "other"}},
        }[change])
        agent.name = "barn" if change == "renamed" else "porch"
        agent.start()
        home_assistant.until(lambda: home_assistant.topic() not in home_assistant.documents, "the device to go")
        where = {"renamed": (home_assistant, {"agent": "barn"}), "without": (home_assistant, {"camera": "gate"}), "prefix": (other, {})}
        if change in where:
            where[change][0].awaits_available("zoom", **where[change][1])
        # The removal is saved for the next start.
        topic = home_assistant.topic()
        eventually(lambda: topic not in discovered(agent), "the document to leave the state file")
        if change.startswith("off"):
            agent.stop()
            agent.configure(before)
            agent.start()
            home_assistant.uses_the_zoom()


def test_a_device_that_a_user_deleted_stays_away(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        home_assistant.publish(home_assistant.topic(), b"", retain=True)
        home_assistant.until(lambda: home_assistant.topic() not in home_assistant.documents, "the device to go")
    agent.logs("deleted in Home Assistant")
    with HomeAssistantClient(broker) as home_assistant:
        # A new preset changes the document.
        home_assistant.publish("v4l2mqtt/porch/door/presets/set", b'{"save":"x"}')
        home_assistant.until(lambda: b'"x"' in home_assistant.received.get("v4l2mqtt/porch/door/presets", b""), "the preset")
        assert home_assistant.topic() not in home_assistant.documents
        home_assistant.has_started()
        home_assistant.uses_the_zoom()


def test_a_device_that_was_deleted_comes_back_with_the_agent(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        home_assistant.publish(home_assistant.topic(), b"", retain=True)
        agent.logs("deleted in Home Assistant")
        agent.stop()
        assert home_assistant.topic() not in home_assistant.documents
        agent.start()
        home_assistant.uses_the_zoom()


def test_another_prefix_has_the_usual_birth(bench):
    broker = bench.broker()
    agent = bench.agent(broker, home_assistant={"prefix": "ha/cams"})
    with HomeAssistantClient(broker, prefix="ha/cams") as home_assistant:
        home_assistant.awaits_available("zoom")
        for status in ("homeassistant/status", "ha/cams/status"):
            before = len(agent.log)
            home_assistant.publish(home_assistant.topic(), b"", retain=True)
            agent.logs("deleted in Home Assistant", since=before)
            home_assistant.publish(status, b"online")
            home_assistant.awaits_available("zoom")


def test_refused_documents_are_logged_once(bench):
    broker = bench.broker(forbidden=["homeassistant/#"])
    agent = bench.agent(broker)
    words = "the broker refuses messages on homeassistant/device/v4l2mqtt_door_AT_porch/config: Not authorized"
    agent.logs(words)
    controller = bench.controller(broker)
    for name in ("a", "b"):
        refused = broker.log.count("Denied PUBLISH")
        controller.obeyed("presets", {"save": name})
        eventually(lambda: broker.log.count("Denied PUBLISH") > refused, "a document with the preset")
    # What the broker answers comes in order: the refusal of the last document has arrived.
    controller.obeyed("zoom", {"stop": True})
    agent.logs(words, 1)
