"""The program under a service manager and on a terminal."""

import errno
import os
import re
import signal
import socket
import subprocess

import pytest

from agent import PROGRAM, Agent
from service_manager import Manager
from waiting import TIMEOUT, eventually


@pytest.fixture(params=["path", "abstract"])
def address(request, tmp_path):
    return str(tmp_path / "notify") if request.param == "path" else f"@v4l2mqtt-test-{os.getpid()}"


def test_systemd_is_notified_of_ready_watchdog_and_stopping(bench, address, monkeypatch):
    broker = bench.broker()  # before the variables are set: mosquitto speaks sd_notify too
    manager = Manager(address)
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    agent: Agent = bench.agent(broker)
    manager.until("READY=1")
    manager.until("WATCHDOG=1")
    manager.until("WATCHDOG=1")
    agent.signal(signal.SIGTERM)
    manager.until("STOPPING=1")
    assert agent.exit_code() == 0


def test_a_watchdog_for_another_process_is_not_fed(bench, tmp_path, monkeypatch):
    broker = bench.broker()
    manager = Manager(str(tmp_path / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", "20000")
    monkeypatch.setenv("WATCHDOG_PID", "1")
    agent = bench.agent(broker)
    agent.stop()
    assert manager.next() == ["READY=1"]
    assert manager.next() == ["STOPPING=1"]


@pytest.fixture
def demo(tmp_path):
    output = open(tmp_path / "output", "w+b")
    process = subprocess.Popen(
        [PROGRAM, "demo"], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={"PATH": os.environ["PATH"]})

    def read_output() -> str:
        return (tmp_path / "output").read_text()

    yield process, read_output
    process.kill()
    process.wait()


def test_the_demo_shows_a_zoom_and_leaves_nothing_behind(demo):
    process, read_output = demo
    eventually(lambda: "restore" in read_output(), "the first state on the screen")
    commands = re.findall(r"^  (mosquitto_(?:pub|sub) .*)$", read_output(), re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        # A subscriber would wait for ever; one message is enough to see that it works.
        run = command + " -C 1" if command.startswith("mosquitto_sub") else command
        assert subprocess.run(run, shell=True, timeout=TIMEOUT, capture_output=True).returncode == 0
    eventually(lambda: re.search(r"3\.00×.*command", read_output()), "the zoom of the photo on the screen")
    folder = re.search(r"Photos go to (\S+)/captures", read_output()).group(1)
    eventually(lambda: os.path.isdir(f"{folder}/captures/camera"), "the photo's folder")
    eventually(lambda: [name for name in os.listdir(f"{folder}/captures/camera") if name.endswith(".jpg")], "the photo")
    # Nothing waits for a slow disk.
    assert not [name for name in os.listdir(folder) if name.startswith("state.json")]
    process.send_signal(signal.SIGINT)
    assert process.wait(TIMEOUT) == 0
    assert not os.path.exists(folder)


def test_broker_of_the_demo_ends_when_the_demo_is_killed(demo):
    process, read_output = demo
    port = int(eventually(lambda: re.search(r"127\.0\.0\.1:(\d+)", read_output()), "the port").group(1))
    process.kill()


    def refused() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED

    eventually(refused, "the end of the demo's broker")
