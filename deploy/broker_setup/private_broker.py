"""A mosquitto of its own for the check: the configuration and the rights of a set-up, with new credentials.

It needs no secret of any person and does not touch the running broker.
"""

import shutil
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

from . import configuration
from .accounts import Account, Setup
from .authority import Authority, openssl
from .files import FOR_MOSQUITTO, SetupError, make_folder, write_file
from .mqtt import TIMEOUT, Message, Session

OBSERVER = "check.observer"
BARRIER = "check/barrier"


class PrivateBroker:
    """Listens on free ports of the loopback interface only. `setup` and `folder` are what it is made of."""

    def __init__(self, setup: Setup, lists: dict[str, str], folder: Path):
        """- setup: with the accounts that can connect.
        - lists: `mosquitto.conf` and `acl` as they are to be checked.
        """
        self.setup, self.folder = setup, folder
        self.passwords: dict[str, str] = {}
        self._delivered: set[bytes] = set()
        make_folder(folder, 0o750)
        make_folder(folder / "private", 0o700)
        self.authority = Authority(folder)
        self.authority.make("the check")
        local = Setup(["localhost"], [])
        self.authority.certify_broker(local, folder / "broker.crt", folder / "broker.key")
        for account in [*setup.accounts.values(), Account(OBSERVER, "observer", OBSERVER, "password")]:
            self._give_credentials(account)
        self.write(lists["acl"], setup.accounts.values())
        self._configure(lists["mosquitto.conf"])
        self._process = self._start()
        self.observer = self._observe()

    def write(self, acl: str, accounts):
        """The rights and the accounts that count from the next start or reload."""
        rights = f"\nuser {OBSERVER}\ntopic readwrite #\ntopic read $SYS/#\n"
        write_file(self.folder / "acl", acl + rights, FOR_MOSQUITTO)
        users = [account.user for account in accounts if account.login == "password"] + [OBSERVER]
        lines = [f"{user}:{configuration.hashed(self.passwords[user])}\n" for user in users]
        write_file(self.folder / "passwords", "".join(lines), FOR_MOSQUITTO)
        self.authority.publish_revocations(self.setup)

    def reload(self):
        """Makes the broker read its files again, and returns when it has."""
        self._process.send_signal(signal.SIGHUP)
        # It reads the files between two rounds of its loop; the observer's answers come from later rounds.
        self._until(lambda: self._log().count("Reloading config.") > self._reloads, "to read its files again")
        self._reloads += 1
        self.barrier()

    def _give_credentials(self, account: Account):
        if account.login == "certificate":
            self.authority.certify_account(account, *self.certificate(account), days=2)
        else:
            self.passwords[account.user] = configuration.new_password()

    def certificate(self, account: Account) -> "tuple[Path, Path]":
        return self.folder / f"{account.user}.crt", self.folder / f"{account.user}.key"

    def _configure(self, text: str):
        ports = _free_ports(text.count("\nlistener "))
        self._ports: dict[int, int] = {}

        def moved(line: str) -> str:
            name, _, value = line.partition(" ")
            if name == "listener":
                usual = int(value.split()[0])
                self._ports[usual] = ports.pop()
                return f"listener {self._ports[usual]} 127.0.0.1"
            if name in ("password_file", "acl_file", "cafile", "certfile", "keyfile", "crlfile"):
                return f"{name} {self.folder}/{Path(value).name}"
            return line

        lines = [moved(line) for line in text.splitlines()]
        log = ["log_dest stderr", "log_type all", "connection_messages true"]
        write_file(self.folder / "mosquitto.conf", "\n".join([*log, *lines]) + "\n", FOR_MOSQUITTO)

    def _start(self) -> subprocess.Popen:
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
        if not program:
            raise SetupError("there is no program mosquitto: apt-get install mosquitto")
        self._reloads = 0
        with open(self.folder / "log", "wb") as log:
            process = subprocess.Popen(
                [program, "-c", self.folder / "mosquitto.conf"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._process = process

        def listens() -> bool:
            if process.poll() is not None:
                raise SetupError(f"mosquitto does not start with this configuration:\n{self._log()}")
            with socket.socket() as probe:
                return all(probe.connect_ex(("127.0.0.1", port)) == 0 for port in list(self._ports.values())[-1:])

        self._until(listens, "to listen")
        return process

    def _until(self, condition, what: str):
        end = time.monotonic() + TIMEOUT
        while not condition():
            if time.monotonic() > end:
                raise SetupError(f"waited in vain for mosquitto {what}:\n{self._log()}")
            time.sleep(0.01)

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def stop(self):
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(TIMEOUT)

    # Clients

    def port(self, for_agents: bool, login: str) -> int:
        return self._ports[self.setup.port + next(
            listener.offset for listener in configuration.LISTENERS
            if (listener.for_agents, listener.login) == (for_agents, login))]

    def tls(self, certificate: "tuple[Path, Path] | None" = None) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        if certificate:
            context.load_cert_chain(*map(str, certificate))
        return context

    def connect(self, account: Account, client_id: "str | None" = None, **options) -> Session:
        """Connects as an account, as its client should."""
        port = self.port(account.is_agent, account.login)
        client_id = f"check-{account.user}" if client_id is None else client_id
        if account.login == "certificate":
            return Session(port, self.tls(self.certificate(account)), client_id, **options)
        return Session(port, self.tls(), client_id, account.user, self.passwords[account.user], **options)

    # The observer

    def _observe(self) -> Session:
        account = Account(OBSERVER, "observer", OBSERVER, "password")
        session = self.connect(account)
        session.subscribe("#", "$SYS/broker/version")
        if not any(message.topic == "$SYS/broker/version" for message in session.received):
            raise SetupError("the broker of the check publishes no $SYS/broker/version, which the check expects")
        return session

    def barrier(self):
        """Returns when the observer has received all messages that the broker has taken so far."""
        self.observer.publish(Message(BARRIER, b""))
        self.observer.flush()

    def delivered(self, payload: bytes) -> bool:
        """Whether a message with this payload has reached the observer."""
        self.barrier()
        self._delivered |= {message.payload for message in self.observer.received}
        self.observer.received.clear()
        return payload in self._delivered

    def foreign_certificate(self, user: str) -> "tuple[Path, Path]":
        """A certificate for an account by an authority that the broker does not know."""
        folder = self.folder / "foreign"
        make_folder(folder, 0o700)
        make_folder(folder / "private", 0o700)
        stranger = Authority(folder)
        stranger.make("a stranger")
        files = folder / "client.crt", folder / "client.key"
        stranger.certify_account(Account(user, "stranger", user, "certificate"), *files, days=2)
        return files

    def is_valid_for_a_server(self, certificate: Path) -> bool:
        """Whether a client would accept a certificate from a broker."""
        try:
            openssl("verify", "-CAfile", self.folder / "ca.crt", "-purpose", "sslserver", certificate)
        except SetupError:
            return False
        return True


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
