"""What the tests share. A broker brings a recorder with it: no test passes while the contract is broken."""

from contextlib import ExitStack, closing

import pytest

from bench import Bench, contract_checked
from controller import Controller


@pytest.fixture
def bench(tmp_path_factory):
    """For tests that need brokers or agents of their own."""
    with closing(Bench(tmp_path_factory)) as bench, contract_checked(bench):
        yield bench


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One broker and what is made on it, for all the tests of a file."""
    with closing(Bench(tmp_path_factory)) as bench:
        yield bench


@pytest.fixture(scope="module")
def broker(shared):
    return shared.broker()


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
