"""Upgrade and the way back: the state of the previous release is taken over, and kept for it."""

from contextlib import closing

import pytest

from agent import PROGRAM
from controller import Controller
from previous_release import PREVIOUS_RELEASE, agent_of_either, program_of
from simulated_scene import near

pytestmark = [pytest.mark.deep, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def previous():
    return program_of(PREVIOUS_RELEASE)


@pytest.fixture
def run(tmp_path_factory):
    """Runs programs one after the other with one configuration and one state file."""
    with agent_of_either(tmp_path_factory) as (broker, agent):
        yield Runs(broker, agent)


class Runs:
    def __init__(self, broker, agent):
        self.broker, self.agent, self.revs, self.boots = broker, agent, [], []

    def __call__(self, program, steps, end="stop"):
        """Starts a program, calls `steps` with a controller, and ends the program with `end`."""
        self.agent.program = program
        self.agent.start()
        with closing(Controller(self.broker)) as controller:
            zoom = controller.state("zoom")
            assert not self.revs or zoom["rev"] > self.revs[-1], f"rev {zoom['rev']} after {self.revs}"
            assert zoom["boot"] not in self.boots
            steps(controller)
            self.revs.append(controller.state("zoom")["rev"])
            self.boots.append(zoom["boot"])
        getattr(self.agent, end)()


def saves(number: int):
    """Steps that change what the state keeps."""
    def steps(controller):
        controller.obeyed("zoom", number)
        controller.obeyed("presets", {"save": f"preset {number}"})
        controller.obeyed("controls", {"brightness": 50 + number})
    return steps


def finds(*numbers: int):
    """Steps that find what the last of the numbers saved, and the presets of all."""
    def steps(controller):
        assert controller.state("zoom")["factor"] == near(numbers[-1])
        presets = controller.state("presets")
        assert all(f"preset {number}" in str(presets) for number in numbers), presets
        assert controller.state("controls")["values"]["brightness"] == 50 + numbers[-1]
    return steps


def test_state_of_the_previous_release_is_read(run, previous):
    run(previous, saves(3))
    run(PROGRAM, finds(3))
    run(PROGRAM, saves(4), end="kill")
    run(PROGRAM, finds(3, 4))


def test_the_way_back(run, previous):
    """That release has the state of the upgrade. It has no journal, so it knows nothing of the revisions
    since: a version with a journal would begin above them."""
    run(previous, saves(3))
    run(PROGRAM, saves(4))
    file = run.agent.state_file
    file.with_name(f"{file.name}.before-slots").rename(file)
    run.revs, run.boots = [], []
    run(previous, finds(3))
    run(previous, saves(5))
    run(PROGRAM, finds(3, 5))
