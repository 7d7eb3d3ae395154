"""What the tests share. A broker brings a recorder with it: no test passes while the contract is broken."""

from contextlib import ExitStack, closing, contextmanager

import pytest

from agent import Agent
from broker import Broker
from controller import Controller
from recorder import Recorder


class Bench:
    """Makes brokers, agents and controllers, and takes them away again."""

    def __init__(self, folders):
        self._folders = folders
        self._brokers, self.agents, self._controllers, self._recorders = [], [], [], []

    def broker(self, **options) -> Broker:
        broker = Broker(self._folders.mktemp("broker"), **options).start()
        self._brokers.append(broker)
        self._recorders.append((broker, Recorder(broker)))
        return broker

    def agent(self, broker: Broker, *, start=True, **settings) -> Agent:
        agent = Agent(broker, self._folders.mktemp("agent"), **settings)
        self.agents.append(agent)
        return agent.start() if start else agent

    def controller(self, broker: Broker, **options) -> Controller:
        controller = Controller(broker, **options)
        self._controllers.append(controller)
        return controller

    def objections(self) -> list[str]:
        """The violations of the contract since the last call."""
        found = []
        for broker, recorder in self._recorders:
            if broker.running:
                recorder.flush()
            found += recorder.objections
            recorder.objections = []
        return found

    def close(self):
        for controller in self._controllers:
            controller.close()
        for agent in self.agents:
            if agent.process and agent.process.poll() is None:
                agent.kill()
        for broker, recorder in self._recorders:
            recorder.close()
            broker.stop()


@contextmanager
def contract_checked(bench: Bench):
    """Around one test: prints the logs of its agents (pytest shows them if it failed), then checks the
    contract."""
    for agent in bench.agents:
        assert agent.ending() is None, "an earlier test ended the agent"
    before = {agent: len(agent.log) for agent in bench.agents}
    yield
    for agent in bench.agents:
        print(f"--- {agent.name} in {agent.folder} logged:\n{agent.log[before.get(agent, 0):]}")
    assert not (broken := bench.objections()), "\n".join(["the contract is broken:", *broken])


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
