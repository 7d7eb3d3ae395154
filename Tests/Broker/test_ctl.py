"""The controller on the command line."""

import json
import os
import signal
import subprocess
import threading
from contextlib import contextmanager

import pytest
from PIL import Image

from agent import PROGRAM
from command_line import ctl, done, location
from inbox import Inbox, Message
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def place(controller, broker):
    """The options that name the shared agent's camera. The zoom is at 1."""
    return location(broker)


def test_zoom_returns_when_the_zoom_has_reached_its_target(controller, place):
    ended = ctl("zoom", *place, "2.5", "--rate", "8")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "2.5" in ended.stdout
    assert controller.state("zoom", lambda state: not state["ramping"])["factor"] == 2.5


def test_zoom_selects_the_only_camera(controller, place):
    assert ctl("zoom", *place[:4], "--position", "1").returncode == 0
    assert controller.state("zoom", lambda state: state["factor"] == 8)


def test_zoom_by_3_1_1(controller, place):
    assert ctl("zoom", *place, "--protocol", "3.1.1", "--by", "3").returncode == 0
    assert controller.state("zoom", lambda state: state["factor"] == 3)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_ctl_works_with_an_agent_on_3_1_1(bench, protocol, tmp_path):
    broker = bench.broker()
    bench.agent(broker, mqtt={"protocol": "3.1.1"})
    at = ["--port", str(broker.port), "--protocol", protocol]
    ended = ctl("zoom", *at, "2.5")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("factor 2.5") == 1
    if protocol == "5":
        file = tmp_path / "here.jpg"
        ended = ctl("capture", *at, "--output", str(file))
        assert ended.returncode == 1 and not file.exists()
        assert "3.1.1" in ended.stderr and "/door/" in ended.stderr, ended.stderr


def test_refused_command_is_printed_and_exits_with_1(controller, place):
    ended = ctl("zoom", *place, "0")
    assert ended.returncode == 1
    assert "factor" in ended.stderr


def test_unknown_camera_is_printed_and_exits_with_1(controller, place):
    ended = ctl("zoom", *place[:6], "--camera", "nosuch", "2")
    assert ended.returncode == 1 and ended.stderr


def test_pinch_makes_a_whole_gesture(controller, place):
    controller.zoom_to(1.5)
    since = controller.mark()
    ended = ctl("pinch", *place, "2.0", "--over", "200")
    assert ended.returncode == 0, ended.stderr
    assert controller.state("zoom", lambda state: state["factor"] == 3)
    assert controller.state("pinch", lambda state: state is None, since=since) is None
    sent = [message.json["phase"] for message in controller.inbox.all(controller.topic("pinch/set"), since)]
    assert sent[0] == "began" and sent[-1] == "ended" and set(sent[1:-1]) == {"changed"}


def test_capture_transfers_the_photo(controller, place, tmp_path):
    controller.zoom_to(2)
    file = tmp_path / "here.jpg"
    ended = ctl("capture", *place, "--output", str(file), "--width", "320")
    assert ended.returncode == 0, ended.stderr
    with Image.open(file) as image:
        assert (image.format, image.size) == ("JPEG", (320, 180))


