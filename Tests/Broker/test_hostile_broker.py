"""A hostile or faulty broker costs the agent at most a restart, and `ctl` an error."""

import contextlib
import re
import signal
import subprocess
from pathlib import Path

import pytest

import certificates
from agent import PROGRAM, Agent
from broker import free_port
from console import PROGRAM as CONSOLE
from hostile_broker import AUTH, DISCONNECT, TAKEN_OVER, HostileBroker, packet, publish, variable
from waiting import TIMEOUT, eventually

UNKNOWN = b"\x7f\0"
"""A property that MQTT 5 does not have (2.2.2.2)."""

PACKETS = {
    "PUBLISH": publish("v4l2mqtt/porch/door/zoom/set", b"2", UNKNOWN),
    "AUTH": packet(AUTH, b"\0" + variable(len(UNKNOWN)) + UNKNOWN),
    "DISCONNECT": packet(DISCONNECT, b"\0" + variable(len(UNKNOWN)) + UNKNOWN),
}
"""Each is malformed (4.13). libmosquitto ends the process by an assertion."""


@pytest.fixture(scope="module")
def identities(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def hostile(request, identities):
    """Starts a hostile broker, with TLS where the test's name says so."""
    brokers = []

    def start(*, tls=False, **options) -> HostileBroker:
        brokers.append(HostileBroker(certificates=identities if tls else None, **options))
        return brokers[-1]

    yield start
    for each in brokers:
        each.close()


class Address:
    """What `Agent` needs to know of a broker."""

    rules = password = None
    USERNAME = "nobody"

    def __init__(self, broker: HostileBroker, identities=None):
        self.port, self.certificates = broker.port, identities


@pytest.fixture
def agent(tmp_path):
    agents = []

    def start(address: Address, **settings) -> Agent:
        agents.append(Agent(address, tmp_path / "agent", **settings).launch())
        return agents[-1]

    yield start
    for each in agents:
        each.stop()


@contextlib.contextmanager
def started(command: list, folder):
    """A program that needs not end by itself."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def announced(broker: HostileBroker) -> int:
    """The Maximum Packet Size of the first CONNECT (MQTT 5, 3.1.2.11.4): behind 10 bytes of the header."""
    body = broker.connections[0]
    properties = body[11:11 + body[10]]
    assert properties[0] == 0x27, properties
    return int.from_bytes(properties[1:5], "big")


def is_alive(agent: Agent) -> bool:
    return agent.process.poll() is None


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("kind", PACKETS)
def test_an_unknown_property_costs_a_restart(hostile, agent, identities, kind, tls):
    broker = hostile(tls=tls, attack=PACKETS[kind])
    victim = agent(Address(broker, identities if tls else None))
    assert victim.process.wait(TIMEOUT) == -signal.SIGABRT
    broker.attack = b""
    victim.launch()
    broker.wait(lambda seen: len(seen.connections) >= 2)
    assert is_alive(victim)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_an_unknown_property_in_the_acknowledgement_costs_a_restart(hostile, agent, identities, tls):
    broker = hostile(tls=tls, acknowledgement=UNKNOWN)
    victim = agent(Address(broker, identities if tls else None))
    assert victim.process.wait(TIMEOUT) == -signal.SIGABRT


@pytest.mark.parametrize("command", [
    [PROGRAM, "run", "--config", "agent.yaml"],
    [CONSOLE, "serve", "--listen", "127.0.0.1:{free}", "--port", "{port}", "--state-dir", "."]], ids=["agent", "console"])
def test_the_first_process_of_a_container_executes_itself_again(hostile, tmp_path, command):
    """As the add-ons and compose.yaml have it: nobody else there starts it within a second."""
    broker = hostile(attack=PACKETS["PUBLISH"])
    port = broker.port
    (tmp_path / "agent.yaml").write_text(f"mqtt: {{ host: 127.0.0.1, port: {port} }}\nstate_file: {tmp_path}/state.json\n")
    words = [str(word).format(free=free_port(), port=port) for word in command]
    container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *words]
    with started(container, tmp_path) as process:
        broker.wait(lambda seen: len(seen.connections) >= 3)
        assert process.poll() is None
        (counted,) = tmp_path.glob("*faults")
        assert counted.stat().st_size >= 2


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("kind", [*PACKETS, "CONNACK"])
def test_an_unknown_property_is_an_error_of_ctl(hostile, identities, kind, tls):
    if kind == "CONNACK":
        broker = hostile(tls=tls, acknowledgement=UNKNOWN)
    else:
        broker = hostile(tls=tls, attack=PACKETS[kind])
    trust = ["--ca-file", identities.authority] if tls else []
    ended = subprocess.run(
        [PROGRAM, "ctl", "zoom", "2", "--host", "127.0.0.1", "--port", str(broker.port), *trust],
        capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 69 and ended.stderr.endswith("the broker broke the protocol\n"), ended


@pytest.mark.parametrize("command, size", [
    ("zoom 2", 1 << 20), ("list", 1 << 20), ("watch", 1 << 20), ("capture --output photo.jpg", 16 << 20),
    ("media get photo.jpg", 1 << 20)])
def test_ctl_announces_what_the_command_receives(hostile, tmp_path, command, size):
    broker = hostile()
    with started([PROGRAM, "ctl", *command.split(), "--host", "127.0.0.1", "--port", str(broker.port)], tmp_path):
        broker.wait(lambda seen: seen.connections)
    assert announced(broker) == size


@pytest.mark.parametrize("program, size", [
    ([CONSOLE, "metrics"], 128 << 10), ([CONSOLE, "serve", "--state-dir", "tokens"], 16 << 20)], ids=["exporter", "console"])
def test_servers_announce_what_they_receive(hostile, tmp_path, program, size):
    broker = hostile()
    with started([*program, "--listen", f"127.0.0.1:{free_port()}", "--port", str(broker.port)], tmp_path):
        broker.wait(lambda seen: seen.connections)
    assert announced(broker) == size


@pytest.mark.parametrize("name, size, options", [
    ("console", 16 << 20, ["serve", "--state-dir", "tokens"]), ("exporter", 128 << 10, ["metrics"])])
def test_the_largest_packet_costs_a_server_less_than_its_unit_permits(hostile, tmp_path, name, size, options):
    """libmosquitto needs 70 bytes for an empty user property, which has 5 in the packet."""
    unit = (Path(__file__).resolve().parents[2] / f"deploy/v4l2mqtt-{name}.service").read_text()
    limit = int(re.search(r"^MemoryMax=(\d+)M$", unit, re.MULTILINE)[1])
    packet = publish("v4l2mqtt/porch/availability", b"{}", b"\x26\0\0\0\0" * (size // 5 - 20))
    assert len(packet) <= size
    broker = hostile(attack=packet + TAKEN_OVER)
    listen = ["--listen", f"127.0.0.1:{free_port()}", "--port", str(broker.port)]
    with started([CONSOLE, *options, *listen], tmp_path) as server:
        # The packet was read, and the connection has ended behind it.
        broker.wait(lambda seen: len(seen.connections) > 1)
        assert server.poll() is None and peak_megabytes(server) < 0.75 * limit


def test_the_agent_announces_what_it_receives(hostile, agent):
    broker = hostile()
    agent(Address(broker))
    broker.wait(lambda seen: seen.connections)
    assert announced(broker) == 1 << 20


def test_a_message_that_is_too_large_is_cut_with_mqtt_3_1_1(hostile, agent):
    """As large as `deploy/broker` lets it be: refused as other commands that are too large."""
    attack = publish("v4l2mqtt/porch/door/zoom/set", b" " * (15 << 20), None)
    broker = hostile(version=4, attack=attack)
    victim = agent(Address(broker), mqtt={"protocol": "3.1.1"})
    broker.wait(lambda seen: any(b"zoom/reply" in body and b"too_large" in body for _, body in seen.received))
    assert is_alive(victim) and len(broker.connections) == 1
    assert peak_megabytes(victim.process) < 60


def test_a_broker_that_takes_no_states_is_named_in_the_log(hostile, agent):
    broker = hostile(acknowledgement=b"\x27\0\0\0\x20")  # packets of at most 32 bytes
    victim = agent(Address(broker))
    eventually(lambda: re.search("the broker refuses messages on v4l2mqtt/porch/availability", victim.log), "the refusal in the log")
    assert is_alive(victim)


def peak_megabytes(process: subprocess.Popen) -> float:
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
