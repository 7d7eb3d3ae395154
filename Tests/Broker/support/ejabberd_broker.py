"""A real ejabberd on a free loopback port."""

import os
import resource
import shutil
import socket
import subprocess
from pathlib import Path

from broker import HOST, free_port
from waiting import TIMEOUT, eventually

_CONFIGURATION = """\
hosts: [fleet]
loglevel: info
listen:
  - {{ port: {port}, ip: {host}, module: mod_mqtt, backlog: 1000 }}
auth_method: anonymous
anonymous_protocol: login_anon
allow_multiple_connections: true
modules:
  mod_mqtt: {{ match_retained_limit: infinity, max_queue: 10000{module} }}
"""


class EjabberdBroker:
    """As `Broker`, with any account and any password. What is retained outlives every stop.

    The node is not distributed: it needs no name, no cookie and no port mapper, and every user may run it.
    """

    KIND = "ejabberd"
    USERNAME = "porch"
    #: What a `Broker` can do and this one cannot, and why.
    LACKS = {
        "password": "every password is accepted here",
        "rules": "this ejabberd has no access rules",
        "forbidden": "this ejabberd has no access rules",
        "tls": "this ejabberd has no certificate",
        "anonymous clients": "each client needs an account",
        "forgetting": "what is retained outlives a kill",
        "wildcards in response topics": "ejabberd refuses such a message itself",
    }

    def __init__(self, folder: Path, *, persistence=True, port: int | None = None, **_):
        self.folder, self.port = folder, port or free_port()
        self.agent_port, self.password = self.port, "any"
        self.rules = self.certificates = None
        self._process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)
        settings = _CONFIGURATION.format(port=self.port, host=HOST, module=self._module_settings())
        (folder / "ejabberd.yml").write_text(settings + self._further_settings())

    def _module_settings(self) -> str:
        """Further settings of the MQTT module, after a comma."""
        return ""

    def _further_settings(self) -> str:
        return ""

    def _options(self) -> list[str]:
        """Further options of `erl`."""
        return []

    def start(self):
        program = shutil.which("erl")
        libraries = next(Path("/usr/lib").glob("*/ejabberd-*"), None)
        assert program and libraries, "ejabberd is not installed: deploy/prepare other_brokers"
        environment = os.environ | {
            "ERL_LIBS": str(libraries.parent), "EJABBERD_CONFIG_PATH": str(self.folder / "ejabberd.yml"),
            "EJABBERD_LOG_PATH": str(self.folder / "ejabberd.log"), "ERL_CRASH_DUMP_BYTES": "0",
            "HOME": str(self.folder)}
        command = [
            program, "-noinput", "-mnesia", "dir", f'"{self.folder}/spool"', "-s", "ejabberd", *self._options()]
        with open(self.folder / "output.log", "ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=self.folder,
                preexec_fn=_with_descriptors)
        # It loads and compiles much, beside other tests and programs.
        eventually(self._is_ready, f"ejabberd on port {self.port}", timeout=180)
        return self

    def _is_ready(self) -> bool:
        assert self.running, f"ejabberd ended at the start:\n{self.log}"
        with socket.socket() as probe:
            return probe.connect_ex((HOST, self.port)) == 0

    @property
    def pid(self) -> int:
        """Of the process that was started last."""
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        return (self.folder / "output.log").read_text(errors="replace")

    def stop(self):
        self._end(subprocess.Popen.terminate)

    def kill(self):
        self._end(subprocess.Popen.kill)

    def _end(self, how):
        if self.running:
            how(self._process)
            self._process.wait(TIMEOUT)

    def admit(self, client, account: str | None = None):
        """Gives a paho client an account."""
        client.username_pw_set(account or self.USERNAME, self.password)


def _with_descriptors():
    """Erlang makes a table of as many descriptors as it may open."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, max(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
