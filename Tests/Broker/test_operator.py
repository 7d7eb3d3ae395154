"""What an operator does with a fleet: ten agents from one configuration, with accounts by `deploy/broker`.

`deploy/operation.md` describes it. Each agent has a host name of its
own and a certificate; all have the same configuration file.
"""

import json
import shutil
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from account_broker import AccountBroker, Client
from agent import PROGRAM
from command_line import begun, ctl
from exporter import Exporter
from inbox import Inbox, Message
from waiting import TIMEOUT, eventually

GROUP = "outside"
NAMES = [f"cam-{number:02}" for number in range(1, 11)]
#: The one that dies.
VICTIM = NAMES[4]
IMAGE = {
    "agent": "{hostname}",
    "mqtt": {"tls": {"ca_file": "ca.crt", "cert_file": "client.crt", "key_file": "client.key"}},
    "clients": "proved",
    "state_file": "state/state.json",
    "captures": {"directory": "captures"}, "recordings": {"directory": "recordings", "codec": "mjpeg"},
    "cameras": [{
        "id": "door", "source": "simulated", "groups": [GROUP],
        "simulated": {"width": 64, "height": 36, "fps": 30, "lens_speed": 0}}],
}


class Device:
    """A machine that was made from the image: its host name, its certificate, and a folder for its state."""

    def __init__(self, name: str, folder: Path, image: str, account: Client):
        self.name, self.folder = name, folder
        self.process: subprocess.Popen | None = None
        folder.mkdir()
        (folder / "config.yaml").write_text(image)
        for file in ("ca.crt", "client.crt", "client.key"):
            shutil.copy(account.files / file, folder / file)

    def start(self):
        command = ["unshare", "--uts", "sh", "-c", f'hostname {self.name}; exec "$@"', "sh", PROGRAM, "run"]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [*command, "--config", "config.yaml"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait(TIMEOUT)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")


@pytest.fixture
def broker(tmp_path):
    broker = AccountBroker(tmp_path)
    for name in NAMES:
        broker.do("add", name, "--role", "agent", "--cameras", "door", "--certificate")
    broker.do("add", "manager", "--role", "fleet")
    broker.do("add", "owner", "--role", "controller", "--cameras", f"{VICTIM}/door")
    broker.do("add", "metrics", "--role", "viewer")
    with broker:
        yield broker


@pytest.fixture
def devices(broker, tmp_path):
    """Ten devices, by name, whose agents are online."""
    image = {**IMAGE, "mqtt": {"host": "localhost", "port": broker.port + 3, **IMAGE["mqtt"]}}
    accounts = {name: Client(broker, name) for name in NAMES}
    devices = {name: Device(name, tmp_path / name, yaml.safe_dump(image), accounts[name]) for name in NAMES}
    try:
        for device in devices.values():
            device.start()
        yield devices
    finally:
        for device in devices.values():
            device.kill()
            print(f"--- {device.name} logged:\n{device.log}")


@pytest.fixture
def place(broker):
    """The options of `ctl` for the fleet manager."""
    files = broker.client_folder("manager")
    return ["--host", "localhost", "--port", str(broker.port), "--username", "manager",
            "--password-file", str(files / "password"), "--ca-file", str(files / "ca.crt")]


@pytest.fixture
def manager(broker, devices):
    """A client of the fleet manager that sees all agents, which are online."""
    manager = Client(broker, "manager").controller(agent="+")
    with closing(manager):
        for name in NAMES:
            manager.inbox.wait_for(f"v4l2mqtt/{name}/door/desired", lambda message: True, since=0)
        yield manager


def rows(place) -> dict[str, dict]:
    listed = ctl("list", *place, "--json")
    assert (listed.returncode, listed.stderr) == (0, "")
    return {row["agent"]: row for row in json.loads(listed.stdout)}


def version_of(inbox: Inbox, name: str, outcome: str, since=0):
    def is_it(message: Message) -> bool:
        state = message.json
        return bool(state) and (state.get("group"), state["version"], state["outcome"]) == (GROUP, 1, outcome)
    return inbox.wait_for(f"v4l2mqtt/{name}/door/desired", is_it, since=since)


def test_one_image_is_ten_agents_and_a_rollout_outlives_the_death_of_one(broker, devices, manager, place, tmp_path):
    assert sorted(rows(place)) == NAMES
    # The configuration of the fleet reaches all, and its refusal is seen.
    fleet = {"version": 7, "config": {"zoom": {"live_rate": 11}}}
    manager.publish("v4l2mqtt/fleet/config", json.dumps(fleet).encode(), retain=True)
    eventually(lambda: all(row.get("fleet") == {"version": 7} for row in rows(place).values()), "version 7")
    for name in NAMES:
        manager.inbox.wait_for(
            f"v4l2mqtt/{name}/availability", lambda message: message.json == {**message.json, "state": "online", "boot": 2}, since=0)
    # The victim accepts the version, and waits for the end of a recording; then it dies.
    with Client(broker, "owner").controller(agent=VICTIM) as owner:
        owner.inbox.wait_for(f"{owner.camera_topic}/availability", lambda message: message.json["state"] == "online", since=0)
        owner.obeyed("recording", "ON")
    night = tmp_path / "night.json"
    night.write_text(json.dumps({"session": {"quality": "64x36"}, "controls": {"brightness": 100}}))
    words = ["desired", "apply", str(night), *place, "--group", GROUP, "--step", "3", "--version", "1"]
    running = begun(*words, "--stop-after-failures", "1", "--timeout", "60s")
    version_of(manager.inbox, VICTIM, "applying")
    devices[VICTIM].kill()
    output, errors = running.communicate(timeout=TIMEOUT)
    assert running.returncode == 1
    assert output.splitlines() == [
        "outside version 1, step 1: 3 done, 0 refused, 0 silent, of 10",
        "outside version 1, step 2: 5 done, 0 refused, 1 silent, of 10",
        "outside version 1, stopped: 5 done, 0 refused, 1 silent, of 10"]
    assert f"{VICTIM}/door: the agent is offline" in errors and "Stopped after 1 failure." in errors
    with closing(Metrics(broker, tmp_path)) as metrics:
        metrics.eventually(f'v4l2mqtt_agent_up{{agent="{VICTIM}"}}', 0)
        metrics.eventually(f'v4l2mqtt_agent_up{{agent="{NAMES[0]}"}}', 1)
        metrics.eventually(f'v4l2mqtt_agent_fleet_version{{agent="{NAMES[0]}"}}', 7)
        summary = ctl("zoom", "2", *place, "--group", GROUP)
        assert (summary.returncode, summary.stdout) == (1, "outside: 9 done, 0 refused, 1 silent\n")
        # It comes back, and the rollout goes on.
        devices[VICTIM].start()
        metrics.eventually(f'v4l2mqtt_agent_up{{agent="{VICTIM}"}}', 1)
    resumed = ctl(*words)
    assert (resumed.returncode, resumed.stderr) == (0, ""), resumed.stdout
    assert resumed.stdout.splitlines()[-1] == "outside version 1, finished: 10 done, 0 refused, 0 silent, of 10"
    for name in NAMES:
        version_of(manager.inbox, name, "applied")
    # One moment, ten photos.
    photos = tmp_path / "photos"
    captured = ctl("capture", *place, "--group", GROUP, "--output", str(photos))
    assert (captured.returncode, captured.stderr) == (0, "")
    assert captured.stdout.splitlines()[-1] == "outside: 10 done, 0 refused, 0 silent"
    files = sorted(photos.iterdir())
    assert [file.name[:len("cam-01-door-door-")] for file in files] == [f"{name}-door-door-" for name in NAMES]
    assert all(file.read_bytes().startswith(b"\xff\xd8") for file in files)
    # A fleet manager sends no other commands to single cameras, and is told so at once.
    refused = ctl("zoom", "3", *place, "--agent", NAMES[0])
    assert refused.returncode == 1
    assert refused.stderr == f"The broker refuses a message on v4l2mqtt/{NAMES[0]}/door/zoom/set/manager: Not authorized\n"


class Metrics(Exporter):
    """An exporter with the account of a viewer."""

    def __init__(self, broker: AccountBroker, folder: Path):
        files = broker.client_folder("metrics")
        super().__init__(
            broker, folder, "--host", "localhost", "--username", "metrics", "--password-file", files / "password",
            "--ca-file", files / "ca.crt")
        self.start()

    def close(self):
        self.stop(signal.SIGKILL)
