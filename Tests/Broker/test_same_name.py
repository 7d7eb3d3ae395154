"""Two devices with one name: one of them has it, the other one waits and publishes nothing, and an earlier
run is no second device."""

import shutil
import socket

import pytest

from agent import Agent
from broker import HOST
from controller import V311
from hostile_broker import PUBLISH, TAKEN_OVER, HostileBroker, client_id, connect
from retained import kept
from service_manager import Manager
from waiting import eventually

WAITS = "and has it; this one tries again every 10 minutes"
GOES_ON = "this one has it, and goes on"
GATE = {"id": "gate"}


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
    waiting.logs("next attempt in 6")
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
@pytest.mark.parametrize("ids", [(), ("one", "other")], ids=["equal identifiers", "different identifiers"])
def test_a_second_device_leaves_nothing(bench, protocol, ids):
    broker = bench.broker()
    mqtt = [{"protocol": protocol, "client_id": client_id} for client_id in ids] or [{"protocol": protocol}] * 2
    first = bench.agent(broker, mqtt=mqtt[0])
    observer = bench.controller(broker, version=V311)
    since = observer.mark()
    second = bench.agent(broker, mqtt=mqtt[1], camera=GATE, start=False).launch()
    second.logs(WAITS)
    assert WAITS not in first.log and GOES_ON not in second.log
    first.logs(GOES_ON)
    reported = observer.inbox.wait_for(
        f"{observer.agent_topic}/info", lambda message: "host" in message.json.get("same_name", {}), since=since).json
    assert reported["same_name"]["host"] == socket.gethostname() and reported["cameras"] == ["door"]
    assert second.stop() == 0
    shutil.rmtree(second.state_file.parent)
    eventually(lambda: obeys(observer), "an answer")
    assert info(observer)["cameras"] == ["door"]
    assert not kept(broker, "v4l2mqtt/porch/gate/#")
    assert not [message for message in observer.inbox.messages(since) if "/gate/" in message.topic]
    assert first.ending() is None


# Brokers that tell why a connection ends: mosquitto 2.0.11 doesn't


class Address:
    """What `Agent` needs to know of a broker."""

    rules = password = certificates = None
    USERNAME = "nobody"

    def __init__(self, broker: HostileBroker):
        self.port = broker.port


def published(broker: HostileBroker) -> list[str]:
    """The topics of all messages."""
    bodies = [body for kind, body in broker.received if kind == PUBLISH]
    return [body[2:2 + int.from_bytes(body[:2], "big")].decode() for body in bodies]


@pytest.fixture
def taken_over(tmp_path):
    """Starts an agent at a broker, waits for its message on a topic, and connects another client with the
    agent's identifier. Returns the agent and that connection."""
    agents, others = [], []

    def start(broker: HostileBroker, topic: str):
        agents.append(Agent(Address(broker), tmp_path / "agent").launch())
        broker.wait(lambda seen: topic in published(seen))
        others.append(socket.create_connection((HOST, broker.port), 30))
        others[-1].sendall(connect(client_id(broker.connections[0])))
        return agents[-1], others[-1]

    yield start
    for other in others:
        other.close()
    for agent in agents:
        agent.stop()
        print(agent.log)


def test_a_device_that_is_taken_over_later_connects_again_at_once(taken_over):
    with HostileBroker() as broker:
        agent, other = taken_over(broker, "v4l2mqtt/porch/info")
        broker.wait(lambda seen: len(seen.connections) == 3)
        assert client_id(broker.connections[2]) == client_id(broker.connections[0])
        assert other.makefile("rb").read().endswith(TAKEN_OVER)
        agent.logs(GOES_ON)
        agent.logs("the next host is tried")
        assert "next attempt" not in agent.log
        broker.wait(lambda seen: published(seen).count("v4l2mqtt/porch/info") > 1)
