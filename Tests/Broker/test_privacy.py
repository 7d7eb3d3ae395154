"""A private camera: under load no picture follows the state `ON`, and a restart opens no device.

The rules themselves are in `Tests/CameraCoreTests/PrivacyTests.swift`, in virtual time.
"""

import itertools
import os
import random
import threading

import pytest

from controller import Controller
from inbox import Message
from movie_file import SMALL, played
from recording_steps import finished
from unrecorded_agent import unrecorded_agent
from waiting import eventually

PRIVACY = "v4l2mqtt/porch/door/privacy"
LIVE = "v4l2mqtt/porch/door/preview/live"
#: Switches under load in continuous integration, and in `Tests/run --deep`.
ROUNDS = [3, pytest.param(40, marks=[pytest.mark.deep, pytest.mark.timeout(1800)])]
#: The same choices again: PRIVACY_SEED=… pytest test_privacy.py
SEED = int(os.environ.get("PRIVACY_SEED", "20261123"))
VIEWERS = ("phone", "desk", "wall")


class Witness(Controller):
    """A client that receives every message of the broker, in order."""

    def __init__(self, broker):
        super().__init__(broker, base="+", agent="+")
        # The retained messages have come before this one.
        self.publish("witness/ready", b"", qos=1)
        self.inbox.wait_for("witness/ready", since=0)

    def switched(self, state: str, since: int) -> int:
        """Waits for a state of the privacy; returns its place."""
        return self.inbox.place(self.inbox.wait_for(PRIVACY, lambda m: m.json["state"] == state, since=since))

    def pictures(self, since: int, until: int | None = None) -> list[Message]:
        return [message for message in self.inbox.messages(since, until) if message.payload.startswith(b"\xff\xd8")]

    def see_pictures(self, count: int, since: int):
        """Waits until so many pictures have come."""
        eventually(lambda: len(self.pictures(since)) >= count, f"{count} pictures")


class Load:
    """Controllers that send one command after the other. While the camera is private, all are refused."""

    #: Commands of a controller each, and how many final answers or photos each brings.
    COMMANDS = (
        ("capture", {"count": 4, "interval_ms": 0, "reply": "image"}, 4),
        ("capture", {"count": 20, "interval_ms": 0}, 1),
        ("capture", {"quality": 60, "zoom": {"factor": 2}}, 1),
        ("zoom", {"factor": 8, "rate": 8}, 1),
        ("zoom", {"factor": 1, "rate": 8}, 1),
        ("controls", {"brightness": 100}, 1),
        ("recording", {"on": True, "codec": "mjpeg"}, 1),
    )

    def __init__(self, broker):
        self._ended, self._lock = threading.Event(), threading.Lock()
        #: Answers with the code `private`.
        self.refused = 0
        self.unexpected: list = []
        self._controllers = [Controller(broker) for _ in self.COMMANDS]
        self._threads = [
            threading.Thread(target=self._send, args=(controller, *command))
            for controller, command in zip(self._controllers, self.COMMANDS)]
        for thread in self._threads:
            thread.start()

    def _send(self, controller, node, body, answers):
        try:
            while not self._ended.is_set():
                pending = controller.send(node, body)
                for _ in range(answers):
                    if self._is_last(pending):
                        break
        except Exception as failure:  # of a thread, it would be lost
            self.unexpected.append(failure)

    def _is_last(self, pending) -> bool:
        """Takes the next photo or final answer. Returns whether no photo follows it."""
        while True:
            message = pending.message()
            if message.content_type == "image/jpeg":
                return False
            answer = message.json
            if answer["status"] == "accepted":
                continue
            if answer["status"] == "error":
                self._refused(answer["error"])
            return True

    def _refused(self, error):
        with self._lock:
            self.refused += error["code"] == "private"
            # A full queue, a recording that is being completed: that is load.
            if error["code"] not in ("private", "busy", "unavailable"):
                self.unexpected.append(error)

    def see_refusals(self, count: int):
        """Waits until so many further commands are refused because the camera is private."""
        goal = self.refused + count
        eventually(lambda: self.refused >= goal or self.unexpected, f"{count} refusals")
        assert not self.unexpected, self.unexpected

    def close(self):
        self._ended.set()
        for thread in self._threads:
            thread.join()
        for controller in self._controllers:
            controller.close()


