"""What one controller sees when it pinches.

`Tests/CameraCoreTests/PinchTests.swift` has the tests that are marked deep here, in virtual time and without
a broker.
"""

import pytest

from gesture import Gesture
from simulated_scene import in_scene, near

@pytest.fixture
def gesture(controller):
    """A gesture from a zoom of 2, which is over at the end of the test."""
    controller.zoom_to(2)
    gesture = Gesture(controller)
    yield gesture
    gesture.step("cancelled")
    controller.state("pinch", lambda state: state is None)


@pytest.mark.deep
def test_the_factor_is_the_zoom_at_the_start_times_the_scale(gesture):
    assert gesture.factor_after("began") == 2
    assert [gesture.factor_after("changed", scale=scale) for scale in (1.5, 2, 0.75)] == near([3, 4, 1.5])
    assert gesture.factor_after("ended") == near(1.5)


@pytest.mark.deep
def test_incremental_scales_are_relative_to_the_message_before(gesture):
    gesture.step("began", mode="incremental")
    factors = [gesture.factor_after("changed", scale=scale, mode="incremental") for scale in (1.5, 1.25, 0.8)]
    assert factors == near([3, 3.75, 3])


def test_state_has_the_running_gesture_and_then_null(gesture):
    gesture.fields["client"] = "phone"
    gesture.step("began")
    running = gesture.controller.state("pinch", lambda state: state and state["gesture"] == gesture.name)
    assert (running["client"], running["base"], running["scale"]) == ("phone", 2, 1)
    gesture.step("ended")
    gesture.controller.state("pinch", lambda state: state is None)


@pytest.mark.deep
def test_a_gesture_is_the_origin_of_the_state(gesture):
    gesture.fields["client"] = "phone"
    gesture.step("began")
    gesture.step("changed", scale=1.5, id="p-1")
    state = gesture.controller.state("zoom", lambda state: state["factor"] == near(3))
    assert state["origin"] == {"kind": "gesture", "client": "phone", "proved": False, "id": "p-1"}


@pytest.mark.deep
def test_state_has_the_total_scale_of_the_gesture(gesture):
    gesture.step("began")
    gesture.step("changed", scale=1.5)
    gesture.controller.state("pinch", lambda state: state and state["scale"] == 1.5)


@pytest.mark.deep
def test_a_cancelled_gesture_leaves_the_zoom_where_it_is(gesture):
    gesture.step("began")
    gesture.step("changed", scale=2)
    assert gesture.factor_after("cancelled") == 4


@pytest.mark.deep
def test_a_cancelled_gesture_with_revert_goes_back_to_the_start(gesture):
    gesture.step("began")
    gesture.step("changed", scale=2)
    assert gesture.factor_after("cancelled", revert=True) == 2


@pytest.mark.deep
def test_a_cumulative_pinch_is_clamped_and_remembers_its_overshoot(gesture):
    gesture.step("began")
    answer = gesture.step("changed", scale=10)
    assert answer["clamped"] is True
    gesture.controller.state("zoom", lambda state: state["factor"] == 8)
    assert gesture.factor_after("changed", scale=5) == 8
    assert gesture.factor_after("changed", scale=3) == near(6)
    assert gesture.factor_after("changed", scale=0.1) == 1


@pytest.mark.deep
def test_an_incremental_scale_multiplies_the_clamped_target(gesture):
    gesture.step("began", mode="incremental")
    assert gesture.step("changed", scale=8, mode="incremental")["clamped"] is True
    assert gesture.factor_after("changed", scale=0.5, mode="incremental") == near(4)


@pytest.mark.deep
def test_the_scale_of_began_applies_at_once(gesture):
    assert gesture.factor_after("began", scale=1.2) == near(2.4)
    assert gesture.factor_after("changed", scale=1.5) == near(3)


@pytest.mark.deep
def test_a_change_without_a_beginning_causes_no_jump(gesture):
    assert gesture.factor_after("changed", scale=3) == 2
    assert gesture.factor_after("changed", scale=6) == near(4)


@pytest.mark.deep
def test_another_gesture_starts_from_the_zoom_as_it_is(gesture):
    gesture.step("began")
    gesture.step("changed", scale=2)
    second = Gesture(gesture.controller)
    assert second.factor_after("began") == 4
    assert second.factor_after("changed", scale=1.5) == near(6)
    second.step("ended")


@pytest.mark.deep
def test_a_step_that_is_not_newer_than_the_last_is_ignored(gesture):
    gesture.step("began", seq=0)
    assert gesture.factor_after("changed", scale=2, seq=5) == 4
    late = {"gesture": gesture.name, "phase": "changed", "scale": 3, "id": None}
    gesture.controller.send("pinch", {**late, "seq": 4})
    gesture.controller.send("pinch", {**late, "seq": 5})
    assert gesture.factor_after("ended") == 4


@pytest.mark.deep
def test_a_pinch_keeps_the_point_between_the_fingers(gesture):
    before = gesture.controller.state("zoom")
    gesture.step("began", anchor={"x": 0.3, "y": 0.8})
    for scale in (1.2, 2, 3, 1.5):
        factor = gesture.factor_after("changed", scale=scale, anchor={"x": 0.3, "y": 0.8})
        after = gesture.controller.state("zoom", lambda state: state["factor"] == factor)
        assert in_scene(after, 0.3, 0.8) == near(in_scene(before, 0.3, 0.8))


def test_only_changes_that_carry_an_id_are_answered(gesture):
    since = gesture.controller.mark()
    gesture.step("began", id="p-began")
    for scale in (1.1, 1.2):
        change = {"gesture": gesture.name, "phase": "changed", "scale": scale, "id": None}
        gesture.controller.send("pinch", change)
    gesture.step("ended", id="p-ended")
    answers = gesture.controller.inbox.all(gesture.controller.response_topic, since)
    assert [answer.json.get("id") for answer in answers] == ["p-began", "p-ended"]
    gesture.controller.state("zoom", lambda state: state["factor"] == near(2.4))


def test_last_of_many_changes_is_always_published(gesture):
    gesture.step("began")
    for n in range(1, 501):
        change = {"gesture": gesture.name, "phase": "changed", "scale": 1 + n / 250, "seq": n, "id": None}
        gesture.controller.send("pinch", change, qos=0 if n < 500 else 1)
    gesture.step("ended")
    gesture.controller.state("zoom", lambda state: state["factor"] == near(6))


@pytest.mark.deep
def test_a_silent_gesture_is_over(bench):
    broker = bench.broker()
    bench.agent(broker, zoom={"gesture_timeout_ms": 300})
    controller = bench.controller(broker)
    assert controller.state("info", since=0)["zoom"]["gesture_timeout_ms"] == 300
    since, gesture = controller.mark(), Gesture(controller)
    gesture.step("began")
    gesture.step("changed", scale=2)
    controller.state("pinch", lambda state: state and state["gesture"] == gesture.name, since=since)
    controller.state("pinch", lambda state: state is None)
    assert gesture.factor_after("changed", scale=5) == 2, "a change after the end jumped"
