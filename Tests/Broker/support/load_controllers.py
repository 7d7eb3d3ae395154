"""Controllers that send one command after the other, and note what was answered.

Each is a generator: it yields `(node, command, ledger, values)` and gets the final answer of the command. A
command without a ledger changes no value that is compared.
"""

import itertools
import json
import random
import threading
from pathlib import Path

import paho.mqtt.client as paho

from controller import without_delay
from promises import Ledger, Numbers
from waiting import TIMEOUT

BASE = "v4l2mqtt/porch"


class LoadController:
    """A connection that runs a generator while `is_sending` is set. After a kill, the generator begins
    anew."""

    def __init__(self, broker, camera: str, name: str, make_steps, is_sending: threading.Event, answered):
        self.name, self._camera, self._make_steps = name, camera, make_steps
        self._is_sending, self._answered = is_sending, answered
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._steps = self._request = self._ledger = None
        self._offline = threading.Condition()
        self._boot_offline = 0
        #: No command waits for its answer.
        self.is_idle = True
        #: What the controller's own assertions found.
        self.failure: BaseException | None = None
        subscribed = threading.Event()
        self._client = client = paho.Client(paho.CallbackAPIVersion.VERSION2, name, protocol=paho.MQTTv5)
        topics = [(f"replies/{name}", 1), (f"{BASE}/availability", 1)]
        client.on_connect = lambda client, *_: client.subscribe(topics)
        client.on_subscribe = lambda *_: subscribed.set()
        client.on_message = self._received
        client.on_socket_open = without_delay
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        assert subscribed.wait(TIMEOUT), f"{name} could not subscribe"

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def begin(self):
        with self._lock:
            self._steps = self._make_steps()
            self._send(None)

    def wait_for_end(self, boot: int):
        """Waits until everything has come that the broker got from this run before it ended: its will is
        last.

        All commands are at the broker then too, which has no receiver for them until the next run.
        """
        with self._offline:
            assert self._offline.wait_for(lambda: self._boot_offline >= boot, TIMEOUT), f"{self.name}: no will"
        self._client.publish(f"barrier/{self.name}", b"", 1).wait_for_publish(TIMEOUT)

    def _send(self, answer):
        self.is_idle = not self._is_sending.is_set()
        if self.is_idle:
            return
        node, command, self._ledger, values = self._steps.send(answer)
        self._request = f"{self.name}-{next(self._numbers)}"
        if self._ledger:
            self._ledger.sent(self._request, *values)
        properties = paho.Properties(paho.PacketTypes.PUBLISH)
        properties.ResponseTopic = f"replies/{self.name}"
        body = json.dumps({"id": self._request, "client": self.name, **command})
        self._client.publish(f"{BASE}/{self._camera}/{node}/set", body, 1, properties=properties)

    def _received(self, client, data, message):
        try:
            if message.topic.endswith("/availability"):
                self._availability(json.loads(message.payload))
            else:
                self._answer(json.loads(message.payload))
        except Exception as failure:
            self.failure = self.failure or failure
            self._answered(None)

    def _availability(self, state):
        if state["state"] == "offline":
            with self._offline:
                self._boot_offline = max(self._boot_offline, state["boot"])
                self._offline.notify_all()

    def _answer(self, answer):
        with self._lock:
            # Of a quiet sample that was refused, or of a command of the run before.
            if answer.get("id") != self._request or answer["status"] == "accepted":
                return
            is_done = answer["status"] == "done"
            assert "persisted" not in answer, f"{self.name}: {answer}"
            assert is_done or answer["status"] == "superseded", f"{self.name}: {answer}"
            if self._ledger:
                self._ledger.ended(self._request, answer["rev"], is_done)
            self._answered(answer)
            self._send(answer)

    def send_unanswered(self, node: str, command: dict):
        """Sends a command that has no answer."""
        body = json.dumps({"client": self.name, **command})
        self._client.publish(f"{BASE}/{self._camera}/{node}/set", body, 1)


def factors(chance: random.Random):
    """Zoom factors that a double and a message hold exactly."""
    while True:
        yield chance.randrange(64, 8 * 64 + 1) / 64


def zooming(ledger: Ledger, chance: random.Random):
    for factor in factors(chance):
        yield "zoom", {"factor": factor}, ledger, [factor]


def saving_presets(ledgers: dict[str, Ledger], chance: random.Random):
    """Saves and deletes presets; the ledger of a name has whether it is there."""
    while True:
        name, ledger = chance.choice(list(ledgers.items()))
        is_saved = not ledger.value or chance.random() < 0.3
        yield "presets", {"save" if is_saved else "delete": name}, ledger, [is_saved]


def setting_a_control(ledger: Ledger, chance: random.Random, name: str, step=1, **others):
    while True:
        value = chance.randrange(0, 251, step)
        yield "controls", {**others, name: value}, ledger, [value]


def changing_the_session(ledger: Ledger, chance: random.Random):
    while True:
        quality = chance.choice(["low", "medium", "high", "320x180"])
        yield "session", {"quality": quality}, ledger, [quality]


def publishing_versions(ledger: Ledger, chance: random.Random, versions):
    """The ledger has the version and the brightness together."""
    for version in versions:
        value = version % 250
        yield "desired", {"version": version, "controls": {"brightness": value}}, ledger, [version]


def pinching(ledger: Ledger, chance: random.Random, controller):
    """Gestures with samples of which some are answered. The ledger has the factor."""
    for number, factor in enumerate(factors(chance)):
        base, gesture = ledger.value, f"{controller().name}-{number}"
        yield "pinch", {"gesture": gesture, "phase": "began"}, ledger, [base]
        ledger.sent(f"quiet-{gesture}", *(base * (1 + 0.001 * sample) for sample in range(1, 4)))
        for sample in range(1, 4):
            controller().send_unanswered("pinch", {"gesture": gesture, "phase": "changed", "scale": 1 + 0.001 * sample})
        scale = factor / base
        yield "pinch", {"gesture": gesture, "phase": "changed", "scale": scale}, ledger, [base * scale]
        ledger.ended(f"quiet-{gesture}", 0, False)
        yield "pinch", {"gesture": gesture, "phase": "ended", "scale": scale}, ledger, [base * scale]


def taking_photos(numbers: Numbers):
    while True:
        answer = yield "capture", {}, None, []
        for photo in answer["photos"]:
            numbers.used_by(Path(photo["path"]))
            numbers.answered = photo["sequence"]


def recording():
    while True:
        yield "recording", {"on": True, "codec": "mjpeg"}, None, []
        yield "recording", {"on": False}, None, []
