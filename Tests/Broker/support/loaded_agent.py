"""An agent with three cameras under load from several controllers, and what was answered to them."""

import itertools
import json
import random
import threading
import time

import paho.mqtt.client as paho

from load_controllers import (
    BASE, LoadController, changing_the_session, pinching, publishing_versions, recording, saving_presets,
    setting_a_control, taking_photos, zooming)
from promises import Ledger, Numbers
from waiting import TIMEOUT, eventually

CAMERAS = ("door", "yard", "hall")
STATES = ("zoom", "presets", "controls", "session", "capture", "recording")


class Watcher:
    """The newest message of each topic, and whether a `rev` ever went back.

    `seen` is called with the camera and each state or answer that has a `rev`.
    """

    def __init__(self, broker, seen=lambda camera, message: None):
        self._seen = seen
        self._changed, self._count = threading.Condition(), 0
        self._newest: dict[str, tuple[int, object]] = {}
        self._revs: dict[str, tuple[int, int]] = {}
        self.faults: list[str] = []
        subscribed = threading.Event()
        self._client = client = paho.Client(paho.CallbackAPIVersion.VERSION2, "watcher", protocol=paho.MQTTv5)
        client.on_connect = lambda client, *_: client.subscribe(f"{BASE}/#", 1)
        client.on_subscribe = lambda *_: subscribed.set()
        client.on_message = self._received
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        assert subscribed.wait(TIMEOUT)

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def _received(self, client, data, message):
        topic = message.topic.removeprefix(f"{BASE}/")
        # What has QoS 0 overtakes other messages in the broker.
        if message.qos == 0 or topic.endswith(("/set", "/image", "/reply")) or not message.payload:
            return
        state = json.loads(message.payload)
        with self._changed:
            self._count += 1
            self._newest[topic] = (self._count, state)
            if isinstance(state, dict) and "rev" in state:
                self._number(topic, state)
            self._changed.notify_all()

    def _number(self, topic: str, state: dict):
        """A later start has a `rev` above all before; in a run none of the same topic goes back."""
        self._seen(topic.partition("/")[0], state)
        for other in (topic, topic.partition("/")[0]):
            boot, rev = self._revs.get(other, (0, 0))
            is_back = state["rev"] < rev if other == topic else state["boot"] > boot and state["rev"] <= rev
            if is_back or state["boot"] < boot:
                self.faults.append(f"{topic}: {state['rev']} of boot {state['boot']} after {rev} of boot {boot}")
            self._revs[other] = (max(boot, state["boot"]), max(rev, state["rev"]))

    def answered(self, answer: dict):
        """The `rev` of an answer counts as one that was published."""
        self._seen(answer["camera"], answer)
        with self._changed:
            boot, rev = self._revs.get(answer["camera"], (0, 0))
            self._revs[answer["camera"]] = (max(boot, answer["boot"]), max(rev, answer["rev"]))

    def run(self, tag: str, give_up) -> tuple[int, dict]:
        """Waits until all cameras of this run are online. Returns its boot, and what was restored."""
        deadline = time.monotonic() + TIMEOUT
        with self._changed:
            while not all(self._is_ready(camera, tag) for camera in CAMERAS):
                assert not (ending := give_up()), ending
                assert time.monotonic() < deadline, f"not online: {self._newest}"
                self._changed.wait(0.1)
            states = {topic: state for topic, (_, state) in self._newest.items()}
        (boot,) = {states[f"{camera}/{node}"]["boot"] for camera in CAMERAS for node in STATES}
        return boot, states

    def _is_ready(self, camera: str, tag: str) -> bool:
        begun, info = self._newest.get(f"{camera}/info", (0, {}))
        online, availability = self._newest.get(f"{camera}/availability", (0, {"state": "offline"}))
        # The information is the first message of a run; the availability comes after what was restored.
        return info.get("kind") == tag and availability["state"] == "online" and online > begun


