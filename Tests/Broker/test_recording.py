"""Recordings: what is in the file, what is said of it, and what ends it."""

import copy
import itertools
import os
import signal
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from movie import CODECS, CONTAINER, SMALL, SUFFIX, files, jpegs, noise, pictures, played, shown
from scene import in_scene, open_photo, read_position
from test_imaging_psnr import photograph, psnr

codecs = pytest.mark.parametrize("codec", CODECS)
#: How far a place that is read from a movie's colours may be off, in fractions of the scene.
READING = 0.02
CORNERS = [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)]


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


def begin(controller, **options) -> dict:
    """Begins to record; returns the state once the first frame is in the file."""
    since = controller.mark()
    controller.obeyed("recording", {"on": True, **options})
    return controller.state("recording", lambda state: state["state"] == "recording", since=since)


def with_a_yard(agent):
    """Gives the agent a second camera, `yard`, that is like the first."""
    (door,) = agent.configuration["cameras"]
    agent.configure({**agent.configuration, "cameras": [door, {**copy.deepcopy(door), "id": "yard"}]})
    return agent


def roll(seconds: float):
    """A recording needs time to become one."""
    time.sleep(seconds)


def stop(controller) -> dict:
    return controller.obeyed("recording", {"on": False})["recording"]


@contextmanager
def shaken(controller):
    """Zooms in and out meanwhile: an encoder has little to say of a picture that stands still."""
    ended = threading.Event()

    def shake():
        for factor in itertools.cycle((2, 1)):
            if ended.is_set():
                break
            controller.obeyed("zoom", {"factor": factor, "rate": 8})
    mover = threading.Thread(target=shake)
    mover.start()
    try:
        yield
    finally:
        ended.set()
        mover.join()


def finished(controller, since=0) -> dict:
    """The event of a recording that has ended."""
    event = controller.state("event", lambda event: event["event"] == "recording_finished", since=since)
    return event["recording"]


def consistent(recording: dict):
    """Plays the file, and holds what was said of it against what is there."""
    movie = played(recording["path"])
    assert movie.codec == recording["codec"]
    assert movie.container == CONTAINER[recording["codec"]]
    assert (movie.width, movie.height) == (recording["width"], recording["height"])
    assert movie.frames == recording["frames"]
    assert recording["bytes"] == Path(recording["path"]).stat().st_size
    assert movie.duration == pytest.approx(recording["duration_s"], abs=0.05)
    assert movie.times[0] == 0 and movie.times == sorted(movie.times)
    return movie


def shows(image: Image.Image, zoom: dict, reading=READING):
    for x, y in CORNERS:
        assert read_position(image, x, y, 0.08) == pytest.approx(in_scene(zoom, x, y), abs=reading), (x, y)


@codecs
def test_a_recording_plays_and_everybody_is_told_of_it(controller, agent, codec):
    since = controller.mark()
    on = controller.send("recording", {"on": True, "codec": codec, "client": "phone", "id": f"on-{codec}"})
    assert [on.answer()["status"], on.answer()["status"]] == ["accepted", "done"]
    state = controller.state("recording", lambda state: state["state"] == "recording", since=since)
    assert (state["on"], state["codec"], state["width"], state["height"]) == (True, codec, 320, 180)
    assert (state["audio"], state["max_duration_s"], state["origin"]["client"]) == (False, 60, "phone")
    started = controller.state("event", lambda event: event["event"] == "recording_started", since=since)
    assert (started["path"], started["client"], started["id"]) == (state["path"], "phone", f"on-{codec}")
    roll(0.5)
    off = controller.send("recording", {"on": False})
    assert off.answer()["status"] == "accepted"
    recording = off.answer()["recording"]
    assert recording == finished(controller, since)
    assert (recording["path"], recording["reason"], recording["audio"]) == (state["path"], "stopped", False)
    movie = consistent(recording)
    assert 0.3 < movie.duration < 3 and movie.frames + recording["lost"] > 8
    assert Path(recording["path"]).parent == agent.recordings / "door"
    assert Path(recording["path"]).suffix == SUFFIX[codec]
    idle = controller.state("recording", lambda state: state["state"] == "idle", since=since)
    assert (idle["on"], idle["last"]) == (False, recording) and "path" not in idle
    phases = [state["state"] for state in controller.states("recording", since)]
    assert phases == ["starting", "recording", "finishing", "idle"]


