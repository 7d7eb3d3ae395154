"""Steps of tests of recordings: begin one, end it, and compare its file with its description."""

import copy
import itertools
import threading
import time
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from movie_file import CODECS, CONTAINER, played
from waiting import eventually

codecs = pytest.mark.parametrize("codec", CODECS)


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


def record_for(seconds: float):
    """A recording needs time to become one."""
    time.sleep(seconds)


def record_new_frame(controller) -> dict:
    """Waits until the recording was given a frame that was exposed after the call: a photo of it is the
    proof.

    Returns the photo. On a busy machine a time alone doesn't mean that there was a frame.
    """
    return controller.obeyed("capture", {"size": {"width": 64}})["photos"][0]


def record_onto_disk(path, codec: str):
    """Waits until a file that is being written has at least a second on the disk, by its frames' own times.

    An MP4 has fragments, each a second after the one before: if the third is there, the second is complete. A
    Matroska has at most 30 JPEGs a second, and the last one may be incomplete.
    """
    word, least = {"h264": (b"moof", 3), "mjpeg": (b"\xff\xd8\xff", 32)}[codec]
    eventually(lambda: Path(path).read_bytes().count(word) >= least, f"a second of {path}")


def missing(movie, rate=30) -> int:
    """How many frames of a simulated camera aren't between the first and the last of the file. It exposes
    them at a constant rate, whatever the machine does."""
    return round(movie.times[-1] * rate) + 1 - movie.frames


def seconds(earlier: str, later: str) -> float:
    """Between two times of messages."""
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def stop(controller) -> dict:
    return controller.obeyed("recording", {"on": False})["recording"]


@contextmanager
def changing_picture(controller):
    """Zooms in and out meanwhile: frames of a still picture would encode to very few bytes."""
    ended = threading.Event()

    def zoom_in_and_out():
        for factor in itertools.cycle((2, 1)):
            if ended.is_set():
                break
            controller.obeyed("zoom", {"factor": factor, "rate": 8})
    mover = threading.Thread(target=zoom_in_and_out)
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
    """Plays the file, and compares it with its description."""
    movie = played(recording["path"])
    assert movie.codec == recording["codec"]
    assert movie.container == CONTAINER[recording["codec"]]
    assert (movie.width, movie.height) == (recording["width"], recording["height"])
    assert movie.frames == recording["frames"]
    assert recording["bytes"] == Path(recording["path"]).stat().st_size
    assert movie.duration == pytest.approx(recording["duration_s"], abs=0.05)
    assert movie.times[0] == 0 and movie.times == sorted(movie.times)
    return movie
