"""The disk of the state: what a power cut leaves of it, and what goes on while it hangs.

No assertion depends on the speed of the machine: the disk is a part of the test (`virtual_disk.py`), so it is
known what happened first.
"""

import os
import random
import re
import shutil
import time
from contextlib import closing
from dataclasses import dataclass
from statistics import median

import pytest

from controller import Controller
from disk_rig import Machine, Restarts, Rig
from power_cuts import Cut, at_once, cuts
from simulated_scene import near
from virtual_camera import Camera
from virtual_disk import Flush, Write
from waiting import TIMEOUT, eventually

#: The same choices again: POWER_SEED=… pytest test_state_disk.py
SEED = int(os.environ.get("POWER_SEED", "20261122"))
#: Seconds of answers that may be lost without `state_sync`, by the agent's clock. The kernel syncs nothing by
#: itself in these tests: without the agent's own syncs all answers would be lost. How much is lost, is
#: printed.
LOSS = 2.0
#: A slot that has a line.
LINE = re.compile(rb'(^|\n)\d+ [0-9a-f]{8} \{"version":2')
#: Power cuts one after the other.
ROW = 40


@dataclass(frozen=True)
class Run:
    is_synced: bool
    answers: int
    #: The agent is killed at the end; otherwise it is stopped.
    is_killed: bool = True


@dataclass(frozen=True)
class Load:
    runs: list[Run]
    #: Cuts with a random part of the cache, at each flush.
    subsets: int
    #: Every so many flushes there are cuts; from each so many of these an agent is started.
    every: int
    starts: int


SHORT = Load([Run(False, 120), Run(True, 30)], subsets=1, every=5, starts=4)
LONG = Load(
    [Run(False, 3000), Run(True, 300), Run(False, 500, is_killed=False), Run(True, 100), Run(False, 500)],
    subsets=1, every=1, starts=1)


@pytest.fixture(scope="module")
def machine(made, tmp_path_factory):
    with closing(Machine(made, tmp_path_factory.mktemp("machine"))) as machine:
        yield machine


@pytest.fixture
def guest(machine):
    """For the report of a failure."""
    return machine.guest


@pytest.fixture
def rig(machine, guest):
    print(f"POWER_SEED={SEED}")
    with closing(Rig(machine, SEED)) as rig:
        yield rig
        assert "damaged" not in rig.agent.log


# Power cuts


