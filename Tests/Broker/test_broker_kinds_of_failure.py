"""How a connection can fail, by TCP and by TLS: each has its reason in the log, the agent does not use the
processor while it waits, and it does so too with descriptors above 1,024.
"""

import os
import re
import resource
import socket
import ssl
import subprocess
from contextlib import closing, suppress

import pytest

import certificates
from agent import PROGRAM
from broken_broker import BrokenBroker, read_and_close, read_and_reset, reset
from broker import HOST
from hostile_broker import HostileBroker, publish
from waiting import eventually

#: Processor time of an agent: a start needs a tenth of it, a loop that does not wait all of ten seconds.
MOST_SECONDS = 2
#: More than `select` has room for.
MANY_DESCRIPTORS = 1100


@pytest.fixture(scope="module")
def identities(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(params=["tcp", "tls"])
def tls(request, identities):
    return identities if request.param == "tls" else None


@pytest.fixture(params=[0, MANY_DESCRIPTORS], ids=["few", "many"])
def run(request, tmp_path):
    """Starts an agent, with that many descriptors open before its own ones."""
    agents = []

    def occupy():
        for descriptor in range(3, request.param):
            os.dup2(0, descriptor)

    def start(port: int, identities=None, *arguments, host=HOST) -> subprocess.Popen:
        flags = ["cameras.0.id=door", "cameras.0.source=simulated"]
        if identities:
            flags.append(f"mqtt.tls.ca_file={identities.authority}")
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        agents.append(subprocess.Popen(
            [PROGRAM, "run", "--agent", "porch", "--host", host, "--port", str(port), "--state-file", tmp_path / "state.json",
             *(word for flag in flags for word in ("--set", flag)), *arguments],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, close_fds=False,
            preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)), occupy())))
        return agents[-1]

    yield start
    for each in agents:
        each.kill()
        each.communicate()


def failure(agent: subprocess.Popen) -> str:
    """Why an agent that requires a broker has ended. It has used the processor for a moment only."""
    log = agent.stderr.read()
    _, status, usage = os.wait4(agent.pid, 0)
    agent.returncode = os.waitstatus_to_exitcode(status)
    found = re.search(r"no connection to [^ ]*: (.*); next attempt in", log)
    assert agent.returncode == 69 and found, log
    assert usage.ru_utime + usage.ru_stime < MOST_SECONDS, log
    return found[1]


def server(identities) -> ssl.SSLContext | None:
    if not identities:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identities.server.certificate, identities.server.key)
    return context


def test_a_port_that_refuses(run, tls):
    with closing(socket.socket()) as unused:
        unused.bind((HOST, 0))
        agent = run(unused.getsockname()[1], tls, "--require-broker")
        assert failure(agent) == "refuses the connection: Connection refused"


@pytest.mark.parametrize("conduct", [reset, read_and_reset])
def test_a_connection_that_is_reset(run, tls, conduct):
    with BrokenBroker(conduct) as broker:
        found = failure(run(broker.port, tls, "--require-broker"))
    # A reset that comes with the connection can't be told from one that refuses it.
    assert re.search("closed the connection|closes the connection|reset by peer|connection was lost", found)


def test_a_broker_that_closes_after_connect(run, tls):
    with BrokenBroker(read_and_close, server(tls)) as broker:
        found = failure(run(broker.port, tls, "--require-broker"))
    assert found.startswith("closes the connection without an answer to CONNECT") and "mqtt.protocol" in found


def test_a_broker_that_knows_only_3_1_1(run, tls):
    with HostileBroker(certificates=tls, only_3_1_1=True) as broker:
        found = failure(run(broker.port, tls, "--require-broker", "--set", "mqtt.protocol=5"))
    assert found == "supports only MQTT 3.1.1; mqtt.protocol has to be 3.1.1"


def test_a_port_that_speaks_without_tls(run, identities):
    def refuse(connection):
        connection.recv(4096)
        connection.sendall(b"\x20\x02\0\x01" * 2)

    with BrokenBroker(refuse) as broker:
        found = failure(run(broker.port, identities, "--require-broker"))
    assert "the port may be one without TLS" in found


