"""The configuration of a fleet: what agents take from `fleet/config`, keep, and report."""

import json
import signal
import subprocess

import pytest
import yaml

from agent import PROGRAM
from waiting import TIMEOUT, eventually

TOPIC = "v4l2mqtt/fleet/config"


@pytest.fixture
def broker(bench):
    return bench.broker()


def publish(controller, document, *, retain=True):
    payload = document if isinstance(document, bytes) else json.dumps(document).encode()
    controller.publish(TOPIC, payload, qos=1, retain=retain)


def reported(controller, expected, since=0) -> dict:
    """The agent's `info` once its `fleet` is as expected."""
    return controller.inbox.wait_for(
        f"{controller.agent_topic}/info", lambda message: expected(message.json.get("fleet")), since=since).json


def version(number: int):
    return lambda fleet: fleet == {"version": number}


def refused(number: int | None, code: str, field: str | None = None, *, beside: int | None = None):
    """Whether this version is refused with this error, while the version `beside` is in effect."""
    def matches(fleet) -> bool:
        if not fleet or "refused" not in fleet or fleet.get("version") != beside:
            return False
        refusal = fleet["refused"]
        return refusal.get("version") == number and refusal["error"]["code"] == code and refusal["error"].get("field") == field
    return matches


def boots(controller) -> list[int]:
    messages = controller.inbox.all(f"{controller.agent_topic}/availability", 0)
    return sorted({message.json["boot"] for message in messages})


def live_rate(controller, since=0, *, expected: float):
    return controller.state("info", lambda info: info["zoom"]["live_rate"] == expected, since=since)


def test_the_layers_are_file_fleet_and_device(bench, broker, monkeypatch):
    monkeypatch.setenv("V4L2MQTT_LIMITS_PHOTOS_PER_MINUTE", "9")
    agent = bench.agent(broker, zoom={"live_rate": 5, "gesture_timeout_ms": 500})
    controller = bench.controller(broker)
    live_rate(controller, expected=5)
    publish(controller, {"version": 7, "config": {"zoom": {"live_rate": 11}, "limits": {"photos_per_minute": 20}}})
    reported(controller, version(7))
    info = live_rate(controller, expected=11)
    assert info["zoom"]["gesture_timeout_ms"] == 500
    agent.logs("fleet/config version 7 is kept: restarting with it")
    shown = subprocess.run(
        [PROGRAM, "check", "--config", agent.configuration_file], capture_output=True, text=True, timeout=TIMEOUT)
    assert "live_rate: 11  # fleet/config version 7\n" in shown.stdout, shown.stderr
    assert "photos_per_minute: 9  # environment variable" in shown.stdout
    assert yaml.safe_load(shown.stdout)["zoom"]["gesture_timeout_ms"] == 500
    # The same document comes again with each connection, and restarts nothing.
    assert boots(controller) == [1, 2]
    # What a version does not name any more is as in the file.
    publish(controller, {"version": 8, "config": {}})
    reported(controller, version(8))
    since = controller.mark()
    controller.obeyed("zoom", 2)
    live_rate(controller, expected=5)
    assert boots(controller) == [1, 2, 3] and agent.ending() is None
    assert since


def test_a_version_outlives_the_agent_and_the_broker(bench, broker):
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    publish(controller, {"version": 3, "config": {"zoom": {"live_rate": 12}}}, retain=False)
    reported(controller, version(3))
    kept = agent.state_file.parent / "fleet.json"
    assert json.loads(kept.read_bytes())["version"] == 3
    assert kept.stat().st_mode & 0o777 == 0o600
    agent.kill()
    since = controller.mark()
    agent.start()
    assert reported(controller, version(3), since)
    # An empty message removes nothing: agents that are away would not learn of it.
    publish(controller, b"")
    publish(controller, {"version": 2, "config": {}}, retain=False)
    reported(controller, refused(2, "stale", "version", beside=3))
    assert kept.exists()


def test_a_version_that_changes_nothing_restarts_nothing(bench, broker):
    bench.agent(broker, zoom={"live_rate": 13})
    controller = bench.controller(broker)
    publish(controller, {"version": 1, "config": {"zoom": {"live_rate": 13}}})
    reported(controller, version(1))
    controller.obeyed("zoom", 2)
    assert boots(controller) == [1]


