"""The recorder sees what it is there for: each breach of the contract, and no other."""

import json

import pytest

from broker import Broker
from controller import Controller
from inbox import Message
from judge import Judge
from recorder import Recorder

STATE = {"state": "online", "boot": 1}
REPLY = {"status": "done", "boot": 1, "ts": "2026-11-21T09:05:38.958Z"}


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    broker = Broker(tmp_path_factory.mktemp("broker")).start()
    yield broker
    broker.stop()


@pytest.fixture
def objections(broker):
    """Publishes as an agent and its controllers would, and returns what the recorder has against it."""

    def judge(*messages) -> list[str]:
        recorder = Recorder(broker)
        with Controller(broker) as publisher:
            for topic, body, how in messages:
                payload = body if isinstance(body, bytes) else json.dumps(body).encode()
                publisher.publish(f"v4l2mqtt/porch/{topic}", payload, **how)
            recorder.flush()
            recorder.close()
            for topic, *_ in messages:
                publisher.stop_retaining(f"v4l2mqtt/porch/{topic}")
        return recorder.objections

    return judge


RETAINED, ONCE = {"qos": 1, "retain": True}, {"qos": 1, "retain": False}


@pytest.mark.parametrize("messages", [
    [("availability", STATE, RETAINED)],
    [("door/pinch", None, RETAINED)],
    [("door/zoom", b"", RETAINED)],
    [("door/zoom/reply", REPLY, ONCE)],
    [("door/zoom/set", {"factor": 2, "id": "a"}, ONCE), ("door/zoom/reply", {**REPLY, "id": "a"}, ONCE)],
    [("door/zoom/set", b"rubbish", ONCE)],
    [("door/image", b"\xff\xd8...\xff\xd9", ONCE)],
])
def test_valid_messages_have_no_objections(objections, messages):
    assert objections(*messages) == []


@pytest.mark.parametrize("messages, word", [
    ([("availability", {**STATE, "boot": "1"}, RETAINED)], "boot"),
    ([("availability", {**STATE, "extra": 1}, RETAINED)], "extra"),
    ([("availability", STATE, ONCE)], "retain is False"),
    ([("door/event", b"", ONCE)], "door/event"),
    ([("availability", STATE, {"qos": 0, "retain": True})], "qos is 0"),
    ([("door/zoom/reply", REPLY, RETAINED)], "retain is True"),
    ([("door/zoom/reply", b"rubbish", ONCE)], "rubbish"),
    ([("door/zoom/reply", b'{"status":"done","status":"done"}', ONCE)], "twice"),
    ([("door/zoom/reply", {**REPLY, "ts": "2026-11-21 09:05"}, ONCE)], "ts"),
    ([("door/zoom/reply", {**REPLY, "status": "error"}, ONCE)], "error"),
    ([("door/nosuch", {}, RETAINED)], "no channel"),
    ([("door/image", b"GIF89a", ONCE)], "JPEG"),
    ([("door/zoom/set", {"factor": 0, "id": "b"}, ONCE), ("door/zoom/reply", {**REPLY, "id": "b"}, ONCE)], "taken"),
])
def test_contract_violations_are_named(objections, messages, word):
    (objection,) = objections(*messages)
    assert word in objection


def test_a_bounded_number_of_commands_is_kept(monkeypatch):
    monkeypatch.setattr(Judge, "KEYS", 6)  # of three commands: each has a correlation and an id
    judge = Judge()
    for n in range(5):
        invalid = json.dumps({"factor": 0, "id": f"{n}"}).encode()
        judge.command(Message("v4l2mqtt/porch/door/zoom/set", invalid, False, 1, b"%d" % n))
    for n in range(5):
        judge.response(Message("replies/phone", json.dumps(REPLY).encode(), False, 1, b"%d" % n))
    # The newest three were taken by the agent although they are invalid; of the others nothing is known.
    assert len(judge.objections) == 3 and all("taken" in objection for objection in judge.objections)
    for n in range(5):
        judge.response(Message("replies/phone", json.dumps({**REPLY, "id": f"{n}"}).encode(), False, 1))
    assert len(judge.objections) == 6
