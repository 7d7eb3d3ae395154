"""A running agent answers each case of `Tests/Cases`: what the decoder accepts, the node accepts too."""

import itertools
import json

import pytest

import command_cases

pytestmark = pytest.mark.deep  # without a process: test_command_cases.py, CommandCasesTests.swift

#: As long as the name of a client may be, and never the same: a client's second identical command is a
#: duplicate.
clients = (f"{number:c>64}" for number in itertools.count(1))

CASES = command_cases.of_nodes() + command_cases.common()
TAKEN = [case for case in CASES if case.answer is None]
REFUSED = [case for case in CASES if case.answer] + command_cases.exceptions() + command_cases.malformed()


@pytest.fixture(scope="module")
def sender(shared, broker, agent):
    """One controller for all cases."""
    controller = shared.controller(broker)
    controller.zoom_to(2)
    return controller


@pytest.fixture
def unmoved(connect, sender):
    """At the end of the test the zoom is at 2 and no gesture is running."""
    sender.zoom_to(2)
    yield sender
    assert sender.obeyed("zoom", {"stop": True})["factor"] == 2
    assert sender.state("pinch", since=0) is None


@pytest.mark.parametrize("case", TAKEN, ids=str)
def test_a_valid_command_is_carried_out(connect, sender, case):
    try:
        body = json.loads(case.payload)
    except ValueError:
        body = case.payload  # a word
    if isinstance(body, dict) and "client" in body:
        body = {**body, "client": next(clients)}
    if names_a_file(case.node, body):
        # The command is valid; the camera has no such file.
        assert "there is no photo or recording" in sender.refused(case.node, body, "bad_payload")["message"]
    elif isinstance(body, dict) and body.get("reply") == "image":
        assert sender.send(case.node, body).message().content_type == "image/jpeg"
    else:
        sender.obeyed(case.node, body)
    if afterwards := undoing(case.node, body):
        sender.obeyed(case.node, afterwards)


def names_a_file(node: str, body) -> bool:
    return node == "media" and not {"describe", "get", "delete"}.isdisjoint(body)


def undoing(node: str, body) -> dict | None:
    """What ends a gesture, a lease or a recording that the command began, in the name of the same client."""
    client = {"client": body["client"]} if isinstance(body, dict) and "client" in body else {}
    if node == "pinch":
        return {"gesture": body["gesture"], "phase": "cancelled", **client}
    if node == "touch":
        lifted = [{**finger, "phase": "cancelled"} for finger in body["touches"]]
        return {"gesture": body["gesture"], "touches": lifted, **client}
    if node == "capture" and isinstance(body, dict) and body.get("phase") == "began":
        return {"phase": "cancelled", **client}
    if node == "recording" and isinstance(body, dict) and body.get("on") is True:
        return {"on": False, **client}
    return {"release": True, **client} if node == "lease" else None


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_an_invalid_command_is_refused(unmoved, case):
    code, field = case.answer
    error = unmoved.refused(case.node, case.payload, code)
    assert error.get("field") == field
