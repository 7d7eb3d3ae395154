"""Desired states of groups, `ctl desired apply` and `ctl --group`: what only processes and a broker show.

The rules are in `Tests/CtlTests/RolloutTests.swift`, `Tests/CtlTests/GroupCommandTests.swift`,
`Tests/MQTTFrontEndTests/GroupTests.swift` and `Tests/CameraCoreTests/DesiredTests.swift`, in virtual time and
without a broker.
"""

import json
import signal

import pytest

from command_line import begun, ctl, done
from state_file import state_in
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")

AGENTS = [f"a{number}" for number in range(1, 7)]
GROUP = "stage"


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.fixture
def agents(bench, broker):
    """Six agents, each with a small camera of the group; by name."""
    made = {name: bench.agent(broker, name=name, start=False, camera=small()) for name in AGENTS}
    for agent in made.values():
        agent.launch()
    for name in made:
        bench.controller(broker, agent=name).state("desired", since=0)
    return made


def small(**more) -> dict:
    return {"groups": [GROUP], "simulated": {"width": 64, "height": 36, "fps": 30, "optical_max": 2, "lens_speed": 0}, **more}


@pytest.fixture
def everywhere(bench, broker, agents):
    """A controller for each agent, by name."""
    return {name: bench.controller(broker, agent=name) for name in agents}


@pytest.fixture
def rollout(broker, tmp_path):
    """Writes a desired state, and gives the words of the command that rolls it out."""
    def words(document: dict, *more: str) -> list[str]:
        file = tmp_path / "desired.json"
        file.write_text(json.dumps(document))
        return [
            "desired", "apply", str(file), "--version", "1", "--host", "127.0.0.1", "--port", str(broker.port),
            "--group", GROUP, *more]
    return words


@pytest.fixture
def copies(bench, broker):
    """What comes on the group's own topic."""
    groups = bench.controller(broker, agent="groups")
    return lambda: groups.inbox.all(f"v4l2mqtt/groups/{GROUP}/desired/set", 0)


def version_of(controller, version, outcome="applied", **how):
    return controller.state(
        "desired", lambda state: state and (state.get("group"), state["version"], state["outcome"]) == (GROUP, version, outcome), **how)


def test_a_rollout_goes_step_by_step_and_its_copy_reaches_who_comes_later(bench, broker, agents, everywhere, rollout):
    agents["a6"].stop()
    printed = done(*rollout({"zoom": {"factor": 3}}, "--step", "50%")).splitlines()
    assert printed == [
        "stage version 1, step 1: 3 done, 0 refused, 0 silent, 1 offline, of 6",
        "stage version 1, step 2: 5 done, 0 refused, 0 silent, 1 offline, of 6",
        "stage version 1, finished: 5 done, 0 refused, 0 silent, 1 offline, of 6"]
    for name in AGENTS[:5]:
        version_of(everywhere[name], 1, since=0)
        assert everywhere[name].state("zoom")["factor"] == 3
    # One was away; one joins the group.
    agents["a6"].start()
    bench.agent(broker, name="late", camera=small())
    for name in ("a6", "late"):
        controller = bench.controller(broker, agent=name)
        version_of(controller, 1, since=0)
        assert controller.state("zoom", lambda state: state["factor"] == 3, since=0)
    # Who has it does not apply it again, neither when the copy came nor after a start.
    first = everywhere["a1"]
    first.zoom_to(2)
    eventually(lambda: state_in(agents["a1"].state_file)["cameras"]["door"]["factor"] == 2, "the zoom in the state file")
    agents["a1"].kill()
    agents["a1"].start()
    first.obeyed("desired", {"version": 1, "group": GROUP, "zoom": {"factor": 3}})
    assert first.obeyed("zoom", {"stop": True})["factor"] == 2
    # The camera's own versions have their own count.
    first.obeyed("desired", {"version": 1, "zoom": {"factor": 4}})
    state = first.state("desired", lambda state: "group" not in state)
    assert state["others"] == [{"group": GROUP, "version": 1, "outcome": "applied"}]


#: It waits for the end of a recording.
SESSION = {"session": {"quality": "64x36"}}


def record(controller, state: str):
    controller.obeyed("recording", state)


