"""The controller on the command line: recordings."""

import json
import signal
from pathlib import Path

import pytest

from command_line import begun, ctl, done, failed, location, refused
from controller import Controller
from waiting import TIMEOUT

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def place(controller, broker):
    """The options that name the shared agent's camera. The zoom is at 1. A recording ends with the test."""
    yield location(broker)
    controller.obeyed("recording", {"on": False})


def test_record_on_prints_the_path_and_off_waits_for_the_file(controller, place):
    since = controller.mark()
    began = done("record", *place, "on", "--codec", "mjpeg", "--no-audio", "--max-duration", "600")
    state = controller.state("recording", lambda state: state["state"] == "recording", since=since)
    assert (state["codec"], state["audio"], state["max_duration_s"]) == ("mjpeg", False, 600)
    assert state["path"] in began
    ended = done("record", *place, "off")
    assert f"\n{state['path']}, " in ended
    assert Path(state["path"]).stat().st_size > 0
    assert controller.state("recording", lambda state: state["state"] == "idle", since=since)


def test_record_on_takes_the_encoding(controller, place):
    since = controller.mark()
    done("record", *place, "on", "--codec", "h264", "--quality", "30", "--max-bit-rate", "2000000", "--key-frame-interval", "0.5")
    state = controller.state("recording", lambda state: state["state"] == "recording", since=since)
    assert (state["quality"], state["max_bit_rate"], state["key_frame_interval_s"]) == (30, 2000000, 0.5)
    done("record", *place, "off")


def test_record_off_without_a_recording_is_done(place):
    assert done("record", *place, "off").startswith("done")


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


def test_record_on_prints_the_path_as_json(controller, place):
    printed = json.loads(done("record", *place, "on", "--codec", "mjpeg", "--json"))
    assert printed["state"] == "recording"
    off = json.loads(done("record", *place, "off", "--json"))
    assert off["status"] == "done" and off["recording"]["path"] == printed["path"]


def test_a_lost_broker_during_a_recording_is_an_error(bench):
    broker = bench.broker()
    bench.agent(broker)
    with Controller(broker) as controller:
        recording = begun("record", "--port", str(broker.port), "on", "--for", "600", "--codec", "mjpeg")
        controller.state("recording", lambda state: state["state"] == "recording", since=0)
        # Answered after the start of the recording, so the program has received that answer too.
        controller.obeyed("zoom", {"factor": 2})
    broker.stop()
    _, complaint = recording.communicate(timeout=TIMEOUT)
    assert recording.returncode == 1
    # A broker that stops may publish the agent's will first.
    assert str(broker.port) in complaint or "porch is offline." in complaint, complaint
    assert "goes on" in complaint, complaint
    broker.start()


def test_a_recording_that_the_camera_cannot_make_is_refused(place):
    assert "unsupported" in refused("record", *place, "on", "--audio")


@pytest.mark.parametrize("wrong", [("off", "--for", "3"), ("on", "--for", "0"), ("maybe",), ("on", "--codec", "vp9"),
    ("off", "--quality", "50"), ("on", "--quality", "0"), ("on", "--max-bit-rate", "4M"), ("on", "--key-frame-interval", "61")])
def test_wrong_arguments_are_refused(wrong):
    assert ctl("record", *wrong).returncode == 64


def test_record_on_during_a_recording_prints_its_path(controller, place):
    began = done("record", *place, "on", "--codec", "mjpeg")
    assert done("record", *place, "on") == began
    assert json.loads(done("record", *place, "on", "--json"))["path"] in began


def test_a_recording_that_ends_early_is_an_error(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with Controller(broker) as controller:
        recording = begun("record", "--port", str(broker.port), "on", "--for", "600", "--codec", "mjpeg")
        controller.state("recording", lambda state: state["state"] == "recording", since=0)
        controller.obeyed("zoom", {"factor": 2})
        assert agent.stop() == 0
        printed, complaint = recording.communicate(timeout=TIMEOUT)
    assert recording.returncode == 1 and "agent_stopped" in printed and "ended early" in complaint


def test_a_recording_that_cannot_start_is_one_error(bench, tmp_path):
    broker = bench.broker()
    (tmp_path / "file").write_text("")
    bench.agent(broker, recordings={"directory": str(tmp_path / "file")})
    code, _ = failed("record", "--port", str(broker.port), "on", "--for", "2")
    assert code == "device"