def test_a_port_that_speaks_with_tls(run, identities):
    """OpenSSL closes the connection after the first bytes of what isn't TLS, without an alert; the rest of
    CONNECT is unread, so the kernel resets it. If CONNECT could be written at once, the agent finds the reset
    as the error of its socket. If TCP was not up yet, which depends on when the kernel has time, libmosquitto
    finds the reset while it reads, and takes it for the end of the connection."""
    with BrokenBroker(read_and_close, server(identities)) as broker:
        found = failure(run(broker.port, None, "--require-broker"))
    assert found in (
        "Connection reset by peer",
        "closes the connection without an answer to CONNECT; if it supports only MQTT 3.1.1, mqtt.protocol has to be 3.1.1")


@pytest.mark.parametrize("host, name", [("localhost", "localhost"), (HOST, None)])
def test_a_name_is_sent_and_an_address_is_not(run, identities, host, name):
    names = []
    context = server(identities)
    context.sni_callback = lambda _, name, __: names.append(name)
    with HostileBroker(context=context) as broker:
        run(broker.port, identities, host=host)
        broker.wait(lambda seen: seen.connections)
    assert set(names) == {name}


def test_a_packet_that_is_too_large_ends_the_connection(run, tls):
    attack = publish("v4l2mqtt/porch/door/zoom/set", b" " * (2 << 20))
    with HostileBroker(certificates=tls, attack=attack) as broker:
        agent = run(broker.port, tls)
        broker.wait(lambda seen: len(seen.connections) >= 2)
        agent.terminate()
        log = agent.stderr.read()
    assert (f"no connection to {HOST}:{broker.port}: the broker sent a packet larger than the limit of {1 << 20} bytes; "
            "next attempt in") in log, log


@pytest.mark.parametrize("layer", ["no TCP", "no TLS", "no MQTT"])
def test_a_broker_that_stays_silent(run, tls, layer):
    """Each takes the ten seconds of an attempt."""
    broker = BrokenBroker(lambda connection: broker.wait(connection), server(tls) if layer == "no MQTT" else None, backlog=0)
    if layer == "no TCP":
        broker.fill()
        expected = "no TCP connection after 10 s"
    else:
        broker.__enter__()
        expected = "no answer to TLS and CONNECT after 10 s" if tls else "no answer to CONNECT after 10 s"
    try:
        assert failure(run(broker.port, tls, "--require-broker")) == f"does not answer: {expected}"
    finally:
        broker.__exit__()


def test_a_connection_that_is_up_later(run, tls):
    """Each remote broker looks so: the packets of TCP need time, which loopback does not. The kernel drops
    the first packet, and the client sends it once more after a second."""
    packets = []

    def answer(connection):
        # The connections that filled the queue send nothing.
        if packet := connection.recv(4096):
            packets.append(packet)

    broker = BrokenBroker(answer, server(tls), backlog=0)
    broker.fill()
    agent = run(broker.port, tls)
    eventually(lambda: _connecting(broker.port) > len(broker._waiting), "an agent that connects")
    broker.empty()
    try:
        eventually(lambda: packets, "CONNECT")
        assert packets[0][:1] == b"\x10"
        assert _seconds(agent.pid) < MOST_SECONDS
    finally:
        broker.__exit__()


def _connecting(port: int) -> int:
    """The sockets that send their first packet to a port, or have done so."""
    with open("/proc/net/tcp") as table:
        return sum(f"0100007F:{port:04X}" == line.split()[2] for line in table)


def _seconds(process: int) -> float:
    with open(f"/proc/{process}/stat") as status:
        return sum(int(word) for word in status.read().split()[13:15]) / os.sysconf("SC_CLK_TCK")


def test_the_descriptors_are_above_the_limit_of_select(run, tls):
    """The fixture does what it says."""
    with HostileBroker(certificates=tls) as broker:
        agent = run(broker.port, tls)
        broker.wait(lambda seen: seen.connections)
        folder, names = f"/proc/{agent.pid}/fd", {}
        for number in os.listdir(folder):
            # The agent may close one at any time.
            with suppress(FileNotFoundError):
                names[number] = os.readlink(f"{folder}/{number}")
    expected = MANY_DESCRIPTORS if len(names) >= MANY_DESCRIPTORS else 3
    assert all(int(number) >= expected for number, name in names.items() if name.startswith("socket:"))
