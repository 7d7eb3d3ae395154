"""Retained topics under an earlier name of an agent or of its camera are removed from the broker, and no
others.

The rules are tested in `RetainedTopicCleanupTests.swift` and `DiscoveryTests.swift` in
`Tests/MQTTFrontEndTests`, in virtual time.
"""

import json

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
