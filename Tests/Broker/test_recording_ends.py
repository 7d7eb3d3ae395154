"""Recordings: what ends them, and the files and states that follow."""

import signal
import time
from pathlib import Path

import pytest

from movie_file import CODECS, SMALL, files, noise, played
from recording_steps import (
    begin, changing_picture, codecs, consistent, finished, record_for, record_onto_disk, stop, with_a_yard)


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@codecs
def test_recording_ends_at_the_file_size_limit_and_plays(bench, tmp_path, codec):
    broker = bench.broker()
    limit = 512 * 1024
    bench.agent(broker, camera=noise(tmp_path / "noise.jpg"), recordings={"max_file_bytes": limit, "codec": codec})
    controller = bench.controller(broker)
    begin(controller)
    with changing_picture(controller):
        recording = finished(controller)
    assert recording["reason"] == "size_limit" and "error" not in recording
    consistent(recording)
    assert limit / 4 < recording["bytes"] <= limit


@codecs
def test_stop_of_the_agent_completes_the_file(bench, codec):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    begin(controller, codec=codec)
    record_for(0.3)
    assert agent.stop() == 0
    recording = finished(controller)
    assert recording["reason"] == "agent_stopped"
    consistent(recording)
    assert controller.state("recording")["state"] == "idle"
    agent.start()
    assert controller.state("recording")["state"] == "idle"


@pytest.mark.deep
@pytest.mark.parametrize("run", range(20))
def test_many_agents_stop_cleanly_while_they_record(bench, run):
    """About 1 of 250 crashed: a thread unloaded the libraries while the process ran their exit handlers."""
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    for time_recorded in (step / 60 for step in range(30)):
        begin(controller, codec="h264")
        record_for(time_recorded)
        assert agent.stop() == 0
        agent.start()


def test_recording_is_refused_while_the_agent_stops(bench, tmp_path):
    broker = bench.broker()
    agent = with_a_yard(bench.agent(broker, start=False, camera=noise(tmp_path / "noise.jpg", (1280, 720)))).start()
    door, yard = bench.controller(broker), bench.controller(broker, camera="yard")
    begin(door, codec="h264")
    with changing_picture(door):
        record_for(1)
    since = yard.mark()
    agent.signal(signal.SIGTERM)
    # What comes before the agent has seen its signal is still obeyed.
    door.state("recording", lambda state: state["state"] == "finishing")
    while agent.process.poll() is None:
        yard.send("recording", {"on": True})
        time.sleep(0.001)
    assert agent.exit_code() == 0
    consistent(finished(door))
    answers = [message.json for message in yard.inbox.all(yard.response_topic, since)]
    assert answers and all(answer["error"]["message"] == "The agent is stopping." for answer in answers)
    assert yard.state("recording")["state"] == "idle"


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_a_kill_leaves_files_that_play(bench, is_on_disk):
    broker = bench.broker()
    agent = with_a_yard(bench.agent(broker, start=False, camera=SMALL)).start()
    both = bench.controller(broker), bench.controller(broker, camera="yard")
    paths = [begin(controller, codec=codec)["path"] for controller, codec in zip(both, CODECS)]
    record_for(0.2)
    if is_on_disk:
        for path, codec in zip(paths, CODECS):
            record_onto_disk(path, codec)
    agent.kill()
    for path in paths if is_on_disk else ():
        movie = played(path)
        assert (movie.width, movie.height) == (320, 180)
        assert movie.times[-1] > 0.9, "what was on the disk is lost"
    since = [controller.mark() for controller in both]
    agent.start()
    for controller, mark, codec, path in zip(both, since, CODECS, paths):
        assert controller.state("recording", since=mark)["state"] == "idle"
        begin(controller, codec=codec)
        recording = stop(controller)
        assert recording["path"] != path
        consistent(recording)


def test_kill_during_completion_leaves_a_playable_file(bench, tmp_path):
    broker = bench.broker()
    agent = bench.agent(broker, camera=noise(tmp_path / "noise.jpg", (320, 180)))
    controller = bench.controller(broker)
    path = begin(controller, codec="h264")["path"]
    with changing_picture(controller):
        record_onto_disk(path, "h264")
    off = controller.send("recording", b"OFF")
    assert off.answer()["status"] == "accepted"
    agent.kill()
    assert played(path).times[-1] > 0.9, "what was on the disk is lost"
    agent.start()
    begin(controller)
    stop(controller)
    assert not list(agent.recordings.rglob("*.part"))


