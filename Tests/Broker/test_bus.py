"""The way to the broker: both protocols, accounts, TLS, and a broker that goes away."""

import re

import pytest

from controller import V5, V311
from recorder import Recorder
from waiting import eventually

NODES = ["zoom", "pinch", "touch", "viewport", "capture", "recording", "session", "controls", "presets", "preview", "lease", "desired",
         "privacy", "media"]


def retained(controller) -> dict[str, object]:
    """What a newcomer gets, once the agent's last word of its start is there."""
    topics = [controller.topic(node) for node in [*NODES, "availability", "info"]]
    topics += [f"{controller.agent_topic}/{topic}" for topic in ("info", "availability")]
    return {topic: controller.inbox.wait_for(topic, since=0).json for topic in topics}


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
@pytest.mark.parametrize("version", [V5, V311], ids=["controller 5", "controller 3.1.1"])
def test_agent_and_controller_can_use_different_protocol_versions(bench, protocol, version):
    broker = bench.broker()
    bench.agent(broker, mqtt={"protocol": protocol})
    controller = bench.controller(broker, version=V311 if protocol == "3.1.1" else version)
    assert controller.obeyed("zoom", {"factor": 2})["factor"] == 2
    assert controller.obeyed("capture", {"size": {"width": 64}})["photos"]
    controller.refused("zoom", {"factor": 0}, "bad_payload", "factor")


def test_an_agent_on_3_1_1_answers_a_controller_on_5_on_reply(bench):
    broker = bench.broker()
    bench.agent(broker, mqtt={"protocol": "3.1.1"})
    controller = bench.controller(broker)
    controller.send("zoom", {"factor": 2, "id": "x"})
    answer = controller.inbox.wait_for(controller.topic("zoom/reply")).json
    assert (answer["id"], answer["status"]) == ("x", "done")


def test_another_base_topic_may_have_several_levels(bench):
    broker = bench.broker()
    base = "home/cameras"
    recorder = Recorder(broker, base)
    bench.agent(broker, start=False, mqtt={"base_topic": base}).launch()
    controller = bench.controller(broker, base=base)
    assert len(retained(controller)) == len(NODES) + 4
    assert controller.obeyed("zoom", 2)["factor"] == 2
    recorder.flush()
    recorder.close()
    assert recorder.judged and not recorder.objections


def test_new_subscriber_gets_all_retained_states(bench):
    broker = bench.broker()
    bench.agent(broker)
    retained(bench.controller(broker))  # the agent has published all of them
    controller = bench.controller(broker, version=V311)
    kept = [message for topic in retained(controller) for message in controller.inbox.all(topic)]
    assert len(kept) == len(NODES) + 4 and all(message.retained for message in kept)


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_broker_restart_without_persistence_republishes_states_and_restores_commands(bench, protocol):
    broker = bench.broker()
    bench.agent(broker, mqtt={"protocol": protocol})
    controller = bench.controller(broker, version=V311)
    controller.zoom_to(3)
    before = retained(controller)
    broker.kill()
    broker.start()
    newcomer = bench.controller(broker, version=V311)
    after = retained(newcomer)
    assert after.keys() == before.keys()
    # Another kind of broker may still have an earlier state.
    newcomer.state("zoom", lambda zoom: zoom["factor"] == 3)
    assert newcomer.obeyed("zoom", 2)["factor"] == 2


def test_broker_restart_with_persistence_restores_commands(bench):
    broker = bench.broker(persistence=True)
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    controller.zoom_to(3)
    broker.stop()
    broker.start()
    newcomer = bench.controller(broker)
    assert newcomer.state("zoom", since=0)["factor"] == 3
    # The retained availability is "offline" until the agent is back, which is after its subscriptions.
    newcomer.agent_availability("online", since=0)
    agent.logs("connected to", 2)
    assert newcomer.obeyed("zoom", 2)["factor"] == 2


def test_ramp_continues_while_the_broker_is_down(bench):
    broker = bench.broker()
    bench.agent(broker)
    controller = bench.controller(broker)
    assert controller.send("zoom", {"factor": 4, "rate": 8}).answer()["status"] == "accepted"
    broker.kill()
    broker.start()
    assert bench.controller(broker).state("zoom", lambda state: not state["ramping"], since=0)["factor"] == 4


def test_agent_starts_before_its_broker(bench):
    broker = bench.broker()
    broker.stop()
    agent = bench.agent(broker, start=False).launch()
    agent.logs(f":{broker.agent_port}")
    broker.start()
    newcomer = bench.controller(broker)
    retained(newcomer)
    assert newcomer.obeyed("zoom", 2)["factor"] == 2


def test_require_broker_ends_with_69_when_there_is_none(bench):
    broker = bench.broker()
    broker.stop()
    agent = bench.agent(broker, start=False).launch("--require-broker")
    assert agent.exit_code() == 69
    agent.logs(f":{broker.agent_port}")


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_wrong_password_is_logged_and_retried(bench, tmp_path, protocol):
    broker = bench.broker(password="correct horse")
    password = tmp_path / "password"
    password.write_text("battery staple")
    account = {"username": "garden", "password_file": str(password), "protocol": protocol}
    agent = bench.agent(broker, start=False, mqtt=account).launch()
    eventually(lambda: re.search("not authori[sz]ed|password", agent.log, re.IGNORECASE), "a word of the password")
    assert agent.ending() is None
    broker.stop()
    broker.add_account("garden", "battery staple")
    broker.start()
    assert retained(bench.controller(broker))


@pytest.mark.parametrize("tls, password, protocol", [
    (False, "correct horse", 5), (True, None, 5), (True, "correct horse", "3.1.1")])
def test_tls_and_accounts(bench, tls, password, protocol):
    broker = bench.broker(tls=tls, password=password)
    bench.agent(broker, mqtt={"protocol": protocol})
    assert bench.controller(broker, version=V5 if protocol == 5 else V311).obeyed("zoom", 2)["factor"] == 2


def test_two_agents_share_a_broker(bench):
    broker = bench.broker()
    bench.agent(broker, name="porch")
    bench.agent(broker, name="garden")
    porch, garden = (bench.controller(broker, agent=name) for name in ("porch", "garden"))
    porch.zoom_to(2)
    garden.zoom_to(3)
    assert porch.state("zoom")["factor"] == 2
