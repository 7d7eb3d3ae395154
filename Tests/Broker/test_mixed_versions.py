"""Machines are not upgraded at the same moment: the agent, `ctl` and the documents of Home Assistant of this
release work with those of an earlier one."""

import json
import subprocess
from contextlib import closing

import pytest

from agent import PROGRAM
from command_line import location
from controller import Controller
from home_assistant_client import HomeAssistantClient
from previous_release import PREVIOUS_RELEASE, REMOVED, agent_of_either, program_of, recorded, understands
from simulated_scene import near
from waiting import TIMEOUT

pytestmark = [pytest.mark.deep, pytest.mark.timeout(1800)]

@pytest.fixture(scope="module")
def previous():
    return program_of(PREVIOUS_RELEASE)


@pytest.fixture
def served(tmp_path_factory):
    with agent_of_either(tmp_path_factory) as served:
        yield served


def commanded(program, broker, *words) -> str:
    done = subprocess.run(
        [program, "ctl", *words, *location(broker)], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def commands(program, broker, folder) -> None:
    """What a person does with `ctl`."""
    assert "online" in subprocess.run(
        [program, "ctl", "list", "--host", "127.0.0.1", "--port", str(broker.port)], capture_output=True, text=True,
        timeout=TIMEOUT).stdout
    commanded(program, broker, "zoom", "3")
    commanded(program, broker, "preset", "save", "desk")
    assert "desk" in commanded(program, broker, "preset", "list")
    commanded(program, broker, "zoom", "1")
    commanded(program, broker, "preset", "go", "desk")
    commanded(program, broker, "pinch", "1.5")
    photo = folder / "photo.jpg"
    commanded(program, broker, "capture", "--output", str(photo))
    assert photo.read_bytes().startswith(b"\xff\xd8")
    commanded(program, broker, "controls", "brightness=60")
    with closing(Controller(broker)) as controller:
        assert controller.state("zoom")["factor"] == near(4.5)


def test_ctl_of_this_release_commands_an_earlier_agent(served, previous, tmp_path):
    broker, agent = served
    agent.program = previous
    agent.start()
    commands(PROGRAM, broker, tmp_path)


def test_ctl_of_an_earlier_release_commands_this_agent(served, previous, tmp_path):
    """Its answers have topics that have to be permitted, as deploy/README.md says."""
    broker, agent = served
    agent.configuration["mqtt"]["response_topics"] = ["replies/", "v4l2mqtt-ctl/"]
    agent.configure(agent.configuration)
    agent.start()
    commands(previous, broker, tmp_path)


def test_home_assistant_keeps_its_entities_over_an_upgrade_and_a_downgrade(served, previous):
    """Home Assistant knows an entity by its unique id; users have named and placed it. Until it has the
    document of the program that was started last, it sends the commands of the other one."""
    broker, agent = served
    found, earlier = [], {}
    for program in (previous, PROGRAM, previous):
        agent.program = program
        # A document that is retained may be that of the program before.
        with HomeAssistantClient(broker, retained=False) as home:
            agent.start()
            components = home.device()
        with Controller(broker) as controller:
            for name, component in earlier.items():
                understands(controller, name, component)
        # Without what only this release has: an earlier agent does not know it.
        earlier = components if not found else {name: components[name] for name in found[0] if name in components}
        found.append({name: (part["p"], part["uniq_id"]) for name, part in components.items()})
        agent.stop()
    before, now, again = found
    assert before.items() - now.items() == {(name, before[name]) for name in REMOVED}
    assert before == again


def test_the_recorded_messages_are_those_of_the_previous_release(served, previous):
    """`test_recorded_release.py` is only as true as its fixtures."""
    broker, agent = served
    agent.program = previous
    with HomeAssistantClient(broker, retained=False) as home, Controller(broker) as controller:
        agent.start()
        home.device()
        documents = [json.loads(payload) for topic, payload in home.received_documents if topic == home.topic()]
        assert documents[-1] == recorded("document")
        of_this_run = {"boot", "rev", "ts"}
        found = controller.state("info", since=0)
        assert {key: value for key, value in found.items() if key not in of_this_run} \
            == {key: value for key, value in recorded("info").items() if key not in of_this_run}
