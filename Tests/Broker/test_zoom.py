"""What a controller receives when it sets the zoom without a ramp.

`Tests/CameraCoreTests/ZoomTests.swift` has the tests that are marked deep here, in virtual time and without a
broker.
"""

import pytest

from simulated_scene import in_scene, near


def test_factor_is_reached_and_published(controller):
    state = controller.settled(controller.obeyed("zoom", {"factor": 2.5, "client": "tablet", "id": "z-1"}))
    assert (state["factor"], state["target"], state["ramping"]) == (2.5, 2.5, False)
    assert state["origin"] == {"kind": "command", "client": "tablet", "proved": False, "id": "z-1"}


def test_a_bare_number_is_a_factor(controller):
    answer = controller.obeyed("zoom", 3.5)
    assert (answer["factor"], answer["target"]) == (3.5, 3.5)
    assert controller.settled(answer)["factor"] == 3.5


@pytest.mark.deep
@pytest.mark.parametrize("position, factor", [(0, 1), (0.5, 4.5), (1, 8)])
def test_a_position_is_linear_between_min_and_max(controller, position, factor):
    state = controller.settled(controller.obeyed("zoom", {"position": position}))
    assert state["factor"] == near(factor)
    assert state["position"] == near(position)


@pytest.mark.deep
def test_by_multiplies_the_target(controller):
    controller.zoom_to(2)
    assert controller.obeyed("zoom", {"by": 1.5})["factor"] == near(3)
    assert controller.obeyed("zoom", {"by": 0.5})["factor"] == near(1.5)


@pytest.mark.deep
def test_by_multiplies_the_target_of_a_ramp(controller):
    ramp = controller.send("zoom", {"factor": 4, "rate": 0.2})
    assert ramp.answer()["status"] == "accepted"
    assert controller.obeyed("zoom", {"by": 2})["factor"] == near(8)
    assert ramp.result()["status"] == "superseded"


@pytest.mark.deep
@pytest.mark.parametrize("command, factor", [
    ({"factor": 100}, 8), ({"factor": 0.01}, 1), ({"position": 1.5}, 8), ({"position": -1}, 1), ({"by": 50}, 8), (9, 8),
])
def test_factor_beyond_the_range_is_clamped_and_answered_so(controller, command, factor):
    controller.zoom_to(2)
    answer = controller.obeyed("zoom", command)
    assert answer["clamped"] is True
    assert controller.settled(answer)["factor"] == factor


@pytest.mark.deep
def test_factor_within_the_range_is_not_answered_as_clamped(controller):
    assert "clamped" not in controller.obeyed("zoom", {"factor": 8})


@pytest.mark.deep
def test_lens_is_used_before_the_crop(controller):
    assert [controller.zoom_to(factor)["optical"] for factor in (1.5, 2, 6)] == near([1.5, 2, 2])
    state = controller.state("zoom")
    assert state["digital"] == near(3)
    assert state["viewport"]["width"] == state["viewport"]["height"] == near(1 / 3)
    assert state["viewport"]["x"] == state["viewport"]["y"] == near(1 / 3)


@pytest.mark.deep
def test_each_change_is_one_rev(controller):
    revs = [controller.zoom_to(factor)["rev"] for factor in (2, 3, 4)]
    assert revs == [revs[0], revs[0] + 1, revs[0] + 2]


@pytest.mark.deep
@pytest.mark.parametrize("anchor", [(0.25, 0.75), (0.5, 0.5), (0.7, 0.1), (0, 0), (1, 1)])
def test_the_point_under_the_anchor_stays_where_it_is(controller, anchor):
    before = controller.zoom_to(3)
    x, y = anchor
    after = controller.settled(controller.obeyed("zoom", {"factor": 6, "anchor": {"x": x, "y": y}}))
    assert in_scene(after, x, y) == near(in_scene(before, x, y))


@pytest.mark.deep
def test_zooming_out_again_shows_the_whole_picture_whatever_the_anchor_was(controller):
    controller.obeyed("zoom", {"factor": 8, "anchor": {"x": 0.1, "y": 0.9}})
    assert controller.zoom_to(1)["viewport"] == {"x": 0, "y": 0, "width": 1, "height": 1}


@pytest.mark.deep
def test_an_anchored_crop_stays_within_the_frame(controller):
    controller.obeyed("zoom", {"factor": 8, "anchor": {"x": 0, "y": 0}})
    viewport = controller.settled(controller.obeyed("zoom", {"factor": 2.5, "anchor": {"x": 1, "y": 1}}))["viewport"]
    assert viewport["x"] >= 0 and viewport["y"] >= 0
    assert viewport["x"] + viewport["width"] < 1.00001 and viewport["y"] + viewport["height"] < 1.00001
