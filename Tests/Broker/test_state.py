"""What the agent remembers: over a stop, a crash, a damaged file, and a torn slot."""

import copy
import json
import shutil
import signal
import zlib
from pathlib import Path

import pytest

from controller import V5, V311, Controller
from state_file import SLOTS, journal_of, lines_in, put, slots_of, snapshot_in, state_in
from unrecorded_agent import unrecorded_agent
from waiting import eventually

FIXTURES = Path(__file__).parent / "fixtures"
#: A factor that is found in the state file as it is.
ODD = 3.125


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.fixture
def agent(bench, broker):
    return bench.agent(broker)


@pytest.fixture
def controller(bench, broker, agent):
    return bench.controller(broker)


def restarted(agent, controller, end) -> dict:
    """Ends the agent, starts it again, and returns the first state of the zoom afterwards."""
    end()
    since = controller.mark()
    agent.start()
    return controller.state("zoom", lambda state: not state["ramping"], since=since)


def test_zoom_is_restored_after_a_crash(agent, controller):
    controller.obeyed("zoom", {"factor": 2})
    before = controller.settled(controller.obeyed("zoom", {"factor": ODD, "anchor": {"x": 0.2, "y": 0.7}}))
    after = restarted(agent, controller, agent.kill)
    assert (after["factor"], after["viewport"]) == (before["factor"], before["viewport"])
    assert after["rev"] > before["rev"]
    assert after["boot"] == before["boot"] + 1
    assert after["origin"] == {"kind": "restore"}


def test_will_publishes_offline_for_a_killed_agent(agent, controller):
    boot = controller.agent_availability("online")["boot"]
    agent.kill()
    assert controller.agent_availability("offline")["boot"] == boot
    agent.start()
    assert controller.agent_availability("online")["boot"] == boot + 1


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_clean_stop_publishes_stopped(agent, controller, how):
    controller.agent_availability("online")
    agent.signal(how)
    assert agent.exit_code() == 0
    controller.agent_availability("stopped")
    assert controller.state("availability") == {"state": "offline", "reason": "stopped"}


def test_clean_stop_saves_the_last_change(agent, controller):
    before = controller.zoom_to(ODD)
    after = restarted(agent, controller, agent.stop)
    assert after["factor"] == ODD
    assert after["rev"] > before["rev"]


@pytest.mark.parametrize("damage", [b"", b"\x00" * 4096, b'1 00000000 {', b"rubbish"],
                         ids=["empty", "zeros", "torn", "rubbish"])
def test_a_damaged_file_is_set_aside_and_its_camera_begins_anew(bench, broker, damage):
    """And no other one: zoom, presets and revisions of the other camera are as they were."""
    agent = bench.agent(broker, start=False)
    (door,) = agent.configuration["cameras"]
    agent.configure({**agent.configuration, "cameras": [door, {**copy.deepcopy(door), "id": "yard"}]})
    agent.start()
    controllers = [bench.controller(broker, camera=camera) for camera in ("door", "yard")]
    before = [controller.zoom_to(ODD) for controller in controllers]
    agent.stop()
    file = slots_of(agent.state_file) / "camera-door"
    file.write_bytes(damage)
    log_before, since = len(agent.log), [controller.mark() for controller in controllers]
    agent.start()
    after = [
        controller.state("zoom", lambda state: not state["ramping"], since=mark)
        for controller, mark in zip(controllers, since)]
    assert [zoom["factor"] for zoom in after] == [1, ODD]
    assert all(zoom["rev"] > earlier["rev"] for zoom, earlier in zip(after, before))
    assert agent.log[log_before:].count("is damaged") == 1
    aside = [path for path in file.parent.iterdir() if "damaged" in path.name and path.name in agent.log[log_before:]]
    assert [path.read_bytes() for path in aside] == [damage]


def test_of_a_damaged_slot_the_change_before_is_taken(agent, controller):
    before = [controller.zoom_to(factor) for factor in (2, ODD)]
    agent.stop()
    file = slots_of(agent.state_file) / "camera-door"
    # The last two are of the last command and of the stop.
    data = bytearray(file.read_bytes())
    for _, begin, state in lines_in(file)[:2]:
        assert state["factor"] == ODD
        place = data.index(str(ODD).encode(), begin)
        data[place:place + 1] = b"7"
    file.write_bytes(data)
    after = restarted(agent, controller, lambda: None)
    assert after["factor"] in (1, 2) and after["rev"] > before[-1]["rev"]
    agent.logs(f"a slot of {file} isn't whole")
    assert "damaged" not in agent.log


