"""A client that floods is refused what exceeds its limit; another one is served meanwhile.

The rules are tested in `Tests/MQTTFrontEndTests/FloodTests.swift`, in virtual time.
"""

import json
import threading
from contextlib import contextmanager

import pytest

from agent import Agent
from broker import Broker
from controller import Controller
from hostile_broker import publish
from plain_client import connected, subscribe
from waiting import eventually

CAMERA = "v4l2mqtt/porch/door"
#: So low that the flood exceeds them also on a busy machine: of a client, and of all together.
LIMITS = {"commands_per_second": 100, "total_commands_per_second": 400}
COMMANDS = 60_000


def packet(client: str) -> bytes:
    return publish(f"{CAMERA}/zoom/set", json.dumps({"client": client, "by": 1}).encode(), None)


def of_one(sender):
    for _ in range(COMMANDS // 1000):
        sender.sendall(packet("noisy") * 1000)


def with_names(sender):
    """A new client name in each command."""
    sender.sendall(b"".join(packet(f"c{n}") for n in range(COMMANDS)))


def count(connection, word: bytes, found: list):
    """Notes each answer with this word, until the connection is closed."""
    subscribe(connection, f"{CAMERA}/zoom/reply")
    rest = b""
    while received := connection.recv(1 << 16):
        rest += received
        found += [word] * rest.count(word)
        rest = rest[rest.rfind(word) + len(word):] if word in rest else rest[-len(word):]


@contextmanager
def flooding(folder, way, *, word=b'"rate_limited"', account=None, **configuration):
    """A controller that receives only its own answers; the answers to the flood that have this word, without
    another one those that report the limit.

    No recorder: it could not keep up, and the broker would drop messages.
    """
    broker = Broker(folder / "broker").start()
    agent = Agent(broker, folder / "agent", **configuration).start()
    reports: list[bytes] = []
    threading.Thread(target=count, args=(connected(broker, "listener"), word, reports), daemon=True).start()
    flood = threading.Thread(target=way, args=(connected(broker, "noisy"),), daemon=True)
    try:
        with Controller(broker, agent="nobody", account=account) as controller:
            controller.camera_topic = CAMERA
            flood.start()
            yield controller, reports
            flood.join(30)
    finally:
        agent.kill()
        # This ends the connections too.
        broker.stop()


@pytest.fixture
def flooded(tmp_path):
    with flooding(tmp_path, of_one, limits=LIMITS) as everything:
        yield everything


def test_another_clients_commands_are_answered_meanwhile_and_a_stop_is_never_refused(flooded):
    controller, reports = flooded
    eventually(lambda: reports, "a report of the limit")
    for n in range(20):
        assert controller.obeyed("zoom", {"factor": 1 + n / 10, "client": "calm"})["status"] == "done"
        controller.obeyed("zoom", {"stop": True, "client": "noisy"})


def test_each_command_with_qos_1_is_done_during_a_flood_with_new_names(tmp_path):
    with flooding(tmp_path, with_names, limits=LIMITS) as (controller, reports):
        eventually(lambda: reports, "a report of the limit")
        pending = [controller.send("zoom", {"factor": 1 + n / 50, "client": "calm"}) for n in range(50)]
        assert [each.result()["status"] for each in pending] == ["done"] * 50


@pytest.mark.deep
@pytest.mark.parametrize("clients", ["open", "proved"])
def test_a_flood_as_fast_as_the_broker_takes_it_leaves_no_command_unanswered(tmp_path, clients):
    """With the limits that an agent has by default. With `open` an answer may be `rate_limited`."""
    account, of_the_flood = ("calm", b'"unproved"') if clients == "proved" else (None, b'"client":"c')
    with flooding(
            tmp_path, with_names, word=of_the_flood, account=account, clients=clients) as (controller, answered):
        eventually(lambda: answered, "an answer to the flood")
        pending = [controller.send("zoom", {"factor": 1 + n / 50}) for n in range(50)]
        # No client can keep another one out for more than a minute.
        answers = [each.result(60) for each in pending]
    if clients == "proved":
        assert [answer["status"] for answer in answers] == ["done"] * 50
    else:
        assert all(answer["status"] == "done" or answer["error"]["code"] == "rate_limited" for answer in answers)
