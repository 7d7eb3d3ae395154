"""The agent as a process of its own, with a configuration of its own."""

import copy
import os
import signal
import subprocess
from pathlib import Path

import yaml

from controller import Controller
from waiting import TIMEOUT, Logged

PROGRAM = Path(os.environ.get("V4L2MQTT", Path(__file__).resolve().parents[3] / ".build/release/v4l2mqtt"))


class Agent(Logged):
    """One agent, which keeps its folder, and so its state, over stop, kill and start.

    `camera` and the other settings are laid over a configuration that has one simulated camera, `door`, with
    a lens that moves immediately: `Agent(broker, folder, camera={"zoom": {"max": 4}}, mqtt={"protocol": 5})`.
    """

    def __init__(self, broker, folder: Path, *, name="porch", camera=None, **settings):
        self.broker, self.folder, self.name = broker, folder, name
        self.state_file, self.captures = folder / "state" / "state.json", folder / "captures"
        self.recordings = folder / "recordings"
        self.process: subprocess.Popen | None = None
        #: What runs the program, and its environment; None: that of the tests.
        self.prefix: list[str] = []
        self.environment: dict[str, str] | None = None
        #: The program that the next start runs.
        self.program = PROGRAM
        folder.mkdir(parents=True, exist_ok=True)
        self.configuration_file = folder / "agent.yaml"
        self.configure(_overlaid(self._defaults(camera or {}), settings))

    def _defaults(self, camera: dict) -> dict:
        self.state_file.parent.mkdir(exist_ok=True)
        mqtt = {"host": "127.0.0.1", "port": getattr(self.broker, "agent_port", self.broker.port)}
        if self.broker.rules:
            username = password = self.name
        else:
            username, password = self.broker.USERNAME, self.broker.password
        if password:
            account = self.folder / "password"
            account.write_text(password + "\n")
            account.chmod(0o600)
            mqtt |= {"username": username, "password_file": str(account)}
        if made := self.broker.certificates:
            mqtt["tls"] = {
                "ca_file": str(made.authority), "cert_file": str(made.client.certificate),
                "key_file": str(made.client.key)}
        door = {"id": "door", "source": "simulated", "simulated": {"optical_max": 2, "lens_speed": 0}}
        return {
            "agent": self.name, "mqtt": mqtt, "state_file": str(self.state_file),
            "captures": {"directory": str(self.captures)}, "recordings": {"directory": str(self.recordings)},
            # The tests of a file share an agent, and their controllers have no name.
            "limits": {"photos_per_minute": 100_000},
            "cameras": [_overlaid(door, camera)]}

    def configure(self, configuration: dict):
        """Takes effect at the next start."""
        self.configuration = configuration
        self.configuration_file.write_text(yaml.safe_dump(configuration, sort_keys=False))

    def rename(self, name: str):
        """Takes effect at the next start."""
        self.configure({**self.configuration, "agent": name})
        self.name = name

    def launch(self, *arguments: str):
        """Starts the process and waits for nothing."""
        with open(self.folder / "agent.log", "ab") as log:
            command = [*self.prefix, self.program, "run", "--config", self.configuration_file, *arguments]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        return self

    def start(self, *arguments: str):
        """Starts the process and waits until it publishes `online`; a retained message does not count."""
        with Controller(self.broker, agent=self.name) as watcher:
            watcher.inbox.wait_for(
                f"{watcher.agent_topic}/availability",
                lambda message: not message.retained and message.json["state"] == "online",
                since=0, give_up=self.launch(*arguments).ending)
        return self

    def ending(self) -> str | None:
        """How the process ended, with its log; None while it runs."""
        code = self.process.poll()
        return None if code is None else f"the agent ended with {code}:\n{self.log}"

    @property
    def log(self) -> str:
        """What the process wrote, over all its starts."""
        file = self.folder / "agent.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def signal(self, number: signal.Signals):
        self.process.send_signal(number)

    def exit_code(self) -> int:
        """Waits for the end of the process."""
        return self.process.wait(TIMEOUT)

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        return self.exit_code()

    def kill(self):
        """Ends it as a power cut does."""
        self.process.kill()
        self.process.wait(TIMEOUT)


def _overlaid(below: dict, above: dict) -> dict:
    """`above` wins; dicts are merged, everything else is replaced."""
    merged = copy.deepcopy(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _overlaid(merged[key], value) if both else value
    return merged
