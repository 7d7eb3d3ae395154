"""What an agent retains: how much that is, when it is published again, and when the broker forgets it."""

import json

import pytest

from home_assistant_client import HomeAssistantClient
from proxy import Proxy
from retained import kept, kept_messages
from waiting import eventually


@pytest.fixture
def broker(bench):
    return bench.broker()


def test_a_simulated_camera_with_its_agent_retains_little(bench, broker):
    bench.agent(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.device()
    messages = kept(broker, "v4l2mqtt/#", "homeassistant/#")
    size = sum(len(topic) + len(payload) // 2 for topic, payload in messages)
    assert len(messages) >= 18
    assert size <= 15_400, f"{size} bytes"


def test_online_expires_at_the_broker(bench, broker):
    bench.agent(broker)
    (message,) = kept_messages(broker, "v4l2mqtt/porch/availability")
    availability = json.loads(message.payload)
    assert availability["state"] == "online" and availability["renew_s"] == 60
    assert 60 < message.properties.MessageExpiryInterval <= 180
    (info,) = kept_messages(broker, "v4l2mqtt/porch/info")
    assert not hasattr(info.properties, "MessageExpiryInterval")


def test_a_document_is_published_at_each_connection(bench, broker):
    with Proxy(broker) as proxy, HomeAssistantClient(broker) as home_assistant:
        agent = bench.agent(broker, mqtt={"port": proxy.port, "keepalive_s": 5})
        home_assistant.device()
        eventually(lambda: home_assistant.received_documents, "the document")
        count = len(home_assistant.received_documents)
        proxy.cut()
        home_assistant.until(lambda: not home_assistant.is_available("zoom"), "the will")
        proxy.restore()
        home_assistant.awaits_available("zoom")
        home_assistant.until(lambda: len(home_assistant.received_documents) > count, "the document once more")
        documents = [document for _, document in home_assistant.received_documents]
        assert documents[count] == documents[count - 1] and agent.process.poll() is None


@pytest.mark.parametrize("topic", ["v4l2mqtt/porch/refresh/set", "v4l2mqtt/porch/door/refresh/set"])
def test_what_the_broker_lost_is_published_on_request(bench, broker, topic):
    bench.agent(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.device()
    before = {topic for topic, _ in kept(broker, "v4l2mqtt/#", "homeassistant/#")}
    with bench.controller(broker) as controller:
        for lost in before:
            controller.publish(lost, b"", retain=True)
        eventually(lambda: not kept(broker, "v4l2mqtt/porch/door/#"), "nothing to be retained")
        # Home Assistant removes a device in the same way: its document stays away.
        answer = controller.send("refresh", {"id": "1"}, topic=topic).result()
        assert (answer["status"], answer["node"]) == ("done", "refresh")
        expected = {topic for topic in before if not topic.startswith("homeassistant/")}
        eventually(lambda: {topic for topic, _ in kept(broker, "v4l2mqtt/#")} == expected, "everything again")
