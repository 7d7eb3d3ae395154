"""Sound of recordings, from the kernel's loopback card: its microphone records what is played to it."""

import signal
import statistics
from contextlib import contextmanager

import pytest

from virtual_camera import Camera
from guest_recordings import begin, consistent, file, finished, stop
from guest_agent import GuestAgent
from movie_file import CODECS, pictures, probed
from guest_photos import SMALL
from camera_picture import read_picture
from sound_analysis import RATE, frequency, sound_samples, is_silent, onsets
from camera_controllers import controllers_at
from waiting import eventually

pytestmark = pytest.mark.deep  # records for several seconds each

codecs = pytest.mark.parametrize("codec", CODECS)
MICROPHONE = "hw:CARD=Loopback,DEV=1"
#: Seconds that the sound's length may differ from the pictures'.
LENGTH = 0.15
#: Seconds that sound and picture may be apart; the agent itself keeps them to 0.04.
APART = 0.05


@pytest.fixture(scope="module")
def cameras(guest):
    return {name: Camera(guest, name, port=port, motor=800, auto_update="zoom") for port, name in enumerate(("front", "back", "deaf"))}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    guest.load("snd-aloop", pcm_substreams=1)
    microphones = {"front": MICROPHONE, "back": MICROPHONE, "deaf": "hw:CARD=Absent,DEV=0"}
    agent = GuestAgent(guest, broker, cameras=[
        {"id": name, "source": {"serial": name}, "v4l2": dict(SMALL), "microphone": microphone}
        for name, microphone in microphones.items()]).start()
    with controllers_at(broker) as controller_for:  # the libraries come with the first
        begin(controller_for("front"), codec="mjpeg")
        stop(controller_for("front"))
    yield agent
    assert agent.ending() is None


@contextmanager
def played(guest, rate: int = RATE, channels: int = 1, *, on: int = 1000, period: int = 1000):
    """Plays 440 Hz meanwhile, for `on` of each `period` milliseconds."""
    guest.check("rm -f /run/job/beeper.log")
    guest.start("beeper", "beeper", "hw:Loopback,0", rate, channels, on, period)
    eventually(lambda: guest.log("beeper"), "the tone")
    try:
        yield
        assert guest.ending("beeper") is None, guest.log("beeper")
    finally:
        guest.run("kill -9 $(cat /run/job/beeper.pid)")
        guest.ended("beeper")


def beeps(guest) -> list[float]:
    """When tones began, in seconds of the guest's clock."""
    return [int(line) / 1e9 for line in guest.log("beeper").split() if line.isdigit()]


def with_sound(guest, recording: dict) -> list[int]:
    """Plays the file, and returns its sound, which is as long as its pictures."""
    assert recording["audio"]
    consistent(guest, recording)
    samples = sound_samples(file(guest, recording))
    longer = len(samples) / RATE - recording["duration_s"]
    assert -LENGTH < longer and (longer < LENGTH or recording["lost"]), f"{longer} s"
    return samples


