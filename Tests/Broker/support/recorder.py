"""Holds everything that passes a broker against `schemas/`."""

import threading

import paho.mqtt.client as paho
from paho.mqtt.subscribeoptions import SubscribeOptions

import contract
from controller import without_delay
from inbox import Message
from waiting import PATIENCE


class Recorder:
    """Judges what agents said, and the commands that they did not refuse: those the schema must allow too."""

    def __init__(self, broker, base="v4l2mqtt"):
        self._base, self._channels = base, contract.channels(base)
        self._commands: dict[bytes | str, Message] = {}
        self.objections: list[str] = []
        self.judged = 0
        self._ready, self._flushed = threading.Event(), threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, "recorder", protocol=paho.MQTTv5)
        self._client.on_connect = self._subscribe
        self._client.on_subscribe = lambda *_: self._ready.set()
        self._client.on_message = lambda client, data, message: self._receive(Message.of(message))
        self._client.on_socket_open = without_delay
        self._client.reconnect_delay_set(min_delay=0.1, max_delay=1)
        broker.admit(self._client)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert self._ready.wait(PATIENCE), "the recorder could not subscribe"

    def _subscribe(self, client, *_):
        # The retain flag and the QoS are to be seen as the agent sent them.
        options = SubscribeOptions(qos=2, retainAsPublished=True)
        client.subscribe([(topic, options) for topic in (f"{self._base}/#", "answers/#", "recorder")])

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def flush(self):
        """Returns when everything that the broker has taken so far is judged: it keeps the order."""
        self._flushed.clear()
        self._client.publish("recorder", b"", 1)
        assert self._flushed.wait(PATIENCE), "the recorder lost its broker"

    def _receive(self, message: Message):
        try:
            if message.topic == "recorder":
                self._flushed.set()
            elif message.topic.endswith("/set"):
                self._remember(message)
            elif message.topic.startswith("answers/"):
                self._judge_answer(message, self._channels["response"])
            else:
                self._judge_publication(message)
        except Exception as error:  # paho would swallow it, and with it the failure of the test
            self.objections.append(f"{message.topic}: the recorder failed: {error!r}")

    def _remember(self, message: Message):
        if message.correlation:
            self._commands[message.correlation] = message
        if identity := _id(message.payload):
            self._commands[identity] = message

    def _judge_publication(self, message: Message):
        channel = next((channel for channel in self._channels.values() if channel.has(message.topic)), None)
        if channel is None:
            self.objections.append(f"{message.topic}: no channel of the AsyncAPI document is this topic")
            return
        if channel.key in ("reply", "shortReply"):
            self._judge_answer(message, channel)
        elif message.payload or not message.retained:
            # Nothing, retained: what was there is taken back.
            self._judge(message, channel)
        for what, said in (("retain", message.retained), ("qos", message.qos)):
            if channel.binding.get(what, said) != said:
                self.objections.append(f"{message.topic}: {what} is {said}, not {channel.binding[what]}")

    def _judge(self, message: Message, channel: contract.Channel) -> bool:
        self.judged += 1
        reason = channel.objection(message.payload, message.user_properties)
        if reason:
            self.objections.append(f"{message.topic} {message.payload[:600]!r}: {reason}")
        return reason is None

    def _judge_answer(self, answer: Message, channel: contract.Channel):
        """And with it the command that it answers."""
        if not self._judge(answer, channel):
            return
        if answer.content_type != "image/jpeg" and answer.json["status"] == "error":
            return
        command = self._commands.get(answer.correlation) or self._commands.get(_id(answer.payload))
        if command is None:
            return
        channel = next((channel for channel in self._channels.values() if channel.has(command.topic)), None)
        reason = channel.objection(command.payload) if channel else "no channel is this topic"
        if reason:
            self.objections.append(
                f"{command.topic} {command.payload[:600]!r}: taken by the agent, refused by its schema: {reason}")


def _id(payload: bytes) -> str | None:
    try:
        value = contract.strict_json(payload)
    except (ValueError, RecursionError):
        return None
    identity = value.get("id") if isinstance(value, dict) else None
    return identity if isinstance(identity, str) else None
