"""Retained topics under an earlier name of an agent or of its camera are removed from the broker, and no others.

`RetainedTopicCleanupTests.swift` and `DiscoveryTests.swift` in `Tests/MQTTFrontEndTests` have the tests that are marked deep here, in virtual time and without a broker.
"""

import json
import subprocess
import time

import pytest

from controller import V5, V311
from movie_file import SMALL
from state_file import state_in
from waiting import eventually

#: The agent waits for Home Assistant to let go of its entities first.
TIMEOUT = 20


def kept(broker, root: str) -> dict[str, bytes]:
    """What the broker keeps below `root`."""
    done = subprocess.run(
        ["mosquitto_sub", "-p", str(broker.port), "-t", f"{root}/#", "--retained-only", "-W", "1", "-F", "%t %x"],
        capture_output=True, text=True)
    return {topic: bytes.fromhex(payload) for topic, payload in (line.split(" ") for line in done.stdout.splitlines())}


def assert_removed(broker, root: str):
    eventually(lambda: not kept(broker, root), f"{root} to go", TIMEOUT)


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
def test_an_agent_with_another_name_leaves_nothing_of_the_old_one(own):
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


def test_also_after_a_crash_and_when_the_broker_is_away(own):
    broker, agent = own
    agent.kill()
    eventually(lambda: b"offline" in kept(broker, "v4l2mqtt/porch")["v4l2mqtt/porch/availability"], "the will")
    broker.stop()
    agent.rename("barn")
    agent.launch()
    broker.start()
    eventually(lambda: kept(broker, "v4l2mqtt/barn"), "the agent under its new name", TIMEOUT)
    assert_removed(broker, "v4l2mqtt/porch")


def test_what_may_be_at_the_broker_is_on_the_disk_before_it_is(own):
    """A kill right after the start loses nothing of that."""
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    agent.kill()
    assert set(served(agent)) == {"v4l2mqtt/porch", "v4l2mqtt/barn"}
    assert served(agent)["v4l2mqtt/barn"] == ["door"]


@pytest.mark.deep
def test_a_stop_before_it_was_done_puts_it_off(own):
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    agent.stop()
    assert set(served(agent)) == {"v4l2mqtt/porch", "v4l2mqtt/barn"}
    agent.start()
    assert_removed(broker, "v4l2mqtt/porch")


@pytest.mark.deep
def test_a_camera_that_is_taken_out_goes_and_the_others_stay(own):
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
def test_a_name_that_another_agent_bears_by_now_is_left_to_it(own, bench):
    broker, agent = own
    agent.stop()
    bench.agent(broker, camera=SMALL)
    document = "homeassistant/device/v4l2mqtt_door_AT_porch/config"
    eventually(lambda: document in kept(broker, "homeassistant"), "the other's document")
    before = kept(broker, "v4l2mqtt/porch")
    agent.rename("barn")
    agent.start()
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to know", TIMEOUT)
    assert kept(broker, "v4l2mqtt/porch").keys() == before.keys()
    assert json.loads(kept(broker, "v4l2mqtt/porch")["v4l2mqtt/porch/availability"])["state"] == "online"
    assert document in kept(broker, "homeassistant")
    assert document not in state_in(agent.state_file)["discovered"]


@pytest.mark.deep
def test_also_when_that_one_comes_while_the_name_is_being_given_up(own, bench):
    """As when two names are swapped, or two machines come up together."""
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    time.sleep(2)  # in the middle of the five seconds
    bench.agent(broker, camera=SMALL)
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to know", TIMEOUT)
    there = kept(broker, "v4l2mqtt/porch")
    assert json.loads(there["v4l2mqtt/porch/availability"])["state"] == "online"
    assert "v4l2mqtt/porch/door/zoom" in there and "v4l2mqtt/porch/door/info" in there
    eventually(lambda: "homeassistant/device/v4l2mqtt_door_AT_porch/config" in kept(broker, "homeassistant"), "the other's document")


@pytest.mark.deep
def test_of_a_name_that_another_agent_bears_its_own_cameras_are_left(own, bench):
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
def test_a_name_of_which_the_broker_keeps_nothing_is_forgotten(own):
    broker, agent = own
    agent.stop()
    broker.kill()
    broker.start()
    agent.rename("barn")
    agent.start()
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to lose it", TIMEOUT)


@pytest.mark.deep
def test_what_is_interrupted_begins_anew_with_the_next_connection(own, bench):
    """In between, another agent may have come by the name."""
    broker, agent = own
    agent.stop()
    agent.rename("barn")
    agent.start()
    broker.kill()
    broker.start()
    bench.agent(broker, camera=SMALL)
    eventually(lambda: list(served(agent)) == ["v4l2mqtt/barn"], "the agent to know", TIMEOUT)
    assert "v4l2mqtt/porch/door/zoom" in kept(broker, "v4l2mqtt/porch")
    assert "v4l2mqtt/barn/door/zoom" in kept(broker, "v4l2mqtt/barn")