BAD = [
    (b"no JSON", refused(None, "bad_payload", beside=4)),
    ({"config": {}}, refused(None, "bad_payload", "version", beside=4)),
    ({"version": 5, "config": {"zoom": {"live_rate": 500}, "log": {"level": "debug"}}},
     refused(5, "bad_payload", "zoom.live_rate", beside=4)),
    ({"version": 5, "config": {"zoom": {"speed": 1}}}, refused(5, "bad_payload", "zoom.speed", beside=4)),
    ({"version": 5, "config": {"mqtt": {"host": "192.0.2.1"}}}, refused(5, "forbidden", "mqtt.host", beside=4)),
    ({"version": 5, "config": {"clients": {"mode": "open"}}}, refused(5, "forbidden", "clients", beside=4)),
    ({"version": 5, "config": {"recordings": {"max_bytes": "1G"}}},
     refused(5, "bad_payload", "recordings.max_file_bytes", beside=4)),
    ({"version": 3, "config": {}}, refused(3, "stale", "version", beside=4)),
    ({"version": 4, "config": {"log": {"level": "error"}}}, refused(4, "stale", "version", beside=4)),
    (b" " * 17_000, refused(None, "too_large", beside=4)),
]


def test_a_bad_version_is_refused_as_a_whole_and_named(bench, broker):
    agent = bench.agent(broker, recordings={"max_file_bytes": "2G"})
    controller = bench.controller(broker)
    publish(controller, {"version": 4, "config": {"zoom": {"live_rate": 14}}})
    reported(controller, version(4))
    for document, expected in BAD:
        since = controller.mark()
        publish(controller, document)
        reported(controller, expected, since)
    live_rate(controller, expected=14)
    assert boots(controller) == [1, 2]
    agent.logs("fleet/config version 5 is not applied: mqtt.host: a key of each device")
    # The version before, once more: nothing is refused any more.
    since = controller.mark()
    publish(controller, {"version": 4, "config": {"zoom": {"live_rate": 14}}})
    reported(controller, version(4), since)
    # A new count.
    publish(controller, {"version": 1, "reset": True, "config": {}})
    reported(controller, version(1))


def test_a_recording_is_completed_before(bench, broker):
    agent = bench.agent(broker, recordings={"codec": "mjpeg"})
    controller = bench.controller(broker)
    controller.obeyed("recording", {"on": True})
    publish(controller, {"version": 6, "config": {"zoom": {"live_rate": 15}}})
    agent.logs("the agent restarts when no recording runs")
    assert boots(controller) == [1]
    assert "fleet" not in controller.inbox.all(f"{controller.agent_topic}/info", 0)[-1].json
    controller.obeyed("recording", {"on": False})
    reported(controller, version(6))


def test_a_kept_version_that_is_not_usable_any_more_stops_no_agent(bench, broker):
    agent = bench.agent(broker, start=False)
    kept = agent.state_file.parent / "fleet.json"
    kept.write_text(json.dumps({"version": 9, "config": {"zoom": {"live_rate": 500}}}))
    controller = bench.controller(broker)
    agent.start()
    reported(controller, refused(9, "bad_payload", "zoom.live_rate"))
    agent.logs("warning: fleet/config version 9 is not applied: zoom.live_rate: expected")
    publish(controller, {"version": 2, "config": {"zoom": {"live_rate": 16}}})
    reported(controller, version(2))
    live_rate(controller, expected=16)


def test_a_version_that_cannot_be_kept_is_not_applied(bench, broker):
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    # A folder has its place.
    (agent.state_file.parent / "fleet.json.new").mkdir()
    publish(controller, {"version": 5, "config": {"zoom": {"live_rate": 17}}})
    reported(controller, refused(5, "storage_full"))
    live_rate(controller, expected=30)
    assert boots(controller) == [1]


def test_a_version_with_which_the_agent_cannot_restart_is_refused(bench, broker):
    agent = bench.agent(broker, recordings={"codec": "mjpeg"})
    controller = bench.controller(broker)
    controller.obeyed("recording", {"on": True})
    publish(controller, {"version": 6, "config": {"zoom": {"live_rate": 15}}})
    agent.logs("the agent restarts when no recording runs")
    good = agent.configuration
    agent.configure({**good, "log": {"level": "loud"}})
    controller.obeyed("recording", {"on": False})
    assert "log.level" in reported(controller, refused(6, "bad_payload"))["fleet"]["refused"]["error"]["message"]
    assert boots(controller) == [1]
    agent.configure(good)
    agent.signal(signal.SIGHUP)
    reported(controller, version(6))
    eventually(lambda: boots(controller) == [1, 2], "a restart")


def test_a_restart_does_not_wait_for_its_part_of_the_spread(bench, broker):
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    # The part of `porch` is 28 minutes.
    agent.configure({**agent.configuration, "mqtt": {**agent.configuration["mqtt"], "spread_s": 3600}})
    agent.signal(signal.SIGHUP)
    controller.inbox.wait_for(f"{controller.agent_topic}/availability", lambda message: message.json["boot"] == 2)
    controller.obeyed("zoom", 2)
