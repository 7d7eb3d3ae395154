"""A Home Assistant, as far as MQTT goes: it receives documents, makes entities of them, shows states, and
sends commands."""

import json
import threading
import time

import paho.mqtt.client as paho
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller import without_delay
from home_assistant_rules import availability, commanded, is_removal, merged, objections, rendered, turned
from waiting import TIMEOUT


class Entity:
    """One of a device's: what it shows comes of each message as it arrives, by the document as it is then."""

    def __init__(self, component: dict):
        self.component, self.state, self.objections = component, None, []

    @property
    def topic(self) -> str | None:
        return self.component.get("stat_t")

    def take(self, payload: bytes):
        made = rendered(self.component.get("val_tpl"), payload)
        if self.component["p"] == "event":
            made = json.loads(made)["event_type"] if made else self.state
        if made is None or made.lower() == "none":
            self.state = None
        elif reason := self._objection(made):
            self.objections.append(f"{self.component['uniq_id']}: {reason}")
        else:
            # A number, however it is written.
            self.state = f"{float(made):g}" if self.component["p"] == "number" else made

    def _objection(self, made: str) -> str | None:
        """Why Home Assistant would log an error and show what it showed before."""
        component = self.component
        if component["p"] == "event" and made not in component["evt_typ"]:
            return f"{made!r} is none of {component['evt_typ']}"
        if "ops" in component and made not in component["ops"]:
            return f"{made!r} is none of {component['ops']}"
        if component["p"] == "number" and not component["min"] <= float(made) <= component["max"]:
            return f"{made} is out of {component['min']}…{component['max']}"
        if component["p"] in ("switch", "binary_sensor") and made not in ("ON", "OFF"):
            return f"{made!r} is neither on nor off"
        return f"{made[:40]!r}… is too long" if len(made) > 255 else None


class HomeAssistantClient:
    """One run of Home Assistant: it remembers nothing of the run before, except what the broker keeps.

    Without `retained` the broker sends it only what is published from now on.
    """

    def __init__(self, broker, prefix="homeassistant", account=None, retained=True):
        self._retained = retained
        self.prefix, self.documents, self._entities, self._objections = prefix, {}, {}, []
        self.received: dict[str, bytes] = {}
        self._kept: dict[str, bytes] = {}
        self.received_documents: list[tuple[str, bytes]] = []
        self._changed, self._subscribed = threading.Condition(), threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, f"home_assistant-{id(self)}", protocol=paho.MQTTv5)
        self._client.on_connect = self._subscribe
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = lambda client, data, message: self._receive(message)
        self._client.on_socket_open = without_delay
        self._client.reconnect_delay_set(min_delay=0.1, max_delay=0.5)
        broker.admit(self._client, account)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert self._subscribed.wait(TIMEOUT)

    def _subscribe(self, client, *_):
        # Retained messages must be distinguished from others: a new entity receives the retained one.
        handling = SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE if self._retained else SubscribeOptions.RETAIN_DO_NOT_SEND
        options = SubscribeOptions(qos=1, retainAsPublished=True, retainHandling=handling)
        client.subscribe([(f"{self.prefix}/#", options), ("v4l2mqtt/#", options)])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._client.disconnect()
        self._client.loop_stop()
        assert not self.objections, self.objections

    @property
    def objections(self) -> list[str]:
        """What would be an error in Home Assistant's log."""
        return self._objections + [
            words for entities in self._entities.values() for entity in entities.values() for words in entity.objections]

    def publish(self, topic, payload, retain=False):
        self._client.publish(topic, payload, 1, retain).wait_for_publish(TIMEOUT)

    def has_started(self):
        self.publish(f"{self.prefix}/status", b"online")

    def topic(self, camera="door", agent="porch") -> str:
        return f"{self.prefix}/device/v4l2mqtt_{camera}_AT_{agent}/config"

    def _receive(self, message):
        try:
            with self._changed:
                self._take(message.topic, message.payload, message.retain)
                self._changed.notify_all()
        except Exception as error:  # paho would swallow it, and with it the failure of the test
            self._objections.append(f"{message.topic} {message.payload[:200]!r}: {error!r}")

    def _take(self, topic: str, payload: bytes, retained: bool):
        if topic.startswith(f"{self.prefix}/device/"):
            self.received_documents.append((topic, payload))
            return self._discover(topic, payload)
        for where in (self.received, self._kept) if retained else (self.received,):
            if payload:
                where[topic] = payload
            else:
                where.pop(topic, None)
        for entities in self._entities.values():
            for entity in entities.values():
                if entity.topic == topic:
                    entity.take(payload)

    def _discover(self, topic: str, payload: bytes):
        """As Home Assistant does it: what is left out stays, what has only a platform goes, an empty document
        takes the device away; an entity whose topic is the same as before does not subscribe again, and
        receives no retained message."""
        entities = self._entities.setdefault(topic, {})
        if not payload:
            self.documents.pop(topic, None)
            return entities.clear()
        self._objections += objections(topic, payload)
        document = self.documents[topic] = merged(json.loads(payload))
        for name, component in document["cmps"].items():
            if is_removal(component):
                entities.pop(name, None)
            elif name in entities and entities[name].topic == component.get("stat_t"):
                entities[name].component = component
            else:
                entities[name] = Entity(component)
                if kept := self._kept.get(component.get("stat_t")):
                    entities[name].take(kept)

    def until(self, condition, what, timeout=TIMEOUT):
        deadline = time.monotonic() + timeout
        with self._changed:
            while not (value := condition()):
                assert time.monotonic() < deadline, f"waited in vain for {what}"
                self._changed.wait(0.1)
            return value

    # What a person sees

    def device(self, **who) -> dict:
        """The components of a camera, by name, as soon as there are any."""
        entities = self.until(lambda: self._entities.get(self.topic(**who)), "a device")
        return {name: entity.component for name, entity in entities.items()}

    def has(self, name: str, **who) -> bool:
        return name in self._entities.get(self.topic(**who), {})

    def shows(self, name: str, **who) -> str | None:
        """An entity's state; None: unknown."""
        self.device(**who)
        return self._entities[self.topic(**who)][name].state

    def state(self, node: str, camera="door", agent="porch") -> dict:
        """The last state that it received of a node of a camera; empty: none."""
        return json.loads(self.received.get(f"v4l2mqtt/{agent}/{camera}/{node}", b"{}"))

    def is_available(self, name: str, **who) -> bool:
        component = self.device(**who)[name]
        asked = availability(self.documents[self.topic(**who)], component)
        return all(
            one["t"] in self.received and rendered(one["val_tpl"], self.received[one["t"]]) == "online" for one in asked)

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
        self.publish(component["cmd_t"], turned(component, word))

    def presses(self, name: str, **who):
        component = self.device(**who)[name]
        self.publish(component["cmd_t"], component["pl_prs"].encode())

    def uses_the_zoom(self):
        """The camera is available: the slider moves the zoom to 2 and back to 1, and shows both."""
        self.awaits_available("zoom")
        self.awaits("status", "online")
        for factor in (2, 1):
            self.sets("zoom", factor)
            self.awaits("zoom", str(factor))
