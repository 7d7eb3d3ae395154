"""Killed at any moment, the agent leaves a whole state file, and no number of a change is used again."""

import os
import random
import threading
import time

import pytest

from controller import Controller
from state_file import state_in
from unrecorded_agent import unrecorded_agent

#: As many in continuous integration, and in `Tests/run --deep`.
KILLS = [20, pytest.param(200, marks=pytest.mark.deep)]
#: The same moments again: KILL_SEED=… pytest -k kill
SEED = int(os.environ.get("KILL_SEED", "20261121"))


class Load:
    """Commands of several kinds, from a thread, as fast as the broker takes them, with or without an agent."""

    def __init__(self, controller):
        self._controller, self._ended, self.sent = controller, threading.Event(), 0
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _run(self):
        topic = self._controller.topic
        while not self._ended.wait(0.002):
            n = self.sent = self.sent + 1
            self._controller.publish(topic("zoom/set"), b"%.4f" % (1 + n % 700 / 100), qos=0)
            if n % 10 == 0:
                self._controller.publish(topic("controls/set"), b'{"brightness":%d}' % (n // 10 % 256), qos=0)


def moment(chance: random.Random) -> float:
    """Seconds after the launch: the start with its write, or later, when changes are saved (150 ms after the first)."""
    return chance.uniform(0, 0.04) if chance.random() < 0.4 else chance.uniform(0.04, 0.25)


@pytest.mark.parametrize("kills", KILLS)
def test_killed_many_times_under_load_nothing_is_damaged_and_no_rev_comes_twice(tmp_path_factory, kills):
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    with unrecorded_agent(tmp_path_factory) as (broker, agent), Controller(broker) as watcher:
        agent.start()  # from now on there is a file
        kept = {}
        with Controller(broker, agent="nobody") as other:
            other.camera_topic = watcher.camera_topic
            with Load(other) as load:
                for kill in range(1, kills + 1):
                    agent.kill()
                    state = state_in(agent.state_file)
                    if (previous := agent.state_file.with_name("state.json.previous")).exists():
                        state_in(previous)
                    kept[state["boot"]] = state["cameras"]["door"]
                    if kill < kills:
                        since = watcher.mark()
                        agent.launch()
                        if kill % 4 == 0:  # however slow the machine is, these runs publish something
                            boot = state["boot"]
                            watcher.state("zoom", lambda zoom: zoom["boot"] > boot, since=since, give_up=agent.ending)
                        time.sleep(moment(chance))
                        assert agent.ending() is None, agent.ending()
        agent.start()
        watcher.obeyed("zoom", {"factor": 2})
        states = watcher.states("zoom")

        assert "damaged" not in agent.log
        revs = [state["rev"] for state in states]
        back = [(a, b) for a, b in zip(revs, revs[1:]) if b <= a]
        assert not back, f"seed {SEED}: rev went back: {back}"
        boots = [state["boot"] for state in states]
        assert boots == sorted(boots)
        restored = [state for state in states if state["origin"]["kind"] == "restore" and not state["ramping"]]
        for state in restored:
            before = kept.get(state["boot"] - 1)
            assert before is None or state["factor"] == before["factor"], "not what the file said"
        print(f"{kills} kills, {load.sent} commands, {len(states)} states of {len(set(boots))} runs; boot {boots[-1]}")
        assert len(set(boots)) > kills / 4, "too few of the runs published anything"
