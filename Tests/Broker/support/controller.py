"""A controller as a user would write one: it sends commands, gets answers, and follows the states."""

import itertools
import json
import socket
import threading

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from inbox import Inbox, Message
from waiting import TIMEOUT

V5, V311 = paho.MQTTv5, paho.MQTTv311
_numbers = itertools.count(1)


class Controller:
    """Receives everything that `agent` publishes, and commands its `camera`.

    On MQTT 5 it receives answers on a response topic of its own; on 3.1.1 it finds them on `<node>/reply` by
    their id.

    With an `account` of the broker it sends its commands as this client, on `<node>/set/<account>`, and
    receives the answers below `replies/<account>/`.
    """

    def __init__(self, broker, *, version=V5, agent="porch", camera="door", base="v4l2mqtt", account=None):
        self.account = account
        self.name = f"controller-{next(_numbers)}"
        self.version, self.inbox = version, Inbox()
        self.agent_topic = f"{base}/{agent}"
        self.camera_topic = f"{base}/{agent}/{camera}"
        self.answers = f"replies/{account or self.name}"
        self.response_topic = f"{self.answers}/{self.name}" if account else self.answers
        self._filters = [f"{self.agent_topic}/#"] + ([f"{self.answers}/#"] if account or version == V5 else [])
        self._ids = (f"{self.name}-{n}" for n in itertools.count(1))
        self._subscribed = threading.Event()
        self._client = self._connect(broker)

    def _connect(self, broker) -> paho.Client:
        client = paho.Client(paho.CallbackAPIVersion.VERSION2, self.name, protocol=self.version)
        client.on_connect = lambda client, *_: client.subscribe([(topic, 2) for topic in self._filters])
        client.on_subscribe = lambda *_: self._subscribed.set()
        client.on_message = lambda client, data, message: self.inbox.put(Message.of(message))
        client.on_socket_open = without_delay
        client.reconnect_delay_set(min_delay=0.1, max_delay=1)
        broker.admit(client, self.account)
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        assert self._subscribed.wait(TIMEOUT), f"{self.name} could not subscribe"
        return client

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def topic(self, node: str) -> str:
        return f"{self.camera_topic}/{node}"

    # Commands

    def send(self, node: str, body, *, topic=None, retain=False, qos=1, response_topic=None) -> "Pending":
        """Sends a command and returns its answers to come.

        `body` is a dict, which gets an `id` unless it has one (`"id": None` leaves it out), another JSON
        value, or bytes, which are sent as they are. `topic` is another one than the node's.
        """
        topic = topic or self.topic(f"{node}/set/{self.account}" if self.account else f"{node}/set")
        payload, identity = self._encoded(body)
        pending = Pending(self, topic, identity)
        properties = None
        if self.version == V5:
            properties = Properties(PacketTypes.PUBLISH)
            properties.ResponseTopic = response_topic or self.response_topic
            properties.CorrelationData = pending.correlation
        self._client.publish(topic, payload, qos, retain, properties)
        return pending

    def _encoded(self, body) -> tuple[bytes, str | None]:
        if isinstance(body, bytes):
            return body, None
        if not isinstance(body, dict):
            return json.dumps(body).encode(), None
        body = {"id": next(self._ids), **body}
        if body["id"] is None:
            del body["id"]
        return json.dumps(body).encode(), body.get("id")

    def command(self, node: str, body, **how) -> dict:
        """Sends a command and returns its last answer: done, superseded or error."""
        return self.send(node, body, **how).result()

    def obeyed(self, node: str, body, **how) -> dict:
        answer = self.command(node, body, **how)
        assert answer["status"] == "done", f"{node}/set {body!r} was answered {answer}"
        return answer

    def refused(self, node: str, body, code: str, field: str | None = None, **how) -> dict:
        """The error of a command that must be refused with this code (and because of this field)."""
        answer = self.command(node, body, **how)
        assert answer["status"] == "error", f"{node}/set {body!r} was not refused: {answer}"
        error = answer["error"]
        assert error["code"] == code, f"{node}/set {body!r}: {error}"
        assert field is None or error.get("field") == field, f"{node}/set {body!r}: {error}"
        return error

    def publish(self, topic: str, payload: bytes, *, qos=1, retain=False):
        """Sends any message, and returns when the broker has it."""
        self._client.publish(topic, payload, qos, retain).wait_for_publish(TIMEOUT)

    def stop_retaining(self, topic: str):
        """Takes a retained message away from the broker."""
        self.publish(topic, b"", retain=True)

    # States

    def mark(self) -> int:
        return self.inbox.mark()

    def state(self, node: str, wanted=lambda state: True, **how):
        """A state of the node that is `wanted`: the newest one, or the first that comes."""
        return self.inbox.wait_for(self.topic(node), lambda message: wanted(message.json), **how).json

    def states(self, node: str, since=0) -> list:
        return [message.json for message in self.inbox.all(self.topic(node), since)]

    def agent_availability(self, state: str, **how) -> dict:
        """The agent's availability once its `state` is this: the newest one, or the first that comes."""
        topic = f"{self.agent_topic}/availability"
        return self.inbox.wait_for(topic, lambda message: message.json["state"] == state, **how).json

    def settled(self, answer: dict) -> dict:
        """The zoom's state at rest, after the command with this answer, which may have changed nothing."""
        factor = answer.get("factor")
        return self.state("zoom", lambda state: factor in (None, state["factor"]) and not state["ramping"])

    def zoom_to(self, factor: float) -> dict:
        """Jumps there and returns the state."""
        state = self.settled(self.obeyed("zoom", {"factor": factor}))
        assert state["factor"] == factor
        return state


class Pending:
    """The answers to one command, in order."""

    def __init__(self, controller: Controller, topic: str, identity: str | None):
        self._controller, self._at = controller, controller.mark()
        self.correlation, self.identity = f"{controller.name}/{next(_numbers)}".encode(), identity
        if controller.version == V5:
            self._topic = controller.response_topic
        elif controller.account:
            agent, camera = controller.camera_topic.split("/")[-2:]
            self._topic = f"{controller.answers}/{agent}/{camera}/{topic.split('/')[-3]}"
        else:
            self._topic = topic.removesuffix("set") + "reply"

    def _is_mine(self, message: Message) -> bool:
        if self._controller.version == V5:
            return message.correlation == self.correlation
        return message.json.get("id") == self.identity

    def message(self, timeout=TIMEOUT) -> Message:
        """The next answer as it came: a JPEG is none of JSON."""
        found = self._controller.inbox.wait_for(self._topic, self._is_mine, since=self._at, timeout=timeout)
        self._at = self._controller.inbox.place(found) + 1
        return found

    def answer(self, timeout=TIMEOUT) -> dict:
        return self.message(timeout).json

    def result(self, timeout=TIMEOUT) -> dict:
        """The last answer: `accepted` is only a promise."""
        while (answer := self.answer(timeout))["status"] == "accepted":
            pass
        return answer


def without_delay(client, data, connection):
    """An acknowledgement must not wait 40 ms for Nagle's algorithm."""
    if isinstance(connection, socket.socket):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