class LoadedAgent:
    """An agent with three cameras, its controllers, and what was answered to them."""

    def __init__(self, broker, agent, chance: random.Random, *, ledger=Ledger, **watching):
        self.agent, self.watcher, self.is_sending = agent, Watcher(broker, **watching), threading.Event()
        self._answers = threading.Condition()
        self.answers = self._goal = 0
        self.factors = {"door": ledger(1.0), "yard": ledger(1.0)}
        self.presets = {camera: {f"{camera}-{n}": ledger(False) for n in range(4)} for camera in ("door", "yard")}
        self.brightness, self.focus = ledger(128), ledger(0)
        self.quality, self.version = ledger("high"), ledger(0)
        self.photos, self.recordings, self.boots = Numbers(), Numbers(), []
        versions = itertools.count(1)
        self.pincher: LoadController
        load = [
            ("door", "zoom-1", lambda: zooming(self.factors["door"], chance)),
            ("door", "zoom-2", lambda: zooming(self.factors["door"], chance)),
            ("door", "presets-1", lambda: saving_presets(self.presets["door"], chance)),
            ("door", "controls-1", lambda: setting_a_control(self.brightness, chance, "brightness")),
            ("door", "controls-2", lambda: setting_a_control(self.focus, chance, "focus", 5, autofocus=False)),
            ("yard", "pinch", lambda: pinching(self.factors["yard"], chance, lambda: self.pincher)),
            ("yard", "presets-2", lambda: saving_presets(self.presets["yard"], chance)),
            ("yard", "session", lambda: changing_the_session(self.quality, chance)),
            ("hall", "desired", lambda: publishing_versions(self.version, chance, versions)),
            ("hall", "capture", lambda: taking_photos(self.photos)),
            ("hall", "recording", recording),
        ]
        self.controllers = [
            LoadController(broker, camera, name, steps, self.is_sending, self._answered) for camera, name, steps in load]
        self.pincher = next(controller for controller in self.controllers if controller.name == "pinch")

    def close(self):
        for controller in self.controllers:
            controller.close()
        self.watcher.close()

    def _answered(self, answer: dict | None):
        """None: a controller failed."""
        if answer:
            self.watcher.answered(answer)
        with self._answers:
            self.answers += answer is not None
            self._answers.notify_all()

    def configure(self, tag: str, is_synced: bool):
        """The tag is in the messages of this run, so that none of a run before is taken for one of it."""
        cameras = [{**camera, "kind": tag} for camera in self.agent.configuration["cameras"]]
        self.agent.configure({**self.agent.configuration, "cameras": cameras, "state_sync": is_synced})

    def restarted(self, tag: str) -> int:
        """Waits for the restart, and compares what it restored with what was answered. Returns its boot."""
        boot, states = self.watcher.run(tag, self.agent.ending)
        assert not self.watcher.faults, self.watcher.faults
        assert boot > max(self.boots, default=0), f"boot {boot} after {self.boots[-3:]}"
        self.boots.append(boot)
        for camera, ledger in self.factors.items():
            ledger.restarted(states[f"{camera}/zoom"]["factor"], f"zoom of {camera}")
        for camera, ledgers in self.presets.items():
            for name, ledger in ledgers.items():
                ledger.restarted(name in states[f"{camera}/presets"]["presets"], f"preset {name}")
        values = states["door/controls"]["values"]
        self.brightness.restarted(values["brightness"], "brightness")
        self.focus.restarted(values["focus"], "focus")
        self.quality.restarted(states["yard/session"]["quality"], "quality")
        self.version.restarted((states.get("hall/desired") or {"version": 0})["version"], "version")
        assert states["hall/capture"]["counter"] >= self.photos.answered
        self.count_files()
        return boot

    def count_files(self):
        """The numbers of all files, also of those without an answer."""
        for folder, numbers in ((self.agent.captures, self.photos), (self.agent.recordings, self.recordings)):
            for file in folder.rglob("*"):
                numbers.used_by(file)

    def load(self, answers: int, timeout=TIMEOUT):
        """Has all controllers send until so many answers have come."""
        with self._answers:
            goal = self.answers + answers
        self.is_sending.set()
        for controller in self.controllers:
            controller.begin()
        with self._answers:
            has_ended = self._answers.wait_for(lambda: self.answers >= goal or self.fault(), timeout)
        assert has_ended and not self.fault(), self.fault() or "no answers"

    def pause(self):
        """Has the controllers stop, each after its last answer."""
        self.is_sending.clear()
        eventually(lambda: self.fault() or all(controller.is_idle for controller in self.controllers), "the last answers")
        assert not self.fault(), self.fault()

    def fault(self) -> str | None:
        failures = [str(controller.failure) for controller in self.controllers if controller.failure]
        return "\n".join(failures) or self.agent.ending()

    def killed(self, boot: int):
        self.agent.kill()
        self.is_sending.clear()
        for controller in self.controllers:
            controller.wait_for_end(boot)
        failures = [controller.failure for controller in self.controllers if controller.failure]
        if failures:
            raise failures[0]
