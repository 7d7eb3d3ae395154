"""Looking elsewhere in the frame, at the zoom as it is.

`Tests/CameraCoreTests/ViewportTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import pytest

from gesture import Gesture
from simulated_scene import in_scene, near


@pytest.fixture
def viewer(controller):
    """At zoom 4 in the middle of the frame: the lens gives 2, so the view is half the frame wide."""
    controller.zoom_to(4)
    return controller


def move_view(viewer, body) -> tuple[dict, dict]:
    """The answer, and the zoom's state after it."""
    answer = viewer.obeyed("viewport", body)
    return answer, viewer.settled(answer)


def corner(state) -> tuple[float, float]:
    return state["viewport"]["x"], state["viewport"]["y"]


def test_center_moves_a_point_to_the_middle_of_the_view(viewer):
    before = viewer.state("zoom")
    answer, after = move_view(viewer, {"center": {"x": 0.7, "y": 0.4}})
    assert in_scene(after, 0.5, 0.5) == near(in_scene(before, 0.7, 0.4))
    assert (after["factor"], answer["factor"], "clamped" in answer) == (4, 4, False)


@pytest.mark.deep
def test_the_view_moves_by_fractions_of_itself(viewer):
    _, after = move_view(viewer, {"by": {"dx": 0.25, "dy": -0.5}})
    assert corner(after) == near((0.375, 0))
    _, after = move_view(viewer, {"by": {"dy": 0.5}})
    assert corner(after) == near((0.375, 0.25))


@pytest.mark.deep
def test_movement_is_clamped_at_the_edge_of_the_frame(viewer):
    answer, after = move_view(viewer, {"by": {"dx": 3, "dy": 0.1}})
    assert answer["clamped"] is True
    assert corner(after) == near((0.5, 0.3))
    answer, after = move_view(viewer, {"by": {"dx": -0.1}})
    assert "clamped" not in answer and corner(after) == near((0.45, 0.3)), "a hidden overshoot was kept"


@pytest.mark.deep
def test_movement_is_clamped_with_the_whole_frame_in_view(viewer):
    viewer.zoom_to(1)
    answer, after = move_view(viewer, {"center": {"x": 0, "y": 0}})
    assert answer["clamped"] is True and corner(after) == (0, 0)


def test_viewport_node_publishes_the_viewport(viewer):
    answer, after = move_view(viewer, {"by": {"dx": 0.5}})
    state = viewer.state("viewport", lambda state: state["viewport"] == after["viewport"])
    assert state["center"] == {"x": near(0.75), "y": near(0.5)}
    assert state["rev"] >= answer["rev"]


@pytest.mark.deep
def test_state_has_the_origin_of_the_change(viewer):
    _, after = move_view(viewer, {"by": {"dx": 0.1}, "client": "tablet", "id": "v-1"})
    assert after["origin"] == {"kind": "command", "client": "tablet", "proved": False, "id": "v-1"}


@pytest.mark.deep
def test_ramp_continues_during_a_viewport_command(viewer):
    ramp = viewer.send("zoom", {"factor": 8, "rate": 2})
    assert ramp.answer()["status"] == "accepted"
    viewer.obeyed("viewport", {"by": {"dx": 0.1}})
    assert (ramp.result()["status"], viewer.settled(viewer.obeyed("zoom", {"stop": True}))["factor"]) == ("done", 8)


@pytest.mark.deep
def test_pinch_continues_from_the_present_view(viewer):
    gesture = Gesture(viewer)
    gesture.step("began")
    assert gesture.factor_after("changed", scale=1.25) == near(5)
    _, after = move_view(viewer, {"by": {"dx": 0.2}})
    gesture.step("changed", scale=1.5)
    now = viewer.state("zoom", lambda state: state["factor"] == near(6))
    assert in_scene(now, 0.5, 0.5) == near(in_scene(after, 0.5, 0.5))
    gesture.step("ended")
