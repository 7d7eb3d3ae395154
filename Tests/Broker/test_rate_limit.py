"""A client that floods is refused what exceeds its limit; another one is served meanwhile.

The rules are tested in `Tests/MQTTFrontEndTests/FloodTests.swift`, in virtual time.
"""

import json
import socket
import struct
import threading
import time
from contextlib import contextmanager

import pytest

from agent import Agent
from broker import Broker
from controller import Controller
from waiting import eventually

CAMERA = "v4l2mqtt/porch/door"
#: So low that the flood exceeds them also on a busy machine: of a client, and of all together.
LIMITS = {"commands_per_second": 100, "total_commands_per_second": 400}
COMMANDS = 60_000
COMMAND = {"client": "noisy", "by": 1}


def packet(topic: str, command: dict) -> bytes:
    """A PUBLISH with QoS 0, of less than 128 bytes."""
    body = struct.pack("!H", len(topic)) + topic.encode() + json.dumps(command).encode()
    return bytes([0x30, len(body)]) + body


class Plain:
    """A connection without a library, which could keep up neither with sending a flood nor with its
    answers."""

    def __init__(self, broker, name: bytes):
        self.socket = socket.create_connection(("127.0.0.1", broker.port))
        connect = b"\x00\x04MQTT\x04\x02\x00\x3c" + struct.pack("!H", len(name)) + name
        self.socket.sendall(bytes([0x10, len(connect)]) + connect)
        assert self.socket.recv(4, socket.MSG_WAITALL)[3:] == b"\x00"

    def flood(self, topic: str, command: dict, times: int):
        packets = packet(topic, command) * 1000
        for _ in range(times // 1000):
            self.socket.sendall(packets)

    def flood_with_names(self, topic: str, command: dict, times: int):
        """A new client name in each command."""
        self.socket.sendall(b"".join(packet(topic, {**command, "client": f"c{n}"}) for n in range(times)))

    def count(self, topic: str, word: bytes, found: list):
        """Notes when each message with this word comes, until the connection is closed."""
        subscribe = b"\x00\x01" + struct.pack("!H", len(topic)) + topic.encode() + b"\x00"
        self.socket.sendall(bytes([0x82, len(subscribe)]) + subscribe)
        rest = b""
        while received := self.socket.recv(1 << 16):
            rest += received
            found += [time.monotonic()] * rest.count(word)
            rest = rest[rest.rfind(word) + len(word):] if word in rest else rest[-len(word):]


@contextmanager
def flooding(folder, way, *, word=b'"rate_limited"', account=None, **configuration):
    """A controller that receives only its own answers; the times of the answers to the flood that have this
    word, without another one those that report the limit.

    No recorder: it could not keep up, and the broker would drop messages.
    """
    broker = Broker(folder / "broker").start()
    agent = Agent(broker, folder / "agent", **configuration).start()
    reports: list[float] = []
    listener, sender = Plain(broker, b"listener"), Plain(broker, b"noisy")
    threading.Thread(target=listener.count, args=(f"{CAMERA}/zoom/reply", word, reports), daemon=True).start()
    flood = threading.Thread(target=way, args=(sender, f"{CAMERA}/zoom/set", COMMAND, COMMANDS), daemon=True)
    try:
        with Controller(broker, agent="nobody", account=account) as controller:
            controller.camera_topic = CAMERA
            began = time.monotonic()
            flood.start()
            yield controller, reports, began
            flood.join(30)
    finally:
        agent.kill()
        # This ends the connections too.
        broker.stop()


@pytest.fixture
def flooded(tmp_path):
    with flooding(tmp_path, Plain.flood, limits=LIMITS) as everything:
        yield everything


def test_another_clients_commands_are_answered_meanwhile_and_a_stop_is_never_refused(flooded):
    controller, reports, _ = flooded
    eventually(lambda: reports, "a report of the limit")
    for n in range(20):
        assert controller.obeyed("zoom", {"factor": 1 + n / 10, "client": "calm"})["status"] == "done"
        controller.obeyed("zoom", {"stop": True, "client": "noisy"})


def test_each_command_with_qos_1_is_done_during_a_flood_with_new_names(tmp_path):
    with flooding(tmp_path, Plain.flood_with_names, limits=LIMITS) as (controller, reports, _):
        eventually(lambda: reports, "a report of the limit")
        pending = [controller.send("zoom", {"factor": 1 + n / 50, "client": "calm"}) for n in range(50)]
        assert [each.result()["status"] for each in pending] == ["done"] * 50


@pytest.mark.deep
@pytest.mark.parametrize("clients", ["open", "proved"])
def test_a_flood_as_fast_as_the_broker_takes_it_leaves_no_command_unanswered(tmp_path, clients):
    """With the limits that an agent has by default. With `open` an answer may be `rate_limited`."""
    account, of_the_flood = ("calm", b'"unproved"') if clients == "proved" else (None, b'"client":"c')
    with flooding(
            tmp_path, Plain.flood_with_names, word=of_the_flood, account=account, clients=clients) as (controller, answered, _):
        eventually(lambda: answered, "an answer to the flood")
        pending = [controller.send("zoom", {"factor": 1 + n / 50}) for n in range(50)]
        # No client can keep another one out for more than a minute.
        answers = [each.result(60) for each in pending]
    if clients == "proved":
        assert [answer["status"] for answer in answers] == ["done"] * 50
    else:
        assert all(answer["status"] == "done" or answer["error"]["code"] == "rate_limited" for answer in answers)
