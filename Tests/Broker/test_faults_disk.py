"""The state folder fails while the agent runs: it serves on, logs it once, and saves when it can."""

import errno
import os
import shutil
import subprocess

import pytest

from state_file import state_in
from waiting import eventually

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a file system")


@pytest.fixture
def mounted():
    """Mounts: `mounted("-t", "tmpfs", "none", folder)`. Takes everything away again."""
    folders = []

    def mount(*arguments):
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"this machine mounts nothing: {done.stderr.strip()}")
        if "remount" not in str(arguments):
            folders.append(arguments[-1])

    yield mount
    for folder in reversed(folders):
        subprocess.run(["umount", "--lazy", folder], check=True)


def saved_factor(agent) -> float:
    return state_in(agent.state_file)["cameras"]["door"]["factor"]


def serves_and_says_so_once(agent, controller, reason: str):
    """Several changes, each of which is tried to be saved."""
    since = len(agent.log)
    for factor in (3, 2, 3, 2):
        assert controller.obeyed("zoom", {"factor": factor, "rate": 2})["factor"] == factor
    assert controller.obeyed("controls", {"brightness": 9})["values"]["brightness"] == 9
    log = eventually(lambda: "isn't saved" in agent.log[since:] and agent.log[since:], "a word of the state")
    assert log.count("isn't saved") == 1 and reason in log, log
    assert "saved again" not in log


def saves_again(agent, bench, *, because_of=None):
    """What it reported as saved is restored after a crash, with a `rev` above all that were published."""
    if because_of:
        because_of.obeyed("zoom", {"factor": 5})
    eventually(lambda: "saved again" in agent.log, "the state's being saved again")
    controller = bench.controller(agent.broker)
    state = controller.state("zoom", since=0)
    eventually(lambda: saved_factor(agent) == state["factor"], "the factor in the file")
    agent.kill()
    assert saved_factor(agent) == state["factor"]
    since = controller.mark()
    agent.start()
    after = controller.state("zoom", lambda state: not state["ramping"], since=since)
    assert after["factor"] == state["factor"] and after["rev"] > state["rev"]
    assert controller.state("controls", since=0)["values"]["brightness"] == 9


@pytest.fixture
def agent(bench):
    return bench.agent(bench.broker(), start=False)


@as_root
def test_a_full_folder(bench, agent, mounted):
    folder = agent.state_file.parent
    mounted("-t", "tmpfs", "-o", "size=64k", "none", folder)
    agent.start()
    controller = bench.controller(agent.broker)
    before = controller.zoom_to(2.5)["factor"]
    eventually(lambda: saved_factor(agent) == before, "the factor in the file")
    filler = folder / "filler"
    with pytest.raises(OSError) as full, open(filler, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    assert full.value.errno == errno.ENOSPC
    serves_and_says_so_once(agent, controller, os.strerror(errno.ENOSPC))
    assert saved_factor(agent) == before, "the last good state is gone"
    filler.unlink()
    saves_again(agent, bench)  # by itself: no change comes


@as_root
def test_a_folder_that_turns_read_only(bench, agent, mounted):
    folder = agent.state_file.parent
    agent.start()
    controller = bench.controller(agent.broker)
    before = controller.zoom_to(2.5)["factor"]
    eventually(lambda: saved_factor(agent) == before, "the factor in the file")
    # A mount of its own: the one in which the agent holds its lock can't become read-only.
    mounted("--bind", folder, folder)
    mounted("-o", "remount,bind,ro", folder)
    serves_and_says_so_once(agent, controller, os.strerror(errno.EROFS))
    assert saved_factor(agent) == before, "the last good state is gone"
    mounted("-o", "remount,bind,rw", folder)
    saves_again(agent, bench, because_of=controller)


def test_a_folder_that_is_gone(bench, agent):
    agent.start()
    controller = bench.controller(agent.broker)
    controller.zoom_to(2.5)
    shutil.rmtree(agent.state_file.parent)
    controller.zoom_to(3)
    eventually(lambda: agent.state_file.exists() and saved_factor(agent) == 3, "the folder to be made again")
    assert "isn't saved" not in agent.log


def test_a_folder_that_is_gone_and_cannot_be_made_again(bench, agent):
    agent.start()
    controller = bench.controller(agent.broker)
    controller.zoom_to(2.5)
    shutil.rmtree(agent.state_file.parent)
    agent.state_file.parent.write_text("a file where the folder was")
    serves_and_says_so_once(agent, controller, os.strerror(errno.ENOTDIR))
    agent.state_file.parent.unlink()
    saves_again(agent, bench, because_of=controller)
