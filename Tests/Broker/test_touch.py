"""Fingers on a screen, sent as they are: the agent knows what they mean.

`Tests/CameraCoreTests/TouchTests.swift` has the tests that are marked deep here, in virtual time and without
a broker.
"""

import pytest

from gesture import Touch
from simulated_scene import in_scene, near


@pytest.fixture
def touch(controller):
    """Fingers on a view at zoom 4, in the middle of the frame; all are lifted at the end of the test."""
    controller.zoom_to(4)
    touch = Touch(controller)
    yield touch
    if touch.down:
        touch.lift(phase="cancelled")
    controller.state("touch", lambda state: state is None)


def pinching(touch, apart=0.2) -> dict:
    """Puts two fingers round the middle, one after the other; returns the zoom's state then."""
    touch.step((0, "began", 0.5 - apart / 2, 0.5))
    return touch.controller.settled(touch.step((1, "began", 0.5 + apart / 2, 0.5)))


def shows(touch, point, x, y) -> dict:
    """Waits until the view has this point of the scene at x,y."""
    return touch.controller.state("zoom", lambda state: in_scene(state, x, y) == near(point))


@pytest.mark.deep
def test_one_finger_drags_the_view(touch):
    before = touch.controller.settled(touch.step((0, "began", 0.5, 0.5)))
    touch.step((0, "moved", 0.6, 0.45))
    after = shows(touch, in_scene(before, 0.5, 0.5), 0.6, 0.45)
    assert after["factor"] == 4 and after["origin"]["kind"] == "gesture"


def test_two_fingers_pinch_round_their_midpoint(touch):
    touch.step((0, "began", 0.3, 0.6))
    before = touch.controller.settled(touch.step((1, "began", 0.5, 0.6)))
    assert touch.step((0, "moved", 0.25, 0.6), (1, "moved", 0.55, 0.6))["factor"] == near(6)
    after = touch.controller.state("zoom", lambda state: state["factor"] == near(6))
    assert in_scene(after, 0.4, 0.6) == near(in_scene(before, 0.4, 0.6))


@pytest.mark.deep
def test_only_the_fingers_that_changed_are_sent(touch):
    pinching(touch)
    assert touch.step((1, "moved", 0.7, 0.5))["factor"] == near(6)
    assert touch.step((0, "moved", 0.5, 0.5))["factor"] == near(4)


@pytest.mark.deep
def test_two_fingers_that_move_together_drag(touch):
    before = pinching(touch)
    assert before["factor"] == 4
    touch.step((0, "moved", 0.45, 0.55), (1, "moved", 0.65, 0.55))
    assert shows(touch, in_scene(before, 0.5, 0.5), 0.55, 0.55)["factor"] == near(4)


@pytest.mark.deep
def test_fingers_that_turn_at_constant_distance_do_not_zoom(touch):
    touch.step((0, "began", 0.5, 0.3), (1, "began", 0.5, 0.7))
    # 432 pixels apart in a view of 1920 × 1080, before and after.
    assert touch.step((0, "moved", 0.3875, 0.5), (1, "moved", 0.6125, 0.5))["factor"] == near(4)


@pytest.mark.deep
def test_a_third_finger_is_ignored(touch):
    before = pinching(touch)
    touch.step((2, "began", 0.9, 0.9))
    touch.step((2, "moved", 0.1, 0.2))
    assert touch.controller.state("touch")["fingers"] == 2
    after = touch.controller.settled(touch.lift())
    assert (after["factor"], after["viewport"]) == (before["factor"], before["viewport"])


@pytest.mark.deep
def test_adding_or_lifting_a_finger_causes_no_jump(touch):
    touch.step((0, "began", 0.2, 0.2))
    touch.step((0, "moved", 0.25, 0.2))
    before = touch.controller.settled(touch.step((1, "began", 0.8, 0.9)))
    assert touch.step((1, "moved", 0.8, 0.9))["factor"] == near(4)
    zoomed = touch.step((0, "moved", 0.4, 0.4))["factor"]
    assert zoomed < before["factor"]
    left = touch.controller.settled(touch.lift(0))
    assert left["factor"] == zoomed
    touch.step((1, "moved", 0.7, 0.9))
    assert shows(touch, in_scene(left, 0.8, 0.9), 0.7, 0.9)["factor"] == zoomed


