"""The load of a broker with many agents in a few processes. The tests judge counts, and no times."""

import json
import os
import resource
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from agent import PROGRAM as AGENT_PROGRAM
from broker import HOST, Broker, free_port
from waiting import TIMEOUT, eventually

RELEASE = Path(__file__).resolve().parents[2] / ".build/release/v4l2mqtt-swarm"
#: Its name does not begin with V4L2MQTT_: an agent reads each such variable as a key of its configuration.
PROGRAM = Path(os.environ.get("SWARM_PROGRAM", RELEASE))
AGENTS = 300

#: Other brokers have no account for anonymous clients, and do not start again under a command of this test.
pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def broker(tmp_path):
    """Without a recorder, which would check the messages of all agents. What an agent publishes is checked by
    other tests."""
    broker = Broker(tmp_path / "broker").start()
    yield broker
    broker.stop()


@pytest.fixture
def start(broker):
    """Starts the program with the broker's port."""
    started = []

    def start(*options: str, **more) -> subprocess.Popen:
        process = subprocess.Popen(
            [PROGRAM, "--port", str(broker.port), *map(str, options)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def retained(broker) -> list[str]:
    """The topics with retained messages."""
    topics, complete = [], threading.Event()

    def received(client, data, message):
        # The broker sends what it retains before what comes after the subscription.
        complete.set() if message.topic == "end" else topics.append(message.topic)

    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.on_message = received
    client.on_subscribe = lambda *_: client.publish("end", b"")
    client.connect(HOST, broker.port)
    client.subscribe("#")
    client.loop_start()
    assert complete.wait(TIMEOUT)
    client.disconnect()
    client.loop_stop()
    return topics


def result_of(process: subprocess.Popen) -> tuple[int, dict | None, str]:
    """The exit code, the report and the log."""
    out, err = process.communicate(timeout=3 * TIMEOUT)
    return process.returncode, json.loads(out) if out else None, err


def children(process: subprocess.Popen) -> list[int]:
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def has_ended(process: int) -> bool:
    try:
        # An ended process whose parent has gone may wait for a while for the process that takes its place.
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_all_scenarios_with_many_agents(broker, start, tmp_path):
    """Every agent comes, obeys, announces itself again, and comes back after a restart of the broker. Nothing
    stays at the broker, but for what was there before."""
    subprocess.run(
        ["mosquitto_pub", "-p", str(broker.port), "-r", "-t", "v4l2mqtt/swarm-of-bees/info", "-m", "{}"], check=True,
        timeout=TIMEOUT)
    for name in ("asked", "done"):
        os.mkfifo(tmp_path / name)
    program = start(
        "--agents", AGENTS, "--processes", 2, "--report", tmp_path / "report.html", "--broker-pid", os.getpid(),
        "--restart-command", f"echo > {tmp_path}/asked; read line < {tmp_path}/done")
    (tmp_path / "asked").read_bytes()
    # No agent has state threads of its own: those of its process, and some that end after their work.
    processes = children(program)
    names = [thread.joinpath("comm").read_text().strip() for process in processes
             for thread in Path(f"/proc/{process}/task").iterdir() if thread.joinpath("comm").exists()]
    assert names.count("agents") == AGENTS / 25 and not {"state", "state-disk"} & set(names), names
    assert "v4l2mqtt/swarm-of-bees/info" in retained(broker)
    broker.stop()
    broker.start()
    (tmp_path / "done").write_text("\n")
    code, report, log = result_of(program)
    assert code == 0 and report["failures"] == [], log
    scenarios = report["scenarios"]
    assert [scenario["name"] for scenario in scenarios] == ["connect", "group", "birth", "restart", "group"]
    connect, group, birth, restart, _ = scenarios
    assert all(scenario["missing"] == 0 and scenario["last_s"] > 0 for scenario in scenarios), scenarios
    kept = report["retained"]
    assert 10 < kept["messages"] < 25 and 0 < kept["discovery_bytes"] < kept["bytes"]
    assert connect["messages"] >= AGENTS * kept["messages"]
    assert birth["messages"] >= AGENTS * kept["messages"] >= birth["peak_messages_per_s"] > 0
    assert group["messages"] >= 2 * AGENTS, "a state and an answer of each camera"
    assert restart["lost"] == AGENTS and report["not_observed"] == 0 and group["refusals"] == {}
    assert max(second["connected"] for second in report["seconds"]) <= AGENTS
    assert report["broker_memory"]["after_bytes"] > 0
    page = (tmp_path / "report.html").read_text()
    plot = ElementTree.fromstring(page[page.index("<svg"):page.index("</svg>") + len("</svg>")])
    words = [text.text for text in plot.iter("{http://www.w3.org/2000/svg}text")]
    assert {"connect", "group", "birth", "restart"} <= set(words)
    # The restart has removed it: this broker stores nothing.
    assert retained(broker) == []


def test_an_exceeded_limit_is_a_failure(start):
    code, report, log = result_of(start(
        "--agents", 3, "--scenario", "birth", "--limit", "birth_messages_per_s=1", "--limit", "connect_s=600"))
    assert code == 1 and len(report["failures"]) == 1, log
    assert report["failures"][0].startswith("birth_messages_per_s is ") and report["failures"][0] in log


def test_cameras_that_are_not_announced(start):
    code, report, log = result_of(start("--agents", 3, "--no-discovery"))
    assert code == 0, log
    assert [scenario["name"] for scenario in report["scenarios"]] == ["connect", "group"]
    assert report["retained"]["discovery_bytes"] == 0 < report["retained"]["messages"]


def test_a_killed_run_leaves_no_process_and_is_cleaned_up(broker, start, tmp_path):
    os.mkfifo(tmp_path / "asked")
    options = ("--agents", 30, "--processes", 3)
    program = start(
        *options, "--scenario", "restart", "--restart-command", f"echo > {tmp_path}/asked; exec sleep 600")
    (tmp_path / "asked").read_bytes()
    processes = children(program)
    assert len(processes) == 4, "the agents' and that of the command"
    program.kill()
    eventually(lambda: all(map(has_ended, processes)), "the end of all processes")
    left = retained(broker)
    assert len([topic for topic in left if topic.endswith("/config")]) == 30
    code, report, log = result_of(start(*options, "--clean-up"))
    assert code == 0 and report is None, log
    assert retained(broker) == []


def test_an_interrupted_run_removes_what_it_left(broker, start, tmp_path):
    os.mkfifo(tmp_path / "asked")
    program = start(
        "--agents", 5, "--scenario", "restart", "--restart-command", f"echo > {tmp_path}/asked; exec sleep 600")
    (tmp_path / "asked").read_bytes()
    program.terminate()
    code, report, log = result_of(program)
    assert code == 70 and report is None and "interrupted" in log
    assert retained(broker) == []


def test_the_end_of_a_process_with_agents_ends_the_run(broker, start, tmp_path):
    for name in ("asked", "done"):
        os.mkfifo(tmp_path / name)
    program = start(
        "--agents", 4, "--processes", 2, "--scenario", "restart", "--restart-command",
        f"cat /proc/$PPID/task/$PPID/children > {tmp_path}/asked; exec sleep 600")
    process = int((tmp_path / "asked").read_text().split()[0])
    os.kill(process, 9)
    code, report, log = result_of(program)
    assert code == 70 and report is None and "a process with agents failed" in log
    assert retained(broker) == []


def test_a_limit_of_descriptors_that_is_too_low_is_named(start):
    code, report, log = result_of(start(
        "--agents", 100, "--processes", 1,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))))
    assert code == 64 and report is None
    assert "1456 descriptors" in log and "is 500" in log and "--processes" in log


@pytest.mark.parametrize("options, words", [
    (["--host", "broker.lan"], "--yes"), (["--agents", "0"], "--agents"), (["--limit", "x=1"], "--limit"),
    (["--scenario", "restart"], "--restart-command"), (["--scenario", "sleep"], "--scenario"),
    (["--discovery-prefix", "homeassistant"], "--discovery-prefix"), (["--report", "x.pdf"], "--report"),
    (["--processes", "9", "--agents", "8"], "--processes"),
    (["--no-discovery", "--scenario", "birth"], "--scenario"), (["--name", "Swarm"], "--name")])
def test_wrong_usage_is_refused(options, words):
    ended = subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 64 and words in ended.stderr and not ended.stdout, ended


def test_without_a_broker_it_ends():
    ended = subprocess.run(
        [PROGRAM, "--port", str(free_port())], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 69 and "Connection refused" in ended.stderr and not ended.stdout, ended


def test_the_agents_program_runs_it():
    shown = subprocess.run([AGENT_PROGRAM, "swarm", "--help"], capture_output=True, text=True, timeout=TIMEOUT)
    assert shown.returncode == 0 and "USAGE: v4l2mqtt-swarm" in shown.stdout
