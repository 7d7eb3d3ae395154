"""The state folder fails while the agent runs: it serves on, answers what is not stored, and stores it when
it can."""

import errno
import os
import shutil

import pytest

from state_file import slots_of, state_in
from waiting import eventually


@pytest.fixture
def agent(bench):
    return bench.agent(bench.broker(), start=False)


def saved_factor(agent) -> float:
    return state_in(agent.state_file)["cameras"]["door"]["factor"]


def fill(folder):
    """Fills a small file system. Returns the file that does."""
    filler = folder / "filler"
    with pytest.raises(OSError) as full, open(filler, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    assert full.value.errno == errno.ENOSPC
    return filler


def begin(agent, bench):
    """Starts the agent. What is stored now stays stored while the disk fails."""
    agent.start()
    controller = bench.controller(agent.broker)
    controller.obeyed("presets", {"save": "before"})
    assert "persisted" not in controller.obeyed("zoom", {"factor": 2.5})
    return controller


def serves_without_storing(agent, controller, reason: str):
    """Answers what it cannot store, refuses what has no purpose unless it is stored, and logs it once."""
    log_before = len(agent.log)
    for factor in (3, 2, 3, 2):
        answer = controller.obeyed("zoom", {"factor": factor, "rate": 2})
        assert (answer["factor"], answer["persisted"]) == (factor, False)
    answer = controller.obeyed("controls", {"brightness": 9})
    assert (answer["values"]["brightness"], answer["persisted"]) == (9, False)
    answer = controller.obeyed("session", {"quality": "low"})
    assert (answer["session"]["quality"], answer["persisted"]) == ("low", False)
    assert "persisted" not in controller.obeyed("capture", {"size": {"width": 64}})

    controller.refused("presets", {"save": "during"}, "storage_full")
    controller.refused("presets", {"delete": "before"}, "storage_full")
    assert list(controller.state("presets")["presets"]) == ["before"]
    controller.refused("desired", {"version": 7, "controls": {"brightness": 77}}, "storage_full")
    assert controller.state("desired", since=0) is None
    assert controller.state("controls")["values"]["brightness"] == 9

    agent.logs("isn't saved", 1, since=log_before)
    info = controller.inbox.wait_for(f"{controller.agent_topic}/info", lambda info: "problem" in info.json, since=0).json
    assert reason in info["problem"]
    log = agent.log[log_before:]
    assert reason in log and "saved again" not in log, log


def stores_again(agent, bench):
    """By itself, as soon as the disk can: a crash loses nothing then, and `rev` is above all that were
    published."""
    agent.logs("saved again")
    controller = bench.controller(agent.broker)
    controller.inbox.wait_for(f"{controller.agent_topic}/info", lambda info: "problem" not in info.json, since=0)
    before = controller.state("zoom", since=0)
    # It changes nothing, and everything is stored by now.
    assert "persisted" not in controller.obeyed("pinch", {"gesture": "over", "phase": "ended"})
    agent.kill()
    since = controller.mark()
    agent.start()
    after = controller.state("zoom", lambda state: not state["ramping"], since=since)
    assert after["factor"] == before["factor"] and after["rev"] > before["rev"]
    assert controller.state("controls", since=since)["values"]["brightness"] == 9
    assert controller.state("session", since=since)["quality"] == "low"
    assert list(controller.state("presets", since=since)["presets"]) == ["before"]
    # What was refused can be sent again, a version with its number too.
    assert "persisted" not in controller.obeyed("presets", {"save": "during"})
    assert "persisted" not in controller.obeyed("desired", {"version": 7, "controls": {"brightness": 77}})
    desired = state_in(agent.state_file)["cameras"]["door"]["desired"]
    assert (desired["version"], desired["outcome"]) == (7, "applied")


def test_full_disk_at_the_start(bench, agent, mounted):
    """The blocks of all slots are reserved, so there is no start without them."""
    folder = agent.state_file.parent
    mounted("-t", "tmpfs", "-o", "size=64k", "none", folder)
    filler = fill(folder)
    agent.launch()
    assert agent.exit_code() == 74
    agent.logs(os.strerror(errno.ENOSPC))
    filler.unlink()
    controller = begin(agent, bench)
    assert controller.state("zoom")["factor"] == 2.5


def test_a_full_disk_still_takes_what_was_answered(bench, agent, mounted):
    """Its blocks were reserved when there was room."""
    folder = agent.state_file.parent
    mounted("-t", "tmpfs", "-o", "size=256k", "none", folder)
    controller = begin(agent, bench)
    fill(folder)
    for number in range(20):
        for factor in (3, 2, 5):
            assert "persisted" not in controller.obeyed("zoom", {"factor": factor})
    for node, command in [
        ("controls", {"brightness": 9}), ("session", {"quality": "low"}), ("presets", {"save": "gate"}),
        ("desired", {"version": 7, "controls": {"brightness": 77}}),
    ]:
        assert "persisted" not in controller.obeyed(node, command)
    boot = controller.state("zoom")["boot"]

    for start in (1, 2, 3):
        agent.kill()
        since = controller.mark()
        agent.start()
        state = controller.state("zoom", lambda state: not state["ramping"], since=since)
        assert (state["factor"], state["boot"]) == (5, boot + start)
        assert controller.state("controls", since=since)["values"]["brightness"] == 77
        assert controller.state("session", since=since)["quality"] == "low"
        assert sorted(controller.state("presets", since=since)["presets"]) == ["before", "gate"]
        assert controller.state("desired", since=since)["version"] == 7
    assert "isn't saved" not in agent.log


def test_a_line_that_needs_longer_slots_finds_no_room_on_a_full_disk(bench, agent, mounted):
    folder = agent.state_file.parent
    mounted("-t", "tmpfs", "-o", "size=256k", "none", folder)
    controller = begin(agent, bench)
    filler = fill(folder)
    names = [f"{number:02}-{'x' * 60}" for number in range(60)]
    stored = []
    for name in names:
        answer = controller.command("presets", {"save": name})
        if answer["status"] == "error":
            assert answer["error"]["code"] == "storage_full"
            break
        stored.append(name)
    assert 5 < len(stored) < 59
    agent.logs("isn't saved")
    # Without that preset the line is short enough again.
    assert "persisted" not in controller.obeyed("zoom", {"factor": 3})
    assert sorted(state_in(agent.state_file)["cameras"]["door"]["presets"]) == sorted(["before", *stored])
    filler.unlink()
    for name in names:
        controller.obeyed("presets", {"save": name})
    agent.kill()
    since = controller.mark()
    agent.start()
    assert len(controller.state("presets", since=since)["presets"]) == 61


def test_folder_that_becomes_read_only(bench, agent, mounted):
    folder = agent.state_file.parent
    controller = begin(agent, bench)
    # A mount of its own: the one in which the agent holds its lock can't become read-only.
    mounted("--bind", folder, folder)
    mounted("-o", "remount,bind,ro", folder)
    serves_without_storing(agent, controller, os.strerror(errno.EROFS))
    assert saved_factor(agent) == 2.5, "the last good state is gone"
    mounted("-o", "remount,bind,rw", folder)
    stores_again(agent, bench)


def test_removed_folder_is_created_again(bench, agent):
    controller = begin(agent, bench)
    shutil.rmtree(agent.state_file.parent)
    assert "persisted" not in controller.obeyed("zoom", {"factor": 3})
    # Every file is made again, not only that of the change.
    eventually(lambda: (slots_of(agent.state_file) / "agent").exists(), "the agent's file")
    assert saved_factor(agent) == 3
    assert "isn't saved" not in agent.log


def test_removed_folder_that_cannot_be_created_again(bench, agent):
    controller = begin(agent, bench)
    shutil.rmtree(agent.state_file.parent)
    agent.state_file.parent.write_text("a file where the folder was")
    serves_without_storing(agent, controller, os.strerror(errno.ENOTDIR))
    agent.state_file.parent.unlink()
    stores_again(agent, bench)
