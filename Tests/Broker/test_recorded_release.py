"""What the release before this one published, recorded: its entities of Home Assistant command this agent,
and what its controllers read is still there. `test_state.py` has a recorded state. With --deep,
`test_mixed_versions.py` runs the program of that release."""

import pytest

from controller import Controller
from home_assistant_client import HomeAssistantClient
from previous_release import REMOVED, agent_of_either, recorded, understands


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with agent_of_either(tmp_path_factory) as (broker, agent):
        with HomeAssistantClient(broker, retained=False) as home, Controller(broker) as controller:
            agent.start()
            yield home, controller
        agent.stop()


def identities(components: dict) -> dict:
    return {name: (part["p"], part["uniq_id"]) for name, part in components.items()}


def test_each_entity_of_the_previous_release_is_there(served):
    home, _ = served
    before, now = identities(recorded("document")["cmps"]), identities(home.device())
    assert before.keys() - now.keys() == REMOVED
    assert {name: now[name] for name in before.keys() - REMOVED} == {
        name: identity for name, identity in before.items() if name not in REMOVED
    }


def test_each_command_of_an_entity_of_the_previous_release_is_carried_out(served):
    """Home Assistant sends it until it has the document of the new agent."""
    _, controller = served
    for name, component in recorded("document")["cmps"].items():
        understands(controller, name, component)


def test_info_has_what_that_of_the_previous_release_had(served):
    _, controller = served
    assert list(missing(recorded("info"), controller.state("info", since=0))) == []


def missing(before, now, where="info"):
    """What a reader of an earlier message does not find: members, and types of values."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            if key in now:
                yield from missing(value, now[key], f"{where}.{key}")
            else:
                yield f"{where}.{key}"
    elif isinstance(before, list) and isinstance(now, list):
        for value, other in zip(before[:1], now[:1]):
            yield from missing(value, other, f"{where}[]")
    elif type(before) is not type(now) and not {type(before), type(now)} <= {int, float}:
        yield f"{where} is {now!r} instead of {before!r}"
