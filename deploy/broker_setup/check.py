"""`deploy/broker --check`: tries what each account may and may not do, and inspects the files of a set-up.

A message counts as refused only if an observer who may read everything does not receive it, or if the
subscriber does not receive it: mosquitto acknowledges both.
"""

import itertools
import os
import re
import stat
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from . import configuration, connections, expectations
from .accounts import FILE, PROBE, ROLES, Account, Setup
from .acl import section
from .authority import end_of, openssl, today
from .expectations import AGENT, OTHER, VICTIM, Attempt
from .files import SetupError
from .mqtt import Ended, Message, Refused, Session
from .private_broker import PrivateBroker

_numbers = itertools.count(1)
#: Days before its end from which a certificate is reported.
_SOON = 30
_DIFFERS = "it was changed by hand, or by another version of this program; `generate` writes it again"


@dataclass(frozen=True)
class Finding:
    """What was tried by whom, and whether it came out as it should."""

    #: A role, or who else tries it.
    who: str
    what: str
    #: Whether it may not succeed.
    hostile: bool
    outcome: str
    ok: bool
    #: The account, for those of a role.
    account: str = ""


def run(folder: Path, *, quiet: bool) -> int:
    """Returns the exit status: 1 if anything is not as it should be."""
    setup = Setup.load(folder)
    findings = inspect(setup, folder)
    with tempfile.TemporaryDirectory(prefix="v4l2mqtt-check-") as temporary:
        findings += try_everything(setup, folder, Path(temporary))
    return report(findings, quiet)


# What each account does


def probes() -> list[Account]:
    """Accounts of all roles, with and without limits, that exist in the broker of the check only."""

    def probe(name: str, role: str, *cameras: str, login="password", **more) -> Account:
        user = f"{PROBE}{name}" + (".0123456789abcdef" if role == "agent" else "")
        return Account(f"{PROBE}{name}", role, user, login, list(cameras), **more)

    limit = f"{VICTIM}/{expectations.CAMERA}"
    return [
        probe(VICTIM.removeprefix(PROBE), "agent", expectations.CAMERA),
        probe(AGENT.removeprefix(PROBE), "agent", expectations.CAMERA, login="certificate"),
        probe("any-agent", "agent"),
        probe(OTHER.removeprefix(PROBE), "controller", "+/+"),
        probe("controller", "controller", "+/+"),
        probe("one-camera", "controller", limit, login="certificate"),
        probe("one-name", "controller", f"+/{expectations.CAMERA}"),
        probe("viewer", "viewer", "+/+"),
        probe("one-camera-viewer", "viewer", limit),
        probe("home", "home-assistant", "+/+"),
        probe("fleet", "fleet", "+/+"),
        probe("one-agent-fleet", "fleet", f"{VICTIM}/+"),
        probe("console", "console", "+/+"),
        probe("forget", "forget", "+/+"),
        probe("one-camera-forget", "forget", limit),
        probe("device", "device", read=["check-device/+"], write=["check-device/out"]),
        probe("removed", "controller", "+/+"),
        probe("removed-certificate", "controller", "+/+", login="certificate"),
    ]


def try_everything(setup: Setup, folder: Path, temporary: Path) -> list[Finding]:
    """Runs all attempts in a broker with the rights and the configuration that the folder has."""
    added = probes()
    everyone = Setup(**{**vars(setup), "accounts": {
        **setup.accounts, **{account.name: account for account in added}}, "revoked": []})
    rights = (folder / "acl").read_text() + "".join(section(everyone, account) for account in added)
    lists = {"acl": rights, "mosquitto.conf": (folder / "mosquitto.conf").read_text()}
    broker = PrivateBroker(everyone, lists, temporary)
    try:
        findings = []
        for account in everyone.accounts.values():
            findings += try_account(broker, account)
        for group in connections.GROUPS:
            try:
                findings += group(broker, rights, Finding)
            except (Refused, Ended) as error:
                findings.append(Finding("accounts", "connect with what they were given", False, str(error), False))
        return findings
    finally:
        broker.stop()


