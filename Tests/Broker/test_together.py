"""Several controllers on one camera stay in step.

`Tests/CameraCoreTests/SeveralControllersTests.swift` has the tests that are marked deep here, in virtual time
and without a broker.
"""

import pytest

from controller import V311
from gesture import Gesture
from simulated_scene import near


@pytest.fixture
def two(connect, controller):
    """A on MQTT 5, B on 3.1.1."""
    return controller, connect(version=V311)


@pytest.mark.deep
def test_pinch_continues_from_the_zoom_of_another_client(two):
    a, b = two
    gesture = Gesture(a)
    gesture.step("began")
    assert gesture.factor_after("changed", scale=2) == near(2)
    b.zoom_to(3)
    assert gesture.factor_after("changed", scale=2) == near(3), "the pinch jumped back"
    assert gesture.factor_after("changed", scale=2.5) == near(3.75)
    assert gesture.factor_after("ended") == near(3.75)


@pytest.mark.deep
def test_rebased_pinch_is_published(two):
    a, b = two
    gesture = Gesture(a)
    gesture.step("began")
    gesture.step("changed", scale=2)
    b.zoom_to(3)
    b.state("pinch", lambda state: state and state["base"] == near(1.5))  # 3 ÷ 2
    gesture.step("ended")


@pytest.mark.deep
def test_pinch_beyond_the_range_continues_from_the_zoom_of_another_client(two):
    a, b = two
    gesture = Gesture(a)
    gesture.step("began")
    assert gesture.factor_after("changed", scale=16) == 8
    b.zoom_to(4)
    assert gesture.factor_after("changed", scale=20) == near(5)  # 4 ÷ 16 × 20
    gesture.step("ended")


@pytest.mark.deep
def test_a_relative_step_of_another_client_joins_the_pinch(two):
    a, b = two
    gesture = Gesture(a)
    gesture.step("began")
    gesture.step("changed", scale=2)
    b.obeyed("zoom", {"by": 1.5})
    assert gesture.factor_after("changed", scale=3) == near(4.5)
    gesture.step("ended")


@pytest.mark.deep
def test_two_pinches_at_once_take_turns_without_a_jump(two):
    a, b = two
    first, second = Gesture(a, client="a"), Gesture(b, client="b")
    first.step("began")
    assert first.factor_after("changed", scale=2) == near(2)
    second.name = first.name  # two phones may well choose the same
    assert second.factor_after("began") == near(2)
    assert second.factor_after("changed", scale=1.5) == near(3)
    assert first.factor_after("changed", scale=2) == near(3), "the first pinch jumped back"
    for gesture in (first, second):
        gesture.step("cancelled")


@pytest.mark.deep
def test_a_pinch_takes_over_from_a_ramp(two):
    a, b = two
    ramp = b.send("zoom", {"factor": 8, "rate": 0.1})
    assert ramp.answer()["status"] == "accepted"
    gesture = Gesture(a)
    factor = gesture.factor_after("began")
    assert factor < 2
    assert gesture.factor_after("changed", scale=2) == near(2 * factor)
    gesture.step("ended")
    assert ramp.answer()["status"] == "superseded"


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


def test_later_subscriber_gets_the_retained_state(two, connect):
    state = two[0].zoom_to(5)
    assert connect(version=V311).state("zoom", since=0) == state


@pytest.mark.deep
def test_a_controller_that_vanishes_in_the_middle_of_a_gesture_leaves_the_zoom_to_the_others(bench):
    broker = bench.broker()
    bench.agent(broker, zoom={"gesture_timeout_ms": 300})
    a, b = bench.controller(broker), bench.controller(broker)
    gesture = Gesture(a)
    gesture.step("began")
    assert gesture.factor_after("changed", scale=2) == near(2)
    b.state("pinch", lambda state: state and state["gesture"] == gesture.name)
    a.close()
    b.state("pinch", lambda state: state is None)
    other = Gesture(b)
    assert other.factor_after("began") == near(2)
    assert other.factor_after("changed", scale=1.5) == near(3)
    other.step("ended")


@pytest.mark.deep
def test_origin_distinguishes_own_changes_from_those_of_others(two):
    a, b = two
    for who, client in ((a, "phone"), (b, "wall"), (a, "phone")):
        answer = who.obeyed("zoom", {"by": 1.1, "client": client, "id": f"{client}-{who.mark()}"})
        for viewer in two:
            state = viewer.state("zoom", lambda state: state["rev"] >= answer["rev"])
            assert state["origin"] == {"kind": "command", "client": client, "proved": False, "id": answer["id"]}


@pytest.mark.deep
def test_two_phones_pinch_as_the_contract_shows(two):
    a, b = two
    a.zoom_to(2)
    first, second = Gesture(a, client="a"), Gesture(b, client="b")
    steps = [
        (first, {"phase": "began"}, 2), (first, {"phase": "changed", "scale": 1.5}, 3), (second, {"phase": "began"}, 3),
        (second, {"phase": "changed", "scale": 2}, 6), (first, {"phase": "changed", "scale": 1.5}, 6),
        (first, {"phase": "changed", "scale": 1.25}, 5), (second, {"phase": "changed", "scale": 2}, 5),
        (first, {"phase": "ended"}, 5), (second, {"phase": "ended"}, 5),
    ]
    for gesture, step, factor in steps:
        assert gesture.factor_after(**step) == near(factor), (gesture.fields, step)
    revs = [state["rev"] for state in a.states("zoom")]
    assert revs == sorted(revs)
