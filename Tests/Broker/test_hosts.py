"""Brokers with several hosts, and hosts that do not answer, refuse, or support only MQTT 3.1.1."""

import shutil
import socket
from contextlib import closing

import pytest

import certificates
from broker import HOST, free_port
from command_line import done, refused
from hostile_broker import HostileBroker


def hosts(*ports) -> dict:
    """Settings of an agent. Its own `mqtt.host` is the first of them."""
    return {"hosts": [f"{HOST}:{port}" for port in ports], "connect_timeout_s": 1}


@pytest.fixture
def full():
    """The port of a listener that accepts nothing and whose queue is full: the kernel drops all packets."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        listener.listen(0)
        with closing(socket.create_connection(listener.getsockname())):
            yield listener.getsockname()[1]


def test_the_agent_is_online_at_the_next_host_when_others_refuse_drop_packets_or_never_answer(bench, full):
    broker, port = bench.broker(), free_port()
    with HostileBroker(silent=True) as silent:
        agent = bench.agent(broker, mqtt=hosts(port, full, silent.port, broker.port))
        assert bench.controller(broker).obeyed("zoom", 2)["factor"] == 2
        agent.logs(f"{HOST}:{port}: refuses the connection: Connection refused")
        agent.logs(f"{HOST}:{full}: does not answer: no TCP connection after 1 s")
        agent.logs(f"{HOST}:{silent.port}: does not answer: no answer to CONNECT after 1 s")


def test_the_agent_moves_to_the_other_host_when_its_broker_ends(bench):
    first, second = bench.broker(), bench.broker()
    agent = bench.agent(first, mqtt=hosts(first.port, second.port))
    bench.controller(first).obeyed("zoom", 2)
    first.kill()
    controller = bench.controller(second)
    assert controller.state("zoom", since=0)["factor"] == 2
    assert controller.obeyed("zoom", 3)["factor"] == 3
    agent.logs("connected to", 2)


def test_with_tls_the_certificate_has_to_name_each_host_as_it_is_written(bench):
    broker, port = bench.broker(tls=True), free_port()
    made = broker.certificates
    issuer = certificates.Identity(made.authority, made.authority.with_suffix(".key"))
    numeric = certificates.signed(made.authority.parent, "numeric", issuer, names=f"IP:{HOST}")
    shutil.copy(numeric.certificate, made.server.certificate)
    shutil.copy(numeric.key, made.server.key)
    broker.stop()
    broker.start()
    places = [f"{HOST}:{port}", f"localhost:{broker.port}", f"{HOST}:{broker.port}"]
    agent = bench.agent(broker, mqtt={"hosts": places})
    assert bench.controller(broker).obeyed("zoom", 2)["factor"] == 2
    agent.logs(f"{places[0]}: refuses the connection: Connection refused")
    agent.logs(f"{places[1]}: the broker's certificate is refused: hostname mismatch")
    agent.logs(f"connected to {places[2]}")


@pytest.mark.needs("anonymous clients")
def test_ctl_names_each_host_that_it_has_tried(bench, full):
    broker, port = bench.broker(), free_port()
    bench.agent(broker)
    assert done("zoom", "--host", f"{HOST}:{port}", "--host", f"{HOST}:{broker.port}", "2").startswith("done")
    complaint = refused("zoom", "--host", f"{HOST}:{port}", "--host", f"{HOST}:{full}", "2")
    assert complaint == (f"{HOST}:{port}: refuses the connection: Connection refused; "
                         f"{HOST}:{full}: does not answer: no TCP connection after 4 s\n")


def test_a_broker_that_supports_only_3_1_1_is_used_with_it_or_named(bench):
    broker = bench.broker()
    with HostileBroker(version=4, only_3_1_1=True) as older:
        agent = bench.agent(broker, start=False, mqtt={"port": older.port, "protocol": "auto"}).launch()
        agent.logs(f"{HOST}:{older.port}: supports only MQTT 3.1.1; mqtt.protocol has to be 3.1.1")
        agent.logs("mqtt.protocol: auto means 5", 1)
        agent.stop()
        agent.configure(agent.configuration | {"mqtt": agent.configuration["mqtt"] | {"protocol": "3.1.1"}})
        agent.launch()
        agent.logs(f"connected to {HOST}:{older.port} with MQTT 3.1.1")
        complaint = refused("zoom", "--port", str(older.port), "2")
        assert complaint == f"{HOST}:{older.port}: supports only MQTT 3.1.1; --protocol has to be 3.1.1\n"