def try_account(broker: PrivateBroker, account: Account) -> list[Finding]:
    try:
        tried = [finding for attempts in (publish, subscribe, leave_wills) for finding in attempts(broker, account)]
        return [Finding(account.role, "connects", False, "connected", True, account.name), *tried]
    except (Refused, Ended) as error:
        return [Finding(account.role, "connects", False, str(error), False, account.name)]


def publish(broker: PrivateBroker, account: Account):
    session = broker.connect(account)
    for attempt in expectations.publications(broker.setup, account):
        payload = f"{next(_numbers)}".encode()
        try:
            session.publish(Message(attempt.topic, payload, retain=attempt.topic.endswith("zoom")))
        except Ended:
            session = broker.connect(account)
        yield _finding(account, "publishes", attempt, broker.delivered(payload))
    session.close()


def subscribe(broker: PrivateBroker, account: Account):
    attempts = expectations.subscriptions(broker.setup, account)
    retained, live = ({attempt.topic: f"{next(_numbers)}".encode() for attempt in attempts} for _ in range(2))
    for topic, payload in retained.items():
        broker.observer.publish(Message(topic, payload, retain=True))
    session = broker.connect(account)
    shared = (f"$share/check/{attempt.topic}" for attempt in attempts)
    session.subscribe("#", "+/#", "$SYS/#", "$share/check/#", *shared, *(attempt.topic for attempt in attempts))
    for topic, payload in live.items():
        broker.observer.publish(Message(topic, payload))
    session.flush()
    received = {message.payload for message in session.received}
    for attempt in attempts:
        outcomes = {payloads[attempt.topic] in received for payloads in (retained, live)}
        if len(outcomes) == 2:
            outcome = "live and retained messages differ"
            yield Finding(
                account.role, f"reads {attempt.what}", not attempt.allowed, outcome, False, account.name)
        else:
            yield _finding(account, "reads", attempt, outcomes.pop())
    if not any(topic.startswith("$SYS") for topic in account.read):
        system = any(message.topic.startswith("$SYS") for message in session.received)
        yield _finding(account, "reads", Attempt("topics of the broker", "$SYS/#", False), system)
    session.close()
    for topic in retained:
        broker.observer.publish(Message(topic, b"", retain=True))


def leave_wills(broker: PrivateBroker, account: Account):
    """The broker publishes a will in the name of its client, when that is gone."""
    wills = (
        "its own availability", "the availability of an agent", "the availability of an agent with other cameras",
        "a command in another client's name", "a command to a group")
    for attempt in expectations.publications(broker.setup, account):
        if attempt.what not in wills:
            continue
        payload = f"{next(_numbers)}".encode()
        session: Session = broker.connect(account, will=Message(attempt.topic, payload, retain=True))
        session.leave_with_will()
        yield _finding(account, "leaves as its will", attempt, broker.delivered(payload))


def _finding(account: Account, verb: str, attempt: Attempt, delivered: bool) -> Finding:
    outcome = f"{'delivered' if delivered else 'not delivered'}: {attempt.topic}"
    ok = delivered == attempt.allowed
    return Finding(account.role, f"{verb} {attempt.what}", not attempt.allowed, outcome, ok, account.name)


# The files


def inspect(setup: Setup, folder: Path) -> list[Finding]:
    """Looks at generated files, permissions, certificates, and at what else mosquitto includes."""
    return [
        Finding("files", what, False, outcome or "as it should be", not outcome)
        for what, outcome in [
            *_generated(setup, folder), *_identifiers(setup), *_permissions(folder), *_certificates(setup, folder),
            *_included(setup, folder)]]


def _generated(setup: Setup, folder: Path):
    for name, text in configuration.generated_files(setup, folder).items():
        try:
            differs = (folder / name).read_text() != text
        except OSError as error:
            raise SetupError(str(error)) from None
        yield f"{name} is as generated from {FILE}", _DIFFERS if differs else ""


def _identifiers(setup: Setup):
    known = [name for name, account in setup.accounts.items() if account.is_agent and len(account.user) < len(name) + 16]
    yield "client identifiers of agents cannot be guessed", ", ".join(known)


