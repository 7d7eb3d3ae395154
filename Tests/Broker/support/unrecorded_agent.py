"""A broker without a recorder, for more messages than Python can hold against the schemas."""

from contextlib import contextmanager

from agent import Agent
from broker import Broker


@contextmanager
def unrecorded_agent(folders, **settings):
    """A broker and an agent that isn't started yet; the agent's log is shown if the test fails."""
    broker = Broker(folders.mktemp("broker")).start()
    agent = Agent(broker, folders.mktemp("agent"), **settings)
    try:
        yield broker, agent
    finally:
        if agent.process and agent.process.poll() is None:
            agent.kill()
        broker.stop()
        print(f"--- {agent.name} in {agent.folder}:\n{agent.log[-8000:]}")