@pytest.mark.parametrize("on, off", [
    (b"ON", b"OFF"), (b"on", b"off"), (b"true", b"false"), (b'"ON"', b'"OFF"'), (b'{"on":true}', b'{"on":false}'),
])
def test_words_of_a_switch_will_do(controller, on, off):
    assert controller.obeyed("recording", on)
    assert controller.obeyed("recording", off)["recording"]["reason"] == "stopped"


def test_on_while_it_is_on_and_off_while_it_is_off_are_done_already(controller):
    assert "recording" not in controller.obeyed("recording", b"OFF")
    state = begin(controller)
    assert "recording" not in controller.obeyed("recording", b"ON")
    assert controller.state("recording")["path"] == state["path"]
    assert stop(controller)["path"] == state["path"]
    controller.obeyed("recording", b"OFF")


def test_two_who_end_it_are_both_told_what_came_of_it(controller):
    begin(controller)
    roll(0.1)
    offs = [controller.send("recording", {"on": False, "client": client}) for client in ("phone", "desk")]
    first, second = (off.result() for off in offs)
    assert second.get("recording", first["recording"]) == first["recording"]  # it may be over by then
    consistent(first["recording"])


@pytest.mark.parametrize("options", [{"max_duration_s": 5}, {"codec": "h264"}, {"audio": False}])
def test_another_one_has_to_wait_for_the_end_of_the_first(controller, options):
    begin(controller)
    controller.refused("recording", {"on": True, **options}, "busy")
    assert stop(controller)["reason"] == "stopped"


def test_sound_without_a_microphone_is_refused(controller):
    controller.refused("recording", {"on": True, "audio": True}, "unsupported", "audio")
    assert controller.obeyed("recording", b"OFF").get("recording") is None


def test_one_that_is_ended_at_once_leaves_nobody_waiting(controller):
    since = controller.mark()
    on, off = controller.send("recording", b"ON"), controller.send("recording", b"OFF")
    assert off.result()["status"] == "done"
    assert on.result()["status"] in ("done", "error")
    state = controller.state("recording", lambda state: state["state"] == "idle", since=since)
    if "path" in state["last"]:
        consistent(state["last"])


def test_it_ends_by_itself_when_its_time_is_over(controller):
    since = controller.mark()
    begin(controller, max_duration_s=1)
    recording = finished(controller, since)
    assert recording["reason"] == "max_duration" and "error" not in recording
    assert consistent(recording).duration <= 1.05
    assert recording["duration_s"] > 0.8
    controller.obeyed("recording", b"OFF")


def test_its_configured_time_counts_where_nobody_says_another(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL, recordings={"max_duration_s": 1, "codec": "mjpeg"})
    controller = bench.controller(broker)
    info = controller.state("info", since=0)
    assert info["recording"] == {"codec": "mjpeg", "max_duration_s": 1, "audio": False}
    state = begin(controller)
    assert (state["max_duration_s"], state["codec"]) == (1, "mjpeg")
    recording = finished(controller)
    assert (recording["reason"], recording["codec"]) == ("max_duration", "mjpeg")
    assert consistent(recording).duration <= 1.05
    assert begin(controller, max_duration_s=30, codec="h264")["max_duration_s"] == 30
    assert stop(controller)["reason"] == "stopped"


# What it shows


@codecs
def test_it_shows_what_was_in_view(controller, codec):
    controller.zoom_to(1.5)
    state = controller.settled(controller.obeyed("zoom", {"factor": 4, "anchor": {"x": 0.9, "y": 0.2}}))
    begin(controller, codec=codec)
    roll(0.2)
    recording = stop(controller)
    consistent(recording)
    for image in pictures(recording["path"]):
        shows(image, state)


