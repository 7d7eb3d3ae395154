"""What the tests share. A broker brings a recorder with it: no test passes while the contract is broken."""

from contextlib import ExitStack

import pytest

from bench import contract_checked
from bench_fixtures import bench, broker, mounted, shared  # noqa: F401 (pytest finds them by name here)
from broker_kinds import need
from controller import Controller


def pytest_runtest_setup(item):
    for mark in item.iter_markers("needs"):
        for capability in mark.args:
            need(capability)


@pytest.fixture(scope="module")
def agent(shared, broker):
    """One agent for all the tests of a file; they leave no gesture running and no capture waiting."""
    return shared.agent(broker)


@pytest.fixture
def connect(shared, broker, agent):
    """Makes controllers for the shared agent: `connect(version=V311)`."""
    with ExitStack() as made, contract_checked(shared):
        yield lambda **options: made.enter_context(Controller(broker, **options))


@pytest.fixture
def controller(connect):
    """A controller on MQTT 5, with the zoom at 1."""
    controller = connect()
    controller.zoom_to(1)
    return controller
