"""Commands that flow all the time, and what became of each of them."""

import itertools

from controller import Controller, Pending
from waiting import eventually


class Load:
    """Zooms a camera, again and again. Some commands are under way at any time.

    An agent that loses its connection loses the commands that are sent meanwhile. A controller knows which
    they are: it sends the next ones when the agent is `online` again, and an answer to one of these comes
    after all answers to earlier ones.
    """

    WINDOW = 10

    def __init__(self, controller: Controller):
        self._controller, self._read = controller, controller.mark()
        self._numbers = itertools.count()
        #: In their order, by their correlation data.
        self.sent: dict[bytes, Pending] = {}
        #: The final answers in the order of their arrival.
        self.answers: dict[bytes, dict] = {}
        #: The commands that were sent before the agent was `online` again.
        self.doubtful: set[bytes] = set()

    def online_again(self):
        """Takes all commands so far for lost, unless their answers come."""
        self._take()
        self.doubtful |= self.sent.keys()

    def run(self, until, what: str):
        """Goes on until `until()` is true."""
        eventually(lambda: self._step() or until(), what)

    def answered(self, count: int):
        """Goes on until so many more are answered that are not doubtful."""
        goal = len(self.answers.keys() - self.doubtful) + count
        self.run(lambda: len(self.answers.keys() - self.doubtful) >= goal, f"{count} answers")

    def finish(self) -> set[bytes]:
        """Waits for the answers to the commands that are not doubtful. Returns those without an answer."""
        eventually(lambda: self._take() or self.sent.keys() - self.doubtful <= self.answers.keys(), "all answers")
        return self.sent.keys() - self.answers.keys()

    def _step(self):
        self._take()
        under_way = len(self.sent.keys() - self.answers.keys() - self.doubtful)
        for _ in range(self.WINDOW - under_way):
            pending = self._controller.send("zoom", {"factor": 1 + next(self._numbers) % 64 / 64})
            self.sent[pending.correlation] = pending

    def _take(self):
        messages = self._controller.inbox.messages(self._read)
        self._read += len(messages)
        for message in messages:
            if message.topic != self._controller.response_topic or message.correlation not in self.sent:
                continue
            assert message.json["status"] == "done", message
            # The agent sends an answer again that the broker has not acknowledged: at least once (QoS 1).
            known = self.answers.setdefault(message.correlation, message.json)
            assert known == message.json, f"two answers: {known} and {message.json}"
