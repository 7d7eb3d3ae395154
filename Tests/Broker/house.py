"""A Home Assistant, as far as MQTT goes: it hears documents, makes entities of them, shows states, and sends what a person does."""

import json
import threading
import time

import paho.mqtt.client as paho

from controller import without_delay
from home_assistant import availability, commanded, is_removal, objections, rendered
from waiting import PATIENCE, eventually


class House:
    """One run of Home Assistant: it remembers nothing of the run before, except what the broker keeps."""

    def __init__(self, broker, prefix="homeassistant"):
        self.prefix, self.documents, self.entities, self.objections = prefix, {}, {}, []
        self.heard: dict[str, bytes] = {}
        self.said: list[tuple[str, bytes]] = []
        self._changed, self._subscribed = threading.Condition(), threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, f"house-{id(self)}", protocol=paho.MQTTv311)
        self._client.on_connect = lambda client, *_: client.subscribe([(f"{prefix}/#", 1), ("v4l2mqtt/#", 1)])
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = lambda client, data, message: self._receive(message)
        self._client.on_socket_open = without_delay
        self._client.reconnect_delay_set(min_delay=0.1, max_delay=0.5)
        broker.admit(self._client)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert self._subscribed.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._client.disconnect()
        self._client.loop_stop()
        assert not self.objections, self.objections

    def publish(self, topic, payload, retain=False):
        self._client.publish(topic, payload, 1, retain).wait_for_publish(PATIENCE)

    def has_started(self):
        self.publish(f"{self.prefix}/status", b"online")

    def topic(self, camera="door", agent="porch") -> str:
        return f"{self.prefix}/device/v4l2mqtt_{camera}_AT_{agent}/config"

    def _receive(self, message):
        with self._changed:
            if message.topic.startswith(f"{self.prefix}/device/"):
                self.said.append((message.topic, message.payload))
                self._discover(message.topic, message.payload)
            elif message.payload:
                self.heard[message.topic] = message.payload
            else:
                self.heard.pop(message.topic, None)
            self._changed.notify_all()

    def _discover(self, topic: str, payload: bytes):
        """As Home Assistant does it: what is left out stays, what has only a platform goes, an empty document takes the device away."""
        entities = self.entities.setdefault(topic, {})
        if not payload:
            self.documents.pop(topic, None)
            return entities.clear()
        self.objections += objections(topic, payload)
        document = self.documents[topic] = json.loads(payload)
        for name, component in document["cmps"].items():
            if is_removal(component):
                entities.pop(name, None)
            else:
                entities[name] = component

    def until(self, condition, what, patience=PATIENCE):
        deadline = time.monotonic() + patience
        with self._changed:
            while not (value := condition()):
                assert time.monotonic() < deadline, f"waited in vain for {what}"
                self._changed.wait(0.1)
            return value

    # What a person sees

    def device(self, **who) -> dict:
        """The entities of a camera, by name, as soon as there are any."""
        return self.until(lambda: self.entities.get(self.topic(**who)), "a device")

    def shows(self, name: str, **who) -> str | None:
        """An entity's state; None: unknown."""
        component = self.device(**who)[name]
        payload = self.heard.get(component["stat_t"])
        made = None if payload is None else rendered(component.get("val_tpl"), payload)
        if made is None or made == "None":
            return None
        # A number, however it is written.
        return f"{float(made):g}" if component["p"] == "number" else made

    def is_available(self, name: str, **who) -> bool:
        component = self.device(**who)[name]
        asked = availability(self.documents[self.topic(**who)], component)
        return all(
            one["t"] in self.heard and rendered(one["val_tpl"], self.heard[one["t"]]) == "online" for one in asked)

    def awaits(self, name: str, state: str, **who):
        self.until(lambda: self.shows(name, **who) == state, f"{name} to show {state}")

    def awaits_available(self, name: str, wanted=True, **who):
        self.until(lambda: self.is_available(name, **who) == wanted, f"{name} to be {'' if wanted else 'un'}available")

    # What a person does

    def sets(self, name: str, value, **who):
        component = self.device(**who)[name]
        self.publish(component["cmd_t"], commanded(component, value))

    def turns(self, name: str, word: str, **who):
        component = self.device(**who)[name]
        self.publish(component["cmd_t"], component[f"pl_{word}"].encode())

    def presses(self, name: str, **who):
        self.turns(name, "prs", **who)
