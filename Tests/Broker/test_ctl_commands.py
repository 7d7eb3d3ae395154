"""The controller on the command line: recordings, presets, controls, and what is on the broker."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from agent import PROGRAM, Agent
from broker import Broker
from controller import Controller
from waiting import eventually


@pytest.fixture
def place(controller, broker):
    """Where the shared agent's camera is, as the command line says it. The zoom is at 1, and nothing is recorded."""
    yield ["--host", "127.0.0.1", "--port", str(broker.port), "--agent", "porch", "--camera", "door"]
    controller.obeyed("recording", {"on": False})


def ctl(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PROGRAM, "ctl", *arguments], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)


def done(*arguments) -> str:
    ended = ctl(*arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def refused(*arguments) -> str:
    ended = ctl(*arguments)
    assert ended.returncode == 1 and ended.stdout == ""
    return ended.stderr


# Recordings

def test_record_on_says_where_and_off_waits_for_the_file(controller, place):
    since = controller.mark()
    began = done("record", *place, "on", "--codec", "mjpeg", "--no-audio", "--max-duration", "600")
    state = controller.state("recording", lambda state: state["state"] == "recording", since=since)
    assert (state["codec"], state["audio"], state["max_duration_s"]) == ("mjpeg", False, 600)
    assert state["path"] in began
    ended = done("record", *place, "off")
    assert f"\n{state['path']}, " in ended
    assert Path(state["path"]).stat().st_size > 0
    assert controller.state("recording", lambda state: state["state"] == "idle", since=since)


def test_record_off_without_a_recording_is_done(place):
    assert done("record", *place, "off").startswith("done")


def test_record_for_a_while_waits_for_the_end(place):
    said = json.loads(done("record", *place, "on", "--for", "1", "--codec", "mjpeg", "--json"))
    assert said["reason"] == "max_duration"
    assert Path(said["path"]).stat().st_size == said["bytes"]


def test_ctrl_c_ends_a_recording_early_with_its_file(controller, place):
    since = controller.mark()
    recording = subprocess.Popen(
        [PROGRAM, "ctl", "record", *place, "on", "--for", "600"], stdout=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL)
    state = controller.state("recording", lambda state: state["state"] == "recording", since=since)
    recording.send_signal(signal.SIGINT)
    said, _ = recording.communicate(timeout=20)
    assert recording.returncode == 0
    assert said.startswith(state["path"] + ",") and "stopped" in said


def test_record_on_as_json_has_the_path_too(controller, place):
    said = json.loads(done("record", *place, "on", "--codec", "mjpeg", "--json"))
    assert said["state"] == "recording"
    off = json.loads(done("record", *place, "off", "--json"))
    assert off["status"] == "done" and off["recording"]["path"] == said["path"]


def test_a_broker_that_goes_away_during_a_recording_is_said(bench):
    broker = bench.broker()
    bench.agent(broker)
    with Controller(broker) as controller:
        recording = subprocess.Popen(
            [PROGRAM, "ctl", "record", "--port", str(broker.port), "on", "--for", "600", "--codec", "mjpeg"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        controller.state("recording", lambda state: state["state"] == "recording", since=0)
        # What is answered later than the recording's beginning: that answer has reached the program too.
        controller.obeyed("zoom", {"factor": 2})
    broker.stop()
    _, complaint = recording.communicate(timeout=20)
    assert recording.returncode == 1
    # A broker that stops may say the agent's will before it goes.
    assert str(broker.port) in complaint or "porch is offline." in complaint, complaint
    assert "goes on" in complaint, complaint
    broker.start()


def test_capture_as_json_says_what_was_brought(place, tmp_path):
    file = tmp_path / "here.jpg"
    said = json.loads(done("capture", *place, "--output", str(file), "--json"))
    assert said == {"path": str(file), "bytes": file.stat().st_size}


def test_a_recording_that_cannot_be_is_said(place):
    assert "unsupported" in refused("record", *place, "on", "--audio")


@pytest.mark.parametrize("wrong", [("off", "--for", "3"), ("on", "--for", "0"), ("maybe",), ("on", "--codec", "vp9")])
def test_record_says_what_it_takes(wrong):
    assert ctl("record", *wrong).returncode == 64


# Presets

def test_a_preset_is_saved_listed_gone_to_and_deleted(controller, place):
    controller.zoom_to(3)
    done("preset", "save", *place, "the gate")
    controller.zoom_to(1)
    done("preset", "go", *place, "the gate", "--rate", "8")
    assert controller.state("zoom", lambda state: not state["ramping"] and state["factor"] == 3)
    row = next(line for line in done("preset", "list", *place).splitlines() if line.startswith("the gate"))
    assert row.startswith("the gate *") and "3×" in row and "0.5,0.5" in row
    said = json.loads(done("preset", "list", *place, "--json"))
    assert said["current"] == "the gate" and said["presets"]["the gate"]["factor"] == 3
    done("preset", "delete", *place, "the gate")
    left = done("preset", "list", *place)
    assert "the gate" not in left and "home" in left


def test_home_is_marked_too_when_it_is_in_view(controller, place):
    done("preset", "go", *place, "home")
    controller.state("presets", lambda state: state.get("current") == "home")
    assert any(line.startswith("home * ") for line in done("preset", "list", *place).splitlines())
    controller.zoom_to(2)
    controller.state("presets", lambda state: "current" not in state)
    assert any(line.startswith("home  ") for line in done("preset", "list", *place).splitlines())


def test_a_preset_that_is_not_there_is_said(place):
    assert "nosuch" in refused("preset", "go", *place, "nosuch")


# Controls

def test_controls_are_listed_with_value_and_range(controller, place):
    controller.obeyed("controls", {"brightness": 77})
    lines = done("controls", *place).splitlines()
    assert lines[0].split() == ["NAME", "VALUE", "RANGE", "UNIT", "DEFAULT", "TITLE"]
    brightness = next(line.split() for line in lines if line.startswith("brightness "))
    assert brightness[:3] == ["brightness", "77", "0…255"]
    rows = {row["name"]: row for row in json.loads(done("controls", *place, "--json"))}
    assert rows["brightness"]["value"] == 77 and rows["brightness"]["kind"] == "slider"
    # As in info, and the value.
    info = controller.state("info", lambda info: info["controls"])
    assert [{**control, "value": rows[control["name"]]["value"]} for control in info["controls"]] == list(rows.values())


def test_a_disabled_control_says_why(controller, place):
    controller.obeyed("controls", {"autofocus": True})
    info = controller.state("info", lambda info: info["controls"])
    disabled = next(control for control in info["controls"] if not control["enabled"])
    row = next(line for line in done("controls", *place).splitlines() if line.startswith(disabled["name"] + " "))
    assert f"disabled: {disabled['reason']}" in row


def test_controls_are_set_by_number_word_and_title(controller, place):
    said = done("controls", *place, "brightness=12", "autofocus=off", "color_effects=Sepia")
    state = controller.state("controls", lambda state: state["values"]["brightness"] == 12)
    assert state["values"]["autofocus"] is False
    assert "brightness 12\n" in said and "autofocus off\n" in said
    row = next(line for line in done("controls", *place).splitlines() if line.startswith("color_effects "))
    assert re.split("  +", row)[1].endswith(" Sepia")
    done("controls", *place, "color_effects=None", "autofocus=on", "brightness=128")


def test_controls_are_set_by_name_and_value_apart(controller, place):
    said = done("controls", *place, "brightness", "13", "color_effects=Sepia", "exposure_bias", "-1", "autofocus", "off", "--json")
    values = json.loads(said)["values"]
    assert (values["brightness"], values["autofocus"], values["exposure_bias"]) == (13, False, -1)
    done("controls", *place, "color_effects", "None", "autofocus", "on", "brightness", "128", "exposure_bias=0")


def test_controls_are_set_all_or_none(controller, place):
    controller.obeyed("controls", {"brightness": 50})
    assert "nosuch" in refused("controls", *place, "brightness=60", "nosuch=1")
    assert controller.state("controls")["values"]["brightness"] == 50


def test_a_value_that_a_control_cannot_have_is_said_with_what_it_takes(place):
    assert "0…255" in refused("controls", *place, "brightness=bright")


@pytest.mark.parametrize("wrong", [
    ("brightness",), ("=3",), ("brightness=1", "brightness=2"), ("brightness=1", "brightness", "2"), ("id=3",)])
def test_controls_say_what_they_take(wrong):
    assert ctl("controls", *wrong).returncode == 64


# Numbers below 0

@pytest.mark.parametrize("command, field", [
    (["zoom", "-1", "--json"], "factor"), (["zoom", "--json", "-0.5"], "factor"), (["zoom", "2", "--rate", "-1"], "rate"),
    (["zoom", "--by", "-1"], "by"), (["preset", "go", "home", "--rate", "-1"], "rate"),
    (["capture", "--count", "-10"], "count"), (["capture", "--zoom=-1"], "factor"),
])
def test_a_negative_number_is_refused_in_words(place, command, field):
    ended = ctl(*command, *place)
    assert ended.returncode == 1
    assert field in ended.stderr and "Usage" not in ended.stderr, ended.stderr


def test_a_negative_number_is_one_where_it_can_be(controller, place):
    controller.zoom_to(4)
    done("zoom", "--move", "-1", "--timeout", "200", *place)
    controller.state("zoom", lambda state: state["factor"] < 4 and not state["ramping"])
    assert "above 0" in ctl("pinch", "-2", *place).stderr
    done("preset", "save", "-1", *place)
    done("preset", "delete", "-1", *place)


# All cameras of a broker

def test_list_shows_the_cameras_of_all_agents_with_their_state(bench):
    broker = bench.broker()
    porch = bench.agent(broker, cameras=[
        {"id": "door", "source": "simulated"}, {"id": "gate", "source": "simulated"}])
    hall = bench.agent(broker, name="hall")
    with Controller(broker, camera="gate") as gate:
        gate.zoom_to(4)
    hall.stop()
    place = ["--host", "127.0.0.1", "--port", str(broker.port)]
    lines = done("list", *place).splitlines()
    assert lines[0].split() == ["CAMERA", "STATE", "MODEL", "ZOOM", "RECORDING", "LAST", "ERROR"]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert set(rows) == {"hall/door", "porch/door", "porch/gate"}
    assert "online" in rows["porch/gate"] and "4×" in rows["porch/gate"] and "idle" in rows["porch/gate"]
    assert "stopped" in rows["hall/door"]
    said = {(row["agent"], row["camera"]): row for row in json.loads(done("list", *place, "--json"))}
    assert said["porch", "gate"]["zoom"] == 4 and said["hall", "door"]["state"] == "stopped"
    assert porch.process.poll() is None
    only = json.loads(done("list", *place, "--agent", "porch", "--camera", "door", "--json"))
    assert [row["camera"] for row in only] == ["door"]


def test_list_knows_hundreds_of_cameras(tmp_path):
    # Without the recorder of the bench: it takes all with a receipt, and so the broker lets much of it go.
    broker = Broker(tmp_path / "broker").start()
    cameras = [{"id": f"cam{number:03}", "source": "simulated"} for number in range(300)]
    agent = Agent(broker, tmp_path / "agent", cameras=cameras).launch()

    def rows():
        return json.loads(done("list", "--port", str(broker.port), "--json"))

    try:
        eventually(lambda: [row["state"] for row in rows()] == ["online"] * 300, "all cameras")
        # What is asked for now was all there before.
        assert [row.get("recording") for row in rows()] == ["idle"] * 300
    finally:
        agent.stop()
        broker.stop()


def test_list_has_no_recording_of_an_agent_that_is_gone(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with Controller(broker) as controller:
        controller.obeyed("recording", {"on": True, "codec": "mjpeg"})

    def row():
        [row] = json.loads(done("list", "--port", str(broker.port), "--json"))
        return row

    assert row()["recording"] == "recording" and row()["path"]
    agent.kill()
    eventually(lambda: row()["state"] == "offline", "the broker to know")
    assert "recording" not in row() and "path" not in row()
    assert " recording" not in done("list", "--port", str(broker.port)).splitlines()[1]
    agent.start()


def test_list_has_agents_without_cameras(tmp_path):
    broker = Broker(tmp_path / "broker").start()
    at = ["--port", str(broker.port)]
    try:
        with Controller(broker, agent="barn") as barn:
            barn.publish("v4l2mqtt/barn/availability", b'{"state":"online","boot":1}', retain=True)
        assert done("list", *at).splitlines()[1].split()[:2] == ["barn/", "online"]
        assert json.loads(done("list", *at, "--json")) == [{"agent": "barn", "state": "online"}]
    finally:
        broker.stop()


def test_list_says_that_there_is_nothing(bench):
    broker = bench.broker()
    place = ["--host", "127.0.0.1", "--port", str(broker.port)]
    assert "There is no camera" in done("list", *place)
    assert json.loads(done("list", *place, "--json")) == []


def test_list_says_which_names_there_are(bench):
    broker = bench.broker()
    for name in ("porch", "hall"):
        bench.agent(broker, name=name)
    at = ["--port", str(broker.port)]
    assert refused("list", *at, "--agent", "nope") == "There is no agent nope; there is hall, porch.\n"
    assert refused("list", *at, "--camera", "nope") == "There is no camera nope; there is hall/door, porch/door.\n"


# Who is away

def test_what_is_away_is_said_at_once(bench):
    broker = bench.broker()
    at = ["--port", str(broker.port)]
    assert "There is no agent below v4l2mqtt/" in refused("zoom", *at, "2")
    barn = bench.agent(broker, name="barn")
    assert refused("zoom", *at, "2", "--agent", "nope") == "There is no agent nope; there is barn.\n"
    barn.stop()
    for command in (["zoom", "2"], ["controls"], ["preset", "list"], ["zoom", "2", "--agent", "barn", "--camera", "door"]):
        # One that waited for an answer would say that none came.
        assert refused(*command, *at) == "barn is stopped.\n"
    hall = bench.agent(broker, name="hall")
    # One that is away is no choice.
    assert done("zoom", *at, "2").startswith("done")
    hall.kill()
    with Controller(broker, agent="hall") as controller:
        controller.inbox.wait_for(
            "v4l2mqtt/hall/availability", lambda message: message.json["state"] == "offline", since=0)
    assert refused("zoom", *at, "2") == "barn is stopped, hall is offline.\n"
    barn.start()
    hall.start()
    assert refused("zoom", *at, "2") == "There is more than one agent: barn, hall. Name one with --agent.\n"


def test_a_camera_that_was_never_there_is_said(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/video99"}})
    at = ["--port", str(broker.port)]
    assert refused("controls", *at) == refused("controls", *at, "brightness=1") == "porch/door is offline: not_found.\n"
    assert "isn't there" in refused("zoom", *at, "2")


# What went wrong, for programs

def failed(*arguments, status=1) -> tuple[str, str]:
    """The code of the error that `--json` prints, and its words, which standard error has too."""
    ended = ctl(*arguments, "--json")
    said = json.loads(ended.stdout)
    assert (ended.returncode, said["status"]) == (status, "error")
    assert said["error"]["message"] in ended.stderr
    return said["error"]["code"], said["error"]["message"]


def test_what_goes_wrong_is_json_too(bench, tmp_path):
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


def test_list_without_a_broker_ends_with_1():
    assert "127.0.0.1:1:" in refused("list", "--port", "1")


# What takes its time

def slow(bench, speed=0.5):
    """A camera whose lens takes seconds, and where it is."""
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"lens_speed": speed, "optical_max": 8}})
    return broker, agent, ["--port", str(broker.port)]


def begun(*arguments) -> subprocess.Popen:
    return subprocess.Popen(
        [PROGRAM, "ctl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)


def test_an_agent_that_dies_is_not_waited_for(bench):
    broker, agent, place = slow(bench)
    with Controller(broker) as controller:
        zoom = begun("zoom", *place, "8")
        controller.state("zoom", lambda state: state["ramping"], since=0)
        agent.kill()
        said, complaint = zoom.communicate(timeout=20)
        assert (zoom.returncode, said) == (1, "") and "porch is offline." in complaint
        agent.start()
        recording = begun("record", *place, "on", "--for", "600", "--codec", "mjpeg")
        controller.state("recording", lambda state: state["state"] == "recording", since=0)
        # What is answered later than the recording's beginning: that answer has reached the program too.
        controller.obeyed("controls", {"brightness": 100})
        agent.kill()
        _, complaint = recording.communicate(timeout=20)
        assert recording.returncode == 1 and "porch is offline." in complaint


def test_a_recording_that_is_under_way_is_told_to_who_wants_one(controller, place):
    began = done("record", *place, "on", "--codec", "mjpeg")
    assert done("record", *place, "on") == began
    assert json.loads(done("record", *place, "on", "--json"))["path"] in began


def test_a_photo_is_waited_for_while_the_lens_is_on_its_way(bench, tmp_path):
    _, _, place = slow(bench, speed=0.4)
    photo = tmp_path / "photo.jpg"
    assert str(photo) in done("capture", *place, "--zoom", "8", "--output", str(photo))  # 7.5 s
    assert photo.read_bytes().startswith(b"\xff\xd8")


def test_a_photo_may_go_to_standard_output(place):
    photo = subprocess.run([PROGRAM, "ctl", "capture", *place, "--output", "-"], capture_output=True, timeout=30)
    assert (photo.returncode, photo.stderr) == (0, b"")
    assert photo.stdout.startswith(b"\xff\xd8") and photo.stdout.endswith(b"\xff\xd9")


@pytest.mark.parametrize("number", ["nan", "inf", "1e999"])
def test_what_is_no_number_is_said_at_once(number):
    ended = ctl("zoom", number)
    assert ended.returncode == 64 and "finite" in ended.stderr


@pytest.mark.parametrize("command", [("zoom", "8"), ("capture", "--zoom", "8"), ("capture", "--zoom", "8", "--output", "here.jpg")])
def test_what_somebody_else_prevented_was_not_done(bench, tmp_path, command):
    broker, _, place = slow(bench)
    with Controller(broker) as controller:
        waiting = subprocess.Popen(
            [PROGRAM, "ctl", *command, *place], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, cwd=tmp_path)
        controller.state("zoom", lambda state: state["ramping"], since=0)
        controller.obeyed("zoom", {"factor": 1.1})
        said, _ = waiting.communicate(timeout=20)
    assert waiting.returncode == 1 and said.startswith("superseded")
    assert not (tmp_path / "here.jpg").exists()


def test_a_recording_that_ends_early_says_so(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with Controller(broker) as controller:
        recording = begun("record", "--port", str(broker.port), "on", "--for", "600", "--codec", "mjpeg")
        controller.state("recording", lambda state: state["state"] == "recording", since=0)
        controller.obeyed("zoom", {"factor": 2})
        assert agent.stop() == 0
        said, complaint = recording.communicate(timeout=20)
    assert recording.returncode == 1 and "agent_stopped" in said and "ended early" in complaint


def test_a_recording_that_cannot_be_is_one_answer(bench, tmp_path):
    broker = bench.broker()
    (tmp_path / "file").write_text("")
    bench.agent(broker, recordings={"directory": str(tmp_path / "file")})
    code, _ = failed("record", "--port", str(broker.port), "on", "--for", "2")
    assert code == "device"
