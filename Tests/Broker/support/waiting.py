"""Waiting for something to become true, without guessing how long it takes."""

import time

#: Seconds after which a thing that should happen counts as not happening. Generous: only a failing test waits
#: so long.
TIMEOUT = 120.0


def eventually(condition, what, timeout=TIMEOUT):
    """Returns the first true value of `condition()`; fails naming `what` when there is none in `timeout`
    seconds.

    For files, logs and processes, which send no notification. What comes over MQTT is awaited with
    `Inbox.wait_for`.
    """
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s in vain for {what}")
        time.sleep(0.01)


class Logged:
    """A process whose log is in `log`."""

    def logs(self, text: str, times: int | None = None, since=0):
        """Waits until its log has a text at least once, or so many times: a thread of its own writes it, so a
        line can follow a message that was sent after it."""
        eventually(lambda: self.log[since:].count(text) >= (times or 1), f"“{text}” in the log")
        assert times in (None, self.log[since:].count(text))
