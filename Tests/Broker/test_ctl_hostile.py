"""The controller on the command line, among clients that send what it should not print or believe.

What it believes is tested in `Tests/CtlTests`, in virtual time.
"""

import hashlib
import json
import queue
import re
import subprocess
import threading
import unicodedata
from contextlib import closing

import paho.mqtt.client as paho
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from agent import PROGRAM
from broker import Broker
from camera_info import camera_info
from command_line import begun, ctl, done
from controller import without_delay
from waiting import TIMEOUT

pytestmark = pytest.mark.needs("anonymous clients")

#: What a terminal would execute, what forges a line, and what turns the direction of text.
EVIL = "\x1b[2J\x9b31m\rporch/door  online\n\u2028\u202e\u200b\x7f"
TIME = "2026-01-02T03:04:05.000Z"
#: Not the base topic that the recorder holds against the schemas.
BASE = "elsewhere"


class HostileAgent:
    """Publishes states of `porch/door` full of control characters, and answers commands with such."""

    def __init__(self, broker):
        self._ready = threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, "hostile", protocol=paho.MQTTv5)
        self._client.on_message = self._received
        self._client.on_subscribe = lambda *_: self._ready.set()
        self._client.on_connect = lambda client, *_: client.subscribe(f"{BASE}/+/+/+/set", 1)
        self._client.on_socket_open = without_delay
        broker.admit(self._client)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert self._ready.wait(TIMEOUT)

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def _received(self, client, data, message):
        """Refuses `zoom`; everything else is done."""
        properties = Properties(PacketTypes.PUBLISH)
        properties.CorrelationData = message.properties.CorrelationData
        status = {"status": "error", "error": {"code": "busy", "message": EVIL}} if message.topic.endswith("zoom/set") else {
            "status": "done", "photos": []}
        self._publish(
            message.properties.ResponseTopic, {"id": json.loads(message.payload)["id"], "boot": 1, "ts": TIME, **status},
            properties=properties)

    def _publish(self, topic: str, payload: dict, **how):
        # Not escaped, as far as JSON allows that.
        return self._client.publish(topic, json.dumps(payload, ensure_ascii=False).encode(), 1, **how)

    def publish_states(self):
        point = {"x": 0.5, "y": 0.5}
        common = {"rev": 1, "boot": 1, "ts": TIME}
        origin = {"client": EVIL, "id": EVIL, "kind": EVIL}
        control = {
            "name": EVIL, "title": EVIL, "kind": "picker", "default": 0, "enabled": False, "reason": EVIL, "unit": EVIL,
            "options": [{"value": 0, "title": EVIL}]}
        states = {
            "porch/info": {
                "agent": EVIL, "version": EVIL, "protocol": 1, "host": EVIL, "cameras": ["door", EVIL], "started": TIME},
            "porch/availability": {"state": "online", "boot": 1, "ts": TIME},
            "porch/door/availability": {"state": "offline", "reason": EVIL},
            "porch/door/zoom": {
                "factor": 1, "target": 1, "ramping": False, "min": 1, "max": 8, "position": 0, "optical": 1, "digital": 1,
                "viewport": {**point, "width": 1, "height": 1}, "origin": origin, **common},
            "porch/door/presets": {
                "presets": {EVIL: {"factor": 2, "center": point, "controls": {EVIL: EVIL}}}, "current": EVIL, **common},
            "porch/door/controls": {"values": {EVIL: EVIL}, "origin": origin, **common},
            "porch/door/recording": {"on": True, "state": "recording", "path": f"/r/{EVIL}", **common},
            "porch/door/info": {
                "model": EVIL, "bus": EVIL, "serial": EVIL, "nodes": [EVIL], "formats": [], "qualities": [EVIL],
                "zoom": {
                    "min": 1, "max": 8, "handover": [], "actuators": [EVIL], "upscale_from": 2, "gesture_timeout_ms": 500,
                    "live_rate": 30},
                "controls": [control]},
        }
        for topic, state in states.items():
            self._publish(f"{BASE}/{topic}", state, retain=True).wait_for_publish(TIMEOUT)


@pytest.fixture
def hostile(tmp_path):
    # Without the recorder of the bench, which holds each answer against the schemas.
    broker = Broker(tmp_path / "broker").start()
    with closing(HostileAgent(broker)) as hostile:
        hostile.publish_states()
        hostile.options = ["--port", str(broker.port), "--base-topic", BASE]
        yield hostile
    broker.stop()