@pytest.mark.parametrize("number", [2**63 - 1, -1])
@pytest.mark.parametrize("counter", ["boot", "rev", "captures"])
def test_a_counter_that_no_agent_has_reached_is_damage(counter, number, agent, controller):
    """In all slots, so that there is no other state."""
    controller.zoom_to(ODD)
    agent.stop()
    state = state_in(agent.state_file)
    saved = state["cameras"]["door"]
    {"boot": state, "rev": saved["numbers"], "captures": saved}[counter][counter] = number
    for _ in range(SLOTS):
        put(agent.state_file, state)
    restarted(agent, controller, lambda: None)
    agent.logs(f"/{'agent' if counter == 'boot' else 'camera-door'} is damaged")
    agent.logs(str(number))


def test_a_state_of_a_newer_version_is_left_alone(agent, controller):
    controller.zoom_to(ODD)
    agent.stop()
    file = slots_of(agent.state_file) / "camera-door"
    document = b'{"version":3,"whatever":true}'
    file.write_bytes(b"99 %08x %s\n" % (zlib.crc32(b"99 " + document), document))
    before = file.read_bytes()
    agent.launch()
    assert agent.exit_code() == 74
    agent.logs(f"{file} has version 3, and this program knows versions up to 2")
    assert file.read_bytes() == before


def test_a_preset_that_is_not_valid_takes_nothing_else_with_it(agent, controller):
    controller.zoom_to(ODD)
    for name in ("gate", "wall"):
        controller.obeyed("presets", {"save": name})
    agent.stop()
    state = state_in(agent.state_file)
    state["cameras"]["door"]["presets"]["gate"]["factor"] = -1
    put(agent.state_file, state)
    assert restarted(agent, controller, lambda: None)["factor"] == ODD
    agent.logs('the preset "gate" of camera-door isn\'t valid: it is left out')
    assert list(controller.state("presets")["presets"]) == ["wall"]
    assert "damaged" not in agent.log


def test_a_long_list_of_presets_is_kept(agent, controller):
    """Its line is longer than a slot was: the file is replaced as often as that happens."""
    controls = {"brightness": 201, "autofocus": False, "focus": 100}
    controller.obeyed("controls", controls)
    names = [f"{number:03}-{'x' * 60}" for number in range(64)]
    for name in names:
        controller.obeyed("presets", {"save": name})
    file = slots_of(agent.state_file) / "camera-door"
    size = len(json.dumps(state_in(agent.state_file)["cameras"]["door"]["presets"]))
    assert size > 8_192 and file.stat().st_size >= SLOTS * size
    controller.zoom_to(ODD)
    assert restarted(agent, controller, agent.kill)["factor"] == ODD
    assert sorted(controller.state("presets")["presets"]) == names
    # The way back: the file stays as it is, and the line is short.
    for name in names[1:]:
        controller.obeyed("presets", {"delete": name})
    restarted(agent, controller, agent.kill)
    assert list(controller.state("presets")["presets"]) == names[:1]


def test_agent_with_damaged_files_starts_with_defaults_and_logs_it(agent, controller):
    before = controller.zoom_to(ODD)
    agent.kill()
    for path in slots_of(agent.state_file).iterdir():
        path.write_bytes(b"rubbish")
    after = restarted(agent, controller, lambda: None)
    assert after["factor"] == 1 and after["rev"] > before["rev"]
    for name in ("agent", "camera-door"):
        agent.logs(f"{slots_of(agent.state_file)}/{name} is damaged")


def test_two_agents_can_not_share_a_state_file(bench, broker, agent):
    second = bench.agent(broker, name="second", start=False, state_file=str(agent.state_file))
    second.launch()
    assert second.exit_code() == 74
    second.logs(str(agent.state_file))


