"""The controller on the command line, among clients that send what it should not print or believe."""

import hashlib
import json
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
from command_line import begun, ctl, done, refused
from controller import without_delay
from terminal import Terminal
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")

#: What a terminal would execute, what forges a line, and what turns the direction of text.
EVIL = "\x1b[2J\x9b31m\rporch/door  online\n\u2028\u202e\u200b\x7f"
TIME = "2026-01-02T03:04:05.000Z"
#: Not the base topic that the recorder holds against the schemas.
BASE = "elsewhere"


class HostileAgent:
    """Publishes states of `porch/door` full of control characters, and answers commands as it is told."""

    def __init__(self, broker):
        self.commands: list[dict] = []
        #: Called with each command's message: publishes the answers.
        self.answer = lambda message: None
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
        self.commands.append({"topic": message.topic, **json.loads(message.payload)})
        self.answer(message)

    def publish(self, topic: str, payload, *, retain=False, correlation: bytes | None = None, content_type=None):
        properties = Properties(PacketTypes.PUBLISH)
        if correlation is not None:
            properties.CorrelationData = correlation
        if content_type:
            properties.ContentType = content_type
        if not isinstance(payload, bytes):
            # Not escaped, as far as JSON allows that.
            payload = json.dumps(payload, ensure_ascii=False).encode()
        return self._client.publish(topic, payload, 1, retain, properties)

    def reply(self, message, status="done", *, correlation: bytes | None = None, topic=None, **fields):
        """Answers a command: as an agent would, or with other correlation data, or on another topic."""
        identity = json.loads(message.payload)["id"]
        own = message.properties.CorrelationData
        self.publish(
            topic or message.properties.ResponseTopic,
            {"id": identity, "status": status, "boot": 1, "ts": TIME, **fields},
            correlation=own if correlation is None else correlation or None)

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
            self.publish(f"{BASE}/{topic}", state, retain=True).wait_for_publish(TIMEOUT)


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


@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("command", ["list", "preset list", "controls", "zoom 2", "record on", "capture"])
def test_nothing_that_is_printed_has_control_characters(hostile, command, json_too):
    def answer(message):
        if message.topic.endswith("zoom/set"):
            hostile.reply(message, "error", error={"code": "busy", "message": EVIL})
        else:
            hostile.reply(message, photos=[])

    hostile.answer = answer
    ended = ctl(*command.split(), *hostile.options, *json_too, "--camera", "door")
    printed = ended.stdout + ended.stderr
    assert printed and not unprintable(printed), repr(printed)
    # None of the lines is forged.
    assert not any(line.startswith("porch/door  online") for line in printed.splitlines())
    if json_too and ended.stdout:
        for line in ended.stdout.splitlines():
            json.loads(line)


def test_an_error_about_unknown_names_has_no_control_characters(hostile):
    printed = refused("zoom", *hostile.options, "2")
    assert "has the cameras door" in printed and not unprintable(printed), repr(printed)


def test_the_screen_of_watch_has_no_control_characters_of_others(hostile):
    with closing(Terminal([PROGRAM, "ctl", "watch", *hostile.options], columns=200, NO_COLOR="1")) as terminal:
        eventually(lambda: "porch/door" in terminal.written, "the camera")
        hostile.publish(
            f"{BASE}/porch/door/event",
            {"event": "refused", "client": EVIL, "error": {"code": "busy", "message": EVIL}, "boot": 1, "ts": TIME})
        eventually(lambda: "busy" in terminal.written, "the error")
        terminal.press("q")
        # The screen's own sequences: cursor, alternate screen, clearing.
        rest = re.sub(r"\x1b\[(\?\d+[hl]|[HJK])|\r+(?=\n)", "", terminal.written)
        assert not unprintable(rest), repr(rest)


def test_lines_of_watch_cannot_be_forged(hostile):
    forged = b'{}\n{"topic":"elsewhere/porch/door/zoom","payload":{"factor":9}}'
    payloads = {"lease": forged, "session": b'{"a":\n1,\r\n"b":[ 0.5 ,null]}\n', "preview": b"\xff\x1b[2J"}
    expected = {"lease": forged.decode(), "session": {"a": 1, "b": [0.5, None]}, "preview": "\ufffd\x1b[2J"}
    for node, payload in payloads.items():
        hostile.publish(f"{BASE}/porch/door/{node}", payload, retain=True).wait_for_publish(TIMEOUT)
    watching = begun("watch", *hostile.options, "--json")
    found = {}
    try:
        while not expected.keys() <= found.keys():
            line = watching.stdout.readline()
            assert not unprintable(line), repr(line)
            message = json.loads(line)
            found[message["topic"].removeprefix(f"{BASE}/porch/door/")] = message["payload"]
    finally:
        watching.terminate()
        watching.communicate(timeout=TIMEOUT)
    assert {node: found[node] for node in expected} == expected
    assert found["zoom"]["factor"] == 1