def test_capture_writes_to_an_existing_fifo(place, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reading = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reading.start()
    assert ctl("capture", *place, "--output", str(pipe)).returncode == 0
    assert pipe.is_fifo()
    reading.join(TIMEOUT)
    assert read[0].startswith(b"\xff\xd8") and read[0].endswith(b"\xff\xd9")


def test_capture_replaces_the_file_of_a_link(place, tmp_path):
    file, link = tmp_path / "photo.jpg", tmp_path / "newest.jpg"
    file.write_text("the photo before")
    file.chmod(0o604)
    link.symlink_to(file)
    assert ctl("capture", *place, "--output", str(link)).returncode == 0
    assert link.is_symlink() and file.read_bytes().startswith(b"\xff\xd8")
    assert file.stat().st_mode & 0o777 == 0o604 and {*tmp_path.iterdir()} == {file, link}


def test_capture_without_output_prints_the_path(controller, place):
    ended = ctl("capture", *place)
    assert ended.returncode == 0, ended.stderr
    controller.state("capture", lambda state: state["last"] and state["last"]["path"] in ended.stdout)


def test_capture_as_json_has_path_and_size(place, tmp_path):
    file = tmp_path / "here.jpg"
    printed = json.loads(done("capture", *place, "--output", str(file), "--json"))
    assert printed == {"path": str(file), "bytes": file.stat().st_size}


def test_capture_writes_the_photo_to_standard_output(place):
    photo = subprocess.run([PROGRAM, "ctl", "capture", *place, "--output", "-"], capture_output=True, timeout=TIMEOUT)
    assert (photo.returncode, photo.stderr) == (0, b"")
    assert photo.stdout.startswith(b"\xff\xd8") and photo.stdout.endswith(b"\xff\xd9")


@contextmanager
def watching_by_json(*arguments):
    """What `ctl watch --json` prints, until its end by Ctrl-C."""
    watching = subprocess.Popen(
        [PROGRAM, "ctl", "watch", *arguments, "--json"], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    inbox = Inbox()

    def listen():
        for line in watching.stdout:
            printed = json.loads(line)
            inbox.put(Message(printed["topic"], json.dumps(printed["payload"]).encode(), retained=False, qos=0))

    listening = threading.Thread(target=listen)
    listening.start()
    try:
        yield inbox
    finally:
        watching.send_signal(signal.SIGINT)
        assert watching.wait(TIMEOUT) == 0
        listening.join(TIMEOUT)


def test_watch_prints_a_line_for_each_state(controller, place):
    with watching_by_json(*place) as inbox:
        zoom = controller.topic("zoom")
        inbox.wait_for(zoom, lambda message: message.json["factor"] == 1, since=0)
        controller.zoom_to(4)
        inbox.wait_for(zoom, lambda message: message.json["factor"] == 4)


def test_watch_prints_the_messages_of_all_cameras(bench):
    broker = bench.broker()
    bench.agent(broker, cameras=[{"id": name, "source": "simulated"} for name in ("door", "yard")])
    with watching_by_json("--port", str(broker.port)) as inbox:
        for name in ("door", "yard"):
            controller = bench.controller(broker, camera=name)
            controller.zoom_to(3)
            inbox.wait_for(controller.topic("zoom"), lambda message: message.json["factor"] == 3, since=0)


@contextmanager
def watching_by_lines(*arguments):
    """The lines of `ctl watch` where there is no terminal, until its end by SIGTERM."""
    watching = subprocess.Popen(
        [PROGRAM, "ctl", "watch", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL)
    lines = []
    listening = threading.Thread(target=lambda: lines.extend(iter(watching.stdout.readline, "")))
    listening.start()
    try:
        yield lines
    finally:
        watching.terminate()
        assert watching.wait(TIMEOUT) == 0
        listening.join(TIMEOUT)


def test_watch_without_a_terminal_names_the_camera_in_each_line(bench):
    broker = bench.broker()
    bench.agent(broker)
    hall = bench.agent(broker, name="hall", cameras=[
        {"id": name, "source": "simulated"} for name in ("door", "yard")])
    yard = bench.controller(broker, agent="hall", camera="yard")

    def wait_for_lines(lines, *beginnings):
        eventually(lambda: all(any(line.startswith(b) for line in lines) for b in beginnings), f"lines with {beginnings}")

    with watching_by_lines("--port", str(broker.port)) as lines:
        wait_for_lines(lines, "porch/door 1.00×", "hall/door 1.00×", "hall/yard 1.00×")
        yard.obeyed("zoom", {"factor": 3, "client": "phone"})
        wait_for_lines(lines, "hall/yard 3.00×")
        assert "phone, command" in lines[-1]
        hall.kill()
        wait_for_lines(lines, "hall offline\n")
        hall.start()
        wait_for_lines(lines, "hall online\n")
    with watching_by_lines("--port", str(broker.port), "--agent", "hall", "--camera", "yard") as lines:
        wait_for_lines(lines, "hall/yard ")
        assert len(lines) == 1


def test_watch_prints_the_availability_of_agents(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with watching_by_json("--port", str(broker.port)) as inbox:
        availability = "v4l2mqtt/porch/availability"
        inbox.wait_for(availability, lambda message: message.json["state"] == "online", since=0)
        agent.kill()
        inbox.wait_for(availability, lambda message: message.json["state"] == "offline")
        agent.start()


@pytest.mark.parametrize("how", [(), ("--json",)], ids=["lines", "json"])
def test_watch_ends_when_its_reader_does(place, how):
    # Nothing happens on the bus meanwhile.
    watching = subprocess.Popen(
        [PROGRAM, "ctl", "watch", *place, *how], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    assert watching.stdout.readline()
    watching.stdout.close()
    assert watching.wait(TIMEOUT) == -signal.SIGPIPE


def test_unwritable_output_is_an_error(place):
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [PROGRAM, "ctl", "list", *place], stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    assert (ended.returncode, ended.stderr) == (1, "standard output: No space left on device\n")