def test_recording_finished_during_a_broker_outage_is_published_afterwards(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    path = begin(controller, max_duration_s=1)["path"]
    broker.stop()
    record_for(1.2)
    broker.start()
    idle = controller.state("recording", lambda state: state["state"] == "idle" and "last" in state)
    assert (idle["last"]["path"], idle["last"]["reason"]) == (path, "max_duration")
    consistent(idle["last"])


def test_unfinished_file_of_a_kill_is_deleted_with_the_next_recording(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    begin(controller)
    path = Path(stop(controller)["path"])
    agent.kill()
    left = path.with_name("door-20261121T101010.101Z-000077.mp4.part")
    left.write_bytes(b"half a movie")
    foreign = path.with_name("letter.mp4.part")
    foreign.write_bytes(b"not ours")
    agent.start()
    begin(controller)
    newest = Path(stop(controller)["path"])
    assert files(agent.recordings) == sorted([path, newest, foreign])


def test_one_camera_begins_while_another_one_completes_its_file(bench):
    """The plain MP4 is written beside the movie before it takes its place."""
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera=SMALL)
    with_a_yard(agent).start()
    door, yard = bench.controller(broker), bench.controller(broker, camera="yard")
    plain = Path(begin(door, codec="h264")["path"] + ".part")
    plain.write_bytes(b"half of it")
    begin(yard)
    assert plain.exists()
    for controller in (door, yard):
        consistent(stop(controller))
    assert not plain.exists()


@codecs
def test_recording_of_damaged_frames_fails_with_an_error(bench, tmp_path, codec):
    image = tmp_path / "noise.jpg"
    noise(image, (320, 180))
    # Most of the scan is missing, but the file has a valid end: otherwise the agent refuses it at the start.
    image.write_bytes(image.read_bytes()[:2000] + b"\xff\xd9")
    broker = bench.broker()
    # Without a frame size, the file is served as it is; zoomed, each frame has to be decoded.
    agent = bench.agent(broker, camera={"image": str(image), "zoom": {"min": 4, "max": 8}})
    controller = bench.controller(broker)
    controller.refused("recording", {"on": True, "codec": codec, "max_duration_s": 2}, "device")
    assert finished(controller)["reason"] == "failed"
    assert files(agent.recordings) == []


# The disk


def test_oldest_recordings_are_deleted_when_the_folder_is_full(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL, recordings={"max_bytes": 1 << 20, "max_file_bytes": 320 << 10, "codec": "mjpeg"})
    controller = bench.controller(broker)
    (agent.recordings / "door").mkdir(parents=True)
    foreign = agent.recordings / "door" / "door-birthday.mkv"
    foreign.write_bytes(bytes(1 << 20))
    paths = []
    for _ in range(4):
        since = controller.mark()
        begin(controller)
        recording = finished(controller, since)
        assert recording["reason"] == "size_limit"
        paths.append(Path(recording["path"]))
        kept = [path for path in files(agent.recordings) if path != foreign]
        assert kept == paths[-len(kept):], "not the oldest went"
        assert sum(path.stat().st_size for path in kept) <= 1 << 20
    assert 2 <= len(kept) < 4
    assert foreign.exists()


def test_file_in_progress_is_not_deleted_for_another_recording(bench):
    broker = bench.broker()
    agent = bench.agent(
        broker, start=False, camera=SMALL, recordings={"max_bytes": 1 << 20, "max_file_bytes": 400 << 10})
    with_a_yard(agent).start()
    door, yard = bench.controller(broker), bench.controller(broker, camera="yard")
    oldest = Path(begin(door, codec="h264")["path"])  # stands still: it takes little room
    for _ in range(3):
        since = yard.mark()
        begin(yard, codec="mjpeg")
        assert finished(yard, since)["reason"] == "size_limit"
        assert oldest.exists(), "it made room"
    consistent(stop(door))


@codecs
def test_full_disk_ends_the_recording_and_the_file_plays(bench, tmp_path_factory, mounted, codec):
    disk = tmp_path_factory.mktemp("disk")
    mounted("-t", "tmpfs", "-o", "size=8m", "none", disk)
    broker = bench.broker()
    camera = noise(tmp_path_factory.mktemp("image") / "noise.jpg")
    bench.agent(broker, camera=camera, recordings={"directory": str(disk), "codec": codec})
    controller = bench.controller(broker)
    path = Path(begin(controller)["path"])
    record_onto_disk(path, codec)
    with pytest.raises(OSError), open(disk / "ballast", "wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))
    with changing_picture(controller):
        recording = finished(controller)
    assert (recording["reason"], recording["error"]["code"]) == ("disk_full", "storage_full")
    consistent(recording)
    assert recording["duration_s"] > 0.9, "what was on the disk is lost"
    controller.obeyed("recording", b"OFF")
    assert not list(disk.rglob("*.part"))


@codecs
def test_file_deleted_during_the_recording_is_an_error(controller, codec):
    path = Path(begin(controller, codec=codec)["path"])
    record_for(0.2)
    path.unlink()
    controller.refused("recording", {"on": False}, "device")
    last = controller.state("recording", lambda state: state["state"] == "idle")["last"]
    assert (last["reason"], last["error"]["code"], last["bytes"]) == ("failed", "device", 0) and "path" not in last
    begin(controller, codec=codec)
    consistent(stop(controller))
