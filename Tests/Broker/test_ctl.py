"""The controller on the command line: files, pipes, signals, and what reads its output.

What each command prints is in `Tests/Record/programs/live.txt`, how each conversation ends in
`Tests/CtlTests`.
"""

import json
import os
import signal
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

import certificates
from agent import PROGRAM, Agent
from broker import Broker
from command_line import begun, ctl, done, location, refused
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def place(controller, broker):
    """The options that name the shared agent's camera. The zoom is at 1."""
    return location(broker)


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


def test_capture_checks_where_the_photo_goes_before_it_is_taken(controller, place, tmp_path):
    since = controller.mark()
    ended = ctl("capture", *place, "--output", str(tmp_path / "missing" / "here.jpg"))
    assert ended.returncode == 1 and ended.stderr.endswith("here.jpg can't be written: No such file or directory\n")
    assert ctl("capture", *place, "--output", str(tmp_path)).returncode == 0
    photo, = tmp_path.iterdir()
    assert photo.name.startswith("porch-door-") and photo.suffix == ".jpg"
    sent = controller.inbox.all(controller.topic("capture/set"), since)
    assert len(sent) == 1


@pytest.mark.parametrize("group", [[], ["--group", "stage"]], ids=["one camera", "a group"])
def test_a_folder_that_cannot_be_written_is_found_before_a_connection_is_made(group):
    # Root may write to every folder.
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    # No resolver knows a name in `.invalid` (RFC 6761).
    ended = subprocess.run(
        [PROGRAM, "ctl", "capture", "--host", "broker.invalid", *group, "--output", "/etc"],
        capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, **nobody)
    assert (ended.returncode, ended.stderr) == (1, "/etc can't be written: Permission denied\n")


def test_the_lease_is_taken_shown_refused_to_others_and_released(controller, place):
    show, others = ["lease", "show", *place], [*place, "--client", "tablet"]
    assert done(*show) == "No client has the lease.\n"
    assert done("lease", "take", *place, "--client", "phone", "--for", "60s").startswith("done")
    holder, until = done(*show).split(" until ")
    assert holder == "phone" and json.loads(done(*show, "--json"))["until"] == until.strip()
    error = refused("zoom", *others, "2")
    assert error.startswith("held: phone holds the lease") and error.endswith('"ctl lease take --force".\n')
    assert refused("lease", "take", *others).startswith("held: ")
    assert controller.state("zoom")["factor"] == 1
    assert done("lease", "take", *others, "--force").startswith("done")
    assert done(*show).startswith("tablet until ")
    assert done("lease", "release", *others).startswith("done")
    assert done(*show) == "No client has the lease.\n"


def test_capture_writes_the_photo_to_standard_output(place):
    photo = subprocess.run([PROGRAM, "ctl", "capture", *place, "--output", "-"], capture_output=True, timeout=TIMEOUT)
    assert (photo.returncode, photo.stderr) == (0, b"")
    assert photo.stdout.startswith(b"\xff\xd8") and photo.stdout.endswith(b"\xff\xd9")


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


@pytest.mark.parametrize("options, port", [
    ([], 1883), (["--tls"], 8883), (["--ca-file"], 8883), (["--tls", "--port", "1884"], 1884)])
def test_the_default_port_is_that_of_tls_with_tls(tmp_path, options, port):
    if options == ["--ca-file"]:
        options = [*options, str(certificates.authority(tmp_path).certificate)]
    # No resolver knows a name in `.invalid` (RFC 6761).
    assert refused("zoom", "--host", "broker.invalid", *options, "2").startswith(f"broker.invalid:{port}: ")


def test_agent_killed_during_a_command_is_an_error_without_a_timeout(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"lens_speed": 0.5, "optical_max": 8}})
    place = ["--port", str(broker.port)]
    controller = bench.controller(broker)
    zoom = begun("zoom", *place, "8")
    controller.state("zoom", lambda state: state["ramping"], since=0)
    agent.kill()
    printed, complaint = zoom.communicate(timeout=TIMEOUT)
    assert (zoom.returncode, printed) == (1, "") and "porch is offline." in complaint
    assert refused("zoom", *place, "2") == "porch is offline.\n"
    agent.start()


# Recordings


def test_record_for_a_while_waits_for_the_end(place):
    printed = json.loads(done("record", *place, "on", "--for", "1", "--codec", "mjpeg", "--json"))
    assert printed["reason"] == "max_duration"
    assert Path(printed["path"]).stat().st_size == printed["bytes"]


def test_ctrl_c_ends_a_recording_early_with_its_file(controller, place):
    since = controller.mark()
    recording = begun("record", *place, "on", "--for", "600")
    state = controller.state("recording", lambda state: state["state"] == "recording", since=since)
    recording.send_signal(signal.SIGINT)
    printed, _ = recording.communicate(timeout=TIMEOUT)
    assert recording.returncode == 0
    assert printed.startswith(state["path"] + ",") and "stopped" in printed


# Lists


def test_list_shows_hundreds_of_cameras(tmp_path):
    # Without the recorder of the bench: it subscribes to everything with QoS 2, so the broker would drop
    # messages.
    broker = Broker(tmp_path / "broker").start()
    cameras = [{"id": f"cam{number:03}", "source": "simulated"} for number in range(300)]
    agent = Agent(broker, tmp_path / "agent", cameras=cameras).launch()

    def rows():
        return json.loads(done("list", "--port", str(broker.port), "--json"))

    try:
        eventually(lambda: [row["state"] for row in rows()] == ["online"] * 300, "all cameras")
        # The recordings' states were retained before the last camera was online.
        assert [row.get("recording") for row in rows()] == ["idle"] * 300
    finally:
        agent.stop()
        broker.stop()
