"""Fingers on a screen, by the protocol of Chromium's developer tools: their places are exact."""

import math


class Fingers:
    """The fingers of one page. Places are in CSS pixels; each finger has a number."""

    def __init__(self, session):
        self._session, self._down = session, {}

    def down(self, fingers: dict, **when):
        self._down |= fingers
        self._send("touchStart", self._down, **when)

    def move(self, fingers: dict):
        self._down |= fingers
        self._send("touchMove", self._down)

    def up(self, *numbers: int, **when):
        """Lifts these fingers; without numbers, all."""
        # Chromium lifts the points of the message; if it has none, all.
        self._send("touchEnd", {number: self._down[number] for number in numbers}, **when)
        for number in numbers or list(self._down):
            del self._down[number]

    def tap(self, place: tuple, at: float):
        """A short tap at a time of the browser, in seconds since 1970. The time to send it does not count."""
        self.down({0: place}, timestamp=at)
        self.up(0, timestamp=at + 0.05)

    def slide(self, before: list, after: list, steps=12):
        """Puts fingers down at the places `before`, moves them straight to `after`, and lifts them."""
        self.follow([[between(one, other, step / steps) for one, other in zip(before, after)] for step in range(steps + 1)])

    def follow(self, path: list):
        """Puts fingers down at the first places, moves them to all others, and lifts them."""
        for number, place in enumerate(path[0]):
            self.down({number: place})
        for places in path[1:]:
            self.move(dict(enumerate(places)))
        self.up()

    def _send(self, kind: str, fingers: dict, **when):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in fingers.items()]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, **when})


def between(one: tuple, other: tuple, part: float) -> tuple:
    return tuple(a + (b - a) * part for a, b in zip(one, other))


def opposite(middle: tuple, radius: float, degrees: float) -> list:
    """Two places with `middle` half-way between them; 0 degrees: side by side, 90: one above the other."""
    x, y = radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees))
    return [(middle[0] - x, middle[1] - y), (middle[0] + x, middle[1] + y)]
