"""What the next run reports: the last photo, the last recording, and a recording that a crash cut off."""

from pathlib import Path

import pytest

from movie_file import SMALL, played
from recording_steps import (
    begin, changing_picture, codecs, consistent, finished, record_for, record_onto_disk, stop, with_a_yard)

#: The ends of a run after which its last photo and recording are restored.
ENDS = {"stop": lambda agent: agent.stop(), "kill": lambda agent: agent.kill()}


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.fixture
def agent(bench, broker):
    return bench.agent(broker, camera=SMALL)


@pytest.fixture
def controller(bench, broker, agent):
    return bench.controller(broker)


def restarted(agent, controller, end) -> int:
    """Ends the agent and starts it again; returns the mark between."""
    end(agent)
    since = controller.mark()
    agent.start()
    return since


def first(controller, node: str, since: int) -> dict:
    """The first state of the node after the mark."""
    return controller.state(node, since=since)


@pytest.mark.parametrize("end", ENDS)
def test_the_last_photo_and_the_last_recording_are_restored(agent, controller, end):
    (photo,) = controller.obeyed("capture", {})["photos"]
    begin(controller)
    record_for(0.3)
    recording = stop(controller)
    for _ in range(2):
        since = restarted(agent, controller, ENDS[end])
        assert first(controller, "capture", since)["last"] == photo
        state = first(controller, "recording", since)
        assert (state["state"], state["last"]) == ("idle", recording)
    assert not [event for event in controller.states("event", since) if event["event"] == "recording_finished"]


@pytest.mark.parametrize("end", ENDS)
def test_without_their_files_they_are_not_restored(agent, controller, end):
    (photo,) = controller.obeyed("capture", {})["photos"]
    begin(controller)
    record_for(0.3)
    recording = stop(controller)
    Path(photo["path"]).unlink()
    Path(recording["path"]).unlink()
    since = restarted(agent, controller, ENDS[end])
    capture = first(controller, "capture", since)
    assert capture["last"] is None and capture["counter"] == 1
    assert "last" not in first(controller, "recording", since)


@codecs
def test_a_recording_that_a_kill_cut_off_is_reported_once(agent, controller, codec):
    path = begin(controller, codec=codec)["path"]
    with changing_picture(controller):
        record_onto_disk(path, codec)
    agent.kill()
    # What a crash leaves of the completion of a file.
    part = Path(path + ".part")
    part.write_bytes(b"part")
    since = controller.mark()
    agent.start()
    recording = finished(controller, since)
    assert (recording["reason"], recording["path"], recording["codec"]) == ("crash", path, codec)
    assert "error" not in recording
    movie = played(path)
    assert (movie.frames, Path(path).stat().st_size) == (recording["frames"], recording["bytes"])
    assert recording["duration_s"] == pytest.approx(movie.times[-1] + movie.times[-1] / (movie.frames - 1), abs=0.01)
    assert recording["duration_s"] > 0.9, "what was on the disk is lost"
    state = controller.state("recording", lambda state: "last" in state, since=since)
    assert state["last"] == recording and state["state"] == "idle"

    # The next runs restore it without a further report, and the camera records again.
    for end in ENDS.values():
        since = restarted(agent, controller, end)
        assert first(controller, "recording", since)["last"] == recording
    begin(controller, codec=codec)
    record_for(0.3)
    consistent(stop(controller))
    ended = [event["recording"] for event in controller.states("event", since) if event["event"] == "recording_finished"]
    assert [recording["reason"] for recording in ended] == ["stopped"]
    assert not part.exists()


def test_a_file_that_is_removed_after_a_kill_is_not_reported(agent, controller):
    path = begin(controller)["path"]
    record_for(0.3)
    agent.kill()
    Path(path).unlink()
    since = controller.mark()
    agent.start()
    begin(controller)
    assert "last" not in first(controller, "recording", since)
    path = stop(controller)["path"]
    # Events come in order: there was none before this one.
    assert finished(controller, since)["path"] == path


def test_every_camera_reports_its_interrupted_recording(bench, broker):
    agent = with_a_yard(bench.agent(broker, start=False, camera=SMALL)).start()
    both = [bench.controller(broker), bench.controller(broker, camera="yard")]
    paths = [begin(controller, codec="mjpeg")["path"] for controller in both]
    record_for(0.5)
    agent.kill()
    since = [controller.mark() for controller in both]
    agent.start()
    # A new recording begins beside the report.
    news = [begin(controller)["path"] for controller in both]
    for controller, mark, path in zip(both, since, paths):
        recording = finished(controller, mark)
        assert (recording["reason"], recording["path"]) == ("crash", path)
        assert played(path).frames == recording["frames"] > 0
    for controller, path in zip(both, news):
        assert stop(controller)["path"] == path
        assert controller.state("recording", lambda state: state["state"] == "idle")["last"]["path"] == path


def test_killed_again_and_again_each_recording_is_reported_once(agent, controller):
    paths = []
    since = controller.mark()
    for _ in range(5):
        paths.append(begin(controller, codec="mjpeg")["path"])
        record_for(0.2)
        agent.kill()
        agent.start()
    controller.state("event", lambda event: event.get("recording", {}).get("path") == paths[-1], since=since)
    ended = [event["recording"] for event in controller.states("event", since) if event["event"] == "recording_finished"]
    assert [recording["path"] for recording in ended] == paths
    assert {recording["reason"] for recording in ended} == {"crash"}
