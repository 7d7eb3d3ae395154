"""What a controller sees while the zoom is on its way: ramps, moves, stops and slow lenses.

`Tests/CameraCoreTests/ZoomMotionTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import math
from datetime import datetime

import pytest

from simulated_scene import in_scene, near


def ramping_beyond(controller, factor, since):
    """Waits for a live sample beyond this factor: the zoom is on its way."""
    return controller.state("zoom/live", lambda sample: sample["factor"] > factor, since=since)


def test_a_ramp_is_accepted_then_samples_come_then_it_ends_exactly_at_its_target(controller):
    since = controller.mark()
    ramp = controller.send("zoom", {"factor": 4, "rate": 4})
    accepted, done = ramp.answer(), ramp.answer()
    assert (accepted["status"], accepted["target"]) == ("accepted", 4)
    assert (done["status"], done["factor"]) == ("done", 4)
    state = controller.settled(done)
    assert (state["factor"], state["target"], state["ramping"]) == (4, 4, False)

    factors = [sample["factor"] for sample in controller.states("zoom/live", since)]
    assert any(1 < factor < 4 for factor in factors), "no sample on the way"
    assert factors == sorted(factors)
    on_the_way = [state for state in controller.states("zoom", since) if state["ramping"]]
    assert on_the_way and all(state["target"] == 4 for state in on_the_way)
    known = {state["rev"] for state in controller.states("zoom", since)}
    assert {sample["rev"] for sample in controller.states("zoom/live", since)} <= known


@pytest.mark.deep
def test_ramp_to_the_present_factor_is_done(controller):
    assert controller.obeyed("zoom", {"factor": 1, "rate": 1})["factor"] == 1


@pytest.mark.deep
def test_a_later_command_supersedes_a_ramp(controller):
    ramp = controller.send("zoom", {"factor": 8, "rate": 0.1})
    assert ramp.answer()["status"] == "accepted"
    assert controller.settled(controller.obeyed("zoom", {"factor": 2}))["factor"] == 2
    assert ramp.answer()["status"] == "superseded"
    assert controller.state("zoom")["ramping"] is False


def test_stop_halts_a_ramp_at_the_present_factor(controller):
    since = controller.mark()
    ramp = controller.send("zoom", {"factor": 8, "rate": 0.5})
    ramping_beyond(controller, 1.05, since)
    stopped = controller.settled(controller.obeyed("zoom", {"stop": True}))
    assert 1.05 < stopped["factor"] < 8
    assert stopped["target"] == stopped["factor"]
    assert ramp.result()["status"] == "superseded"


@pytest.mark.deep
def test_stop_at_rest_changes_nothing(controller):
    controller.zoom_to(3)
    assert controller.settled(controller.obeyed("zoom", {"stop": True}))["factor"] == 3


@pytest.mark.deep
def test_move_ends_at_its_timeout(controller):
    move = controller.send("zoom", {"move": {"velocity": 1, "timeout_ms": 500}})
    accepted, done = move.answer(), move.answer()
    assert (accepted["status"], done["status"]) == ("accepted", "done")
    state = controller.settled(done)
    # A timer may be late, never early: the zoom moves for as long as that takes by the agent's own clock.
    lasted = (datetime.fromisoformat(done["ts"]) - datetime.fromisoformat(accepted["ts"])).total_seconds()
    assert 0.49 < math.log2(state["factor"]) < lasted + 0.4
    assert state["target"] == state["factor"]


@pytest.mark.deep
def test_a_move_outwards_ends_at_the_minimum(controller):
    controller.zoom_to(1.5)
    done = controller.obeyed("zoom", {"move": {"velocity": -8, "timeout_ms": 10000}})
    assert controller.settled(done)["factor"] == 1


@pytest.mark.deep
def test_stop_ends_a_move(controller):
    since = controller.mark()
    move = controller.send("zoom", {"move": {"velocity": 0.2, "timeout_ms": 10000}})
    ramping_beyond(controller, 1.01, since)
    assert controller.state("zoom", since=since)["velocity"] == 0.2
    stopped = controller.settled(controller.obeyed("zoom", {"stop": True}))
    assert 1.01 < stopped["factor"] < 8 and "velocity" not in stopped
    assert move.result()["status"] == "superseded"


@pytest.mark.deep
def test_anchored_ramp_keeps_the_anchor_in_place(controller):
    before, since = controller.zoom_to(2.5), controller.mark()
    done = controller.obeyed("zoom", {"factor": 8, "rate": 4, "anchor": {"x": 0.2, "y": 0.6}})
    for sample in [*controller.states("zoom/live", since), controller.settled(done)]:
        assert in_scene(sample, 0.2, 0.6) == near(in_scene(before, 0.2, 0.6))


@pytest.mark.deep
def test_slow_lens_publishes_factor_and_target(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"optical_max": 8, "lens_speed": 2}})
    controller = bench.controller(broker)
    since = controller.mark()
    jump = controller.send("zoom", {"factor": 4})
    accepted = jump.answer()
    assert (accepted["status"], accepted["target"]) == ("accepted", 4)
    on_the_way = controller.state("zoom", lambda state: state["ramping"], since=since)
    assert on_the_way["target"] == 4 and on_the_way["factor"] < 4
    ramping_beyond(controller, 1, since)
    arrived = controller.settled(jump.result())
    assert (arrived["factor"], arrived["target"], arrived["optical"]) == (4, 4, 4)


@pytest.mark.deep
def test_stop_halts_a_slow_lens_at_its_present_position(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"optical_max": 8, "lens_speed": 0.5}})
    controller = bench.controller(broker)
    since = controller.mark()
    jump = controller.send("zoom", {"factor": 8})
    ramping_beyond(controller, 1.05, since)
    stopped = controller.settled(controller.obeyed("zoom", {"stop": True}))
    assert 1.05 < stopped["factor"] < 8 and stopped["target"] == stopped["factor"]
    assert jump.result()["status"] == "superseded"


@pytest.mark.deep
def test_commands_during_a_slow_write_are_replaced_by_the_newest(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"optical_max": 8, "write_latency_ms": 200}})
    controller = bench.controller(broker)
    sent = [controller.send("zoom", {"factor": 1 + n / 10}) for n in range(1, 41)]
    results = [pending.result() for pending in sent]
    assert {result["status"] for result in results} <= {"done", "superseded"}
    assert results[-1]["status"] == "done"
    assert controller.settled(results[-1])["factor"] == 5
    assert controller.state("zoom")["target"] == 5
