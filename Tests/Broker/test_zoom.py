"""Zoom, gestures, view and lease with a real broker: topics, both protocols, retained states, real time.

The rules are tested in `Tests/CameraCoreTests` and `Tests/ZoomModelTests`, in virtual time.
"""

import pytest

from controller import V311
from gesture import Gesture, Touch
from simulated_scene import in_scene, near


@pytest.fixture
def two(connect, controller):
    """A on MQTT 5, B on 3.1.1."""
    return controller, connect(version=V311)


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
    known = {state["rev"] for state in controller.states("zoom", since)}
    assert {sample["rev"] for sample in controller.states("zoom/live", since)} <= known


def test_last_of_many_changes_is_always_published(controller):
    controller.zoom_to(2)
    gesture = Gesture(controller)
    gesture.step("began")
    for n in range(1, 501):
        change = {"gesture": gesture.name, "phase": "changed", "scale": 1 + n / 250, "seq": n, "id": None}
        controller.send("pinch", change, qos=0 if n < 500 else 1)
    gesture.step("ended")
    controller.state("zoom", lambda state: state["factor"] == near(6))
    controller.state("pinch", lambda state: state is None)


def test_fingers_zoom_and_the_view_is_published(controller):
    controller.zoom_to(4)
    touch = Touch(controller, client="phone")
    touch.step((0, "began", 0.3, 0.6))
    before = controller.settled(touch.step((1, "began", 0.5, 0.6)))
    controller.state("touch", lambda state: state and (state["fingers"], state["client"]) == (2, "phone"))
    assert touch.step((0, "moved", 0.25, 0.6), (1, "moved", 0.55, 0.6))["factor"] == near(6)
    after = controller.state("zoom", lambda state: state["factor"] == near(6))
    assert in_scene(after, 0.4, 0.6) == near(in_scene(before, 0.4, 0.6))
    touch.lift()
    controller.state("touch", lambda state: state is None)
    moved = controller.settled(controller.obeyed("viewport", {"by": {"dx": 0.1}}))
    controller.state("viewport", lambda state: state["viewport"] == moved["viewport"])


def test_both_clients_end_at_the_last_of_many_commands(two, connect):
    a, b = two
    viewer = connect(version=V311)
    sent = [who.send("zoom", {"factor": 1 + n / 8}) for n in range(40) for who in (a, b)]
    newest = max((pending.result() for pending in sent), key=lambda answer: answer.get("rev", 0))
    states = [who.state("zoom", lambda state: state["rev"] >= newest["rev"]) for who in (a, b, viewer)]
    assert states[0] == states[1] == states[2]
    assert states[0]["factor"] == states[0]["target"]


def test_a_viewer_that_only_listens_sees_every_state_in_order(two, connect):
    a, _ = two
    viewer = connect(version=V311)
    since = viewer.mark()
    gesture = Gesture(a)
    gesture.step("began")
    for scale in (1.5, 2.5, 3.5):
        gesture.step("changed", scale=scale)
    end = a.settled(gesture.step("ended"))
    seen = viewer.state("zoom", lambda state: state["rev"] == end["rev"])
    assert seen["factor"] == end["factor"] == near(3.5)
    revs = [state["rev"] for state in viewer.states("zoom", since)]
    assert revs == sorted(revs)
    assert connect(version=V311).state("zoom", since=0) == seen, "not retained"


def test_a_lease_is_taken_over_and_ends_with_the_agent(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    controller.obeyed("lease", {"take": True, "client": "desk", "ttl_ms": 60_000})
    controller.refused("zoom", {"factor": 5, "client": "phone"}, "held")
    since = controller.mark()
    controller.obeyed("lease", {"take": True, "client": "guard", "force": True, "ttl_ms": 60_000})
    event = controller.state("event", lambda event: event["event"] == "take_over", since=since)
    assert (event["client"], event["holder"]) == ("guard", "desk")
    controller.state("lease", lambda state: state and state["client"] == "guard")
    agent.kill()
    since = controller.mark()
    agent.start()
    assert controller.state("lease", since=since) is None
    controller.zoom_to(3)
