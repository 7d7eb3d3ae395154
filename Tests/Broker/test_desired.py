"""The desired state of a camera: applied once for each version, however often it is published.

The rules are tested in `Tests/CameraCoreTests/DesiredTests.swift`, in virtual time.
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


def test_zoom_and_controls_are_applied_and_published(fleet):
    wanted = {"version": 3, "zoom": {"factor": 4}, "controls": {"brightness": 90}, "client": "fleet", "id": "d-1"}
    answer = fleet.obeyed("desired", wanted)
    state = fleet.settled(answer)
    assert state["factor"] == 4
    assert state["origin"] == {"kind": "desired", "client": "fleet", "proved": False, "id": "d-1"}
    controls = fleet.state("controls", lambda state: state["values"]["brightness"] == 90)
    assert controls["origin"]["kind"] == "desired"
    assert "error" not in applied(fleet, 3)


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
