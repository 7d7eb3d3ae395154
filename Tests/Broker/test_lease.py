"""The right to move the zoom alone, for a while.

`Tests/CameraCoreTests/LeaseTests.swift` has the tests that are marked deep here, in virtual time and without a broker.
"""

from datetime import datetime

import pytest

from gesture import Touch
from waiting import PATIENCE


@pytest.fixture
def desk(controller):
    """A controller, at zoom 2; at the end of the test the lease is free."""
    controller.zoom_to(2)
    yield controller
    controller.obeyed("lease", {"take": True, "force": True, "client": "desk"})
    controller.obeyed("lease", {"release": True, "client": "desk"})


def take(controller, client="desk", **fields) -> dict:
    """Takes the lease and returns its state."""
    since = controller.mark()
    controller.obeyed("lease", {"take": True, "client": client, "ttl_ms": 60_000, **fields})
    return controller.state("lease", lambda state: state and state["client"] == client, since=since)


def seconds(begin: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


def test_it_is_seen_who_holds_it_and_until_when(desk):
    state = take(desk, ttl_ms=30_000)
    assert state["client"] == "desk"
    assert seconds(state["ts"], state["until"]) == pytest.approx(30, abs=0.1)
    desk.obeyed("lease", {"release": True, "client": "desk"})
    desk.state("lease", lambda state: state is None)


@pytest.mark.deep
@pytest.mark.parametrize("who", [{"client": "phone"}, {}], ids=["another", "one without a name"])
@pytest.mark.parametrize("node, body", [
    ("zoom", {"factor": 5}), ("zoom", {"stop": True}), ("pinch", {"gesture": "g", "phase": "began"}),
    ("touch", {"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]}),
    ("viewport", {"by": {"dx": 0.5}}), ("capture", {"zoom": {"factor": 5}}), ("desired", {"version": 1, "zoom": {"factor": 5}}),
    ("lease", {"release": True}),
])
def test_others_can_not_move_the_zoom(desk, node, body, who):
    take(desk)
    before = desk.state("zoom")
    assert "desk" in desk.refused(node, {**body, **who}, "held")["message"]
    stopped = desk.settled(desk.obeyed("zoom", {"stop": True, "client": "desk"}))
    assert (stopped["factor"], stopped["viewport"]) == (before["factor"], before["viewport"])
    assert desk.state("pinch", since=0) is None


@pytest.mark.deep
def test_another_can_not_take_it(desk):
    take(desk)
    desk.refused("lease", {"take": True, "client": "phone"}, "held")
    assert desk.state("lease")["client"] == "desk"


@pytest.mark.deep
def test_its_holder_moves_the_zoom_and_others_do_the_rest(desk):
    take(desk)
    assert desk.obeyed("zoom", {"factor": 3, "client": "desk"})["factor"] == 3
    desk.obeyed("controls", {"brightness": 100, "client": "phone"})
    assert desk.obeyed("capture", {"size": {"width": 64}, "client": "phone"})["photos"]


@pytest.mark.deep
def test_after_a_release_everybody_may_again(desk):
    take(desk)
    desk.obeyed("lease", {"release": True, "client": "desk"})
    assert desk.obeyed("zoom", {"factor": 4, "client": "phone"})["factor"] == 4
    desk.obeyed("lease", {"release": True, "client": "desk"})  # once more does no harm


@pytest.mark.deep
def test_it_ends_by_itself_and_that_is_said(desk):
    taken = take(desk, ttl_ms=200)
    ended = desk.inbox.wait_for(desk.topic("lease"), lambda message: message.json is None)
    assert ended and taken["client"] == "desk"
    assert desk.obeyed("zoom", {"factor": 4, "client": "phone"})["factor"] == 4


@pytest.mark.deep
def test_its_holder_renews_it(desk):
    first = take(desk, ttl_ms=200)
    second = take(desk, ttl_ms=PATIENCE * 1000)
    assert second["until"] > first["until"]
    since = desk.mark()
    take(desk, client="desk", ttl_ms=300)
    # The newest end counts: at the first one's nothing was said.
    assert [state and state["client"] for state in desk.states("lease", since)] == ["desk"]
    desk.state("lease", lambda state: state is None)


def test_by_force_it_is_taken_and_everybody_is_told(desk):
    take(desk)
    since = desk.mark()
    assert take(desk, client="guard", force=True, id="f-1")["client"] == "guard"
    event = desk.state("event", lambda event: event["event"] == "take_over", since=since)
    assert (event["client"], event["holder"], event["id"]) == ("guard", "desk", "f-1")
    desk.refused("zoom", {"factor": 5, "client": "desk"}, "held")


@pytest.mark.deep
def test_force_without_a_holder_is_no_take_over(desk):
    since = desk.mark()
    take(desk, force=True)
    take(desk, force=True)
    assert not [event for event in desk.states("event", since) if event["event"] == "take_over"]


@pytest.mark.deep
def test_a_gesture_of_another_can_not_go_on_during_a_lease(desk):
    touch = Touch(desk, client="phone")
    touch.step((0, "began", 0.4, 0.5), (1, "began", 0.6, 0.5))
    take(desk)
    desk.refused("touch", touch.body((1, "moved", 0.9, 0.5)), "held")
    assert desk.obeyed("zoom", {"stop": True, "client": "desk"})["factor"] == 2
    desk.state("touch", lambda state: state is None)  # it falls silent, as its samples aren't heard


def test_it_does_not_outlive_the_agent(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    take(controller)
    agent.kill()
    since = controller.mark()
    agent.start()
    assert controller.state("lease", since=since) is None
    controller.zoom_to(3)
