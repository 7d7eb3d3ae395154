"""Fifty controllers at once: in the end all know what the camera does, and nobody was ever sent back."""

import pytest

import scores
from controller import Controller
from swarm import Member, Swarm
from unjudged import unjudged
from waiting import eventually

SECONDS = 60

#: How many play which score; the last two kinds read what comes only now and then.
ORCHESTRA = [
    (8, scores.fast_pinch, False), (8, scores.incremental_pinch, False), (8, scores.touch, False),
    (8, scores.button, False), (5, scores.look, False), (7, scores.vanish, False),
    (4, scores.button, True), (2, scores.incremental_pinch, True)]


@pytest.mark.timeout(SECONDS + 60)
def test_fifty_controllers_end_with_the_same_rev_and_factor_as_the_camera(tmp_path_factory):
    with unjudged(tmp_path_factory) as (broker, agent):
        agent.start()
        kinds = [(score, is_slow) for count, score, is_slow in ORCHESTRA for _ in range(count)]
        swarm = Swarm([Member(broker, n, score, is_slow=is_slow) for n, (score, is_slow) in enumerate(kinds)])
        assert len(swarm.members) == 50
        with Controller(broker) as judge:
            swarm.play(SECONDS)
            # Ramps come to their ends, and gestures that were left lying are over after two seconds.
            for node in ("pinch", "touch"):
                judge.state(node, lambda state: state is None)
            judge.state("zoom", lambda state: not state["ramping"])
            camera = judge.command("zoom", {"stop": True})
            state = judge.settled(camera)
            assert (state["rev"], state["factor"]) == (camera["rev"], camera["factor"])
            for member in swarm.members:
                eventually(lambda: member.newest == state, f"{member.name}, at {member.newest}, to be at {state}")
            swarm.close()
            refused = [message.json for message in judge.inbox.all(judge.topic("event"))]

        sent, heard = (sum(getattr(member, what) for member in swarm.members) for what in ("sent", "heard"))
        returns = sum(member.connections - 1 for member in swarm.members)
        print(f"{sent} commands ({sent / SECONDS:.0f}/s), {heard} states heard, {returns} vanished and came back, "
              f"rev {state['rev']}, late by {1000 * swarm.worst_delay:.0f} ms at worst")
        assert not refused, refused[:3]
        assert {member.name: member.went_back for member in swarm.members if member.went_back} == {}
        assert all(member.heard > SECONDS for member in swarm.members), "somebody hardly heard anything"
        assert returns > 7
