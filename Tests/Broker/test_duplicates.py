"""A command that comes twice, because a client repeated it, is carried out once.

`Tests/CameraCoreTests/DuplicateTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import itertools

import pytest

_numbers = itertools.count(1)


@pytest.fixture
def name():
    """An id that no other test has."""
    return f"twice-{next(_numbers)}"


def test_a_repeated_command_is_refused_and_done_once(controller, name):
    step = {"by": 2, "id": name, "client": "remote"}
    assert controller.obeyed("zoom", step)["factor"] == 2
    since = controller.mark()
    error = controller.refused("zoom", step, "duplicate", "id")
    assert name in error["message"]
    event = controller.state("event", lambda event: event["event"] == "refused", since=since)
    assert (event["error"]["code"], event["id"], event["client"]) == ("duplicate", name, "remote")
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 2


@pytest.mark.deep
def test_a_repeated_capture_takes_one_photo(controller, name):
    shot = {"size": {"width": 64}, "id": name, "client": "remote"}
    photos = controller.obeyed("capture", shot)["photos"]
    controller.refused("capture", shot, "duplicate")
    assert controller.state("capture", lambda state: state["pending"] == 0)["counter"] == photos[0]["sequence"]


@pytest.mark.deep
def test_repeated_viewport_command_moves_the_view_once(controller, name):
    controller.zoom_to(8)
    step = {"by": {"dx": 0.25}, "id": name, "client": "remote"}
    once = controller.settled(controller.obeyed("viewport", step))
    controller.refused("viewport", step, "duplicate")
    assert controller.settled(controller.obeyed("zoom", {"stop": True}))["viewport"] == once["viewport"]


@pytest.mark.deep
def test_another_client_may_choose_the_same_id(controller, name):
    for client, factor in (("a", 2), ("b", 4)):
        assert controller.obeyed("zoom", {"by": 2, "id": name, "client": client})["factor"] == factor


@pytest.mark.deep
def test_commands_without_an_id_are_never_duplicates(controller):
    for factor in (2, 4, 8):
        assert controller.obeyed("zoom", {"by": 2, "id": None, "client": "remote"})["factor"] == factor


@pytest.mark.deep
def test_steps_of_a_gesture_may_share_an_id(controller, name):
    step = {"gesture": name, "id": name, "client": "phone"}
    controller.obeyed("pinch", {**step, "phase": "began"})
    for scale in (1.5, 2):
        assert controller.obeyed("pinch", {**step, "phase": "changed", "scale": scale})["factor"] == scale
    controller.obeyed("pinch", {**step, "phase": "ended"})


@pytest.mark.deep
def test_a_lease_is_renewed_under_the_same_id(controller, name):
    for _ in range(2):
        controller.obeyed("lease", {"take": True, "client": "desk", "id": name})
    controller.obeyed("lease", {"release": True, "client": "desk", "id": name})


@pytest.mark.deep
@pytest.mark.parametrize("node, wrong, code, right", [
    ("zoom", {"factor": 0}, "bad_payload", {"factor": 2}),
    ("zoom", {"factor": 3, "if_rev": 0}, "conflict", {"factor": 3}),
    ("controls", {"focus": 100}, "unavailable", {"focus": 100}),
])
def test_id_of_a_refused_command_can_be_reused(controller, name, node, wrong, code, right):
    controller.obeyed("controls", {"autofocus": True})
    who = {"id": name, "client": "remote"}
    controller.refused(node, {**wrong, **who}, code)
    controller.obeyed("controls", {"autofocus": False})
    controller.obeyed(node, {**right, **who})
