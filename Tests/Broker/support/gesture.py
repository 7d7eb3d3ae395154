"""A pinch, as a controller makes it."""

import itertools

_names = (f"gesture-{n}" for n in itertools.count(1))


class Gesture:
    """A gesture of its own name, whose every step is answered.

    `fields` are in every step. A `client` has to be one of them: to the agent, gestures of two clients are
    two.
    """

    def __init__(self, controller, **fields):
        self.controller, self.name, self.fields = controller, next(_names), fields

    def step(self, phase, **fields) -> dict:
        body = {"gesture": self.name, "phase": phase, **self.fields, **fields}
        return self.controller.obeyed("pinch", body)


class Touch:
    """Fingers on the view, as a screen reports them. `fields` are in every message."""

    def __init__(self, controller, **fields):
        self.controller, self.name, self.fields = controller, next(_names), fields
        self.down: dict = {}

    def body(self, *fingers: tuple, **fields) -> dict:
        """Of one message; a finger is its name, its phase and where it is."""
        touches = [{"id": name, "phase": phase, "x": x, "y": y} for name, phase, x, y in fingers]
        for name, phase, x, y in fingers:
            self.down[name] = (x, y)
            if phase in ("ended", "cancelled"):
                del self.down[name]
        return {"gesture": self.name, "touches": touches, **self.fields, **fields}

    def step(self, *fingers: tuple, **fields) -> dict:
        return self.controller.obeyed("touch", self.body(*fingers, **fields))

    def lift(self, *names, phase="ended") -> dict:
        """Takes these fingers off where they are; without names, all."""
        return self.step(*((name, phase, *self.down[name]) for name in names or list(self.down)))
