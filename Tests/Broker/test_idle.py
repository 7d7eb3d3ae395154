"""An idle agent: which threads it has, and which libraries are loaded."""

from pathlib import Path

import pytest

from agent import PROGRAM
from movie_file import CODECS, SMALL
from recording_steps import begin, consistent, record_for, stop
from waiting import eventually

#: The loop, the writer of the state, and the thread that waits for the disk.
IDLE = sorted([PROGRAM.name[:15], "state", "state-disk"])


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


def threads(agent) -> list[str]:
    """The names of its threads. One that ends meanwhile is left out."""
    names = []
    for task in Path(f"/proc/{agent.process.pid}/task").iterdir():
        try:
            names.append((task / "comm").read_text().strip())
        except (FileNotFoundError, ProcessLookupError):
            pass
    return sorted(names)


def becomes_idle(agent):
    eventually(lambda: threads(agent) == IDLE, f"the threads {IDLE}; there are {threads(agent)}")


def writes_movies(agent) -> bool:
    """Whether the libraries for movies are loaded."""
    return "libavformat" in Path(f"/proc/{agent.process.pid}/maps").read_text()


def test_an_idle_agent_has_three_threads(controller, agent):
    becomes_idle(agent)
    assert not writes_movies(agent)


@pytest.mark.deep
def test_a_photo_needs_two_further_threads_for_a_while(controller, agent):
    becomes_idle(agent)
    # Encoder and store are kept for the next photo: at least one second after each of the series.
    series = controller.send("capture", {"zoom": {"factor": 3}, "count": 4, "interval_ms": 500})
    eventually(lambda: {"photo-encoder", "photo-store"} <= set(threads(agent)), "the threads of photos")
    assert series.result()["status"] == "done"
    becomes_idle(agent)


@pytest.mark.deep
def test_a_preview_needs_a_further_thread_while_it_is_leased(controller, agent):
    becomes_idle(agent)
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 60})
    controller.state("preview", lambda state: state["live"], since=since)
    assert "preview" in threads(agent)
    controller.obeyed("preview", b"OFF")
    becomes_idle(agent)


@pytest.mark.deep
@pytest.mark.parametrize("codec", CODECS)
def test_threads_and_libraries_of_a_recording_are_gone_afterwards(controller, agent, codec):
    becomes_idle(agent)
    # The second recording loads them again.
    for _ in range(2):
        begin(controller, codec=codec)
        assert "recording" in threads(agent)
        assert writes_movies(agent)
        record_for(0.5)
        consistent(stop(controller))
        becomes_idle(agent)
        assert not writes_movies(agent)
