"""A client that floods is refused what exceeds its limit; another one is served meanwhile.

`Tests/MQTTFrontEndTests/FloodTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import json
import socket
import struct
import threading
import time

import pytest

from agent import Agent
from broker import Broker
from controller import Controller
from waiting import eventually

CAMERA = "v4l2mqtt/porch/door"
#: Well above the thousand that a client may send in one burst and the thousand in each second after.
COMMANDS = 150_000
COMMAND = {"client": "noisy", "by": 1}


class Plain:
    """A connection without a library, which could keep up neither with sending a flood nor with its
    answers."""

    def __init__(self, broker, name: bytes):
        self.socket = socket.create_connection(("127.0.0.1", broker.port))
        connect = b"\x00\x04MQTT\x04\x02\x00\x3c" + struct.pack("!H", len(name)) + name
        self.socket.sendall(bytes([0x10, len(connect)]) + connect)
        assert self.socket.recv(4, socket.MSG_WAITALL)[3:] == b"\x00"

    def flood(self, topic: str, command: dict, times: int):
        body = struct.pack("!H", len(topic)) + topic.encode() + json.dumps(command).encode()
        packets = (bytes([0x30, len(body)]) + body) * 1000  # QoS 0
        for _ in range(times // 1000):
            self.socket.sendall(packets)

    def count(self, topic: str, word: bytes, found: list):
        """Notes when each message with this word comes, until the connection is closed."""
        subscribe = b"\x00\x01" + struct.pack("!H", len(topic)) + topic.encode() + b"\x00"
        self.socket.sendall(bytes([0x82, len(subscribe)]) + subscribe)
        rest = b""
        while received := self.socket.recv(1 << 16):
            rest += received
            found += [time.monotonic()] * rest.count(word)
            rest = rest[rest.rfind(word) + len(word):] if word in rest else rest[-len(word):]


@pytest.fixture
def flooded(tmp_path):
    """A controller that receives only its own answers; the times of the reports that `noisy` is limited.

    No recorder: it could not keep up, and the broker would drop messages.
    """
    broker = Broker(tmp_path / "broker").start()
    agent = Agent(broker, tmp_path / "agent").start()
    reports: list[float] = []
    listener, sender = Plain(broker, b"listener"), Plain(broker, b"noisy")
    threading.Thread(target=listener.count, args=(f"{CAMERA}/zoom/reply", b'"rate_limited"', reports), daemon=True).start()
    flood = threading.Thread(target=sender.flood, args=(f"{CAMERA}/zoom/set", COMMAND, COMMANDS), daemon=True)
    with Controller(broker, agent="nobody") as controller:
        controller.camera_topic = CAMERA
        began = time.monotonic()
        flood.start()
        yield controller, reports, began
        flood.join(30)
    for connection in (listener, sender):
        connection.socket.shutdown(socket.SHUT_RDWR)
    agent.kill()
    broker.stop()


@pytest.mark.deep
def test_a_flood_is_limited_and_reported_about_once_a_second(flooded):
    controller, reports, began = flooded
    eventually(lambda: reports, "a report of the limit", timeout=30)
    controller.obeyed("zoom", {"stop": True, "client": "calm"})
    assert len(reports) <= 2 + (time.monotonic() - began)


def test_another_clients_commands_are_answered_meanwhile_and_a_stop_is_never_refused(flooded):
    controller, reports, _ = flooded
    eventually(lambda: reports, "a report of the limit", timeout=30)
    for n in range(20):
        assert controller.obeyed("zoom", {"factor": 1 + n / 10, "client": "calm"})["status"] == "done"
        controller.obeyed("zoom", {"stop": True, "client": "noisy"})