def unprintable(text: str) -> list[str]:
    """What a terminal would execute or not show, except the ends of lines."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn")]


def test_an_agent_cannot_send_a_file_in_the_place_of_another(tmp_path):
    """It sees the requests to its groups, and may write below `replies/`. Here the other one is silent."""
    broker = Broker(tmp_path / "broker").start()
    seen, ready = queue.Queue(), threading.Event()
    forger = paho.Client(paho.CallbackAPIVersion.VERSION2, "forger", protocol=paho.MQTTv5)
    forger.on_message = lambda client, data, message: seen.put(json.loads(message.payload)["id"])
    forger.on_subscribe = lambda *_: ready.set()
    broker.admit(forger)
    forger.connect("127.0.0.1", broker.port)
    forger.loop_start()
    forger.subscribe(f"{BASE}/groups/#", 1)

    def publish(topic, payload, **how):
        forger.publish(topic, payload, 1, **how).wait_for_publish(TIMEOUT)

    def forge(prefix, number):
        """The bytes of a file and its description, as the answers to the request with this number."""
        photo = b"forged"
        file = {"name": "x.jpg", "kind": "photo", "content_type": "image/jpeg", "bytes": len(photo), "created_at": TIME}
        described = {"status": "done", "boot": 1, "ts": TIME, "media": [file], "file": file | {
            "version": "1", "sha256": hashlib.sha256(photo).hexdigest()}}
        for kind, payload in (("image/jpeg", photo), ("application/json", json.dumps(described))):
            properties = Properties(PacketTypes.PUBLISH)
            properties.CorrelationData, properties.ContentType = f"{prefix}-{number}".encode(), kind
            publish(f"replies/ctl/{prefix}", payload, properties=properties)
        answer = json.dumps(described | {"id": f"{prefix}-{number}"})
        publish("replies/ctl/porch/door/media", answer)

    try:
        assert ready.wait(TIMEOUT)
        online = json.dumps({"state": "online", "boot": 1, "ts": TIME})
        info = {"agent": "porch", "version": "1", "protocol": 1, "host": "h", "cameras": ["door"], "started": TIME}
        for topic, payload in [
            ("availability", online), ("info", json.dumps(info)), ("door/availability", online),
            ("door/info", json.dumps(camera_info(groups=["stage"])))]:
            publish(f"{BASE}/porch/{topic}", payload, retain=True)
        running = begun(
            "media", "get", "--newest", "1", "--port", str(broker.port), "--base-topic", BASE, "--client", "ctl",
            "--group", "stage", "--output", str(tmp_path / "copies"))
        prefix = seen.get(timeout=TIMEOUT).removesuffix("-refresh")
        while running.poll() is None:
            # The list, the description and the bytes.
            for number in (1, 2, 3):
                forge(prefix, number)
        output, errors = running.communicate(timeout=TIMEOUT)
        assert output == "stage: 0 done, 0 refused, 1 silent\n" and errors == "porch/door: No answer was received.\n"
        assert not list((tmp_path / "copies").iterdir())
    finally:
        forger.disconnect()
        forger.loop_stop()
        broker.stop()


@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("command", ["list", "preset list", "controls", "zoom 2", "record on", "capture"])
def test_nothing_that_is_printed_has_control_characters(hostile, command, json_too):
    ended = ctl(*command.split(), *hostile.options, *json_too, "--camera", "door")
    printed = ended.stdout + ended.stderr
    assert printed and not unprintable(printed), repr(printed)
    # None of the lines is forged.
    assert not any(line.startswith("porch/door  online") for line in printed.splitlines())
    if json_too and ended.stdout:
        for line in ended.stdout.splitlines():
            json.loads(line)


def test_a_client_certificate_is_shown_to_the_broker(tmp_path):
    broker = Broker(tmp_path / "broker", tls=True).start()
    try:
        place = ["--port", str(broker.port), "--ca-file", str(broker.certificates.authority)]
        assert ctl("list", *place).returncode == 1
        identity = broker.certificates.client
        shown = ["--cert-file", str(identity.certificate), "--key-file", str(identity.key)]
        assert done("list", *place, *shown).startswith("There is no camera")
    finally:
        broker.stop()


# The rest of the program


def test_the_demo_joins_no_broker_of_others(tmp_path):
    broker = Broker(tmp_path / "broker").start()
    try:
        ended = subprocess.run(
            [PROGRAM, "demo", "--port", str(broker.port)], capture_output=True, text=True, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL)
        assert ended.returncode == 64 and "another program listens" in ended.stderr
        assert ended.stdout == ""
    finally:
        broker.stop()


@pytest.mark.parametrize("form", ["text", "json"])
def test_lines_of_the_log_cannot_be_forged(bench, form):
    broker = bench.broker()
    agent = bench.agent(broker, log={"level": "debug", "format": form})
    controller = bench.controller(broker)
    name = f"a\n{TIME} error: forged\x9b\u202e"
    for body in ({name: 1}, {"factor": name}, {"preset": name}):
        controller.command("zoom", body)
    assert agent.stop() == 0
    lines = agent.log.split("\n")[:-1]
    assert sum("forged" in line for line in lines) >= 2
    for line in lines:
        assert not unprintable(line) and len(line) < 4096, repr(line)
        if form == "json":
            assert json.loads(line)["level"] != "error"
        else:
            assert re.match(r"[0-9T:.-]+Z (debug|info|notice|warning): ", line), repr(line)
