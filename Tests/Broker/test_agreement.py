"""The schemas and the agent take the same commands and refuse the same ones."""

import itertools
import json

import pytest

import commands
import contract


def cases(table):
    return [pytest.param(node, case, id=f"{node}-{case!r:.80}") for node, rows in table.items() for case in rows]


#: As long as a client's name may be, and never the same: what its client has sent once is refused as a duplicate.
clients = (f"{number:c>64}" for number in itertools.count(1))


def objection(node: str, body) -> str | None:
    return contract.objection(f"{node}.set.schema.json", body)


@pytest.fixture(scope="module")
def anybody(shared, broker, agent):
    """One controller for the whole table."""
    controller = shared.controller(broker)
    controller.zoom_to(2)
    return controller


@pytest.fixture
def unmoved(connect, anybody):
    """At the end of the test the zoom is at 2 and no gesture is running."""
    anybody.zoom_to(2)
    yield anybody
    assert anybody.obeyed("zoom", {"stop": True})["factor"] == 2
    assert anybody.state("pinch", since=0) is None


@pytest.mark.parametrize("node, body", cases(commands.RIGHT))
def test_a_right_command_is_taken_by_both(connect, anybody, node, body):
    if isinstance(body, dict) and "client" in body:
        body = {**body, "client": next(clients)}
    assert objection(node, body) is None
    anybody.obeyed(node, body)
    if afterwards := undoing(node, body):
        anybody.obeyed(node, afterwards)


def undoing(node: str, body) -> dict | None:
    """What ends a gesture or a lease that the command began; in its client's name, as others' are others."""
    client = {"client": body["client"]} if isinstance(body, dict) and "client" in body else {}
    if node == "pinch":
        return {"gesture": body["gesture"], "phase": "cancelled", **client}
    if node == "touch":
        lifted = [{**finger, "phase": "cancelled"} for finger in body["touches"]]
        return {"gesture": body["gesture"], "touches": lifted, **client}
    if node == "capture" and isinstance(body, dict) and body.get("phase") == "began":
        return {"phase": "cancelled", **client}
    return {"release": True, **client} if node == "lease" else None


@pytest.mark.parametrize("node, case", cases(commands.WRONG))
def test_a_wrong_command_is_refused_by_both(unmoved, node, case):
    body, field = case
    assert objection(node, body) is not None
    unmoved.refused(node, body, "bad_payload", field)


@pytest.mark.parametrize("node", commands.PLAIN)
@pytest.mark.parametrize("wrong, field", commands.WRONG_FOR_ALL, ids=lambda value: f"{value!r:.60}")
def test_what_is_wrong_for_all_is_refused_by_both_on_each_node(unmoved, node, wrong, field):
    body = {**commands.PLAIN[node], **wrong}
    if node == "controls" and wrong == {"nosuch": 1}:
        # The names of the controls are the camera's own, so its schema can't know them.
        assert objection(node, body) is None
    else:
        assert objection(node, body) is not None
    payload = json.dumps(body).encode()  # as it is: for a dict the controller has its own idea of the id
    unmoved.refused(node, payload, "bad_payload", field)


@pytest.mark.parametrize("node", ["zoom", "capture"])
def test_a_number_beyond_all_numbers_is_refused(unmoved, node):
    unmoved.refused(node, b'{"factor":1e999,"quality":1e999}', "bad_payload")