@pytest.mark.deep
def test_when_one_of_three_is_lifted_the_others_lead_without_a_jump(touch):
    before = pinching(touch)
    touch.step((2, "began", 0.9, 0.9))
    after = touch.controller.settled(touch.lift(0))
    assert (after["factor"], after["viewport"]) == (before["factor"], before["viewport"])
    assert touch.controller.state("touch")["fingers"] == 2
    assert touch.step((2, "moved", 0.75, 0.7))["factor"] == near(2)


@pytest.mark.deep
def test_two_fingers_on_one_spot_do_not_divide_by_zero(touch):
    assert pinching(touch, apart=0)["factor"] == 4
    assert 4 < touch.step((1, "moved", 0.6, 0.5))["factor"] <= 8
    assert touch.step((1, "moved", 0.5, 0.5))["factor"] == near(4)


def test_state_follows_fingers_that_are_put_down_and_lifted(touch):
    touch.fields["client"] = "phone"
    touch.step((0, "began", 0.4, 0.5))
    running = touch.controller.state("touch", lambda state: state and state["fingers"] == 1)
    assert (running["gesture"], running["client"]) == (touch.name, "phone")
    touch.step((1, "began", 0.6, 0.5))
    touch.controller.state("touch", lambda state: state and state["fingers"] == 2)
    touch.lift(0)
    touch.controller.state("touch", lambda state: state and state["fingers"] == 1)
    touch.lift()
    touch.controller.state("touch", lambda state: state is None)


@pytest.mark.deep
def test_message_that_is_not_newer_only_applies_lifted_fingers(touch):
    touch.step((0, "began", 0.4, 0.5), (1, "began", 0.6, 0.5), seq=1)
    touch.step((1, "moved", 0.7, 0.5), seq=5)
    late = touch.body((1, "moved", 0.9, 0.5), seq=4)
    assert touch.controller.command("touch", late)["status"] == "superseded"
    assert touch.step((0, "ended", 0.4, 0.5), seq=3)["factor"] == near(6)
    assert touch.controller.state("touch", lambda state: state and state["fingers"] == 1)


@pytest.mark.deep
def test_moved_finger_without_began_is_accepted(touch):
    before = touch.controller.settled(touch.step((0, "moved", 0.3, 0.5)))
    assert (before["factor"], before["viewport"]["x"]) == (4, near(0.25))
    touch.step((0, "moved", 0.4, 0.5))
    shows(touch, in_scene(before, 0.3, 0.5), 0.4, 0.5)


@pytest.mark.deep
def test_only_moves_without_an_id_stay_unanswered(touch):
    since = touch.controller.mark()
    touch.step((0, "began", 0.5, 0.5), id="t-down")
    touch.controller.send("touch", touch.body((0, "moved", 0.55, 0.5), id=None))
    touch.step((0, "ended", 0.6, 0.5), id="t-up")
    answers = touch.controller.inbox.all(touch.controller.response_topic, since)
    assert [answer.json.get("id") for answer in answers] == ["t-down", "t-up"]


@pytest.mark.deep
def test_silent_fingers_are_removed_after_the_timeout(bench):
    broker = bench.broker()
    bench.agent(broker, zoom={"gesture_timeout_ms": 300})
    controller = bench.controller(broker)
    controller.zoom_to(4)
    since, touch = controller.mark(), Touch(controller)
    pinching(touch)
    controller.state("touch", lambda state: state and state["fingers"] == 2, since=since)
    controller.state("touch", lambda state: state is None)
    assert touch.step((1, "moved", 0.9, 0.5))["factor"] == 4, "fingers that were gone went on pinching"
