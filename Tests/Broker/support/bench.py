"""Brokers, agents and controllers of a test. They are taken away after it. A broker brings a recorder."""

from contextlib import contextmanager

from agent import Agent
from broker import Broker
from broker_kinds import make_broker
from controller import Controller
from recorder import Recorder


class Bench:
    """Makes brokers, agents and controllers, and takes them away again."""

    def __init__(self, folders):
        self._folders = folders
        self._brokers, self.agents, self._controllers, self._recorders = [], [], [], []

    def broker(self, **options) -> Broker:
        broker = make_broker(self._folders.mktemp("broker"), **options).start()
        self._brokers.append(broker)
        self.record(broker)
        return broker

    def record(self, broker: Broker):
        """Checks all messages of a broker from now on."""
        self._recorders.append((broker, Recorder(broker)))

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
        for _, recorder in self._recorders:
            recorder.close()
        for broker in self._brokers:
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