@codecs
def test_a_zoom_during_a_recording_is_seen_all_the_way(controller, codec):
    begin(controller, codec=codec)
    roll(0.1)
    last = controller.settled(controller.obeyed("zoom", {"factor": 8, "rate": 6, "anchor": {"x": 0.7, "y": 0.5}}))
    roll(0.2)
    recording = stop(controller)
    consistent(recording)
    images = pictures(recording["path"])
    whole = {"factor": 1, "viewport": {"x": 0, "y": 0, "width": 1, "height": 1}}
    shows(images[0], whole)
    shows(images[-1], last)
    widths = []
    for image in images:
        (left, _), (right, _) = (read_position(image, x, 0.5, 0.08) for x in (0.1, 0.9))
        widths.append((right - left) / 0.8)
    for before, after in zip(widths, widths[1:]):
        assert after < before + READING, widths
    assert sum(0.2 < width < 0.9 for width in widths) > 5, "no frame on the way"


@codecs
def test_its_colours_are_those_of_a_photo(controller, codec):
    """As a player shows them: with the range and the matrix that the file says."""
    controller.zoom_to(2)
    (photo,) = controller.obeyed("capture", {"quality": 95})["photos"]
    begin(controller, codec=codec)
    roll(0.1)
    picture = shown(stop(controller)["path"])
    wanted = Image.open(photo["path"]).convert("RGB")
    difference = ImageStat.Stat(ImageChops.difference(picture, wanted)).mean
    assert max(difference) < 6, difference


#: Least PSNR of luma to Pillow's LANCZOS, in dB. Measured are 46.6 and 40.9; what is missing is the codecs'.
LIKE = {"mjpeg": 43, "h264": 37}


@codecs
def test_its_frames_are_near_to_what_pillow_makes_of_the_same_part(bench, tmp_path, codec):
    image = tmp_path / "image.jpg"
    photograph().resize((640, 360)).save(image, quality=95)
    broker = bench.broker()
    bench.agent(broker, camera={"image": str(image), "simulated": {"width": 640, "height": 360, "optical_max": 1}})
    controller = bench.controller(broker)
    controller.zoom_to(1)
    view = controller.settled(controller.obeyed("zoom", {"factor": 2.5, "anchor": {"x": 0.7, "y": 0.4}}))["viewport"]
    begin(controller, codec=codec)
    roll(0.3)
    recording = stop(controller)
    consistent(recording)
    left, top = view["x"] * 640, view["y"] * 360
    box = left, top, left + view["width"] * 640, top + view["height"] * 360
    wanted = open_photo(image).getchannel(0).resize((640, 360), Image.Resampling.LANCZOS, box=box)
    off = open_photo(image).getchannel(0).resize((640, 360), Image.Resampling.LANCZOS, box=[side + 2 for side in box])
    found = [psnr(picture.getchannel(0), wanted) for picture in pictures(recording["path"])]
    print(f"{codec}: luma {min(found):.1f} dB; two pixels off {psnr(off, wanted):.1f} dB")
    assert min(found) >= LIKE[codec] > psnr(off, wanted) + 3


def test_the_cameras_own_jpegs_are_kept_byte_by_byte(bench, tmp_path):
    image = tmp_path / "image.jpg"
    Image.linear_gradient("L").resize((320, 240)).convert("RGB").save(image, quality=70)
    broker = bench.broker()
    bench.agent(broker, camera={"image": str(image), "simulated": {"width": 320, "height": 240}})
    controller = bench.controller(broker)
    begin(controller, codec="mjpeg")
    roll(0.3)
    recording = stop(controller)
    consistent(recording)
    assert "encoder" not in recording
    frames = jpegs(recording["path"])
    assert len(frames) == recording["frames"]
    assert all(frame == image.read_bytes() for frame in frames)


@codecs
def test_a_size_that_no_encoder_likes(bench, tmp_path, codec):
    image, size = tmp_path / "image.jpg", (161, 121)
    Image.radial_gradient("L").resize(size).convert("RGB").save(image, quality=90)
    broker = bench.broker()
    bench.agent(broker, camera={"image": str(image), "simulated": {"width": 160, "height": 120}})
    controller = bench.controller(broker)
    for factor in (1, 3):
        controller.zoom_to(factor)
        begin(controller, codec=codec)
        roll(0.2)
        recording = stop(controller)
        consistent(recording)
        assert abs(recording["width"] - size[0]) <= 1 and abs(recording["height"] - size[1]) <= 1


def test_an_mp4_begins_with_its_index_so_that_it_plays_before_it_has_arrived(controller):
    begin(controller, codec="h264")
    roll(0.3)
    data = Path(stop(controller)["path"]).read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")
    assert b"moof" not in data


