"""Recordings that an agent in the guest made, as they are on its disk."""

import itertools
import subprocess
from pathlib import Path

import pytest

from guest import Guest
from movie_file import CONTAINER, Movie, pictures_so_far, played
from waiting import eventually


def begin(controller, **options) -> dict:
    """Begins to record; returns the state once the first frame is in the file."""
    since = controller.mark()
    answer = controller.send("recording", {"on": True, **options}).result()
    assert answer["status"] == "done", answer
    return controller.state("recording", lambda state: state["state"] == "recording", since=since)


def await_pictures(guest: Guest, recording: dict, condition):
    """Waits until the pictures in the file satisfy the condition. On a busy machine no frame may be recorded
    for a second.

    `recording` is the state of a recording that goes on, as `begin` returns it. `condition` takes the
    pictures in their order, at least one.
    """
    def satisfied():
        found = pictures_so_far(file(guest, recording), (recording["width"], recording["height"]))
        return found and condition(found)

    eventually(satisfied, "the pictures in the recording")


def stop(controller) -> dict:
    return controller.obeyed("recording", {"on": False})["recording"]


def finished(controller, since=0) -> dict:
    """The event of a recording that has ended; it is over then."""
    event = controller.state("event", lambda event: event["event"] == "recording_finished", since=since)
    controller.state("recording", lambda state: state["state"] == "idle" and state.get("last") == event["recording"], since=since)
    return event["recording"]


def file(guest: Guest, recording: dict) -> Path:
    """On the host."""
    return guest.share / Path(recording["path"]).relative_to("/share")


def consistent(guest: Guest, recording: dict) -> Movie:
    """Plays the file to its end, and compares it with its description."""
    path = file(guest, recording)
    movie = played(path)
    assert (movie.codec, movie.container) == (recording["codec"], CONTAINER[recording["codec"]])
    assert (movie.width, movie.height) == (recording["width"], recording["height"])
    assert movie.frames == recording["frames"]
    assert recording["bytes"] == path.stat().st_size
    # Sound goes on when the encoder is too slow for the last pictures.
    seconds = movie.times[-1] + 1 / 30 if recording["audio"] else movie.duration
    assert seconds == pytest.approx(recording["duration_s"], abs=0.05)
    assert movie.times[0] == 0 and movie.times == sorted(movie.times)
    return movie


def elementary(path) -> bytes:
    """The video of a file as it is, in Annex B."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def gaps(stream: list[bytes], stored: list[bytes]) -> list[list[int]]:
    """The places in a stream, which is sent over and over, that aren't stored: a list for each gap. What is
    stored is there byte by byte, begins with a key frame, and goes on with one after each gap."""
    places = [stream.index(unit) for unit in stored]
    assert _is_key(stored[0])
    found = []
    for before, after in itertools.pairwise(places):
        missing = [(before + step) % len(stream) for step in range(1, (after - before) % len(stream))]
        assert not missing or _is_key(stream[after]), f"after {before} follows {after}, which is no key frame"
        found += [missing] if missing else []
    return found


def _is_key(unit: bytes) -> bool:
    return unit[0] & 31 == 5
