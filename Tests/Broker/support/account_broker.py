"""A mosquitto as `deploy/broker` sets it up, and clients with its accounts."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import yaml

from agent import Agent
from broker import HOST, free_port
from controller import Controller
from waiting import TIMEOUT, eventually

PROGRAM = Path(__file__).resolve().parents[3] / "deploy/broker"


def run(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, PROGRAM, *map(str, arguments)], capture_output=True, text=True)


class AccountBroker:
    """A set-up in a folder, and the broker that runs with it. Its first port is `port`."""

    def __init__(self, folder: Path, *options: str):
        self.folder, self.process = folder / "set-up", None
        self.port = self.free_ports()
        self.do("init", "--name", "localhost", "--address", HOST, "--port", self.port,
                "--pid-file", folder / "pid", *options)
        self._log, self._pid_file = folder / "log", folder / "pid"

    @staticmethod
    def free_ports() -> int:
        """The first of four ports in a row that no other test uses."""
        ports = [free_port()]
        while ports[-4:] != list(range(ports[-1] - 3, ports[-1] + 1)):
            ports.append(free_port())
        return ports[-4]

    def do(self, command: str, *arguments) -> str:
        """The output of a command that succeeds."""
        done = run(command, *arguments, "--folder", self.folder)
        assert done.returncode == 0, f"{command} {arguments}:\n{done.stdout}{done.stderr}"
        return done.stdout

    def refuses(self, command: str, *arguments) -> str:
        """The error message of a command that is used wrongly."""
        done = run(command, *arguments, "--folder", self.folder)
        assert done.returncode == 64, f"{command} {arguments}:\n{done.stdout}{done.stderr}"
        return done.stderr

    def client_folder(self, name: str) -> Path:
        return self.folder / "private/clients" / name

    def start(self) -> "AccountBroker":
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
        configuration = self.folder.parent / "mosquitto.conf"
        # As root mosquitto would become a user that cannot reach the folder of a test.
        user = ["user root"] if os.geteuid() == 0 else []
        own = [*user, "log_type all", f"pid_file {self._pid_file}", ""]
        configuration.write_text("\n".join(own) + (self.folder / "mosquitto.conf").read_text())
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen([program, "-c", configuration], stdout=log, stderr=log)
        eventually(lambda: self._pid_file.exists() and self._log.read_text().count("running"), "mosquitto")
        return self

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(TIMEOUT)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


class Client:
    """The port and the credentials of an account: a `Controller` takes it in place of a broker."""

    def __init__(self, broker: AccountBroker, name: str):
        self.name, self.files = name, broker.client_folder(name)
        self._has_certificate = (self.files / "client.crt").exists()
        self.port = broker.port + (2 if self._has_certificate else 0)

    def admit(self, client, account=None):
        if self._has_certificate:
            files = {"certfile": str(self.files / "client.crt"), "keyfile": str(self.files / "client.key")}
        else:
            files = {}
            client.username_pw_set(self.name, (self.files / "password").read_text().strip())
        client.tls_set(ca_certs=str(self.files / "ca.crt"), **files)

    def controller(self, **options) -> Controller:
        """A controller with this account."""
        return Controller(self, account=self.name, **options)


@contextmanager
def served(broker: AccountBroker, name: str, folder):
    """Starts an agent with the configuration that the set-up wrote; only paths that root has are replaced."""

    class Start:
        port, rules, USERNAME, password, certificates = broker.port, None, None, None, None

    files = broker.client_folder(name)
    agent = Agent(Start, folder, name=name)
    made = yaml.safe_load((files / "config.yaml").read_text())
    if "password_file" in made["mqtt"]:
        made["mqtt"]["password_file"] = str(files / "password")
    made["mqtt"]["tls"] = {
        key: str(files / {"ca_file": "ca.crt", "cert_file": "client.crt", "key_file": "client.key"}[key])
        for key in made["mqtt"]["tls"]}
    agent.configure({**agent.configuration, **made})
    try:
        yield agent.launch()
    finally:
        if agent.process.poll() is None:
            agent.kill()
        print(agent.log)