# Beside it


def test_photos_previews_and_zooms_go_on_meanwhile(controller):
    since = controller.mark()
    begin(controller, codec="h264")
    controller.obeyed("preview", {"fps": 20, "width": 160, "client": "viewer"})
    (photo,) = controller.obeyed("capture", {"zoom": {"factor": 3, "rate": 8}})["photos"]
    shows(open_photo(photo["path"]), photo)
    controller.inbox.wait_for(controller.topic("preview/live"), since=since)
    controller.zoom_to(1)
    controller.obeyed("preview", {"stop": True, "client": "viewer"})
    consistent(stop(controller))


def test_two_cameras_record_at_once(bench):
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera=SMALL)
    with_a_yard(agent).start()
    both = bench.controller(broker), bench.controller(broker, camera="yard")
    for controller, codec in zip(both, CODECS):
        begin(controller, codec=codec)
    roll(0.5)
    for controller in both:
        recording = stop(controller)
        consistent(recording)
        assert Path(recording["path"]).parent == agent.recordings / controller.camera_topic.split("/")[-1]


# What ends it


@codecs
def test_a_file_that_is_large_enough_ends_and_plays(bench, tmp_path, codec):
    broker = bench.broker()
    limit = 512 * 1024
    bench.agent(broker, camera=noise(tmp_path / "noise.jpg"), recordings={"max_file_bytes": limit, "codec": codec})
    controller = bench.controller(broker)
    begin(controller)
    with shaken(controller):
        recording = finished(controller)
    assert recording["reason"] == "size_limit" and "error" not in recording
    consistent(recording)
    assert limit / 4 < recording["bytes"] <= limit


@codecs
def test_the_end_of_the_agent_completes_the_file(bench, codec):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    begin(controller, codec=codec)
    roll(0.3)
    assert agent.stop() == 0
    recording = finished(controller)
    assert recording["reason"] == "agent_stopped"
    consistent(recording)
    assert controller.state("recording")["state"] == "idle"
    agent.start()
    assert controller.state("recording")["state"] == "idle"


def test_no_recording_begins_while_the_agent_stops(bench, tmp_path):
    broker = bench.broker()
    agent = with_a_yard(bench.agent(broker, start=False, camera=noise(tmp_path / "noise.jpg"))).start()
    door, yard = bench.controller(broker), bench.controller(broker, camera="yard")
    begin(door, codec="h264")
    with shaken(door):
        roll(0.5)
    since = yard.mark()
    agent.signal(signal.SIGTERM)
    while agent.process.poll() is None:
        yard.send("recording", {"on": True})
        time.sleep(0.001)
    assert agent.exit_code() == 0
    consistent(finished(door))
    assert all(message.json["status"] == "error" for message in yard.inbox.all(yard.response_topic, since))
    assert yard.state("recording")["state"] == "idle"


@pytest.mark.parametrize("seconds", [0.2, 1.8])
def test_a_kill_leaves_files_that_play(bench, seconds):
    broker = bench.broker()
    agent = with_a_yard(bench.agent(broker, start=False, camera=SMALL)).start()
    both = bench.controller(broker), bench.controller(broker, camera="yard")
    paths = [begin(controller, codec=codec)["path"] for controller, codec in zip(both, CODECS)]
    began = time.monotonic()
    roll(seconds)
    agent.kill()
    lasted = time.monotonic() - began
    if lasted > 1.5:
        for path in paths:
            movie = played(path)
            assert (movie.width, movie.height) == (320, 180)
            assert movie.times[-1] > lasted - 1.5, "more than the last second or so is lost"
    since = [controller.mark() for controller in both]
    agent.start()
    for controller, mark, codec, path in zip(both, since, CODECS, paths):
        assert controller.state("recording", since=mark)["state"] == "idle"
        begin(controller, codec=codec)
        recording = stop(controller)
        assert recording["path"] != path
        consistent(recording)


def test_a_kill_while_the_file_is_completed_leaves_one_that_plays(bench, tmp_path):
    broker = bench.broker()
    agent = bench.agent(broker, camera=noise(tmp_path / "noise.jpg", (320, 180)))
    controller = bench.controller(broker)
    path = begin(controller, codec="h264")["path"]
    with shaken(controller):
        roll(1.2)
    off = controller.send("recording", b"OFF")
    assert off.answer()["status"] == "accepted"
    agent.kill()
    assert played(path).times[-1] > 0.5
    agent.start()
    begin(controller)
    stop(controller)
    assert not list(agent.recordings.rglob("*.part"))


