"""A lens that takes its time, and a clock that doesn't keep it."""

import math
import shutil
import struct
import subprocess
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

CLOCK = Path(__file__).parent / "support/shifted_clock.c"


@pytest.mark.parametrize("speed", [0, 2], ids=["a lens that jumps", "a lens that moves"])
def test_a_stop_is_not_kept_waiting_by_a_lens_that_takes_5_s_a_write(bench, speed):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"optical_max": 8, "write_latency_ms": 5000, "lens_speed": speed}})
    controller = bench.controller(broker)
    since = controller.mark()
    away = controller.send("zoom", {"factor": 8})
    moving = away.answer()
    assert moving["status"] == "accepted"
    later = controller.send("zoom", {"factor": 6})
    stop = controller.send("zoom", {"stop": True})
    stopped = stop.result()
    # By the agent's clock. A stop that waits for the write of 5 s, which began before, can't be answered
    # sooner.
    took = 3600 * hours_between(stopped, moving)
    print(f"the stop took {1000 * took:.1f} ms")
    assert stopped["status"] == "done" and took < 4.9, "it waited for the write"
    assert [away.result()["status"], later.result()["status"]] == ["superseded", "superseded"]
    here = controller.settled(stopped)["factor"]
    assert here == stopped["factor"] == stopped["target"]
    # The next command begins there: of what was called off nothing comes afterwards.
    assert controller.obeyed("zoom", {"factor": 2})["factor"] == 2
    states = [state for state in controller.states("zoom", since) if state["rev"] >= stopped["rev"]]
    assert all(state["factor"] <= max(2, here) for state in states), states


def test_a_stop_in_the_middle_of_a_slow_ramp_halts_where_the_lens_is(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"optical_max": 8, "write_latency_ms": 500, "lens_speed": 1}})
    controller = bench.controller(broker)
    since = controller.mark()
    ramp = controller.send("zoom", {"factor": 8, "rate": 1})
    controller.state("zoom/live", lambda sample: sample["factor"] > 1.1, since=since)
    stopped = controller.obeyed("zoom", {"stop": True})
    state = controller.settled(stopped)
    assert 1.1 < state["factor"] < 8 and state["target"] == state["factor"] == stopped["factor"]
    assert ramp.result()["status"] == "superseded"
    # A photo shows that the lens is where the state places it, also at the time when the write would have
    # ended.
    quiet = controller.mark()
    (photo,) = controller.obeyed("capture", {"size": {"width": 64}, "count": 2, "interval_ms": 600})["photos"][1:]
    assert photo["factor"] == state["factor"]
    assert controller.states("zoom", quiet) == []


@pytest.fixture
def clock(monkeypatch, tmp_path):
    """Sets the clock of what is started from now on: `clock(-3600)`. Time that only runs on isn't touched."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library, shift = tmp_path / "clock.so", tmp_path / "shift"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, CLOCK], check=True)

    def set_clock(seconds: int):
        with open(shift, "r+b" if shift.exists() else "wb", buffering=0) as file:
            file.write(struct.pack("q", seconds))

    set_clock(0)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("CLOCK_SHIFT_FILE", str(shift))
    return set_clock


def test_a_clock_set_back_an_hour_disturbs_neither_rev_nor_ramp_nor_gesture(bench, clock):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    before = controller.zoom_to(1)
    controller.obeyed("pinch", {"gesture": "g", "phase": "began"})
    controller.obeyed("pinch", {"gesture": "g", "phase": "changed", "scale": 2})
    clock(-3600)
    answer = controller.obeyed("pinch", {"gesture": "g", "phase": "changed", "scale": 1.5})
    after = controller.state("zoom", lambda state: state["factor"] == answer["factor"])
    assert hours_between(after, before) == pytest.approx(-1, abs=0.01), "the clock wasn't set back"
    assert after["factor"] == 1.5
    controller.obeyed("pinch", {"gesture": "g", "phase": "ended"})
    controller.zoom_to(1)

    since = controller.mark()
    rate = 1
    ramp = controller.send("zoom", {"factor": 8, "rate": rate})
    controller.state("zoom/live", lambda sample: sample["factor"] > 1.5, since=since)
    clock(0)  # and an hour on again
    controller.state("zoom/live", lambda sample: sample["factor"] > 3, since=since)
    clock(-7200)
    done = ramp.result()
    assert done["status"] == "done"
    samples = controller.states("zoom/live", since)
    assert all(a["factor"] <= b["factor"] for a, b in pairwise(samples))
    # By the agent's own clock, but for the hours: the way between two samples is that of the time between
    # them.
    jumps = [abs((hours_between(b, a) * 3600 + 1800) % 3600 - 1800 - math.log2(b["factor"] / a["factor"]) / rate) for a, b in pairwise(samples)]
    # From 1.5 to the end the way takes 2.4 s: that is what a clock set on leaves out. A sample isn't a second
    # late.
    assert max(jumps) < 1, "the clock moved the ramp"
    assert hours_between(controller.settled(done), before) == pytest.approx(-2, abs=0.01)
    assert controller.obeyed("capture", {"size": {"width": 64}})["photos"]

    agent.kill()
    agent.start()
    restored = controller.state("zoom", lambda state: state["boot"] > before["boot"] and not state["ramping"])
    assert restored["boot"] == before["boot"] + 1
    revs = [state["rev"] for state in controller.states("zoom")]
    assert all(a < b for a, b in zip(revs, revs[1:])), f"rev went back: {revs}"


def test_revisions_continue_although_the_state_is_lost_twice_without_a_clock(bench, clock):
    clock(-int(datetime.now().timestamp()))
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    revs = []
    for _ in range(3):
        controller.zoom_to(1)
        revs.append(controller.zoom_to(2)["rev"])
        assert controller.inbox.newest(f"{controller.agent_topic}/info").json["numbers"] > revs[-1]
        agent.stop()
        shutil.rmtree(agent.state_file.parent)
        since = controller.mark()
        agent.start()
        first = controller.state("zoom", lambda state: state["boot"] == 1, since=since)
        assert first["ts"].startswith("1970-01-01") and first["rev"] > revs[-1]


def hours_between(state, before) -> float:
    then, now = (datetime.fromisoformat(each["ts"]) for each in (before, state))
    return (now - then).total_seconds() / 3600
