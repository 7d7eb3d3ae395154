"""Every error code, provoked. (`internal` is a defect, and there is none to provoke.)

`Tests/CameraCoreTests/RefusalTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

from datetime import datetime, timedelta, timezone

import pytest

from controller import V5, V311


@pytest.fixture(params=[V5, V311], ids=["5", "3.1.1"])
def mqtt_client(request, connect):
    """A controller on either protocol, with the zoom at 2; at the end the zoom must still be there."""
    controller = connect(version=request.param)
    controller.zoom_to(2)
    yield controller
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 2, "a refused command moved it"


def ago(seconds: float) -> str:
    return (datetime.now(timezone.utc) - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_bad_payload_has_an_explanation(mqtt_client):
    error = mqtt_client.refused("zoom", {"factor": "wide"}, "bad_payload", "factor")
    assert len(error["message"]) > 10


@pytest.mark.parametrize("topic", [
    "door/nosuch/set", "nosuch/zoom/set", "nosuch/nosuch/set", "door/Zoom/set", "door//set",
])
def test_bad_topic_for_an_unknown_camera_or_node(mqtt_client, topic):
    mqtt_client.refused("zoom", {"factor": 5}, "bad_topic", topic=f"{mqtt_client.agent_topic}/{topic}")


def test_bad_topic_for_a_topic_that_is_a_level_short(mqtt_client):
    answer = mqtt_client.command("zoom", {"factor": 5}, topic=f"{mqtt_client.agent_topic}/door/set")
    assert answer["error"]["code"] == "bad_topic"
    assert "camera" not in answer


@pytest.mark.deep
def test_unavailable_for_a_control_disabled_by_another_one(mqtt_client):
    mqtt_client.obeyed("controls", {"autofocus": True})
    mqtt_client.refused("controls", {"focus": 100}, "unavailable", "focus")


@pytest.mark.deep
def test_all_controls_or_none(mqtt_client):
    mqtt_client.obeyed("controls", {"autofocus": True, "brightness": 90})
    mqtt_client.refused("controls", {"brightness": 10, "focus": 100}, "unavailable")
    mqtt_client.refused("controls", {"brightness": 10, "sharpness": 3}, "bad_payload", "sharpness")
    assert mqtt_client.state("controls")["values"]["brightness"] == 90


@pytest.mark.deep
@pytest.mark.parametrize("node, body", [
    ("zoom", {"factor": 5}), ("pinch", {"gesture": "g", "phase": "began"}), ("capture", {}),
    ("controls", {"brightness": 1}), ("viewport", {"by": {"dx": 1}}), ("desired", {"version": 1, "zoom": {"factor": 5}}),
    ("touch", {"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]}),
])
def test_stale_when_the_command_is_older_than_its_ttl(mqtt_client, node, body):
    mqtt_client.refused(node, {**body, "ts": ago(60), "ttl_ms": 1000}, "stale")


@pytest.mark.deep
def test_not_stale_within_its_ttl(mqtt_client):
    assert mqtt_client.obeyed("zoom", {"factor": 2, "ts": ago(1), "ttl_ms": 600_000})["factor"] == 2
    assert mqtt_client.obeyed("zoom", {"factor": 2, "ts": ago(3600)})["factor"] == 2


def test_conflict_has_the_present_state(mqtt_client):
    state = mqtt_client.state("zoom")
    answer = mqtt_client.command("zoom", {"factor": 5, "if_rev": state["rev"] + 7})
    assert answer["error"]["code"] == "conflict"
    assert (answer["state"]["rev"], answer["state"]["factor"]) == (state["rev"], 2)
    assert mqtt_client.obeyed("zoom", {"factor": 2, "if_rev": state["rev"]})["rev"] == state["rev"] + 1


def test_too_large_beyond_16_KiB(mqtt_client):
    padded = b'{"factor":2}'
    mqtt_client.refused("zoom", padded.ljust(16385), "too_large")
    assert mqtt_client.obeyed("zoom", padded.ljust(16384))["factor"] == 2


@pytest.mark.deep
def test_busy_when_more_than_16_captures_wait(bench):
    broker = bench.broker()
    bench.agent(broker)
    controller = bench.controller(broker)
    ramp = controller.send("zoom", {"factor": 8, "rate": 0.01})
    assert ramp.answer()["status"] == "accepted"
    # One is in hand and waits for the zoom to come to rest, 16 wait behind it.
    waiting = [controller.send("capture", {"size": {"width": 64}}) for _ in range(17)]
    assert {capture.answer()["status"] for capture in waiting} == {"accepted"}
    controller.refused("capture", {"size": {"width": 64}}, "busy")
    controller.obeyed("zoom", {"stop": True})
    assert {capture.result()["status"] for capture in waiting} == {"done"}


@pytest.mark.deep
@pytest.mark.parametrize("fault, node, body", [
    ("write_error", "zoom", {"factor": 5}), ("frame_error", "capture", {"size": {"width": 64}}),
])
def test_device_when_the_camera_fails(bench, fault, node, body):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"inject_fault": fault}})
    controller = bench.controller(broker)
    before = controller.state("zoom", since=0)
    controller.refused(node, body, "device")
    after = controller.state("zoom")
    assert (after["factor"], after["target"]) == (before["factor"], before["factor"])
