"""What answers have promised: the values that a restart may bring back, and the numbers that were used."""

import re
import threading
from pathlib import Path

import pytest


class Ledger:
    """The values that one part of the state may have after a restart.

    These are the value of the last command that was answered `done`, and those of commands without an answer.
    """

    def __init__(self, value):
        self._lock = threading.Lock()
        self._stored, self._rev, self._unanswered = value, -1, {}

    def sent(self, request: str, *values):
        """A command that leads to these values, one after the other."""
        with self._lock:
            self._unanswered[request] = values

    def ended(self, request: str, rev: int, is_done: bool):
        """The final answer. The newest command of several controllers counts: the one with the highest
        `rev`."""
        with self._lock:
            values = self._unanswered.pop(request)
            if is_done and rev >= self._rev:
                self._stored, self._rev = values[-1], rev

    def restarted(self, value, what: str):
        """Fails if the value after a restart is none of the possible ones. From now on, it is the only
        one."""
        with self._lock:
            allowed = [self._stored, *(value for values in self._unanswered.values() for value in values)]
            assert any(is_same(value, other) for other in allowed), \
                f"{what} is {value!r}; {self._stored!r} was answered, {allowed[1:]!r} were sent"
            self._stored, self._rev, self._unanswered = value, -1, {}

    @property
    def value(self):
        """The last value that was answered, or that a restart brought back."""
        return self._stored


def is_same(value, other) -> bool:
    # The factor of a pinch is a product, and is rounded in messages.
    return value == (pytest.approx(other, rel=2e-5) if isinstance(other, float) else other)


class Numbers:
    """Numbers of files. Each names one file, and none comes again."""

    def __init__(self):
        self._names: dict[int, str] = {}
        #: The highest number of an answer.
        self.answered = 0

    def used_by(self, file: Path):
        """A file under way has one more suffix, and the same name."""
        if found := re.search(r"[a-z][\w.-]*Z-(\d+)", file.name):
            name = self._names.setdefault(int(found[1]), found[0])
            assert name == found[0], f"{found[1]} is the number of {name} and of {file.name}"

    def __len__(self):
        return len(self._names)