def test_a_broker_that_is_away_is_told_afterwards(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    path = begin(controller, max_duration_s=1)["path"]
    broker.stop()
    roll(1.2)
    broker.start()
    idle = controller.state("recording", lambda state: state["state"] == "idle" and "last" in state)
    assert (idle["last"]["path"], idle["last"]["reason"]) == (path, "max_duration")
    consistent(idle["last"])


def test_a_machine_that_does_not_keep_up_leaves_frames_out_and_counts_them(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"width": 1920, "height": 1080, "fps": 120}})
    controller = bench.controller(broker)
    begin(controller, codec="h264", max_duration_s=1)
    for n in range(10):
        assert controller.obeyed("zoom", {"factor": 1 + n % 3})
    recording = finished(controller)
    consistent(recording)
    assert recording["frames"] + recording["lost"] == pytest.approx(120 * recording["duration_s"], abs=12)


def test_a_group_records_together(bench):
    broker = bench.broker()
    agent = with_a_yard(bench.agent(broker, start=False, camera={**SMALL, "groups": ["all"]})).start()
    both = bench.controller(broker), bench.controller(broker, camera="yard")
    for word in (b"ON", b"OFF"):
        since = [controller.mark() for controller in both]
        both[0].publish("v4l2mqtt/groups/all/recording/set", word)
        for controller, mark in zip(both, since):
            controller.state("recording/reply", lambda reply: reply["status"] == "done", since=mark)
    assert len(files(agent.recordings)) == 2
    for controller in both:
        consistent(finished(controller))


def test_what_a_kill_left_unfinished_goes_with_the_next_recording(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL)
    controller = bench.controller(broker)
    begin(controller)
    path = Path(stop(controller)["path"])
    agent.kill()
    left = path.with_name("door-20261121T101010.101Z-000077.mp4.part")
    left.write_bytes(b"half a movie")
    somebodys = path.with_name("letter.mp4.part")
    somebodys.write_bytes(b"not ours")
    agent.start()
    begin(controller)
    newest = Path(stop(controller)["path"])
    assert files(agent.recordings) == sorted([path, newest, somebodys])


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


def test_a_camera_without_frames_says_so(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"inject_fault": "frame_error"}})
    controller = bench.controller(broker)
    on = controller.send("recording", b"ON")
    assert on.answer()["status"] == "accepted"
    answer = on.answer()
    assert (answer["status"], answer["error"]["code"]) == ("error", "device")
    state = controller.state("recording", lambda state: state["state"] == "idle" and "last" in state)
    assert (state["last"]["reason"], state["last"]["frames"]) == ("failed", 0) and "path" not in state["last"]
    assert state["last"]["error"]["code"] == "device"
    assert finished(controller) == state["last"]
    assert files(agent.recordings) == []


@codecs
def test_a_camera_of_damaged_frames_says_so(bench, tmp_path, codec):
    camera = noise(tmp_path / "noise.jpg", (320, 180))
    image = tmp_path / "noise.jpg"
    image.write_bytes(image.read_bytes()[:2000])
    broker = bench.broker()
    agent = bench.agent(broker, camera=camera)
    controller = bench.controller(broker)
    controller.refused("recording", {"on": True, "codec": codec, "max_duration_s": 2}, "device")
    assert finished(controller)["reason"] == "failed"
    assert files(agent.recordings) == []


