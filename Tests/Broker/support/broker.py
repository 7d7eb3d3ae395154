"""A real mosquitto on a free loopback port."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import certificates
from waiting import eventually

HOST = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


class Broker:
    """One broker, which keeps its port, its accounts and its certificates over stop, kill and start.

    - `password`: of the account `USERNAME`; without it everybody may connect.
    - `tls`: the broker shows a certificate and asks every client for one (see `certificates`).
    - `persistence`: what is retained outlives a stop.
    - `forbidden`: topic filters where nobody may publish.
    """

    USERNAME = "porch"

    def __init__(self, folder: Path, *, password: str | None = None, tls=False, persistence=False, forbidden=()):
        self.folder, self.port, self.password = folder, free_port(), password
        self.certificates = certificates.make(folder / "certificates") if tls else None
        self._process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._configuration = folder / "mosquitto.conf"
        self._configuration.write_text("\n".join(self._lines(persistence, forbidden)) + "\n")
        if password:
            self.add_account(self.USERNAME, password)

    def _lines(self, persistence: bool, forbidden):
        yield f"listener {self.port} {HOST}"
        yield f"allow_anonymous {'false' if self.password else 'true'}"
        yield "set_tcp_nodelay true"
        yield f"persistence {'true' if persistence else 'false'}"
        yield f"persistence_location {self.folder}/"
        if os.geteuid() == 0:
            yield "user root"  # else it drops its rights and can't read its own folder
        if forbidden:
            rules = ["topic read #", "topic write #", *(f"topic deny {filter}" for filter in forbidden)]
            (self.folder / "rules").write_text("\n".join(rules) + "\n")
            yield f"acl_file {self.folder / 'rules'}"
        if self.password:
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
        """Asks it to end, which closes every connection and keeps what is persistent."""
        self._end(subprocess.Popen.terminate)

    def kill(self):
        """Ends it as a power cut does."""
        self._end(subprocess.Popen.kill)

    def _end(self, how):
        if self.running:
            how(self._process)
            self._process.wait(10)

    def admit(self, client):
        """Gives a paho client what this broker asks for: the account, the certificate."""
        if self.password:
            client.username_pw_set(self.USERNAME, self.password)
        if self.certificates:
            client.tls_set(
                ca_certs=str(self.certificates.authority), certfile=str(self.certificates.client.certificate),
                keyfile=str(self.certificates.client.key))
