"""The example controller of `schemas/README.md` works."""

import inspect
import subprocess
import sys
from contextlib import ExitStack, closing

import pytest

import example_controller
from example_controller import Zoom
from simulated_scene import near
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def phones(controller, broker):
    """Two of them on one camera, each with the list of the states that it received."""
    with ExitStack() as made:
        both = []
        for _ in range(2):
            reported = []
            def changed(state, is_mine, reported=reported):
                reported.append((state, is_mine))
            phone = made.enter_context(closing(Zoom(controller.camera_topic, port=broker.port, changed=changed)))
            phone.reported = reported
            both.append(phone)
        eventually(lambda: all(phone.shown for phone in both), "the first state")
        yield both


def at(phones, factor: float):
    eventually(lambda: all(phone.shown["factor"] == near(factor) for phone in phones), f"{factor} on both")


def test_source_has_at_most_60_lines():
    assert len(inspect.getsource(example_controller).splitlines()) <= 60


def test_both_clients_show_the_factor_and_the_origin(phones):
    a, b = phones
    a.zoom(3)
    at(phones, 3)
    assert (a.reported[-1][1], b.reported[-1][1]) == (True, False)


def test_alternating_pinches_of_two_clients_continue_without_a_jump(phones):
    a, b = phones
    a.pinch([1.2, 1.6, 2])
    at(phones, 2)
    b.pinch([1.1, 1.5], x=0.2)
    at(phones, 3)
    assert a.shown["rev"] == b.shown["rev"]


def test_ramp_samples_are_shown_in_order_of_revision(phones, controller):
    a, b = phones
    controller.obeyed("zoom", {"factor": 4, "rate": 8})
    at(phones, 4)
    for phone in phones:
        revs = [state["rev"] for state, _ in phone.reported]
        factors = [state["factor"] for state, _ in phone.reported]
        assert revs == sorted(revs) and factors == sorted(factors)
        assert any(1 < factor < 4 for factor in factors)


def test_states_with_a_lower_revision_are_ignored(phones):
    phone, _ = phones
    phone.zoom(3)
    at(phones, 3)
    before = phone.shown
    phone._received("…/zoom", {**before, "rev": before["rev"] - 1, "factor": 7})
    phone._received("…/zoom/live", {"rev": before["rev"] - 1, "factor": 7})
    assert phone.shown == before


def test_controller_runs_as_a_program(phones, controller, broker):
    command = [sys.executable, example_controller.__file__, controller.camera_topic, "127.0.0.1", str(broker.port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline().startswith("1.00×")
        program.stdin.write("2.5\n")
        program.stdin.flush()
        assert program.stdout.readline() == "2.50× as I wanted\n"
        program.stdin.close()
        assert program.wait(TIMEOUT) == 0
