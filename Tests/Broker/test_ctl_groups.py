"""`ctl` with the cameras of a group: files that are copied, and recordings of a given length.

The rules are in `Tests/CtlTests/GroupCommandTests.swift` and `MediaTests.swift`, without a broker.
"""

import json
import signal

import pytest

from command_line import begun, ctl, done
from waiting import TIMEOUT

pytestmark = pytest.mark.needs("anonymous clients")

AGENTS = ["a1", "a2", "a3"]


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.fixture
def agents(bench, broker):
    """Three agents with a camera of the group each, and one with MQTT 3.1.1 and another group."""
    def make(name, group, **more):
        camera = {"groups": [group], "simulated": {"width": 64, "height": 36, "fps": 30}}
        return bench.agent(broker, name=name, camera=camera, recordings={"codec": "mjpeg"}, **more)
    agents = {name: make(name, "stage") for name in AGENTS}
    agents["old"] = make("old", "museum", mqtt={"protocol": "3.1.1"})
    return agents


@pytest.fixture
def place(broker, agents):
    return ["--host", "127.0.0.1", "--port", str(broker.port), "--group", "stage"]


def names(folder) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def stored(agent, kind="captures") -> list[str]:
    """The names of the files at an agent, as they are called in a copy of its camera."""
    return [f"{agent.name}-door-{name}" for name in names(getattr(agent, kind) / "door")]


def test_photos_and_the_newest_files_of_a_group_are_copied(agents, place, tmp_path):
    photos, newest = tmp_path / "photos", tmp_path / "newest"
    # The time is that of the photos; they are copied afterwards.
    later = ["--in", "1s", "--any-clock"]
    taken = ctl("capture", *place, *later, "--count", "2", "--output", str(photos))
    assert taken.returncode == 0, taken
    printed = taken.stdout.splitlines()
    files = sorted(file for name in AGENTS for file in stored(agents[name]))
    assert len(files) == 6 and names(photos) == files
    assert [line.split(",")[0] for line in printed[:-1]] == [str(photos / file) for file in files]
    assert printed[-1] == "stage: 3 done, 0 refused, 0 silent"
    for name in AGENTS:
        for file in (agents[name].captures / "door").iterdir():
            assert (photos / f"{name}-door-{file.name}").read_bytes() == file.read_bytes()
    # One agent is away; of the others the newest file each.
    agents["a2"].stop()
    ended = ctl("media", "get", *place, "--newest", "1", "--output", str(newest), "--json")
    assert (ended.returncode, ended.stderr) == (1, "a2/door: the agent is stopped\n")
    expected = [stored(agents[name])[-1] for name in ("a1", "a3")]
    assert names(newest) == expected
    summary = json.loads(ended.stdout)
    assert (summary["done"], summary["refused"], summary["silent"]) == (2, {}, 1)
    assert [camera.get("files") and camera["files"][0]["path"] for camera in summary["cameras"]] == [
        str(newest / expected[0]), None, str(newest / expected[1])]
    # A copy that is there is not replaced.
    again = ctl("media", "get", *place, "--newest", "1", "--output", str(newest))
    assert again.returncode == 1 and "a1/door: conflict: " in again.stderr
    assert again.stdout == "stage: 0 done, 2 refused (conflict 2), 1 silent\n"
    listed = ctl("media", "list", *place, "--json")
    lines = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [line.get("agent") or line.get("group") or len(line["media"]) for line in lines] == ["a1", 2, "a3", 2, "stage"]


def test_recordings_of_a_group_are_waited_for_or_stopped(bench, broker, agents, place):
    printed = done("record", "on", *place, "--for", "1").splitlines()
    assert [line.split(":")[0] for line in printed] == ["a1/door", "a2/door", "a3/door", "stage"]
    # On a busy machine frames are lost, which the line says too.
    assert all(", max_duration" in line for line in printed[:3])
    # One camera records for another client, and goes on.
    other = bench.controller(broker, agent="a2")
    other.obeyed("recording", "ON")
    running = begun("record", "on", *place, "--for", "3600")
    for name in ("a1", "a3"):
        bench.controller(broker, agent=name).state("recording", lambda state: state["state"] == "recording", since=0)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=TIMEOUT)
    assert running.returncode == 1 and "a2/door: busy: " in errors
    assert [", stopped" in line for line in output.splitlines()] == [True, True, False]
    assert output.splitlines()[-1] == "stage: 2 done, 1 refused (busy 1), 0 silent"
    assert other.state("recording")["state"] == "recording"
    other.obeyed("recording", "OFF")


def test_a_second_signal_ends_a_recording_whose_end_is_not_reported(bench, broker, agents, place):
    watchers = {name: bench.controller(broker, agent=name) for name in AGENTS}
    running = begun("record", "on", *place, "--for", "3600")
    # An answer is waited for during 5 s only, the end of a recording that was answered for an hour.
    for watcher in watchers.values():
        watcher.inbox.wait_for(watcher.topic("recording/reply"), lambda message: message.json["status"] == "done")
    agents["a2"].process.send_signal(signal.SIGSTOP)
    begun_at = {name: watcher.mark() for name, watcher in watchers.items()}
    try:
        running.send_signal(signal.SIGINT)
        for name in ("a1", "a3"):
            watchers[name].state("recording", lambda state: state["state"] != "recording", since=begun_at[name])
        running.send_signal(signal.SIGINT)
        assert running.wait(TIMEOUT) == -signal.SIGINT
    finally:
        agents["a2"].process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("disposition", [signal.SIG_DFL, signal.SIG_IGN], ids=["foreground", "background"])
def test_a_second_signal_ends_the_recording_of_one_camera(bench, broker, agents, disposition):
    """A shell starts what runs in the background with SIGINT ignored."""
    watcher = bench.controller(broker, agent="a2")
    one = ["--host", "127.0.0.1", "--port", str(broker.port), "--agent", "a2"]
    running = begun("record", "on", *one, "--for", "3600", preexec_fn=lambda: signal.signal(signal.SIGINT, disposition))
    watcher.state("recording", lambda state: state["state"] == "recording", since=0)
    agents["a2"].process.send_signal(signal.SIGSTOP)
    try:
        running.send_signal(signal.SIGINT)
        # The first signal stops the recording, and its end is waited for.
        watcher.inbox.wait_for(watcher.topic("recording/set"), lambda message: message.json.get("on") is False)
        running.send_signal(signal.SIGINT)
        assert running.wait(TIMEOUT) == -signal.SIGINT
    finally:
        agents["a2"].process.send_signal(signal.SIGCONT)


def test_a_folder_that_cannot_be_made_is_reported_before_a_photo_is_taken(agents, place, tmp_path):
    (tmp_path / "file").touch()
    ended = ctl("capture", *place, "--output", str(tmp_path / "file" / "photos"))
    assert ended.returncode == 1 and "can't be made: Not a directory" in ended.stderr
    ended = ctl("capture", *place, "--output", str(tmp_path / "file"))
    assert ended.returncode == 1 and ended.stderr.endswith("/file is a file, and no folder.\n")
    assert not (agents["a1"].captures / "door").exists()