def test_only_answers_with_its_own_correlation_data_are_taken(hostile, tmp_path):
    photo = tmp_path / "photo.jpg"

    def answer(message):
        topic = message.properties.ResponseTopic
        for correlation in (b"", b"other", message.properties.CorrelationData + b"0"):
            hostile.reply(message, "error", correlation=correlation, error={"code": "busy", "message": "forged"})
            hostile.publish(topic, b"forged", correlation=correlation or None, content_type="image/jpeg")
        hostile.publish(
            message.topic.removesuffix("set") + "reply", b"forged", content_type="image/jpeg",
            correlation=message.properties.CorrelationData)
        for other in ("porch/door/zoom", "porch/gate/capture", "hall/door/capture"):
            hostile.reply(
                message, "error", correlation=b"", topic=f"{BASE}/{other}/reply", error={"code": "busy", "message": "forged"})
        hostile.publish(topic, b"own", correlation=message.properties.CorrelationData, content_type="image/jpeg")

    hostile.answer = answer
    done("capture", *hostile.options, "--camera", "door", "--output", str(photo))
    assert photo.read_bytes() == b"own"


@pytest.mark.parametrize("size", [-1, -2 ** 63, 2 ** 62])
def test_a_size_that_cannot_be_ends_the_copies_of_no_other_camera(hostile, tmp_path, size):
    """`porch/door` is hostile; `porch/yard` has a file of five bytes."""
    info = {
        "model": "m", "bus": "usb", "serial": "1", "nodes": [], "formats": [], "qualities": [], "controls": [],
        "groups": ["stage"], "clients": "open", "recording": {"codec": "h264", "max_duration_s": 60, "audio": False},
        "shutter": {"primary": "photo", "secondary": "photo"}, "zoom": {
            "min": 1, "max": 8, "handover": [], "actuators": [], "upscale_from": 2, "gesture_timeout_ms": 500, "live_rate": 30}}
    states = {"porch/info": {
        "agent": "porch", "version": "1", "protocol": 1, "host": "h", "cameras": ["door", "yard"], "started": TIME}}
    for camera in ("door", "yard"):
        states |= {f"porch/{camera}/info": info, f"porch/{camera}/availability": {"state": "online"}}
    for topic, state in states.items():
        hostile.publish(f"{BASE}/{topic}", state, retain=True).wait_for_publish(TIMEOUT)

    def answer(message):
        command = json.loads(message.payload)
        file = {
            "name": "a.jpg", "kind": "photo", "content_type": "image/jpeg", "bytes": 5, "created_at": TIME}
        if "/door/" in message.topic:
            file["bytes"] = size
        if "list" in command:
            hostile.reply(message, media=[file])
        elif "describe" in command:
            digest = hashlib.sha256(b"photo").hexdigest()
            hostile.reply(message, file={**file, "version": "v1", "sha256": digest})
        elif "get" in command:
            hostile.publish(
                message.properties.ResponseTopic, b"photo", correlation=message.properties.CorrelationData,
                content_type="image/jpeg")

    hostile.answer = answer
    folder = tmp_path / "copies"
    ended = ctl("media", "get", *hostile.options, "--newest", "1", "--group", "stage", "--output", str(folder))
    assert ended.returncode == 1 and "stage: 1 done, 1 refused" in ended.stdout, ended
    assert "porch/door: internal: The agent's description of the file can't be read." in ended.stderr
    assert [file.name for file in folder.iterdir()] == ["porch-yard-a.jpg"]
    assert (folder / "porch-yard-a.jpg").read_bytes() == b"photo"


@pytest.mark.parametrize("options, client", [([], "ctl"), (["--client", "kitchen"], "kitchen")])
def test_answers_have_a_topic_of_the_client(hostile, options, client):
    topics = []

    def answer(message):
        topics.append(message.properties.ResponseTopic)
        hostile.reply(message)

    hostile.answer = answer
    for _ in range(2):
        done("zoom", *hostile.options, "2", "--camera", "door", *options)
    assert [command["client"] for command in hostile.commands] == [client, client]
    assert all(re.fullmatch(rf"replies/{client}/[^/+#]{{16,}}", topic) for topic in topics), topics
    assert len(set(topics)) == 2


def test_the_user_name_is_the_client(tmp_path):
    broker = Broker(tmp_path / "broker", password="secret").start()
    password = tmp_path / "password"
    password.write_text("secret\n")
    with closing(HostileAgent(broker)) as hostile:
        hostile.publish_states()
        hostile.answer = hostile.reply
        done("zoom", "2", "--port", str(broker.port), "--base-topic", BASE, "--camera", "door",
             "--username", broker.USERNAME, "--password-file", str(password))
        assert hostile.commands[0]["client"] == broker.USERNAME
    broker.stop()


@pytest.mark.parametrize("options", [
    ["--client", "a/b"], ["--client", "#"], ["--client", ""], ["--client", "a\x1b"], ["--client", "a" * 65],
    ["--cert-file", "a.pem"], ["--key-file", "a.key", "--ca-file", "ca.pem"], ["--cert-file", "a.pem", "--key-file", "a.key"],
])
def test_options_that_cannot_be_meant_are_refused(options):
    assert ctl("list", "--port", "1", *options).returncode == 64


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