def test_a_state_file_that_can_not_be_written_ends_the_start(bench, broker, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    agent = bench.agent(broker, start=False, state_file=str(tmp_path / "file" / "state.json"))
    agent.launch()
    assert agent.exit_code() == 74
    agent.logs(str(tmp_path / "file"))


@pytest.mark.parametrize("command", [{"factor": 8, "rate": 1}, {"move": {"velocity": 1, "timeout_ms": 10000}}])
def test_kill_during_a_ramp_restores_the_last_saved_factor(agent, controller, command):
    controller.send("zoom", command)
    live = controller.topic("zoom/live")
    there = controller.inbox.wait_for(live, lambda message: message.json["factor"] > 2).json["factor"]
    # At most two seconds later it is stored: nothing was answered yet.
    eventually(lambda: there <= state_in(agent.state_file)["cameras"]["door"]["factor"], "the zoom in the file")
    agent.kill()
    since = controller.mark()
    agent.start()
    assert controller.state("zoom", lambda state: not state["ramping"], since=since)["factor"] >= there


def test_stop_during_a_ramp_publishes_and_saves_the_present_factor(agent, controller):
    ramp = controller.send("zoom", {"factor": 8, "rate": 1})
    controller.inbox.wait_for(controller.topic("zoom/live"), lambda message: message.json["factor"] > 1.5)
    assert agent.stop() == 0
    assert ramp.result()["status"] in ("superseded", "error"), "a command must not wait for ever"
    last = controller.state("zoom", lambda state: not state["ramping"] and state["factor"] > 1)
    assert 1.5 < last["factor"] < 8 and last["target"] == last["factor"]
    since = controller.mark()
    agent.start()
    again = controller.state("zoom", since=since)
    assert again["factor"] == pytest.approx(last["factor"], abs=1e-5) and again["rev"] > last["rev"]


# A state of a version with a journal. The file was written by commit d2f9a6be, which was stopped.


@pytest.fixture
def earlier(bench):
    agent = bench.agent(bench.broker(), start=False)
    shutil.copy(FIXTURES / "state-with-journal.json", agent.state_file)
    shutil.copy(agent.state_file, agent.state_file.with_name("state.json.previous"))
    journal_of(agent.state_file).write_bytes(bytes(1 << 20))
    return agent


def test_state_of_a_version_with_a_journal_is_taken_over(bench, earlier):
    agent, before = earlier, earlier.state_file.read_bytes()
    saved = snapshot_in(agent.state_file)
    agent.start()
    controller = bench.controller(agent.broker)
    zoom = controller.state("zoom", lambda state: not state["ramping"], since=0)
    assert (zoom["factor"], zoom["boot"]) == (3.125, saved["boot"] + 1)
    last = saved["cameras"]["door"]["revReserve"]
    assert last < zoom["rev"] < last + 1000, "after a clean stop, nothing is skipped"
    assert list(controller.state("presets", since=0)["presets"]) == ["a"]
    values = controller.state("controls", since=0)["values"]
    assert (values["brightness"], values["focus"]) == (11, 100)
    assert controller.state("session", since=0)["quality"] == "low"
    assert controller.state("desired", since=0)["version"] == 11
    (photo,) = controller.obeyed("capture", {"size": {"width": 64}})["photos"]
    assert photo["sequence"] == saved["cameras"]["door"]["captures"] + 1
    # For the way back. Without its journal, that version begins above all revisions.
    kept = agent.state_file.with_name("state.json.before-slots")
    assert kept.read_bytes() == before
    names = {path.name for path in agent.state_file.parent.iterdir()}
    assert names == {"state.json.before-slots", "state.json.lock", "state.json.slots"}
    # A camera that this configuration has not.
    assert state_in(agent.state_file)["cameras"]["yard"]["numbers"]["rev"] == saved["cameras"]["yard"]["revReserve"]
    # From now on the slots count.
    controller.zoom_to(2)
    assert restarted(agent, controller, agent.kill)["factor"] == 2


@pytest.mark.parametrize("left", ["lines", "torn"])
def test_a_version_with_a_journal_has_to_be_stopped_first(bench, earlier, left):
    agent = earlier
    if left == "lines":
        with open(journal_of(agent.state_file), "r+b") as journal:
            journal.write(b'1f00a3c2 2 1 {"cameras":{}}\n')
    else:
        agent.state_file.write_bytes(agent.state_file.read_bytes()[:-9])
    files = sorted(agent.state_file.parent.iterdir())
    before = [path.read_bytes() for path in files]
    agent.launch()
    assert agent.exit_code() == 78
    agent.logs("start and stop the previous version once, or run this one with --discard-journal")
    agent.state_file.with_name("state.json.lock").unlink()
    assert [path.read_bytes() for path in sorted(agent.state_file.parent.iterdir())] == before

    agent.start("--discard-journal")
    controller = bench.controller(agent.broker)
    zoom = controller.state("zoom", lambda state: not state["ramping"], since=0)
    assert zoom["factor"] == 3.125
    assert zoom["rev"] > 1795792462842580 + 1_000_000, "what is lost may have had higher ones"
    assert restarted(agent, controller, agent.kill)["factor"] == 3.125


def test_a_state_of_a_version_with_a_journal_that_comes_back_wins(bench, earlier):
    """The way back was taken, and then this version was installed again."""
    agent = earlier
    agent.start()
    controller = bench.controller(agent.broker)
    controller.zoom_to(2)
    agent.stop()
    agent.state_file.with_name("state.json.before-slots").rename(agent.state_file)
    assert restarted(agent, controller, lambda: None)["factor"] == 3.125
    agent.logs("the newer state was set aside as")
    assert len(list(agent.state_file.parent.glob("state.json.slots.replaced-*"))) == 1


# What a kill leaves.


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of an agent that was killed: each factor was answered, and has a slot."""
    with unrecorded_agent(tmp_path_factory) as (broker, agent), Controller(broker) as controller:
        agent.start()
        for factor in (2, 3, ODD):
            controller.zoom_to(factor)
        agent.kill()
        yield agent.state_file


@pytest.mark.parametrize("kept", [0, 1, 8, 9, 0.5, -2, -1])
def test_a_torn_last_line_leaves_the_state_before_it(bench, killed, kept):
    """`kept`: bytes, from the end if negative, or a share of the line. The rest is what was there before:
    line feeds."""
    agent = bench.agent(bench.broker(), start=False)
    shutil.copytree(slots_of(killed), slots_of(agent.state_file))
    file = slots_of(agent.state_file) / "camera-door"
    data = bytearray(file.read_bytes())
    lines = lines_in(file)
    newest = [line for line in lines if line[2]["factor"] == ODD]
    assert [line[2]["factor"] for line in lines[:len(newest) + 1]] == [ODD] * len(newest) + [3]
    for _, begin, _ in newest:
        end = data.index(b"\n", begin)
        torn = begin + int(kept * (end - begin)) if isinstance(kept, float) else (end if kept < 0 else begin) + kept
        data[torn:end] = b"\n" * (end - torn)
    file.write_bytes(data)

    agent.start()
    controller = bench.controller(agent.broker)
    state = controller.state("zoom", lambda state: not state["ramping"], since=0)
    assert (state["factor"], state["boot"]) == (3, 2)
    assert "damaged" not in agent.log
    # The torn line is gone.
    told = agent.log.count("isn't whole")
    assert restarted(agent, controller, agent.stop)["boot"] == 3
    assert agent.log.count("isn't whole") == told
    controller.zoom_to(4)
    assert restarted(agent, controller, agent.kill)["factor"] == 4


def test_a_torn_slot_counts_once(agent, controller):
    """The last slot is one that no line is written into."""
    boot = controller.state("zoom")["boot"]
    agent.stop()
    for name in ("agent", "camera-door"):
        file = slots_of(agent.state_file) / name
        file.write_bytes(file.read_bytes()[:-5] + b"torn\n")
    # A start may have been in the agent's.
    for later in (2, 3, 4):
        assert restarted(agent, controller, agent.stop)["boot"] == boot + later
    assert agent.log.count("isn't whole") == 2


@pytest.mark.parametrize("protocol, version", [(5, V5), ("3.1.1", V311)], ids=["5", "3.1.1"])
def test_a_deleted_state_continues_the_revisions_at_the_broker(bench, broker, protocol, version):
    agent = bench.agent(broker, mqtt={"protocol": protocol})
    controller = bench.controller(broker, version=version)
    for number in range(40):
        before = controller.zoom_to(1 + number / 64)
    since = controller.mark()
    agent.stop()
    shutil.rmtree(slots_of(agent.state_file))
    agent.start()
    after = controller.state("zoom", since=since)
    assert (after["boot"], after["factor"]) == (1, 1)
    revs = [state["rev"] for state in controller.states("zoom", since=since)]
    assert revs == sorted(revs) and revs[0] > before["rev"]
    assert controller.obeyed("zoom", {"factor": 2})["rev"] > revs[-1]


def test_a_slow_lens_delays_only_its_own_camera(agent, controller):
    (door,) = agent.configuration["cameras"]
    fast = {**door, "simulated": {"optical_max": 4}}
    agent.stop()
    agent.configure({**agent.configuration, "cameras": [fast]})
    agent.start()
    controller.zoom_to(3)
    agent.stop()
    # The lens needs 4 s to return to its zoom.
    slow = {**door, "simulated": {"optical_max": 4, "write_latency_ms": 4_000}}
    agent.configure({**agent.configuration, "cameras": [slow, {**fast, "id": "yard"}]})
    since = controller.mark()
    agent.start()
    inbox = controller.inbox

    def online(topic: str) -> int:
        topic = f"{controller.agent_topic}/{topic}"
        return inbox.place(inbox.wait_for(topic, lambda message: message.json["state"] == "online", since=since))

    yard, whole, own = online("yard/availability"), online("availability"), online("door/availability")
    assert yard < whole < own
    # Until then it is not as the run before left it.
    states = [(state["state"], state.get("reason")) for state in controller.states("availability", since)]
    assert states == [("offline", "not_ready"), ("online", None)]
    assert controller.state("zoom")["factor"] == 3