def after_opening(samples) -> list[int]:
    """Without what was before the microphone was open, and what was still in the driver when the recording
    was ended."""
    (start,) = onsets(samples, quiet=0.01)[:1] or [0]
    assert start < 1, f"there was silence for {start} s"
    return samples[round((start + 0.05) * RATE):-RATE // 8]


def microphone(guest) -> str:
    return guest.check("head -n 1 /proc/asound/card0/pcm1c/sub0/status").strip()


# What is recorded


@pytest.mark.parametrize("rate, channels, codec", [(48000, 1, "h264"), (44100, 2, "mjpeg")])
def test_played_tone_is_in_the_recording(controller_for, guest, rate, channels, codec):
    """A card that only has another format is recorded as well: ALSA converts it."""
    controller = controller_for("front")
    with played(guest, rate, channels):
        assert begin(controller, codec=codec)["audio"]
        guest.sleep(1)
        recording = stop(controller)
    tone = after_opening(with_sound(guest, recording))
    assert frequency(tone) == pytest.approx(440, abs=1)
    assert not any(is_silent(tone[at:at + RATE // 100]) for at in range(0, len(tone), RATE // 100)), "it has gaps"


def test_recording_without_a_tone_is_silent(controller_for, guest):
    controller = controller_for("front")
    begin(controller, codec="mjpeg", audio=True)
    assert microphone(guest) == "state: RUNNING"
    guest.sleep(0.5)
    assert is_silent(with_sound(guest, stop(controller)))
    eventually(lambda: microphone(guest) == "closed", "the microphone let go")


def test_sound_track_continues_after_the_end_of_the_tone(controller_for, guest):
    controller = controller_for("front")
    with played(guest):
        begin(controller, codec="mjpeg")
        guest.sleep(0.6)
    guest.sleep(0.8)
    samples = with_sound(guest, stop(controller))
    (start, *_) = onsets(samples)
    assert frequency(samples[round((start + 0.05) * RATE):][:RATE // 5]) == pytest.approx(440, abs=2)
    assert is_silent(samples[-RATE // 4:])


def test_audio_false_records_no_sound(controller_for, guest):
    controller = controller_for("front")
    assert not begin(controller, codec="mjpeg", audio=False)["audio"]
    assert microphone(guest) == "closed"
    recording = stop(controller)
    assert not recording["audio"]
    consistent(guest, recording)
    assert not sound_samples(file(guest, recording))


# When it is recorded


def lateness(guest, recording: dict, camera: Camera, since: int) -> list[float]:
    """By how much the sound is later than the picture at each tone, in seconds.

    The lens was on its way for a while. The camera logs the time of each frame that has another zoom than the
    frame before it. Of these frames, a slow encoder may leave out some.
    """
    made = {}
    for entry in camera.log(since):
        if entry.text.startswith("picture "):
            _, zoom, count = entry.text.split()
            made[int(zoom), int(count)] = entry.time / 1e9
    path = file(guest, recording)
    readings = [read_picture(picture) for picture in pictures(path)]
    seen = {(reading.zoom, reading.count): time for reading, time in zip(readings, probed(path).times)}
    start = statistics.median(seen[frame] - made[frame] for frame in made.keys() & seen.keys())
    samples = with_sound(guest, recording)
    # Of a tone that began before the recording, only the end is recorded.
    whole = [at for at in onsets(samples) if not is_silent(samples[round((at + 0.085) * RATE):][:RATE // 100])]
    late = [at - start - beep for at in whole for beep in beeps(guest)]
    return [seconds for seconds in late if abs(seconds) < 0.1]


@codecs
def test_sound_and_picture_are_synchronous(controller_for, guest, cameras, codec):
    controller, front = controller_for("front"), cameras["front"]
    with played(guest, on=100, period=300):
        since = front.mark()
        begin(controller, codec=codec)
        guest.sleep(0.3)
        controller.obeyed("zoom", {"factor": 5})
        guest.sleep(0.3)
        recording = stop(controller)
        late = lateness(guest, recording, front, since)
    assert len(late) >= 3
    assert max(map(abs, late)) < APART, late


def test_sound_and_picture_are_synchronous_after_a_pause_between_recordings(controller_for, guest, cameras, agent):
    """As on a machine that has too much to do: neither the driver's frames nor its sound are taken."""
    controller, front = controller_for("front"), cameras["front"]
    with played(guest, on=100, period=300):
        since = front.mark()
        begin(controller, codec="mjpeg")
        guest.sleep(0.4)
        agent.signal(signal.SIGSTOP)
        guest.sleep(1.3)
        agent.signal(signal.SIGCONT)
        controller.obeyed("zoom", {"factor": 5})
        guest.sleep(0.3)
        recording = stop(controller)
        late = lateness(guest, recording, front, since)
    assert recording["lost"] > 15 and recording["duration_s"] > 2
    assert len(late) >= 3
    assert max(map(abs, late)) < APART, late


# What becomes of it


def test_unplug_leaves_a_file_with_sound(controller_for, guest, cameras):
    controller, front = controller_for("front"), cameras["front"]
    with played(guest):
        since = controller.mark()
        begin(controller, codec="mjpeg")
        guest.sleep(0.8)
        front.unplug()
        recording = finished(controller, since)
    assert recording["reason"] == "unplugged"
    assert frequency(after_opening(with_sound(guest, recording))) == pytest.approx(440, abs=1)
    eventually(lambda: microphone(guest) == "closed", "the microphone let go")
    since = controller.mark()
    front.plug()
    controller.state("availability", lambda availability: availability["state"] == "online", since=since)


def test_missing_microphone_is_a_device_error(controller_for, guest):
    controller = controller_for("deaf")
    since = controller.mark()
    error = controller.refused("recording", {"on": True, "audio": True}, "device")
    assert "Absent" in error["message"], error
    refused = finished(controller, since)
    assert (refused["reason"], refused["frames"]) == ("failed", 0) and "path" not in refused
    for options in ({}, {"audio": False}):
        state = begin(controller, codec="mjpeg", **options)
        assert not state["audio"]
        recording = stop(controller)
        assert not recording["audio"] and recording["reason"] == "stopped"
        consistent(guest, recording)


def test_microphone_in_use_is_a_device_error(controller_for, guest):
    front, back = controller_for("front"), controller_for("back")
    assert begin(front, codec="mjpeg", audio=True)["audio"]
    assert "busy" in back.refused("recording", {"on": True, "audio": True}, "device")["message"].lower()
    assert not begin(back, codec="mjpeg")["audio"]
    assert not stop(back)["audio"]
    with_sound(guest, stop(front))
    assert begin(back, codec="mjpeg", audio=True)["audio"]
    with_sound(guest, stop(back))
