"""Fleets of which a broker drops retained messages: it keeps only so many for a client that reads slowly."""

import json
from contextlib import closing

import paho.mqtt.client as mqtt
import pytest

from broker import HOST, Broker
from camera_info import camera_info
from command_line import ctl, done
from console import Console
from exporter import Exporter
from page_socket import PageSocket
from waiting import TIMEOUT, eventually

AGENTS = 3_000

CAMERA = camera_info(groups=["all"], padding="x" * 1_500)
ZOOM = {
    "target": 1, "ramping": False, "min": 1, "max": 8, "position": 0, "optical": 1, "digital": 1,
    "viewport": {"x": 0.5, "y": 0.5, "width": 1, "height": 1}, "origin": {"kind": "command"}, "rev": 1, "boot": 1,
    "ts": "2026-01-01T00:00:00Z"}

pytestmark = pytest.mark.needs("anonymous clients")


def publish_fleet(broker):
    """What agents with one camera each retain, with documents of their usual sizes."""
    online = json.dumps({"state": "online", "boot": 1})
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.connect(HOST, broker.port)
    client.loop_start()
    for number in range(AGENTS):
        root = f"v4l2mqtt/agent{number}"
        info = {"agent": f"agent{number}", "version": "1", "protocol": 1, "host": "h", "cameras": ["door"],
                "clients": "open", "started": "2026-01-01T00:00:00Z"}
        for topic, payload in [
            ("availability", online), ("info", json.dumps(info)), ("door/availability", online),
            ("door/info", json.dumps(CAMERA)),
            ("door/recording", json.dumps({"state": "idle"})),
            ("door/diagnostics", json.dumps({"frames": 1})), ("door/desired", "null"),
            ("door/zoom", json.dumps(ZOOM | {"factor": 1 + number / 1_000}))]:
            client.publish(f"{root}/{topic}", payload, retain=True)
    last = client.publish("done", b"", qos=1)
    last.wait_for_publish(TIMEOUT)
    assert last.is_published(), "the broker did not take the fleet"
    client.disconnect()
    client.loop_stop()


@pytest.fixture
def broker(tmp_path):
    made = Broker(tmp_path / "broker", persistence=True).start()
    publish_fleet(made)
    yield made
    made.stop()


def test_the_metrics_are_whole_and_a_reconnection_removes_none(broker, tmp_path):
    exporter = Exporter(broker, tmp_path).start()

    def cameras(samples):
        return sum(value == 1 for name, value in samples.items() if name.startswith("v4l2mqtt_camera_up{"))

    def is_whole():
        samples = exporter.samples()
        return cameras(samples) == AGENTS and samples["v4l2mqtt_exporter_incomplete_cameras"] == 0

    try:
        eventually(is_whole, f"{AGENTS} cameras")
        broker.stop()
        eventually(lambda: exporter.samples()["v4l2mqtt_exporter_connected"] == 0, "the end of the connection")
        messages = exporter.samples()["v4l2mqtt_exporter_messages_total"]
        broker.start()

        def is_read_again():
            samples = exporter.samples()
            known = sum(name.startswith("v4l2mqtt_camera_up{") for name in samples)
            assert known == AGENTS, f"{AGENTS - known} cameras were removed"
            # Of each agent: its own two, three states that it needs, and its diagnostics.
            return (samples["v4l2mqtt_exporter_messages_total"] >= messages + 6 * AGENTS
                    and samples["v4l2mqtt_exporter_incomplete_cameras"] == 0)

        eventually(is_read_again, "all cameras once more")
        assert "incomplete" not in exporter.log
    finally:
        exporter.process.kill()
        exporter.process.wait()


def test_ctl_lists_all_and_counts_all_members_of_a_group(broker):
    place = ["--port", str(broker.port)]
    listed = json.loads(done("list", *place, "--json"))
    assert {row["agent"]: row["zoom"] for row in listed} == {
        f"agent{number}": 1 + number / 1_000 for number in range(AGENTS)}
    # None of them is there to answer.
    ended = ctl("zoom", *place, "--group", "all", "2")
    assert (ended.returncode, ended.stdout) == (1, f"all: 0 done, 0 refused, {AGENTS} silent\n")
    assert ended.stderr.startswith(f"{AGENTS} cameras (agent0/door, ")
    assert ended.stderr.endswith(f" and {AGENTS - 8} more): no answer was received\n")


def test_the_list_of_a_page_is_whole_and_a_reconnection_removes_none(broker, tmp_path):
    online = {}

    def is_whole(cameras):
        online.update({name: camera and camera["online"] for name, camera in cameras.items()})
        return sum(map(bool, online.values())) == AGENTS

    with closing(Console(broker, tmp_path / "console").start()) as console, PageSocket(console) as page:
        page.wait_for("cameras", is_whole)
        broker.stop()
        page.wait_for("bus", lambda is_connected: not is_connected)
        since = len(broker.log)
        page.texts.clear()
        broker.start()
        # The last one by name: its subscriptions begin and end.
        eventually(lambda: broker.log[since:].count("v4l2mqtt/agent999/info") >= 2, "the end of the reading")
        # What was sent before has come with this answer.
        assert page.command("zoom", {"factor": 1}, camera="no/camera")["error"]["code"] == "bad_topic"
        assert not [text for text in page.texts if None in text.get("cameras", {}).values()]
