"""The desired state of a camera: applied once for each version, however often it is published.

`Tests/CameraCoreTests/DesiredTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import paho.mqtt.client as paho
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller import V5, V311
from retained import kept
from state_file import state_in
from waiting import eventually


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.fixture
def agent(bench, broker):
    return bench.agent(broker)


@pytest.fixture
def fleet(bench, broker, agent):
    return bench.controller(broker)


def applied(controller, version, outcome="applied", **how) -> dict:
    """Waits for the word that this version went so."""
    def is_it(state):
        return state and (state["version"], state["outcome"]) == (version, outcome)
    return controller.state("desired", is_it, **how)


@pytest.mark.deep
def test_initial_state_is_null(fleet):
    assert fleet.state("desired", since=0) is None


def test_zoom_and_controls_are_applied_and_published(fleet):
    wanted = {"version": 3, "zoom": {"factor": 4}, "controls": {"brightness": 90}, "client": "fleet", "id": "d-1"}
    answer = fleet.obeyed("desired", wanted)
    state = fleet.settled(answer)
    assert state["factor"] == 4
    assert state["origin"] == {"kind": "desired", "client": "fleet", "proved": False, "id": "d-1"}
    controls = fleet.state("controls", lambda state: state["values"]["brightness"] == 90)
    assert controls["origin"]["kind"] == "desired"
    assert "error" not in applied(fleet, 3)


def test_command_gets_one_final_answer(fleet):
    since = fleet.mark()
    fleet.obeyed("desired", {"version": 1})
    fleet.refused("desired", {"version": 2, "zoom": {}}, "bad_payload")
    fleet.obeyed("zoom", {"stop": True})
    assert len(fleet.inbox.all(fleet.response_topic, since)) == 3
    assert len(fleet.states("event", since)) == 1


@pytest.mark.deep
def test_a_version_is_applied_once(fleet):
    wanted = {"version": 1, "zoom": {"factor": 4}}
    fleet.obeyed("desired", wanted)
    fleet.zoom_to(5)
    assert fleet.obeyed("desired", wanted)["status"] == "done"
    assert fleet.obeyed("zoom", {"stop": True})["factor"] == 5


@pytest.mark.deep
def test_a_newer_version_is_applied_and_an_older_one_refused(fleet):
    fleet.obeyed("desired", {"version": 2, "zoom": {"factor": 4}})
    fleet.refused("desired", {"version": 1, "zoom": {"factor": 7}}, "stale", "version")
    assert fleet.settled(fleet.obeyed("desired", {"version": 7, "zoom": {"position": 0}}))["factor"] == 1
    applied(fleet, 7)


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_retained_version_is_applied_once_when_the_agent_starts(bench, broker, protocol):
    fleet = bench.controller(broker, version=V311)
    fleet.send("desired", {"version": 5, "zoom": {"factor": 4}}, retain=True)
    agent = bench.agent(broker, mqtt={"protocol": protocol})
    applied(fleet, 5, since=0)
    fleet.zoom_to(6)
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"]["factor"] == 6, "the zoom in the state file")
    for end in (agent.stop, agent.kill):
        end()
        since = fleet.mark()
        agent.start()
        assert applied(fleet, 5, since=since)
        assert fleet.settled(fleet.obeyed("zoom", {"stop": True}))["factor"] == 6, "it was applied again"


def test_retained_version_that_expired_is_not_applied(bench, broker):
    fleet = bench.controller(broker)
    soon = Properties(PacketTypes.PUBLISH)
    soon.MessageExpiryInterval = 1
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=V5)
    broker.admit(client)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.publish(fleet.topic("desired/set"), b'{"version":5,"zoom":{"factor":4}}', 1, True, soon).wait_for_publish(10)
    client.disconnect()
    client.loop_stop()
    eventually(lambda: not kept(broker, fleet.topic("desired/set")), "the version to expire")
    bench.agent(broker)
    fleet.obeyed("zoom", {"stop": True})
    assert fleet.state("desired", since=0) is None
    assert fleet.state("zoom")["factor"] == 1


@pytest.mark.deep
def test_failed_controls_leave_the_zoom_unchanged(fleet):
    wanted = {"version": 1, "zoom": {"factor": 4}, "controls": {"autofocus": True, "focus": 100, "brightness": 1}}
    fleet.refused("desired", wanted, "unavailable", "controls.focus")
    assert applied(fleet, 1, "failed")["error"]["code"] == "unavailable"
    assert fleet.obeyed("zoom", {"stop": True})["factor"] == 1
    assert fleet.state("controls")["values"]["brightness"] == 128


@pytest.mark.deep
def test_unknown_control_is_named_in_the_error(fleet):
    fleet.refused("desired", {"version": 1, "controls": {"sharpness": 1}}, "bad_payload", "controls.sharpness")


@pytest.mark.deep
def test_device_error_has_the_outcome_failed(bench, broker):
    bench.agent(broker, camera={"simulated": {"inject_fault": "write_error"}})
    fleet = bench.controller(broker)
    fleet.refused("desired", {"version": 1, "zoom": {"factor": 4}}, "device")
    assert applied(fleet, 1, "failed")["error"]["code"] == "device"


def slowly(fleet, version=1):
    """Has a version on its way to 8, which takes minutes."""
    pending = fleet.send("desired", {"version": version, "zoom": {"factor": 8, "rate": 0.02}})
    assert pending.answer()["status"] == "accepted"
    applied(fleet, version, "applying")
    return pending


@pytest.mark.deep
def test_another_zoom_command_supersedes_the_desired_zoom(fleet):
    pending = slowly(fleet)
    fleet.obeyed("zoom", {"factor": 2})
    assert pending.result()["status"] == "superseded"
    applied(fleet, 1, "superseded")


@pytest.mark.deep
def test_newer_version_supersedes_one_in_progress(fleet):
    pending = slowly(fleet)
    fleet.obeyed("desired", {"version": 2, "zoom": {"factor": 3}})
    assert pending.result()["status"] == "superseded"
    applied(fleet, 2)


@pytest.mark.deep
@pytest.mark.parametrize("before", [None, 1], ids=["the first", "a later one"])
def test_repeated_version_leaves_one_in_progress_running(fleet, before):
    if before:
        fleet.obeyed("desired", {"version": before})
    slowly(fleet, version=5)
    fleet.send("desired", {"version": 5, "zoom": {"factor": 8, "rate": 0.02}})
    fleet.obeyed("controls", {"brightness": 10})  # answered after it, as commands are taken in order
    assert fleet.state("desired")["outcome"] == "applying"
    fleet.obeyed("zoom", {"stop": True})


@pytest.mark.deep
@pytest.mark.parametrize("before", [None, 1], ids=["the first", "a later one"])
def test_older_version_leaves_a_newer_one_in_progress_running(fleet, before):
    if before:
        fleet.obeyed("desired", {"version": before})
    slowly(fleet, version=5)
    fleet.refused("desired", {"version": 3, "zoom": {"factor": 2}}, "stale", "version")
    assert fleet.state("desired")["version"] == 5
    fleet.obeyed("zoom", {"stop": True})


@pytest.mark.deep
def test_repeated_version_is_answered_with_its_result(fleet):
    wrong = {"version": 30, "session": {"quality": "nope"}}
    since = fleet.mark()
    error = fleet.refused("desired", wrong, "unsupported")
    assert fleet.refused("desired", wrong, "unsupported") == error
    # That is not an error, and no event reports it.
    fleet.obeyed("desired", {"version": 31, "zoom": {"factor": 1}})
    assert len([event for event in fleet.states("event", since) if event["event"] == "refused"]) == 1
    fleet.refused("desired", {"version": 31, "zoom": {"factor": 2}}, "stale", "version")
    assert fleet.state("zoom")["factor"] == 1