def _permissions(folder: Path):
    limits = {folder: 0o750, folder / "private": 0o700, folder / "private/ca.key": 0o600, folder / FILE: 0o600}
    limits |= {folder / name: 0o640 for name in ("acl", "passwords", "mosquitto.conf", "broker.key", "revoked.crl")}
    limits |= {file: 0o700 if file.is_dir() else 0o600 for file in folder.glob("private/clients/**/*")}
    excess = []
    for path, limit in limits.items():
        if not path.exists():  # such as the authority's key, which may be kept elsewhere
            continue
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & ~limit:
            excess.append(f"{path} has {mode:04o}, expected {limit:04o}")
    yield "keys, passwords and rights are not readable for others", "; ".join(excess)


def ends_of_certificates(setup: Setup, folder: Path) -> "dict[str, date]":
    """By the account, and for the broker and the authority."""
    ends = {"the authority": end_of(folder / "ca.crt"), "the broker": end_of(folder / "broker.crt")}
    return ends | {name: date.fromisoformat(one.expires) for name, one in sorted(setup.accounts.items()) if one.expires}


def _certificates(setup: Setup, folder: Path):
    certificate = folder / "broker.crt"
    wrong = []
    for host in [*setup.names, *setup.addresses]:
        option = "-verify_ip" if host in setup.addresses else "-verify_hostname"
        try:
            openssl("verify", "-CAfile", folder / "ca.crt", "-purpose", "sslserver", option, host, certificate)
        except SetupError as error:
            wrong.append(f"{host}: {error}")
    yield "the broker's certificate has its names, by the authority", "; ".join(wrong)
    late = [f"the certificate of {name} ends on {end}" for name, end in ends_of_certificates(setup, folder).items()
            if (end - today()).days < _SOON]
    yield f"no certificate ends within {_SOON} days", "; ".join(late)


def _included(setup: Setup, folder: Path):
    """The settings of other files that mosquitto includes count for all listeners."""
    if not setup.include_folder:
        return
    options = r"(listener|port|allow_anonymous|password_file|acl_file|per_listener_settings|plugin|auth_plugin)"
    others = [
        f"{file} has {', '.join(sorted(set(found)))}"
        for file in sorted(Path(setup.include_folder).glob("*.conf")) if file.resolve() != folder / "mosquitto.conf"
        for found in [re.findall(rf"^{options}\b", file.read_text(), re.MULTILINE)] if found]
    yield "no other file sets listeners, accounts or rights", "; ".join(others)
    link = Path(setup.include_folder) / "v4l2mqtt.conf"
    yield "mosquitto includes the configuration", "" if os.path.realpath(link) == str(folder / "mosquitto.conf") else (
        f"{link} is missing")


# The report


def report(findings: list[Finding], quiet: bool) -> int:
    """Prints what each role may do as a table, then everything else, and at the end what is wrong."""
    if not quiet:
        of_roles = [finding for finding in findings if finding.account]
        cells: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for finding in of_roles:
            cells[finding.what][finding.who].add(
                "WRONG" if not finding.ok else "–" if finding.hostile else "yes")
        rows = [(what, *(_cell(row[role]) for role in ROLES)) for what, row in cells.items()]
        print_table([("DELIVERED?", *ROLES), *sorted(rows, key=lambda row: row[0].split()[0] != "publishes")])
        print("\nyes: all accounts of the role; some: not those that are limited to some cameras; –: none\n")
        print_table([
            (finding.who, finding.what, finding.outcome, "ok" if finding.ok else "WRONG")
            for finding in findings if not finding.account])
        print()
    wrong = [finding for finding in findings if not finding.ok]
    for finding in wrong:
        who = f"{finding.account} ({finding.who})" if finding.account else finding.who
        print(f"WRONG: {who} {finding.what}: {finding.outcome}")
    hostile = [finding for finding in findings if finding.hostile]
    kinds = len({finding.what for finding in hostile})
    print(
        f"{len(hostile)} hostile attempts of {kinds} kinds, {len(findings) - len(hostile)} checks that have to succeed: "
        f"{len(wrong)} went wrong.")
    return 1 if wrong else 0


def _cell(outcomes: set[str]) -> str:
    """One word for the outcomes of all accounts of a role; empty: not tried."""
    return "WRONG" if "WRONG" in outcomes else "some" if len(outcomes) > 1 else "".join(outcomes)


def print_table(rows: "list[tuple[str, ...]]"):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
