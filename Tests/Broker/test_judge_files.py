"""The messages that the unit tests write down are judged: a planted invalid line is found, and so is none at
all."""

import json
import subprocess
import sys

import pytest

import judge_files

TS = "2026-11-21T09:05:38.958Z"
PINCH = {"gesture": "g", "base": 2, "scale": 1.5, "rev": 3, "boot": 7, "ts": TS}
REPLY = {"status": "done", "boot": 7, "ts": TS}
VALID = [
    ("camera/pinch", PINCH), ("camera/pinch", None), ("camera/availability", {"state": "online"}),
    ("availability", {"state": "online", "boot": 7}), ("camera/zoom/reply", REPLY)]


def line(topic: str, payload) -> str:
    return json.dumps({"topic": topic if topic.startswith("replies/") else f"v4l2mqtt/agent/{topic}", "payload": payload})


def judged(folder, *lines: str) -> subprocess.CompletedProcess:
    (folder / "messages-1.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return subprocess.run([sys.executable, judge_files.__file__, folder], capture_output=True, text=True)


def test_valid_messages_pass(tmp_path):
    done = judged(tmp_path, *(line(*message) for message in VALID), line("replies/phone", REPLY))
    assert (done.returncode, done.stdout) == (0, "6 messages keep the contract\n")


@pytest.mark.parametrize("planted, word", [
    (line("camera/pinch", {**PINCH, "base": "2"}), "base"),
    (line("camera/pinch", {**PINCH, "nosuch": 1}), "nosuch"),
    (line("camera/zoom/reply", {**REPLY, "status": "error"}), "error"),
    (line("replies/phone", {**REPLY, "ts": "now"}), "ts"),
    (line("camera/nosuch", PINCH), "no channel"),
    (line("camera/zoom/set", {"factor": 2}), "command"),
    ('{"topic": "v4l2mqtt/agent/camera/pinch"}', "not a topic and a payload"),
    ('{"topic": "v4l2mqtt/agent/camera/pinch", "payload": {"base": NaN}}', "NaN"),
    ('{"topic": "v4l2mqtt/agent/camera/pinch", "payl', "payl"),
    ("", "Expecting value"),
])
def test_an_invalid_line_among_valid_ones_is_named(tmp_path, planted, word):
    valid = [line(*message) for message in VALID]
    done = judged(tmp_path, *valid, planted, *valid)
    assert done.returncode == 1
    (objection,) = done.stdout.splitlines()
    assert objection.startswith("messages-1.jsonl:6: ") and word in objection


def test_no_line_at_all_is_a_failure(tmp_path):
    done = subprocess.run([sys.executable, judge_files.__file__, tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and "no message was written" in done.stdout
