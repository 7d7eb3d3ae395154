"""Attempts to connect with the identity of another client, or to end the connections of others."""

import ssl

from .accounts import PROBE
from .authority import revoke
from .expectations import VICTIM
from .mqtt import Ended, Message, Refused, Session
from .private_broker import PrivateBroker

#: Accounts that are removed in the end.
REMOVED = (f"{PROBE}removed", f"{PROBE}removed-certificate")


def as_a_stranger(broker: PrivateBroker, rights: str, finding):
    """Without the credentials of the account."""
    accounts = broker.setup.accounts
    controller, viewer = accounts[f"{PROBE}controller"], accounts[f"{PROBE}viewer"]
    with_certificate, agent = accounts[f"{PROBE}one-camera"], accounts[VICTIM]
    clients, agents = broker.port(False, "password"), broker.port(True, "password")
    certificates, agent_certificates = broker.port(False, "certificate"), broker.port(True, "certificate")
    tls, password = broker.tls(), broker.passwords[controller.user]

    def refused(what: str, port: int, context, user=None, password=None):
        try:
            Session(port, context, "check-intruder", user, password).close()
            return finding("stranger", what, True, "connected", False)
        except Refused as error:
            return finding("stranger", what, True, f"refused: {error}"[:60], True)

    yield refused("connects without TLS", clients, None, controller.user, password)
    yield refused("connects with TLS 1.1", clients, _old_tls(broker), controller.user, password)
    yield refused("connects without an account", clients, tls)
    yield refused("connects without an account as an agent", agents, tls)
    yield refused("connects as an unknown account", clients, tls, "check-nobody", password)
    yield refused("connects with a wrong password", clients, tls, controller.user, password + "x")
    yield refused("connects with an empty password", clients, tls, controller.user, "")
    yield refused("connects without a password", clients, tls, controller.user)
    yield refused("connects with the password of another account", clients, tls, viewer.user, password)
    yield refused("connects as an agent by its name, with a password", agents, tls, agent.name, password)
    yield refused("connects as an account that has a certificate, without one", clients, tls, with_certificate.user)
    yield refused("connects as such an account with an empty password", clients, tls, with_certificate.user, "")
    yield refused("connects without a certificate where one is needed", certificates, tls, controller.user, password)
    yield refused("connects as an agent without a certificate", agent_certificates, tls, agent.user, password)
    for name, port in (("a client", certificates), ("an agent", agent_certificates)):
        foreign = broker.foreign_certificate(controller.user if port == certificates else agent.user)
        yield refused(f"connects as {name} by a certificate of another authority", port, broker.tls(foreign))
        own = broker.folder / "broker.crt", broker.folder / "broker.key"
        yield refused(f"connects as {name} by the broker's certificate", port, broker.tls(own))
    accepted = broker.is_valid_for_a_server(broker.certificate(with_certificate)[0])
    yield _result(finding, "controller", "poses as the broker by its certificate", accepted)


def _old_tls(broker: PrivateBroker) -> ssl.SSLContext:
    context = broker.tls()
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


def by_other_names(broker: PrivateBroker, rights: str, finding):
    """What a client says about itself gives no rights."""
    controller, with_certificate = (broker.setup.accounts[f"{PROBE}{name}"] for name in ("controller", "one-camera"))
    topic = f"{broker.setup.base}/{VICTIM}/check-camera/zoom/set/{controller.name}"
    port, tls = broker.port(False, "certificate"), broker.tls(broker.certificate(with_certificate))
    password = broker.passwords[controller.user]
    session = Session(port, tls, controller.name, controller.user, password)
    session.publish(Message(topic, b"another user"))
    delivered = broker.delivered(b"another user")
    yield _result(finding, "controller", "gives another user name beside its certificate", delivered)
    session.close()
    viewer = broker.setup.accounts[f"{PROBE}viewer"]
    session = broker.connect(viewer, bridge=True)
    session.publish(Message(topic, b"bridge"))
    delivered = broker.delivered(b"bridge")
    yield _result(finding, "viewer", "says that it is a bridge, and publishes a command", delivered)
    session.close()


def by_identifiers(broker: PrivateBroker, rights: str, finding):
    """A broker ends a connection when another client connects with its identifier."""
    accounts = broker.setup.accounts
    for name in (VICTIM, f"{PROBE}agent"):
        victim = accounts[name]
        for attacker in (accounts[f"{PROBE}viewer"], accounts[f"{PROBE}one-camera"], accounts[f"{PROBE}any-agent"]):
            stays = broker.connect(victim)
            for identifier in (victim.name, f"v4l2mqtt-{victim.name}", f"check-{victim.user}"):
                broker.connect(attacker, client_id=identifier).close()
            ended = not _is_open(stays)
            yield _result(finding, attacker.role, "ends the connection of an agent by its identifier", ended)
            stays.close()
    viewer, other = accounts[f"{PROBE}viewer"], accounts[f"{PROBE}controller"]
    for attacker in (viewer, other):  # there a broker replaces the identifier of a client by its user name
        stays, port = broker.connect(accounts[VICTIM]), broker.port(True, "password")
        for identifier in (accounts[VICTIM].user, f"check-{accounts[VICTIM].user}"):
            Session(port, broker.tls(), identifier, attacker.user, broker.passwords[attacker.user]).close()
        yield _result(finding, attacker.role, "takes an agent's identifier on the agents' port", not _is_open(stays))
        stays.close()
    first, second = (broker.connect(other, client_id=f"check-{number}") for number in (1, 2))
    both = _is_open(first) and _is_open(second)
    yield finding("controller", "has two connections", False, "both are open" if both else "one was ended", both)
    first.close()
    second.close()


def after_removal(broker: PrivateBroker, rights: str, finding):
    """Accounts that are removed while they are connected."""
    accounts = broker.setup.accounts
    removed = [accounts[name] for name in REMOVED]
    sessions = [broker.connect(account) for account in removed]
    revoke(broker.setup, accounts[f"{PROBE}removed-certificate"])
    sections = [part for part in rights.split("\n\n") if not any(f"user {name}\n" in f"{part}\n" for name in REMOVED)]
    broker.write("\n\n".join(sections) + "\n", [account for account in accounts.values() if account not in removed])
    broker.reload()
    for account, session in zip(removed, sessions):
        topic = f"{broker.setup.base}/{VICTIM}/check-camera/zoom/set/{account.name}"
        payload = f"after the removal of {account.name}".encode()
        try:
            session.publish(Message(topic, payload))
        except Ended:
            pass
        how = f"by its {account.login}"
        yield _result(finding, "removed account", f"publishes a command on the connection it had {how}",
                      broker.delivered(payload))
        session.close()
        try:
            broker.connect(account).close()
            yield _result(finding, "removed account", f"connects again {how}", True)
        except Refused:
            yield _result(finding, "removed account", f"connects again {how}", False)


def _is_open(session: Session) -> bool:
    try:
        session.flush()
        return True
    except Ended:
        return False


def _result(finding, who: str, what: str, succeeded: bool):
    return finding(who, what, True, "it had an effect" if succeeded else "without effect", not succeeded)


#: Each tries several things, one after the other. They are called with the broker, the list of rights, and
#: what makes a finding.
GROUPS = (as_a_stranger, by_other_names, by_identifiers, after_removal)
