"""Retained topics under an earlier name of an agent or of its camera are removed from the broker, and no
others.

`RetainedTopicCleanupTests.swift` and `DiscoveryTests.swift` in `Tests/MQTTFrontEndTests` have the tests that
are marked deep here, in virtual time and without a broker.
"""

import json
import time

import pytest

import retained
from controller import V5, V311
from movie_file import SMALL
from state_file import state_in
from waiting import eventually


def kept(broker, root: str) -> dict[str, bytes]:
    """What the broker keeps below `root`."""
    return {topic: bytes.fromhex(payload) for topic, payload in retained.kept(broker, f"{root}/#")}


def assert_removed(broker, root: str):
    eventually(lambda: not kept(broker, root), f"{root} to go")


def served(agent) -> dict:
    return state_in(agent.state_file)["served"]


@pytest.fixture
def own(bench, request):
    protocol = getattr(request, "param", "5")
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL, mqtt={"protocol": protocol}, captures={"retain_image": True})
    controller = bench.controller(broker, version=V5 if protocol == "5" else V311)
    controller.obeyed("capture", {})
    controller.inbox.wait_for("v4l2mqtt/porch/door/image", since=0)
    return broker, agent


@pytest.mark.parametrize("own", ["5", "3.1.1"], indirect=True)
def test_renamed_agent_clears_the_topics_of_its_old_name(own):
    broker, agent = own
    assert len(kept(broker, "v4l2mqtt/porch")) > 10
    agent.stop()
    agent.rename("barn")
    agent.start()
    assert_removed(broker, "v4l2mqtt/porch")
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the state file to lose it")
    there = kept(broker, "v4l2mqtt/barn")
    assert json.loads(there["v4l2mqtt/barn/availability"])["state"] == "online"
    assert "v4l2mqtt/barn/door/zoom" in there


def test_renamed_agent_clears_old_topics_after_a_crash_and_a_broker_outage(own):
    broker, agent = own
    agent.kill()
    eventually(lambda: b"offline" in kept(broker, "v4l2mqtt/porch")["v4l2mqtt/porch/availability"], "the will")
    broker.stop()
    agent.rename("barn")
    agent.launch()
    broker.start()
    eventually(lambda: kept(broker, "v4l2mqtt/barn"), "the agent under its new name")
    assert_removed(broker, "v4l2mqtt/porch")


def test_retained_names_are_stored_before_they_are_published(own):
    """A kill right after the start loses nothing of that."""
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    agent.kill()
    assert set(served(agent)) == {"v4l2mqtt/porch", "v4l2mqtt/barn"}
    assert served(agent)["v4l2mqtt/barn"] == ["door"]


@pytest.mark.deep
def test_cleanup_interrupted_by_a_stop_continues_at_the_next_start(own):
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    agent.stop()
    assert set(served(agent)) == {"v4l2mqtt/porch", "v4l2mqtt/barn"}
    agent.start()
    assert_removed(broker, "v4l2mqtt/porch")


@pytest.mark.deep
def test_topics_of_a_removed_camera_are_cleared_and_others_stay(own):
    broker, agent = own
    agent.stop()
    agent.configure({**agent.configuration, "cameras": [{**agent.configuration["cameras"][0], "id": "gate"}]})
    agent.start()
    assert_removed(broker, "v4l2mqtt/porch/door")
    assert "v4l2mqtt/porch/gate/zoom" in kept(broker, "v4l2mqtt/porch")
    assert "v4l2mqtt/porch/availability" in kept(broker, "v4l2mqtt/porch")
    eventually(lambda: served(agent) == {"v4l2mqtt/porch": ["gate"]}, "the state file to lose it")


@pytest.mark.deep
@pytest.mark.parametrize("own", ["5", "3.1.1"], indirect=True)
def test_old_name_in_use_by_another_agent_is_not_cleared(own, bench):
    broker, agent = own
    agent.stop()
    bench.agent(broker, camera=SMALL)
    document = "homeassistant/device/v4l2mqtt_door_AT_porch/config"
    eventually(lambda: document in kept(broker, "homeassistant"), "the other's document")
    before = kept(broker, "v4l2mqtt/porch")
    agent.rename("barn")
    agent.start()
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to know")
    assert kept(broker, "v4l2mqtt/porch").keys() == before.keys()
    assert json.loads(kept(broker, "v4l2mqtt/porch")["v4l2mqtt/porch/availability"])["state"] == "online"
    assert document in kept(broker, "homeassistant")
    assert document not in state_in(agent.state_file)["discovered"]


@pytest.mark.deep
def test_old_name_taken_by_another_agent_during_cleanup_is_not_cleared(own, bench):
    """As when two names are swapped, or two machines come up together."""
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    time.sleep(2)  # in the middle of the five seconds
    bench.agent(broker, camera=SMALL)
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to know")
    there = kept(broker, "v4l2mqtt/porch")
    assert json.loads(there["v4l2mqtt/porch/availability"])["state"] == "online"
    assert "v4l2mqtt/porch/door/zoom" in there and "v4l2mqtt/porch/door/info" in there
    eventually(lambda: "homeassistant/device/v4l2mqtt_door_AT_porch/config" in kept(broker, "homeassistant"), "the other's document")


@pytest.mark.deep
def test_cleanup_leaves_the_cameras_of_another_agent_with_the_old_name(own, bench):
    broker, agent = own
    agent.stop()
    bench.agent(broker, cameras=[{"id": "gate", "source": "simulated"}])
    agent.rename("barn")
    agent.start()
    assert_removed(broker, "v4l2mqtt/porch/door")
    there = kept(broker, "v4l2mqtt/porch")
    assert "v4l2mqtt/porch/gate/zoom" in there and "v4l2mqtt/porch/info" in there
    assert not any("door_AT_porch" in topic for topic in kept(broker, "homeassistant"))


@pytest.mark.deep
def test_old_name_without_retained_topics_is_removed_from_the_state(own):
    broker, agent = own
    agent.stop()
    broker.kill()
    broker.start()
    agent.rename("barn")
    agent.start()
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to lose it")


@pytest.mark.deep
def test_interrupted_cleanup_restarts_with_the_next_connection(own, bench):
    """In between, another agent may have come by the name."""
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    broker.kill()
    broker.start()
    bench.agent(broker, camera=SMALL)
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to know")
    assert "v4l2mqtt/porch/door/zoom" in kept(broker, "v4l2mqtt/porch")
    assert "v4l2mqtt/barn/door/zoom" in kept(broker, "v4l2mqtt/barn")
