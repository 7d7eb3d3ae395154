"""Two devices with one name: one of them waits, both report it, and an earlier run is no second device."""

import socket
import time

import pytest

from controller import V311
from service_manager import Manager
from waiting import eventually

WAITS = "and was connected first; this one tries again every 10 minutes"
GOES_ON = "this one was connected first, and goes on"


def info(controller) -> dict:
    """The newest one."""
    return controller.inbox.wait_for(f"{controller.agent_topic}/info").json


def obeys(controller) -> bool:
    """Commands are lost while the agent has no connection."""
    try:
        return controller.send("zoom", 2).result(timeout=1)["status"] == "done"
    except AssertionError:
        return False


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_one_of_two_devices_waits_and_the_other_serves(bench, tmp_path, monkeypatch, protocol):
    """Both came within a minute, so that neither is known to be the first one."""
    broker = bench.broker()
    manager = Manager(str(tmp_path / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    agents = [bench.agent(broker, mqtt={"protocol": protocol}, start=False) for _ in range(2)]
    controller = bench.controller(broker, version=V311)
    for agent in agents:
        agent.launch()
    eventually(lambda: any(WAITS in agent.log for agent in agents), "one that waits")
    (waiting,) = (agent for agent in agents if WAITS in agent.log)
    (serving,) = (agent for agent in agents if agent is not waiting)
    assert manager.until("STATUS=").startswith("STATUS=another device ")
    assert "next attempt in 6" in waiting.log
    eventually(lambda: obeys(controller), "an answer")
    started = waiting.log.count("connected to")
    boot = controller.state("zoom")["boot"]
    assert serving.ending() is None and waiting.ending() is None
    # It works on, without a broker, and ends as always.
    assert waiting.stop() == 0
    controller.obeyed("zoom", 3)
    assert (waiting.log.count("connected to"), controller.state("zoom")["boot"]) == (started, boot)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_a_killed_run_is_no_second_device(bench, protocol):
    broker = bench.broker()
    agent = bench.agent(broker, mqtt={"protocol": protocol})
    controller = bench.controller(broker, version=V311)
    runs = {info(controller)["run"]}
    for _ in range(3):
        agent.kill()
        since = controller.mark()
        agent.start()
        runs.add(controller.inbox.wait_for(f"{controller.agent_topic}/info", since=since).json["run"])
        assert obeys(controller)
    assert len(runs) == 4
    assert "uses the name" not in agent.log and "same_name" not in info(controller)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_a_broker_that_restarts_is_no_second_device(bench, protocol):
    broker = bench.broker()
    agent = bench.agent(broker, mqtt={"protocol": protocol})
    controller = bench.controller(broker, version=V311)
    for _ in range(3):
        broker.stop()
        since = controller.mark()
        broker.start()
        controller.inbox.wait_for(f"{controller.agent_topic}/info", since=since)
    eventually(lambda: obeys(controller), "an answer")
    assert "uses the name" not in agent.log


#: A connection that is shorter may be that of the second device.
MINUTE = 61


@pytest.mark.deep
def test_the_second_device_waits_and_both_report_it(bench):
    """With MQTT 5, with 3.1.1, and with different client identifiers, which throw no one out."""
    kinds = {
        "5": ({"protocol": "5"}, {"protocol": "5"}),
        "3.1.1": ({"protocol": "3.1.1"}, {"protocol": "3.1.1"}),
        "5 and 3.1.1": ({"protocol": "5"}, {"protocol": "3.1.1"}),
        "different identifiers": ({"client_id": "one"}, {"client_id": "other"}),
        "different identifiers, 3.1.1": (
            {"client_id": "one", "protocol": "3.1.1"}, {"client_id": "other", "protocol": "3.1.1"}),
    }
    pairs = {}
    for kind, (mqtt, other) in kinds.items():
        broker = bench.broker()
        first = bench.agent(broker, mqtt=mqtt)
        pairs[kind] = (broker, first, bench.agent(broker, mqtt=other, start=False))
    # There is nothing to wait for but the time.
    time.sleep(MINUTE)
    for _, _, second in pairs.values():
        second.launch()
    for kind, (broker, first, second) in pairs.items():
        eventually(lambda second=second: WAITS in second.log, f"{kind}: that the second one waits")
        eventually(lambda first=first: GOES_ON in first.log, f"{kind}: that the first one reports it")
        assert WAITS not in first.log and GOES_ON not in second.log
        controller = bench.controller(broker, version=V311)
        reported = controller.inbox.wait_for(
            f"{controller.agent_topic}/info", lambda message: "host" in message.json.get("same_name", {}), since=0).json
        assert reported["same_name"]["host"] == socket.gethostname()
        eventually(lambda: obeys(controller), "an answer")
        assert controller.inbox.wait_for(
            f"{controller.agent_topic}/availability", lambda message: message.json["state"] == "online", since=0)
