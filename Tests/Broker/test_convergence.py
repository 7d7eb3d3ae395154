"""Fifty controllers: in the end all have the same state, and no `rev` was lower than one before."""

import pytest

import command_sequences
from controller import Controller
from concurrent_controllers import ConcurrentController, ControllerGroup
from unrecorded_agent import unrecorded_agent
from waiting import eventually

#: As long in continuous integration, and in `Tests/run --deep`.
SECONDS = [10, pytest.param(60, marks=pytest.mark.deep)]

#: How many controllers run which sequence; the last two kinds read only now and then.
CONTROLLER_KINDS = [
    (8, command_sequences.fast_pinch, False), (8, command_sequences.incremental_pinch, False), (8, command_sequences.touch, False),
    (8, command_sequences.button, False), (5, command_sequences.look, False), (7, command_sequences.vanish, False),
    (4, command_sequences.button, True), (2, command_sequences.incremental_pinch, True)]


def has_sent_and_received(member: ConcurrentController) -> bool:
    """It sent and received more than once, and if its connection is one that breaks, it reconnected."""
    return member.sent > 1 and member.received > 1 and (member.connections > 1 or not member.name.startswith("vanish"))


@pytest.mark.timeout(180)
@pytest.mark.parametrize("seconds", SECONDS)
def test_fifty_controllers_end_with_the_same_rev_and_factor_as_the_camera(tmp_path_factory, seconds):
    with unrecorded_agent(tmp_path_factory) as (broker, agent):
        agent.start()
        kinds = [(sequence, is_slow) for count, sequence, is_slow in CONTROLLER_KINDS for _ in range(count)]
        group = ControllerGroup([ConcurrentController(broker, n, sequence, is_slow=is_slow) for n, (sequence, is_slow) in enumerate(kinds)])
        assert len(group.members) == 50
        with Controller(broker) as judge:
            group.run(seconds, until=lambda: all(map(has_sent_and_received, group.members)))
            # Ramps come to their ends, and gestures that were left lying are over after two seconds.
            for node in ("pinch", "touch"):
                judge.state(node, lambda state: state is None)
            judge.state("zoom", lambda state: not state["ramping"])
            camera = judge.command("zoom", {"stop": True})
            state = judge.settled(camera)
            assert (state["rev"], state["factor"]) == (camera["rev"], camera["factor"])
            for member in group.members:
                eventually(lambda: member.newest == state, f"{member.name}, at {member.newest}, to be at {state}")
            group.close()
            refused = [message.json for message in judge.inbox.all(judge.topic("event"))]

        sent, received = (sum(getattr(member, what) for member in group.members) for what in ("sent", "received"))
        returns = sum(member.connections - 1 for member in group.members)
        print(f"{sent} commands ({sent / seconds:.0f}/s), {received} states received, {returns} vanished and came back, "
              f"rev {state['rev']}, late by {1000 * group.worst_delay:.0f} ms at worst")
        assert not refused, refused[:3]
        assert {member.name: member.went_back for member in group.members if member.went_back} == {}
