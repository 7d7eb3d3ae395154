"""A pinch, as a controller makes it."""

import itertools

_names = (f"gesture-{n}" for n in itertools.count(1))


class Gesture:
    """A gesture of its own name, whose every step is answered.

    `fields` are in every step. A `client` has to be one of them: to the agent, gestures of two clients are two.
    """

    def __init__(self, controller, **fields):
        self.controller, self.name, self.fields = controller, next(_names), fields

    def step(self, phase, **fields) -> dict:
        body = {"gesture": self.name, "phase": phase, **self.fields, **fields}
        return self.controller.obeyed("pinch", body)

    def factor_after(self, phase, **fields) -> float:
        """What the answer says, once the state says the same: samples are published at most 60 times a second."""
        factor = self.step(phase, **fields)["factor"]
        self.controller.state("zoom", lambda state: state["factor"] == factor)
        return factor
