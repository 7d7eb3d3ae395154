"""What a set-up consists of: the broker, its accounts and the certificates that it has issued, in one file.

Everything else in the folder of a set-up is generated from this file, except for keys and certificates.
"""

import json
import re
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .files import SetupError, write_file

ROLES = ("agent", "viewer", "controller", "home-assistant", "fleet", "console", "forget", "device")
#: Roles whose rights are limited to the cameras of `--cameras`. (Those of an agent are its own cameras.)
SCOPED = ("viewer", "controller", "home-assistant", "fleet", "console", "forget")
#: Accounts of `--check`, which exist only in its own broker.
PROBE = "check-"
EVERY_CAMERA = "+/+"
#: The level of topics for the configuration of all agents.
RESERVED = "fleet"
FILE = "accounts.json"
_VERSION = 1
_NAME = re.compile(r"[a-z0-9_-]{1,64}")
_BASE = re.compile(r"[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64})*")
_CAMERA_PATTERN = re.compile(r"(\+|[a-z0-9_-]{1,64})/(\+|[a-z0-9_-]{1,64})")


@dataclass
class Account:
    """An account of the broker. Its name is the `client` of its commands, or the name of the agent."""

    name: str
    role: str
    #: What the broker takes as its user name. That of an agent has an end that nobody can guess, because it
    #: is also its client identifier: a broker ends a connection when another client connects with the same
    #: identifier.
    user: str
    #: `password` or `certificate`
    login: str
    #: Patterns `agent/camera`, where `+` is any; of an agent the names of its cameras, or none for any.
    cameras: list[str] = field(default_factory=list)
    #: Topic filters of other devices that it may read or write.
    read: list[str] = field(default_factory=list)
    write: list[str] = field(default_factory=list)
    #: Names that an agent had before; it empties the topics of these.
    earlier: list[str] = field(default_factory=list)
    #: The line of the password file, without the user.
    password_hash: str = ""
    #: Of its certificate: hexadecimal, and a date (YYYY-MM-DD).
    serial: str = ""
    expires: str = ""

    @property
    def is_agent(self) -> bool:
        return self.role == "agent"

    @property
    def sees_every_camera(self) -> bool:
        return self.role in SCOPED and EVERY_CAMERA in self.cameras


@dataclass
class Setup:
    """A broker with its accounts."""

    #: The name and the addresses of the broker's certificate.
    names: list[str]
    addresses: list[str]
    base: str = "v4l2mqtt"
    discovery: str = "homeassistant"
    #: Whether commands on plain `…/set` are permitted too, where `client` is only the sender's word.
    open: bool = False
    #: The first of four ports, see `configuration.LISTENERS`.
    port: int = 8883
    pid_file: str = "/run/mosquitto/mosquitto.pid"
    #: The folder whose files mosquitto includes; empty: the user includes the file.
    include_folder: str = ""
    accounts: dict[str, Account] = field(default_factory=dict)
    #: Certificates that were taken back: `serial`, `expires`, `revoked`, `user`.
    revoked: list[dict[str, str]] = field(default_factory=list)

    def account(self, name: str) -> Account:
        if name not in self.accounts:
            raise SetupError(f"there is no account {name}")
        return self.accounts[name]

    def new_account(
        self, name: str, role: str, login: str, cameras: list[str], read: list[str], write: list[str], earlier: list[str]
    ) -> Account:
        """An account that keeps the rules of names and topics; it is not added.

        Raises SetupError.
        """
        check_name(name)
        if name in self.accounts:
            raise SetupError(f"there is an account {name} already; `rotate` gives it another password or certificate")
        taken = {name for account in self.accounts.values() for name in account.earlier}
        if name in taken or any(name in self.accounts for name in earlier):
            raise SetupError("a name that an agent had before cannot be the name of another account")
        if name.startswith(PROBE):
            raise SetupError(f"names that begin with {PROBE} belong to --check")
        if role == "agent" and login == "certificate" and len(name) > 47:
            raise SetupError("the name of an agent with a certificate has at most 47 characters")
        for other in earlier:
            check_name(other)
        if role == "agent" and RESERVED in (name, *earlier):
            raise SetupError(f"no agent can be called {RESERVED}: it is a level of topics")
        if earlier and role != "agent":
            raise SetupError("--earlier is for agents")
        if role == "device" and (cameras or not (read or write)):
            raise SetupError("a device has --read or --write, and no cameras")
        for pattern in cameras:
            shape = _NAME if role == "agent" else _CAMERA_PATTERN
            if not shape.fullmatch(pattern) or pattern.startswith(("groups/", f"{RESERVED}/")):
                expected = "names of its cameras" if role == "agent" else "agent/camera, where + is any: porch/+"
                raise SetupError(f"--cameras {pattern}: expected {expected}")
        for topic in read:
            self._check_filter(topic, writes=False)
        for topic in write:
            self._check_filter(topic, writes=True)
        user = f"{name}.{secrets.token_hex(8)}" if role == "agent" else name
        scope = cameras or ([EVERY_CAMERA] if role in SCOPED else [])
        return Account(name, role, user, login, scope, list(read), list(write), list(earlier))

    def _check_filter(self, topic: str, *, writes: bool):
        """Topics of other devices only: those of cameras, answers and Home Assistant belong to roles."""
        levels = topic.split("/")
        usable = len(topic) <= 256 and topic.isprintable() and " " not in topic and all(
            level == "+" or (level == "#" and index == len(levels) - 1) or not set("+#") & set(level)
            for index, level in enumerate(levels))
        if not usable:
            raise SetupError(f"{topic!r} is no topic filter without spaces")
        if levels[0] in ("+", "#"):
            raise SetupError(f"{topic}: the first level may not be a wildcard")
        if levels[0] == "$SYS" and not writes:
            return
        own = {self.base.split("/")[0], self.discovery.split("/")[0], "replies", "homeassistant", "check"}
        if levels[0] in own or levels[0].startswith("$"):
            raise SetupError(f"{topic}: topics below {levels[0]} are granted by roles only")

    def save(self, folder: Path):
        document = {"version": _VERSION, **asdict(self)}
        for account in document["accounts"].values():
            for key in [key for key, value in account.items() if not value]:
                del account[key]
        write_file(folder / FILE, json.dumps(document, indent=1) + "\n", 0o600)

    @classmethod
    def load(cls, folder: Path) -> "Setup":
        try:
            document = json.loads((folder / FILE).read_text())
        except FileNotFoundError:
            raise SetupError(f"there is no set-up in {folder}; `init` makes one") from None
        except PermissionError:
            raise SetupError(f"{folder / FILE} is readable for root only") from None
        except ValueError as error:
            raise SetupError(f"{folder / FILE} is damaged: {error}") from None
        if document.pop("version", None) != _VERSION:
            raise SetupError(f"{folder / FILE} is of another version of this program")
        accounts = {name: Account(**account) for name, account in document.pop("accounts").items()}
        return cls(**document, accounts=accounts)


def check_name(name: str):
    """Raises SetupError if an account or an agent cannot have this name."""
    if not _NAME.fullmatch(name):
        raise SetupError(f"{name!r}: a name has 1 to 64 of a-z, 0-9, _ and -")
    if name == "groups":
        raise SetupError("no account can be called groups: it is a level of topics")


def check_base(base: str):
    """Raises SetupError if this cannot be the first level or levels of topics."""
    if not _BASE.fullmatch(base) or base.split("/")[0] in ("replies", "check"):
        raise SetupError(f"{base!r}: a base topic has levels of letters, digits, _, . and -, other than replies")
