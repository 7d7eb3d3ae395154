"""Killed at any moment under load, the agent has what it answered, and uses no number twice.

What was answered counts, and nothing else: no assertion depends on the moment of a kill.
"""

import copy
import os
import random
import time

import pytest

from loaded_agent import CAMERAS, LoadedAgent
from movie_file import SMALL
from unrecorded_agent import unrecorded_agent

#: As many in continuous integration, and in `Tests/run --deep`.
KILLS = [60, pytest.param(1000, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])]
#: The same choices again: KILL_SEED=… pytest test_kills.py
SEED = int(os.environ.get("KILL_SEED", "20261122"))


@pytest.mark.parametrize("kills", KILLS)
def test_answered_changes_survive_a_kill(tmp_path_factory, kills):
    print(f"KILL_SEED={SEED}")
    chance = random.Random(SEED)
    with unrecorded_agent(
            tmp_path_factory, camera=SMALL, limits={"commands_per_second": 1_000_000},
            # no gesture ends because the machine is busy
            zoom={"gesture_timeout_ms": 60_000}) as (broker, agent):
        (door,) = agent.configuration["cameras"]
        agent.configure({**agent.configuration, "cameras": [
            {**copy.deepcopy(door), "id": camera} for camera in CAMERAS]})
        loaded = LoadedAgent(broker, agent, random.Random(SEED + 1))
        try:
            for kill in range(kills):
                loaded.configure(f"run-{kill}", is_synced=chance.random() < 0.25)
                agent.launch()
                if kill % 50 != 49 and chance.random() < 0.25:  # anywhere in the start
                    time.sleep(chance.uniform(0, 0.06))
                    agent.kill()
                    continue
                boot = loaded.restarted(f"run-{kill}")
                # Some runs are long: each slot is written thousands of times.
                loaded.load(4000 if kill % 50 == 49 else chance.randrange(1, 150))
                time.sleep(chance.uniform(0, 0.003))
                loaded.killed(boot)
            loaded.configure("last", is_synced=False)
            agent.launch()
            loaded.restarted("last")
        finally:
            loaded.close()
        assert "damaged" not in agent.log and "isn't saved" not in agent.log
        print(
            f"{kills} kills, {loaded.answers} answers, {len(loaded.photos)} photos, {len(loaded.recordings)} recordings, "
            f"boot {loaded.boots[-1]}")