def test_a_camera_that_is_away_records_nothing(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/nosuch"}})
    controller = bench.controller(broker)
    controller.refused("recording", b"ON", "unavailable")
    controller.obeyed("recording", b"OFF")
    assert controller.state("recording", since=0)["state"] == "idle"


# The disk


def test_the_oldest_recordings_go_when_there_is_no_room_for_another(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera=SMALL, recordings={"max_bytes": 1 << 20, "max_file_bytes": 320 << 10, "codec": "mjpeg"})
    controller = bench.controller(broker)
    (agent.recordings / "door").mkdir(parents=True)
    somebodys = agent.recordings / "door" / "door-birthday.mkv"
    somebodys.write_bytes(bytes(1 << 20))
    paths = []
    for _ in range(4):
        since = controller.mark()
        begin(controller)
        recording = finished(controller, since)
        assert recording["reason"] == "size_limit"
        paths.append(Path(recording["path"]))
        kept = [path for path in files(agent.recordings) if path != somebodys]
        assert kept == paths[-len(kept):], "not the oldest went"
        assert sum(path.stat().st_size for path in kept) <= 1 << 20
    assert 2 <= len(kept) < 4
    assert somebodys.exists()


def test_photos_and_recordings_in_one_folder_leave_each_other_alone(bench, tmp_path):
    broker = bench.broker()
    media = {"directory": str(tmp_path / "media")}
    agent = bench.agent(broker, camera=SMALL, captures={**media, "max_bytes": 60 << 10}, recordings={**media, "codec": "mjpeg"})
    controller = bench.controller(broker)
    begin(controller)
    roll(0.2)
    movie = Path(stop(controller)["path"])
    photos = [Path(controller.obeyed("capture", {})["photos"][0]["path"]) for _ in range(5)]
    left = files(tmp_path / "media")
    assert movie in left and photos[-1] in left and photos[0] not in left
    assert files(agent.captures) == files(agent.recordings) == []


def test_one_that_is_being_written_never_makes_room_for_another(bench):
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


@pytest.fixture
def small_disk(tmp_path):
    """Makes a file system of so many KiB."""
    def mount(kibibytes: int) -> Path:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", tmp_path], capture_output=True)
        if os.geteuid() != 0 or done.returncode != 0:
            pytest.skip("needs the right to mount a tmpfs")
        mounted.append(tmp_path)
        return tmp_path
    mounted = []
    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", folder], check=True)


@codecs
def test_a_disk_that_fills_up_ends_it_and_the_file_plays(bench, tmp_path_factory, small_disk, codec):
    disk = small_disk(8192)
    broker = bench.broker()
    camera = noise(tmp_path_factory.mktemp("image") / "noise.jpg")
    bench.agent(broker, camera=camera, recordings={"directory": str(disk), "codec": codec})
    controller = bench.controller(broker)
    begin(controller)
    roll(1.2 if codec == "h264" else 0.2)  # an MP4 has its first second on the disk then
    with pytest.raises(OSError), open(disk / "ballast", "wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))
    with shaken(controller):
        recording = finished(controller)
    assert (recording["reason"], recording["error"]["code"]) == ("disk_full", "storage_full")
    consistent(recording)
    assert recording["duration_s"] > 0.1
    controller.obeyed("recording", b"OFF")
    assert not list(disk.rglob("*.part"))


@codecs
def test_a_disk_that_is_full_already_is_said_at_once(bench, small_disk, codec):
    disk = small_disk(512)
    (disk / "ballast").write_bytes(bytes(440 * 1024))
    broker = bench.broker()
    bench.agent(broker, camera=SMALL, recordings={"directory": str(disk), "codec": codec})
    controller = bench.controller(broker)
    controller.refused("recording", b"ON", "storage_full")
    recording = finished(controller)
    assert recording["reason"] == "disk_full" and "path" not in recording
    assert [path.name for path in files(disk)] == ["ballast"]
    assert controller.obeyed("zoom", 2)["factor"] == 2


@codecs
def test_a_file_that_somebody_takes_away_is_not_said_to_be_there(controller, codec):
    path = Path(begin(controller, codec=codec)["path"])
    roll(0.2)
    path.unlink()
    controller.refused("recording", {"on": False}, "device")
    last = controller.state("recording", lambda state: state["state"] == "idle")["last"]
    assert (last["reason"], last["error"]["code"], last["bytes"]) == ("failed", "device", 0) and "path" not in last
    begin(controller, codec=codec)
    consistent(stop(controller))


def test_a_folder_that_can_not_be_made_is_said(bench):
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera=SMALL)
    agent.recordings.write_text("a file where the folder should be")
    agent.start()
    controller = bench.controller(broker)
    error = controller.refused("recording", b"ON", "device")
    assert str(agent.recordings) in error["message"]
    agent.recordings.unlink()
    begin(controller)
    consistent(stop(controller))
