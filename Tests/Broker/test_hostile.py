"""Hostile or faulty clients and environments: the agent goes on serving the others."""

import json
import os
import signal
import subprocess

import pytest

from agent import PROGRAM
from broker import Broker
from state_file import state_in
from waiting import TIMEOUT, eventually

SLOW = {"simulated": {"optical_max": 8, "lens_speed": 0.5}}
LARGE = 16_384
DYNAMIC_SECURITY = "/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so"


@pytest.fixture
def broker(bench):
    return bench.broker()


def kilobytes(agent, name: str) -> int:
    with open(f"/proc/{agent.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def test_pictures_of_others_in_the_folder_are_left_alone(bench, broker):
    agent = bench.agent(broker, captures={"max_bytes": 30_000}, start=False)
    others = [agent.captures / "door" / "mum.jpg", agent.captures / "holiday" / "door-20200101T000000.000Z-000001.jpg"]
    for other in others:
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_bytes(b"x" * 50_000)
    agent.start()
    controller = bench.controller(broker)
    for _ in range(3):
        controller.obeyed("capture", {"size": {"width": 160}, "quality": 50})
    assert all(other.exists() for other in others)


def test_agent_killed_during_restoration_keeps_the_saved_zoom(bench, broker):
    agent = bench.agent(broker, camera=SLOW | {"simulated": {"optical_max": 8, "lens_speed": 0}})
    controller = bench.controller(broker)
    controller.zoom_to(8)
    agent.stop()
    agent.configuration["cameras"][0]["simulated"]["lens_speed"] = 0.5
    agent.configure(agent.configuration)
    mark = controller.mark()
    agent.launch()
    controller.inbox.wait_for(controller.topic("zoom"), lambda message: message.json["ramping"], since=mark)
    eventually(lambda: state_in(agent.state_file)["boot"] == 2, "the second start in the file")
    controller.inbox.wait_for(
        controller.topic("zoom/live"), lambda message: message.json["factor"] > 1.1, since=mark)
    agent.kill()
    assert state_in(agent.state_file)["cameras"]["door"]["factor"] == 8


def test_a_log_pipe_that_is_not_read_delays_nothing(bench, broker):
    reader, writer = os.pipe()
    agent = bench.agent(broker, start=False, log={"level": "debug"})
    agent.process = subprocess.Popen([PROGRAM, "run", "--config", agent.configuration_file], stderr=writer)
    controller = bench.controller(broker)
    controller.agent_availability("online")
    for _ in range(2000):
        controller.send("zoom", {"nope": 1})
    controller.obeyed("zoom", 5)
    agent.signal(signal.SIGTERM)
    assert agent.exit_code() == 0
    os.close(reader), os.close(writer)


def test_closed_descriptors_do_not_become_the_agents_own_files(bench, broker):
    agent = bench.agent(broker, start=False)
    command = f"exec '{PROGRAM}' run --config '{agent.configuration_file}' 0<&- 1>&- 2>&-"
    agent.process = subprocess.Popen(["bash", "-c", command])
    controller = bench.controller(broker)
    controller.agent_availability("online")
    standard = {os.readlink(f"/proc/{agent.process.pid}/fd/{number}") for number in (0, 1, 2)}
    assert standard == {"/dev/null"}


@pytest.mark.needs("anonymous clients")
@pytest.mark.parametrize("nonsense", [{"position": 2}, {"position": -1}, {"factor": 1e300}, {"factor": -5}])
def test_watch_survives_invalid_states(nonsense, bench, broker):
    bench.agent(broker)
    controller = bench.controller(broker)
    state = controller.state("zoom") | nonsense
    started = {"boot": 1, "ts": "2026-01-02T03:04:05.000Z"}
    for topic, told in {
        "a/availability": {"state": "online", **started},
        "a/info": {"agent": "a", "version": "1", "protocol": 1, "host": "h", "cameras": ["b"], "started": started["ts"]},
        "a/b/availability": {"state": "online"},
        "a/b/zoom": state | {"rev": 10**9},
    }.items():
        controller.publish(f"elsewhere/{topic}", json.dumps(told).encode(), retain=True)
    watching = subprocess.Popen(
        [PROGRAM, "ctl", "watch", "--port", str(broker.port), "--base-topic", "elsewhere", "--agent", "a", "--camera", "b"],
        stdout=subprocess.PIPE, text=True)
    assert "rev 1000000000" in watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    assert watching.wait(TIMEOUT) == 0


def test_a_broker_that_refuses_the_subscription_is_named(bench, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"defaultACLAccess": {
        "publishClientSend": True, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}}))
    broker = Broker(tmp_path / "broker")  # without a recorder: it couldn't listen either
    with open(broker.folder / "mosquitto.conf", "a") as configuration:
        configuration.write(f"plugin {DYNAMIC_SECURITY}\nplugin_opt_config_file {rules}\n")
    broker.start()
    agent = bench.agent(broker, start=False).launch()
    agent.logs("refuses the subscription to")
    broker.stop()


def test_a_flood_of_mistakes_takes_no_memory(bench, tmp_path):
    broker = Broker(tmp_path / "broker").start()  # without a recorder, which couldn't follow
    agent = bench.agent(broker)
    topic = "v4l2mqtt/porch/door/zoom/set"

    def ask(command: str) -> dict | None:
        """The answer; None where the broker lost the question, as it may while it is flooded."""
        question = ["mosquitto_rr", "-p", str(broker.port), "-t", topic, "-e", "replies/rr", "-m", command, "-W", "3"]
        output = subprocess.run(question, capture_output=True).stdout
        return json.loads(output) if output else None

    assert eventually(lambda: ask("2"), "an answer")["factor"] == 2
    before = kilobytes(agent, "VmRSS")
    mistakes = b'{"nope":1}\n' * 100_000
    subprocess.run(["mosquitto_pub", "-p", str(broker.port), "-t", topic, "-l"], input=mistakes, check=True)
    assert eventually(lambda: ask('{"stop": true}'), "an answer after the flood")["factor"] == 2
    assert kilobytes(agent, "VmHWM") - before < 8_000
    agent.stop()
    broker.stop()
