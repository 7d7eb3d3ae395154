"""A real mosquitto on a free loopback port."""

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import certificates
from waiting import TIMEOUT, eventually

HOST = "127.0.0.1"


#: Below the ports that the kernel gives to outgoing connections (32768 and above): none of them can take a
#: port while its broker is away, and no client can connect to itself.
_PORTS = range(20_000, 32_000)
_reservations: list[socket.socket] = []


def free_port() -> int:
    """A port that no other test process uses, for as long as this process lives.

    An abstract Unix socket of that name is the lock: the kernel releases it with the process.
    """
    first = os.getpid() * 37 % len(_PORTS)
    for port in (*_PORTS[first:], *_PORTS[:first]):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            lock.bind(f"\0v4l2mqtt-test-port-{port}")
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HOST, port))
        except OSError:
            lock.close()
            continue
        _reservations.append(lock)
        return port
    raise AssertionError(f"no port from {_PORTS.start} to {_PORTS.stop} is free")


class Broker:
    """One broker, which keeps its port, its accounts and its certificates over stop, kill and start.

    - `password`: of the account `USERNAME`; without it every client may connect.
    - `tls`: the broker shows a certificate and requires one of every client (see `certificates`).
    - `persistence`: what is retained outlives a stop.
    - `forbidden`: topic filters where no client may publish.
    - `rules`: an ACL file. Each account in a line `user` has its name as its password; there is no other
      account. `OBSERVER` may read everything.
    """

    KIND = "mosquitto"
    #: What this broker cannot do, and why (`broker_kinds`).
    LACKS: dict[str, str] = {}
    USERNAME = "porch"
    #: The account of clients that a test uses without naming one, where there are `rules`.
    OBSERVER = "observer"

    def __init__(self, folder: Path, *, password: str | None = None, tls=False, persistence=False, forbidden=(), rules=None):
        self.rules = rules
        self.folder, self.port, self.password = folder, free_port(), password
        #: Where agents connect.
        self.agent_port = self.port
        self.certificates = certificates.make(folder / "certificates") if tls else None
        self._process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._configuration = folder / "mosquitto.conf"
        self._configuration.write_text("\n".join(self._lines(persistence, forbidden)) + "\n")
        if rules:
            (folder / "rules").write_text(f"{rules}\nuser {self.OBSERVER}\ntopic read #\ntopic write recorder\n")
            for account in [*re.findall(r"^user (.+)$", rules, re.M), self.OBSERVER]:
                self.add_account(account, account)
        if password:
            self.add_account(self.USERNAME, password)

    def _lines(self, persistence: bool, forbidden):
        yield f"listener {self.port} {HOST}"
        yield f"allow_anonymous {'false' if self.password or self.rules else 'true'}"
        yield "set_tcp_nodelay true"
        yield f"persistence {'true' if persistence else 'false'}"
        yield f"persistence_location {self.folder}/"
        if os.geteuid() == 0:
            yield "user root"  # else it drops its rights and can't read its own folder
        if forbidden:
            rules = ["topic read #", "topic write #", *(f"topic deny {filter}" for filter in forbidden)]
            (self.folder / "rules").write_text("\n".join(rules) + "\n")
        if forbidden or self.rules:
            yield f"acl_file {self.folder / 'rules'}"
        if self.password or self.rules:
            yield f"password_file {self.folder / 'accounts'}"
        if self.certificates:
            yield f"cafile {self.certificates.authority}"
            yield f"certfile {self.certificates.server.certificate}"
            yield f"keyfile {self.certificates.server.key}"
            yield "require_certificate true"

    def add_account(self, username: str, password: str):
        """Takes effect at the next start."""
        accounts = self.folder / "accounts"
        accounts.touch(0o600)
        subprocess.run(["mosquitto_passwd", "-b", accounts, username, password], check=True, capture_output=True)

    def start(self):
        # Debian keeps the daemon where only root's PATH looks.
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
        assert program, "mosquitto is not installed"
        with open(self.folder / "mosquitto.log", "ab") as log:
            self._process = subprocess.Popen([program, "-v", "-c", self._configuration], stdout=log, stderr=log)
        eventually(self._listens, f"mosquitto on port {self.port}:\n{self.log}")
        return self

    def _listens(self) -> bool:
        assert self._process.poll() is None, f"mosquitto ended at the start:\n{self.log}"
        with socket.socket() as probe:
            return probe.connect_ex((HOST, self.port)) == 0

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        return (self.folder / "mosquitto.log").read_text(errors="replace")

    def stop(self):
        """Ends it with SIGTERM, which closes every connection and keeps what is persistent."""
        self._end(subprocess.Popen.terminate)

    def kill(self):
        """Ends it as a power cut does."""
        self._end(subprocess.Popen.kill)

    def _end(self, how):
        if self.running:
            how(self._process)
            self._process.wait(TIMEOUT)

    def admit(self, client, account: str | None = None):
        """Gives a paho client what this broker requires: the account, the certificate."""
        if self.rules:
            name = account or self.OBSERVER
            client.username_pw_set(name, name)
        elif self.password:
            client.username_pw_set(self.USERNAME, self.password)
        if self.certificates:
            client.tls_set(
                ca_certs=str(self.certificates.authority), certfile=str(self.certificates.client.certificate),
                keyfile=str(self.certificates.client.key))
