"""What answers have promised, at any moment of a timeline: see `promises.py`, which knows the present
only."""

from promises import Ledger, is_same
from virtual_disk import Timeline


class TimedLedger(Ledger):
    """A ledger that can be compared with what a power cut left at an earlier moment."""

    def __init__(self, value, timeline: Timeline):
        super().__init__(value)
        self._first, self._timeline, self._events = value, timeline, []

    def sent(self, request: str, *values):
        super().sent(request, *values)
        self._events.append((self._timeline.next(), "sent", request, values))

    def ended(self, request: str, rev: int, is_done: bool):
        self._events.append((self._timeline.next(), "ended", request, (rev, is_done)))
        super().ended(request, rev, is_done)

    def restarted(self, value, what: str):
        super().restarted(value, what)
        self.is_now(value)

    def is_now(self, value):
        """A start has this value, and the disk has it too: its first line was synced, and that is after all
        others."""
        self._stored, self._rev, self._unanswered = value, -1, {}
        self._events.append((self._timeline.next(), "restarted", "", (value,)))

    def answered_above(self, value, at: int) -> str | None:
        """The first request that was answered `done` until then, and that led to more than this value."""
        values = {}
        for moment, kind, request, event in list(self._events):
            if moment > at:
                break
            if kind == "sent":
                values[request] = event[-1]
            elif kind == "ended" and event[1] and values[request] > value:
                return request
        return None

    def allows(self, value, at: int, is_kept) -> str | None:
        """Why the value can't be that of a power cut then; None if it can.

        `is_kept` has whether what was answered at a moment has to outlive the cut.
        """
        stored, stored_rev, others = self._first, -1, {}
        for moment, kind, request, values in list(self._events):
            if moment > at:
                break
            if kind == "sent":
                others[request] = values
            elif kind == "restarted":
                stored, stored_rev, others = values[0], -1, {}
            elif is_kept(moment):
                changes, (rev, is_done) = others.pop(request, ()), values
                if is_done and changes and rev >= stored_rev:
                    stored, stored_rev = changes[-1], rev
        allowed = [stored, *(value for values in others.values() for value in values)]
        if any(is_same(value, other) for other in allowed):
            return None
        return f"it is {value!r}; {stored!r} was answered, {allowed[1:]!r} were sent"


class Observed:
    """The highest of some numbers at any moment."""

    def __init__(self, timeline: Timeline):
        self._timeline, self._events = timeline, []

    def add(self, number: int):
        if not self._events or number > self._events[-1][1]:
            self._events.append((self._timeline.next(), number))

    def until(self, at: int) -> int:
        return max((number for moment, number in list(self._events) if moment <= at), default=0)