def files(agent) -> dict:
    """Each photo and recording, with its size and the time of its last write."""
    found = itertools.chain(agent.captures.rglob("*"), agent.recordings.rglob("*"))
    return {file: (file.stat().st_size, file.stat().st_mtime_ns) for file in found if file.is_file()}


@pytest.mark.parametrize("retained", [True, False], ids=["retained image", "passing image"])
@pytest.mark.parametrize("rounds", ROUNDS)
def test_no_picture_follows_the_state(tmp_path_factory, rounds, retained):
    print(f"PRIVACY_SEED={SEED}")
    chance = random.Random(f"{SEED} {retained}")
    settings = {"captures": {"retain_image": retained}, "limits": {"commands_per_second": 1_000_000}}
    with unrecorded_agent(tmp_path_factory, camera=SMALL, **settings) as (broker, agent), \
            Controller(broker) as owner, Witness(broker) as witness:
        agent.start()
        load = Load(broker)
        try:
            for _ in range(rounds):
                switch_under_load(broker, agent, owner, witness, load, chance)
        finally:
            load.close()
        assert not load.unexpected, load.unexpected
        assert agent.stop() == 0


def switch_under_load(broker, agent, owner, witness, load, chance):
    begin = owner.mark()
    seen = witness.inbox.mark()
    for viewer, rate in zip(VIEWERS, (30, 20, 60)):
        owner.obeyed("preview", {"fps": rate, "width": 320, "seconds": 600, "client": viewer})
    witness.inbox.wait_for(LIVE, since=seen)
    owner.state("recording", lambda state: state["state"] == "recording")
    witness.see_pictures(chance.randrange(2, 60), seen)

    since = witness.inbox.mark()
    answer = owner.obeyed("privacy", {"state": "ON", "client": "owner"})
    on = witness.switched("ON", since)
    before = files(agent)
    assert not [file for file in before if file.name.endswith(".part")]
    assert owner.state("preview") is None
    recording = finished(owner, begin)
    assert (recording["reason"], answer["client"]) == ("privacy", "owner")
    assert played(recording["path"]).frames == recording["frames"] > 0

    # The load goes on: all of it is refused, and nothing that was under way comes out.
    load.see_refusals(chance.randrange(20, 100))
    with Controller(broker) as newcomer:
        newcomer.obeyed("lease", {"release": True})  # retained messages come before the answer
        assert newcomer.inbox.newest(newcomer.topic("privacy")).json["state"] == "ON"
        assert not newcomer.inbox.all(newcomer.topic("image"))
    assert files(agent) == before

    end = witness.inbox.mark()
    owner.obeyed("privacy", "OFF")
    off = witness.switched("OFF", end)
    late = witness.pictures(on, off)
    assert not late, f"{len(late)} pictures follow the state: {[message.topic for message in late]}"
    witness.see_pictures(1, off)


def test_a_restart_opens_no_device(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL, captures={"retain_image": True})
    owner = bench.controller(broker)
    owner.zoom_to(3)
    owner.obeyed("capture", {"size": {"width": 64}})
    owner.obeyed("privacy", {"state": "ON", "client": "owner"})
    since = owner.state("privacy")["since"]
    agent.kill()
    # As if the agent had been killed before it could remove the photo.
    owner.publish(owner.topic("image"), b"\xff\xd8\xff\xd9", retain=True)
    with Witness(broker) as witness:
        seen = witness.inbox.mark()
        agent.start()
        owner.refused("capture", {}, "private")
        state = owner.state("privacy", lambda state: state["boot"] == 2)
        assert (state["state"], state["client"], state["since"]) == ("ON", "owner", since)
        assert state["origin"] == {"kind": "restore"}
        assert owner.state("availability") == {"state": "online", "reason": "private"}
        owner.obeyed("lease", {"release": True})
        topics = [message.topic for message in witness.inbox.messages(seen)]
        opened = [node for node in ("zoom", "controls", "session", "info") if owner.topic(node) in topics]
        assert not opened, f"{opened} describe a device that is open"
        known = owner.state("info")
        assert known["model"] and not any(control["enabled"] for control in known["controls"])
        witness.inbox.wait_for(owner.topic("image"), lambda message: not message.payload, since=seen)
        owner.obeyed("privacy", "OFF")
        assert owner.state("zoom", lambda zoom: zoom["boot"] == 2)["factor"] == 3
        owner.obeyed("capture", {"size": {"width": 64}})
