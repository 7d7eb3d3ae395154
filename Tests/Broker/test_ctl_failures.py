"""The controller on the command line: agents and cameras that are away, commands that fail or take long."""

import pytest

import certificates
from command_line import begun, done, failed, refused
from controller import Controller
from waiting import TIMEOUT

pytestmark = pytest.mark.needs("anonymous clients")


# Away


def test_offline_agent_is_an_error_without_waiting(bench):
    broker = bench.broker()
    at = ["--port", str(broker.port)]
    assert "There is no agent below v4l2mqtt/" in refused("zoom", *at, "2")
    barn = bench.agent(broker, name="barn")
    assert refused("zoom", *at, "2", "--agent", "nope") == "There is no agent nope; there is barn.\n"
    barn.stop()
    for command in (["zoom", "2"], ["controls"], ["preset", "list"], ["zoom", "2", "--agent", "barn", "--camera", "door"]):
        # If the program had waited for an answer, the error would be a timeout.
        assert refused(*command, *at) == "barn is stopped.\n"
    hall = bench.agent(broker, name="hall")
    # An agent that is away is no candidate: the other one is the only agent.
    assert done("zoom", *at, "2").startswith("done")
    hall.kill()
    with Controller(broker, agent="hall") as controller:
        controller.inbox.wait_for(
            "v4l2mqtt/hall/availability", lambda message: message.json["state"] == "offline", since=0)
    assert refused("zoom", *at, "2") == "barn is stopped, hall is offline.\n"
    barn.start()
    hall.start()
    assert refused("zoom", *at, "2") == "There is more than one agent: barn, hall. Name one with --agent.\n"


def test_a_camera_without_a_device_is_an_error(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/video99"}})
    at = ["--port", str(broker.port)]
    assert refused("controls", *at) == refused("controls", *at, "brightness=1") == "porch/door is offline: not_found.\n"
    assert "was not found" in refused("zoom", *at, "2")


# Places without a broker


@pytest.mark.parametrize("options, port", [
    ([], 1883), (["--tls"], 8883), (["--ca-file"], 8883), (["--tls", "--port", "1884"], 1884)])
def test_the_default_port_is_that_of_tls_with_tls(tmp_path, options, port):
    if options == ["--ca-file"]:
        options = [*options, str(certificates.authority(tmp_path).certificate)]
    # No resolver knows a name in `.invalid` (RFC 6761).
    assert refused("zoom", "--host", "broker.invalid", *options, "2").startswith(f"broker.invalid:{port}: ")


# Errors as JSON


def test_errors_are_printed_as_json_too(bench, tmp_path):
    for command in (["zoom", "2"], ["list"], ["watch"], ["controls"]):
        assert failed(*command, "--port", "1")[0] == "unavailable"
    broker = bench.broker()
    at = ["--port", str(broker.port)]
    assert failed("zoom", *at, "2")[0] == "unavailable"
    bench.agent(broker)
    assert failed("controls", *at, "brightness=bright") == (
        "bad_payload", 'brightness takes 0…255; found "bright".')
    assert failed("zoom", *at, "0")[0] == "bad_payload"
    assert failed("zoom", *at, "2", "--camera", "nope")[0] == "bad_topic"
    assert failed("list", *at, "--agent", "nope")[0] == "bad_topic"
    file = tmp_path / "nosuch" / "here.jpg"
    assert failed("capture", *at, "--output", str(file)) == (
        "device", f"{file} can't be written: No such file or directory")
    bench.agent(broker, name="hall")
    assert failed("zoom", *at, "2")[0] == "bad_topic"


# Commands that take long


def slow(bench, speed=0.5):
    """A camera whose lens takes seconds for a move; the broker, the agent, and the options for `ctl`."""
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"lens_speed": speed, "optical_max": 8}})
    return broker, agent, ["--port", str(broker.port)]


def test_agent_killed_during_a_command_is_an_error_without_a_timeout(bench):
    broker, agent, place = slow(bench)
    with Controller(broker) as controller:
        zoom = begun("zoom", *place, "8")
        controller.state("zoom", lambda state: state["ramping"], since=0)
        agent.kill()
        printed, complaint = zoom.communicate(timeout=TIMEOUT)
        assert (zoom.returncode, printed) == (1, "") and "porch is offline." in complaint
        agent.start()
        recording = begun("record", *place, "on", "--for", "600", "--codec", "mjpeg")
        controller.state("recording", lambda state: state["state"] == "recording", since=0)
        # Answered after the start of the recording, so the program has received that answer too.
        controller.obeyed("controls", {"brightness": 100})
        agent.kill()
        _, complaint = recording.communicate(timeout=TIMEOUT)
        assert recording.returncode == 1 and "porch is offline." in complaint


def test_a_photo_waits_for_the_lens(bench, tmp_path):
    _, _, place = slow(bench, speed=0.4)
    photo = tmp_path / "photo.jpg"
    assert str(photo) in done("capture", *place, "--zoom", "8", "--output", str(photo))  # 7.5 s
    assert photo.read_bytes().startswith(b"\xff\xd8")


@pytest.mark.parametrize("command", [("zoom", "8"), ("capture", "--zoom", "8"), ("capture", "--zoom", "8", "--output", "here.jpg")])
def test_a_command_that_another_client_supersedes_fails(bench, tmp_path, command):
    broker, _, place = slow(bench)
    with Controller(broker) as controller:
        waiting = begun(*command, *place, cwd=tmp_path)
        controller.state("zoom", lambda state: state["ramping"], since=0)
        controller.obeyed("zoom", {"factor": 1.1})
        printed, _ = waiting.communicate(timeout=TIMEOUT)
    assert waiting.returncode == 1 and printed.startswith("superseded")
    assert not (tmp_path / "here.jpg").exists()
