"""Holds messages against `schemas/`: those that pass a broker (`recorder.py`) and those that unit tests wrote
down (`judge_files.py`)."""

import contract
from inbox import Message


class Judge:
    """Judges what agents publish, and the commands that they did not refuse: those the schema must allow
    too."""

    #: How many correlations and ids are remembered, the newest: a client may send without an end.
    KEYS = 10_000

    def __init__(self, base="v4l2mqtt"):
        self._channels = contract.channels(base)
        self._commands: dict[bytes | str, Message] = {}
        self.objections: list[str] = []
        self.judged = 0

    def command(self, message: Message):
        """A command to an agent, to be judged when its answer comes."""
        for key in filter(None, (message.correlation, _id(message.payload))):
            self._commands.pop(key, None)  # it becomes the newest
            self._commands[key] = message
        while len(self._commands) > self.KEYS:
            del self._commands[next(iter(self._commands))]

    def response(self, message: Message):
        """An answer on the response topic of a controller."""
        self._answer(message, self._channels["response"])

    def publication(self, message: Message):
        """A message below the base topic. `retained` and `qos` are judged unless they are None."""
        channel = self._channel(message.topic)
        if channel is None:
            self.objections.append(f"{message.topic}: no channel of the AsyncAPI document is this topic")
            return
        if channel.key in ("reply", "shortReply"):
            self._answer(message, channel)
        elif message.payload or not message.retained:
            # An empty retained message takes back what was there.
            self._judge(message, channel)
        for what, sent in (("retain", message.retained), ("qos", message.qos)):
            if sent is not None and channel.binding.get(what, sent) != sent:
                self.objections.append(f"{message.topic}: {what} is {sent}, not {channel.binding[what]}")

    def _channel(self, topic: str) -> contract.Channel | None:
        return next((channel for channel in self._channels.values() if channel.has(topic)), None)

    def _judge(self, message: Message, channel: contract.Channel) -> bool:
        self.judged += 1
        reason = channel.objection(message.payload, message.user_properties)
        if reason:
            self.objections.append(f"{message.topic} {message.payload[:600]!r}: {reason}")
        return reason is None

    def _answer(self, answer: Message, channel: contract.Channel):
        """And with it the command that it answers."""
        if not self._judge(answer, channel):
            return
        is_reply = answer.content_type in (None, "application/json")
        if is_reply and answer.json["status"] == "error":
            return
        command = self._commands.get(answer.correlation) or self._commands.get(_id(answer.payload))
        if command is None:
            return
        channel = self._channel(command.topic)
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