@pytest.mark.parametrize("load", [
    pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_power_cut_at_any_flush_keeps_answered_changes(machine, rig, tmp_path, load):
    machine.mount()
    for run in load.runs:
        boot = rig.start(run.is_synced)
        rig.loaded.load(run.answers, TIMEOUT + run.answers)
        if run.is_killed:
            rig.loaded.killed(boot)
        else:
            rig.loaded.pause()
            assert rig.agent.stop() == 0
    machine.unmount()
    judge, first, history = rig.judge, rig.disk.first, rig.disk.history
    judge.follow(history)
    chance, count = random.Random(SEED + 1), 0
    with closing(Restarts(tmp_path, judge)) as restarts:
        for cut in cuts(first, history, chance, subsets=load.subsets, every=load.every):
            folder = machine.folder_on(cut.contents, f"cut-{count}")
            state = judge.judge(cut, folder, rig.loaded)
            if state and count % load.starts == 0:
                restarts.check(folder, cut, state)
            shutil.rmtree(folder)
            count += 1
        flushes = sum(isinstance(event, Flush) for event in history)
        lines = sum(isinstance(event, Write) and is_of_state(event.data) for event in history)
        print(
            f"{count} cuts at {flushes} flushes of {len(history) - flushes} writes ({lines} of the state), "
            f"{restarts.count} starts; "
            f"{rig.loaded.answers} answers, of which at most {max(judge.losses) * 1000:.0f} ms were lost "
            f"(median {median(judge.losses) * 1000:.0f} ms)")
    assert max(judge.losses) < LOSS
    assert_that_a_lost_flush_is_noticed(machine, rig, first, history)


def assert_that_a_lost_flush_is_noticed(machine: Machine, rig: Rig, first: bytes, history: list):
    """Holds what the disk had at the half of the flushes against what was answered until the end."""
    flushes = [number for number, event in enumerate(history) if isinstance(event, Flush)]
    contents = at_once(first, history[:flushes[len(flushes) // 2] + 1], random.Random(SEED))
    folder = machine.folder_on(contents, "lost")
    with pytest.raises(AssertionError, match="was answered|a run begins after"):
        rig.judge.judge(Cut(machine.timeline.next(), contents, "lost"), folder, rig.loaded)
    shutil.rmtree(folder)


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_consecutive_power_cuts_lose_no_answered_change(machine, rig):
    """Each start is on what a cut has left, and is itself cut, with `state_sync`. In half of the runs the
    kernel writes back what it likes, when it likes."""
    chance = random.Random(SEED + 2)
    rig.agent.kill = lambda: rig.agent.cut_power(machine.disk)
    starts = 0
    for _ in range(ROW):
        machine.mount(is_written_back=chance.random() < 0.5)
        if chance.random() < 0.3:  # anywhere in the start
            rig.launch(is_synced=True)
            machine.guest.sleep(chance.uniform(0, 1.5))
            rig.agent.kill()
        else:
            boot = rig.start(is_synced=True)
            starts += 1
            rig.loaded.load(chance.randrange(1, 120))
            rig.loaded.killed(boot)
        machine.unmount()
        machine.disk.power_on(at_once(machine.disk.first, machine.disk.history, chance))
    machine.mount()
    rig.start(is_synced=True)
    print(
        f"{ROW} cuts, {starts} of them under load, {rig.loaded.answers} answers, {len(rig.loaded.photos)} photos, "
        f"boot {rig.loaded.boots[-1]}")


def power_cut(machine: Machine, rig: Rig):
    """Cuts the power, and mounts what a disk keeps that had not stored all of its cache."""
    rig.agent.cut_power(machine.disk)
    machine.unmount()
    machine.disk.power_on(at_once(machine.disk.first, machine.disk.history, random.Random(SEED)))
    machine.mount()


@pytest.mark.deep
def test_photo_numbers_are_not_reused_after_a_power_cut_during_a_disk_hang(machine, rig):
    """The system takes writes, and the disk none of them."""
    machine.mount()
    rig.start(is_synced=False)
    with Controller(rig.broker, camera="hall") as controller:
        controller.obeyed("capture", {})
        machine.disk.hang()
        answers = [controller.command("capture", {"count": 50}) for _ in range(5)]
        used = max(photo["sequence"] for answer in answers for photo in answer.get("photos", []))
        power_cut(machine, rig)
        since = controller.mark()
        rig.launch(is_synced=False)
        controller.state("availability", lambda state: state["state"] == "online", since=since)
        photo, = controller.obeyed("capture", {})["photos"]
        assert photo["sequence"] > used >= 150


# A disk with defects


def is_of_state(data: bytes) -> bool:
    """Whether a write has a slot. Metadata of the file system has none."""
    return LINE.search(data) is not None


def test_io_errors_are_reported_and_nothing_is_lost_after_them(machine, rig):
    """A sync fails with EIO, and the kernel drops those pages: the agent has to write the changes again."""
    machine.mount()
    rig.start(is_synced=True)
    with Controller(rig.broker, camera="hall") as controller:
        assert "persisted" not in controller.obeyed("zoom", {"factor": 1.5})
        machine.disk.fail(is_of_state)
        for factor in (1.6, 1.7):
            answer = controller.obeyed("zoom", {"factor": factor})
            assert (answer["factor"], answer["persisted"]) == (factor, False)
        controller.refused("presets", {"save": "lost"}, "storage_full")
        assert machine.disk.failures
        machine.disk.repair()
        eventually(
            lambda: "persisted" not in controller.obeyed("zoom", {"factor": 1.8}),
            "an answer without persisted: false")
        controller.obeyed("presets", {"save": "kept"})
        power_cut(machine, rig)
        since = controller.mark()
        rig.launch(is_synced=True)
        zoom = controller.state("zoom", lambda state: state["factor"] == near(1.8), since=since)
        assert zoom["boot"] == 2
        assert controller.state("presets", since=since)["presets"].keys() == {"kept"}


# A disk that hangs


@pytest.fixture(scope="module")
def lenses(machine):
    """Both have a motor that needs five seconds from end to end."""
    names = ("front", "back")
    return {name: Camera(machine.guest, name, port=port, motor=80, auto_update="zoom") for port, name in enumerate(names)}


@pytest.fixture
def moving(rig, lenses):
    """The agent has the cameras with these lenses."""
    cameras = [{"id": name, "source": {"serial": name}} for name in lenses]
    rig.agent.configure({**rig.agent.configuration, "cameras": cameras})
    return rig


@pytest.mark.parametrize("is_synced, is_whole, seconds", [
    pytest.param(False, True, 0, id="whole disk"), pytest.param(True, False, 5, id="state_sync", marks=pytest.mark.deep)])
def test_stop_does_not_wait_for_a_hanging_disk(machine, moving, lenses, is_synced, is_whole, seconds):
    """The disk hangs since before the stop, and for so many seconds after it; the other camera's zoom goes on
    meanwhile."""
    agent, disk = moving.agent, machine.disk
    machine.mount()
    agent.configure({**agent.configuration, "state_sync": is_synced})
    agent.start()
    with Controller(moving.broker, camera="front") as front, Controller(moving.broker, camera="back") as back:
        usual, *_ = stopped(front, back, lambda: True)
        front.zoom_to(1), back.zoom_to(1)
        if is_whole:  # the slots have to be read again, so that their writer waits as well
            machine.guest.check("sync; echo 3 >/proc/sys/vm/drop_caches")
        disk.hang(reads=is_whole)
        took, ramps, stop, since = stopped(front, back, lambda: disk.waiting)
        at = lenses["front"].lens()
        assert front.state("zoom")["optical"] == near(at / 100)
        back.state("zoom", lambda state: state["factor"] == 3 and not state["ramping"])
        machine.guest.sleep(seconds)
        assert lenses["front"].lens() == at < 500
        assert disk.waiting and not front.inbox.all(front.response_topic, since)
        disk.recover()
        assert stop.result()["status"] == "done"
        assert [ramp.result()["status"] for ramp in ramps] == ["superseded", "done"]
    print(f"the state of a stop came after {took * 1000:.0f} ms, before the disk hung after {usual * 1000:.0f} ms (emulated)")


def stopped(front: Controller, back: Controller, is_due):
    """Ramps both lenses, and stops that of `front` when it moves and `is_due`.

    Returns the time until the stop was published, the ramps, the stop, and a mark before it.
    """
    # The one ramp would need two minutes, the other one three seconds.
    ramps = [front.send("zoom", {"factor": 5, "rate": 0.02}), back.send("zoom", {"factor": 3, "rate": 0.5})]
    assert [ramp.answer()["status"] for ramp in ramps] == ["accepted"] * 2
    moved = front.state("zoom/live", lambda sample: sample["optical"] > 1.01)
    eventually(is_due, "a write that waits for the disk")
    since, began = front.mark(), time.monotonic()
    stop = front.send("zoom", {"stop": True})
    front.state("zoom", lambda state: not state["ramping"] and state["rev"] > moved["rev"], since=since)
    return time.monotonic() - began, ramps, stop, since
