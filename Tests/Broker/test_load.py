"""The tool that loads a broker with many agents (`Tests/Load`), with a few of them. The tests judge counts,
and no times."""

import json
import os
import resource
import subprocess
from pathlib import Path

import pytest

from broker import Broker, free_port
from retained import kept
from waiting import TIMEOUT, eventually

RELEASE = Path(__file__).resolve().parents[2] / ".build/release/Load"
#: Its name does not begin with V4L2MQTT_: an agent reads each such variable as a key of its configuration.
PROGRAM = Path(os.environ.get("LOAD_PROGRAM", RELEASE))
AGENTS = 60

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
    """Starts the tool with the broker's port."""
    started = []

    def start(*options, **more) -> subprocess.Popen:
        process = subprocess.Popen(
            [PROGRAM, "--port", str(broker.port), *map(str, options)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


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


def few_descriptors():
    """A process has room for half of the agents."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256 + 12 * AGENTS // 2,) * 2)


def test_all_agents_come_obey_and_come_back(broker, start, tmp_path):
    """The broker is started again while the tool waits for its command. Nothing of the agents stays there."""
    for name in ("asked", "done"):
        os.mkfifo(tmp_path / name)
    program = start(
        "--agents", AGENTS, "--broker-pid", os.getpid(),
        "--restart-command", f"echo > {tmp_path}/asked; read line < {tmp_path}/done", preexec_fn=few_descriptors)
    (tmp_path / "asked").read_bytes()
    assert len(children(program)) == 3, "two processes with agents, and that of the command"
    broker.stop()
    broker.start()
    (tmp_path / "done").write_text("\n")
    code, report, log = result_of(program)
    assert code == 0, log
    assert [scenario["name"] for scenario in report["scenarios"]] == ["connect", "group", "birth", "restart", "group"]
    assert all(scenario["missing"] == 0 and scenario["last_s"] > 0 for scenario in report["scenarios"]), report
    connect, group, birth, *_ = report["scenarios"]
    assert connect["messages"] >= 10 * AGENTS and birth["messages"] >= 10 * AGENTS
    assert birth["messages"] >= birth["peak_messages_per_s"] > 0
    assert group["messages"] >= 2 * AGENTS, "a state and an answer of each camera"
    assert report["processes"] == 2 and report["not_observed"] == 0 and report["broker_bytes"] > 0
    assert kept(broker, "#") == []


def test_an_interrupted_run_removes_what_it_left(broker, start, tmp_path):
    os.mkfifo(tmp_path / "asked")
    program = start("--agents", 5, "--restart-command", f"echo > {tmp_path}/asked; exec sleep 600")
    (tmp_path / "asked").read_bytes()
    program.terminate()
    code, report, log = result_of(program)
    assert code == 70 and report is None and "interrupted" in log
    assert kept(broker, "#") == []


def test_the_end_of_the_tool_ends_its_processes(start, tmp_path):
    os.mkfifo(tmp_path / "asked")
    program = start("--agents", 5, "--restart-command", f"echo > {tmp_path}/asked; exec sleep 600")
    (tmp_path / "asked").read_bytes()
    processes = children(program)
    program.kill()
    eventually(lambda: all(map(has_ended, processes)), "the end of all processes")


def test_the_end_of_a_process_with_agents_ends_the_run(broker, start, tmp_path):
    program = start(
        "--agents", 4, "--restart-command",
        "kill -9 $(cat /proc/$PPID/task/$PPID/children | cut -d' ' -f1); exec sleep 600")
    code, report, log = result_of(program)
    assert code == 70 and report is None and "a process with agents failed" in log
    assert kept(broker, "#") == []


def test_without_a_broker_it_ends():
    ended = subprocess.run(
        [PROGRAM, "--port", str(free_port())], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 69 and "Connection refused" in ended.stderr and not ended.stdout, ended
