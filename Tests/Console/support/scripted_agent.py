"""An agent that answers commands as a test wants it. Its cameras are those of `camera_list`."""

import json

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from waiting import TIMEOUT, eventually


class ScriptedAgent:
    """Answers the commands to `porch/door` by `answer(node, payload)`: the payload of the answer, or None for
    no answer. It keeps the commands."""

    def __init__(self, broker, answer):
        self.answer = answer
        #: (node, payload) in the order of arrival.
        self.commands: list[tuple[str, dict]] = []
        self._is_ready = False
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.on_connect = lambda client, *_: client.subscribe("v4l2mqtt/porch/door/+/set", 1)
        self._client.on_subscribe = self._subscribed
        self._client.on_message = lambda client, data, message: self._receive(message)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        eventually(lambda: self._is_ready, "the subscription")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._client.disconnect()
        self._client.loop_stop()

    def _subscribed(self, *_):
        self._is_ready = True

    def _receive(self, message):
        node, payload = message.topic.split("/")[-2], json.loads(message.payload)
        self.commands.append((node, payload))
        answer = self.answer(node, payload)
        if answer is None or not hasattr(message.properties, "ResponseTopic"):
            return
        properties = Properties(PacketTypes.PUBLISH)
        properties.CorrelationData = message.properties.CorrelationData
        self._client.publish(message.properties.ResponseTopic, json.dumps(answer), 1, properties=properties)

    def publish(self, topic: str, value, *, retain=True):
        """Publishes a JSON value, or bytes, as this agent, and returns when the broker has it."""
        payload = value if isinstance(value, bytes) else json.dumps(value)
        self._client.publish(f"v4l2mqtt/porch/{topic}", payload, 1, retain).wait_for_publish(TIMEOUT)


def done(node: str, payload: dict, **fields) -> dict:
    """The answer of a command that was carried out."""
    return {"id": payload.get("id"), "camera": "door", "node": node, "status": "done", "rev": 1, "boot": 1,
            "ts": "2026-11-21T09:05:38.958Z", **fields}


def refused(node: str, payload: dict, code: str) -> dict:
    """The answer of a command that was refused."""
    return done(node, payload) | {"status": "error", "error": {"code": code, "message": "it is a test"}}