def test_a_rollout_whose_program_is_killed_goes_on(agents, everywhere, copies, rollout):
    slow = everywhere["a3"]
    record(slow, "ON")
    words = rollout(SESSION, "--step", "2", "--timeout", "60s")
    running = begun(*words)
    version_of(slow, 1, "applying")
    version_of(everywhere["a4"], 1)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=TIMEOUT)
    record(slow, "OFF")
    version_of(slow, 1)
    # The outcomes that came meanwhile count: only the others get it, and the first one, which says whether it
    # knows the same contents.
    assert done(*words).splitlines() == [
        "stage version 1, step 1: 6 done, 0 refused, 0 silent, of 6",
        "stage version 1, finished: 6 done, 0 refused, 0 silent, of 6"]
    for name, controller in everywhere.items():
        sent = controller.inbox.all(controller.topic("desired/set"), 0)
        assert [message.json["version"] for message in sent] == [1] * (2 if name == "a1" else 1)
    eventually(copies, "the copy for the group")
    assert len(copies()) == 1
    # Another document with this version reaches no camera.
    other = ctl(*rollout({"zoom": {"factor": 2}}))
    assert other.returncode == 1 and "has it with other contents" in other.stderr


def test_a_command_to_a_group_has_a_summary(broker, agents, everywhere):
    place = ["--host", "127.0.0.1", "--port", str(broker.port), "--group", GROUP]
    assert done("zoom", *place, "2") == "stage: 6 done, 0 refused, 0 silent\n"
    everywhere["a2"].obeyed("lease", {"take": True, "client": "desk", "ttl_ms": 600_000})
    agents["a4"].kill()
    everywhere["a4"].agent_availability("offline", since=0)
    ended = ctl("zoom", *place, "3", "--json")
    assert ended.returncode == 1
    summary = json.loads(ended.stdout)
    assert (summary["done"], summary["refused"], summary["silent"]) == (4, {"held": 1}, 1)
    results = {camera["agent"]: camera["result"] for camera in summary["cameras"]}
    assert results == {"a1": "done", "a2": "refused", "a3": "done", "a4": "silent", "a5": "done", "a6": "done"}
    assert "a2/door: held" in ended.stderr and "a4/door: the agent is offline" in ended.stderr
    controls = ctl("controls", *place, "brightness", "90")
    assert controls.stdout == "stage: 5 done, 0 refused, 1 silent\n"
    listed = done("list", "--host", "127.0.0.1", "--port", str(broker.port), "--group", GROUP, "--json")
    assert [row["agent"] for row in json.loads(listed)] == AGENTS
    presets = ctl("preset", "list", *place)
    assert (presets.returncode, presets.stderr) == (1, "a4/door: the agent is offline\n")
    headings = [line for line in presets.stdout.splitlines() if line.endswith(":")]
    assert headings == [f"{name}/door:" for name in AGENTS if name != "a4"] and presets.stdout.count("home") == 5
    assert presets.stdout.splitlines()[-1] == "stage: 5 done, 0 refused, 1 silent"
    wrong = ctl("zoom", *place[:-1], "nosuch", "2")
    assert wrong.returncode == 1 and "there is stage" in wrong.stderr


def test_photos_of_a_group_are_taken_at_one_time_or_cancelled(broker, agents, everywhere):
    place = ["--host", "127.0.0.1", "--port", str(broker.port), "--group", GROUP]
    ended = ctl("capture", *place, "--in", "3s", "--any-clock", "--width", "32", "--json")
    assert ended.returncode == 0, ended.stderr
    photos = [camera["reply"]["photos"][0] for camera in json.loads(ended.stdout)["cameras"]]
    assert len(photos) == 6 and all(photo["at_offset_ms"] >= 0 for photo in photos)
    waiting = begun("capture", *place, "--in", "10m", "--any-clock", "--id", "take-1")
    note = waiting.stderr.readline()
    assert "ctl cancel take-1" in note
    assert done("cancel", *place, "take-1") == "stage: 6 done, 0 refused, 0 silent\n"
    output, _ = waiting.communicate(timeout=TIMEOUT)
    assert waiting.returncode == 1 and output == "stage: 0 done, 6 refused (cancelled 6), 0 silent\n"
