"""Whatever is thrown at a node: it is answered, the camera stays where it is, and the agent goes on."""

import json

import pytest

from controller import V311

NOT_JSON = {
    "half an object": b'{"factor":',
    "not UTF-8": b'{"client":"\xff\xfe"}',
    "a lone surrogate half": b'{"client":"\\ud800"}',
    "a zero byte": b"\x00",
    "NaN": b"NaN",
    "Infinity": b"Infinity",
    "NaN in an object": b'{"factor":NaN,"scale":NaN,"brightness":NaN,"quality":NaN,"gesture":"g","phase":"changed"}',
    "something after the object": b'{"id":"x"} {"id":"y"}',
    "a trailing comma": b'{"id":"x",}',
    "a name given twice": b'{"id":"x","id":"y","factor":3,"factor":4,"brightness":1,"brightness":2}',
    "a comment": b'{"id":"x"/*y*/}',
    "a leading zero": b'{"if_rev":01}',
    "a line break in a string": b'{"id":"x\ny"}',
    "UTF-16": '{"id":"x"}'.encode("utf-16"),
    "UTF-16 without a mark": '{"id":"x"}'.encode("utf-16-le"),
    "a byte order mark": '{"id":"x"}'.encode("utf-8-sig"),
    "single quotes": b"{'id':'x'}",
    "a decimal comma": b"2,5",
    "a plus sign": b"+2",
    "hexadecimal": b"0x2",
    "words": b"zoom in, please",
    "a JPEG": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "a thousand open brackets": b"[" * 1000,
    "3,000 open objects": b'{"a":' * 3000,
}

WRONG_JSON = {
    "null": b"null",
    "a boolean": b"true",
    "a string": b'"2.5"',
    "a list": b"[2.5]",
    "a list of objects": b'[{"factor":2}]',
    "zero": b"0",
    "a negative number": b"-1",
    "a number beyond all numbers": b"1e999",
    "an unknown field": b'{"nosuch":1}',
    "an id that is too long": json.dumps({"id": "i" * 65}).encode(),
    "an id of 65 bytes in 33 letters": json.dumps({"id": "é" * 32 + "i"}, ensure_ascii=False).encode(),
    "an id that is a number": b'{"id":7}',
    "a client that is too long": json.dumps({"client": "c" * 65}).encode(),
    "a client that is null": b'{"client":null}',
    "a time that is none": b'{"ts":"yesterday"}',
    "a thirteenth month": b'{"ts":"2026-13-01T00:00:00Z"}',
    "a time to live without a time": b'{"ttl_ms":100}',
    "a negative time to live": b'{"ts":"2026-11-21T09:05:38Z","ttl_ms":-1}',
    "a rev that is a string": b'{"if_rev":"1"}',
    "a negative rev": b'{"if_rev":-1}',
}

# Without `recording`, `session` and `privacy`, for which some of the garbage is a command in its short form.
NODES = ["zoom", "pinch", "touch", "viewport", "capture", "controls", "presets", "preview", "lease", "desired"]


@pytest.fixture(scope="module", params=NODES)
def node(request):
    return request.param


@pytest.fixture(scope="module")
def listener(shared, broker, agent):
    """One for the whole table; on MQTT 3.1.1, where only the payload identifies an answer."""
    listener = shared.controller(broker, version=V311)
    listener.zoom_to(2)
    return listener


@pytest.fixture
def unmoved(connect, listener):
    """At the end of the test the zoom is where it was and the agent still answers."""
    yield listener
    after = listener.obeyed("zoom", {"stop": True})
    assert (after["factor"], after["target"]) == (2, 2)
    assert listener.state("pinch", since=0) is None


@pytest.mark.parametrize("payload", [*NOT_JSON.values(), *WRONG_JSON.values()], ids=[*NOT_JSON, *WRONG_JSON])
def test_garbage_is_refused(unmoved, node, payload):
    since = unmoved.mark()
    unmoved.send(node, payload)
    answer = unmoved.inbox.wait_for(unmoved.topic(f"{node}/reply"), since=since).json
    assert (answer["status"], answer["error"]["code"]) == ("error", "bad_payload")


REFUSED = {
    "#": "#", "a/#": "a/#", "+/b": "+/b", "v4l2mqtt/#": "v4l2mqtt/#", "$SYS": "$SYS/x", "long": "x" * 65535, "/": "/",
    "other service": "front_door/lock/set", "other agent": "v4l2mqtt/yard/door/zoom/reply", "all replies": "replies/"}


def test_every_command_of_a_garbage_burst_is_answered(unmoved):
    since = unmoved.mark()
    for n in range(500):
        unmoved.send("zoom", b"\xff" * n + b"{")
    unmoved.obeyed("zoom", {"stop": True})
    answers = [message.json for message in unmoved.inbox.all(unmoved.topic("zoom/reply"), since)]
    assert sum(answer["status"] == "error" for answer in answers) == 500
