"""The right to move the zoom alone, for a while.

`Tests/CameraCoreTests/LeaseTests.swift` has the tests that are marked deep here, in virtual time and without
a broker.
"""

from datetime import datetime

import pytest

from gesture import Touch
from waiting import TIMEOUT


@pytest.fixture
def lease_client(controller):
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


def test_state_has_the_holder_and_the_expiry(lease_client):
    state = take(lease_client, ttl_ms=30_000)
    assert state["client"] == "desk"
    assert seconds(state["ts"], state["until"]) == pytest.approx(30, abs=0.1)
    lease_client.obeyed("lease", {"release": True, "client": "desk"})
    lease_client.state("lease", lambda state: state is None)


@pytest.mark.deep
@pytest.mark.parametrize("who", [{"client": "phone"}, {}], ids=["another", "one without a name"])
@pytest.mark.parametrize("node, body", [
    ("zoom", {"factor": 5}), ("zoom", {"stop": True}), ("pinch", {"gesture": "g", "phase": "began"}),
    ("touch", {"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]}),
    ("viewport", {"by": {"dx": 0.5}}), ("capture", {"zoom": {"factor": 5}}), ("desired", {"version": 1, "zoom": {"factor": 5}}),
    ("lease", {"release": True}),
])
def test_zoom_commands_of_other_clients_are_refused(lease_client, node, body, who):
    take(lease_client)
    before = lease_client.state("zoom")
    assert "desk" in lease_client.refused(node, {**body, **who}, "held")["message"]
    stopped = lease_client.settled(lease_client.obeyed("zoom", {"stop": True, "client": "desk"}))
    assert (stopped["factor"], stopped["viewport"]) == (before["factor"], before["viewport"])
    assert lease_client.state("pinch", since=0) is None


@pytest.mark.deep
def test_take_by_another_client_is_refused(lease_client):
    take(lease_client)
    lease_client.refused("lease", {"take": True, "client": "phone"}, "held")
    assert lease_client.state("lease")["client"] == "desk"


@pytest.mark.deep
def test_holder_moves_the_zoom_and_others_set_controls_and_take_photos(lease_client):
    take(lease_client)
    assert lease_client.obeyed("zoom", {"factor": 3, "client": "desk"})["factor"] == 3
    lease_client.obeyed("controls", {"brightness": 100, "client": "phone"})
    assert lease_client.obeyed("capture", {"size": {"width": 64}, "client": "phone"})["photos"]


@pytest.mark.deep
def test_any_client_moves_the_zoom_after_a_release(lease_client):
    take(lease_client)
    lease_client.obeyed("lease", {"release": True, "client": "desk"})
    assert lease_client.obeyed("zoom", {"factor": 4, "client": "phone"})["factor"] == 4
    lease_client.obeyed("lease", {"release": True, "client": "desk"})  # once more does no harm


@pytest.mark.deep
def test_lease_expires_and_publishes_null(lease_client):
    taken = take(lease_client, ttl_ms=200)
    ended = lease_client.inbox.wait_for(lease_client.topic("lease"), lambda message: message.json is None)
    assert ended and taken["client"] == "desk"
    assert lease_client.obeyed("zoom", {"factor": 4, "client": "phone"})["factor"] == 4


@pytest.mark.deep
def test_holder_renews_the_lease(lease_client):
    first = take(lease_client, ttl_ms=200)
    second = take(lease_client, ttl_ms=TIMEOUT * 1000)
    assert second["until"] > first["until"]
    since = lease_client.mark()
    take(lease_client, client="desk", ttl_ms=300)
    # The newest end counts: at the end of the first one nothing was published.
    assert [state and state["client"] for state in lease_client.states("lease", since)] == ["desk"]
    lease_client.state("lease", lambda state: state is None)


def test_take_by_force_publishes_a_take_over_event(lease_client):
    take(lease_client)
    since = lease_client.mark()
    assert take(lease_client, client="guard", force=True, id="f-1")["client"] == "guard"
    event = lease_client.state("event", lambda event: event["event"] == "take_over", since=since)
    assert (event["client"], event["holder"], event["id"]) == ("guard", "desk", "f-1")
    assert (event["proved"], event["holder_proved"]) == (False, False)
    lease_client.refused("zoom", {"factor": 5, "client": "desk"}, "held")


@pytest.mark.deep
def test_force_without_another_holder_publishes_no_take_over(lease_client):
    since = lease_client.mark()
    take(lease_client, force=True)
    take(lease_client, force=True)
    assert not [event for event in lease_client.states("event", since) if event["event"] == "take_over"]


@pytest.mark.deep
def test_gesture_of_another_client_ends_during_a_lease(lease_client):
    touch = Touch(lease_client, client="phone")
    touch.step((0, "began", 0.4, 0.5), (1, "began", 0.6, 0.5))
    take(lease_client)
    lease_client.refused("touch", touch.body((1, "moved", 0.9, 0.5)), "held")
    assert lease_client.obeyed("zoom", {"stop": True, "client": "desk"})["factor"] == 2
    lease_client.state("touch", lambda state: state is None)  # it times out, as its samples are refused


def test_lease_ends_with_the_agent(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    take(controller)
    agent.kill()
    since = controller.mark()
    agent.start()
    assert controller.state("lease", since=since) is None
    controller.zoom_to(3)
