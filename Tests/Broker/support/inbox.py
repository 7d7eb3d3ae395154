"""What one client received, in order, and waiting for more of it."""

import json
import math
import threading
import time
from dataclasses import dataclass
from functools import cached_property

from waiting import TIMEOUT


@dataclass(frozen=True)
class Message:
    topic: str
    payload: bytes
    #: None where the message did not pass a broker.
    retained: bool | None
    qos: int | None
    correlation: bytes | None = None
    content_type: str | None = None
    user_properties: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, received) -> "Message":
        """From paho's, with the MQTT 5 properties if there are any."""
        properties = received.properties
        return cls(
            received.topic, received.payload, received.retain, received.qos,
            correlation=getattr(properties, "CorrelationData", None),
            content_type=getattr(properties, "ContentType", None),
            user_properties=tuple(getattr(properties, "UserProperty", ())))

    @cached_property
    def json(self):
        return strict_json(self.payload)


def strict_json(payload: bytes):
    """The value; raises ValueError for what Python's own decoder lets pass: NaN, Infinity, a number that no
    double holds, half of a surrogate pair, and a name given twice."""

    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    def unambiguous(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name is given twice")
        return dict(pairs)

    def finite(digits):
        return float(digits) if math.isfinite(float(digits)) else refuse(digits)

    value = json.loads(payload.decode(), parse_constant=refuse, parse_float=finite, object_pairs_hook=unambiguous)
    json.dumps(value, ensure_ascii=False).encode()  # UnicodeEncodeError is a ValueError
    return value


class Inbox:
    """Filled by paho's thread, read by the test's."""

    def __init__(self):
        self._messages: list[Message] = []
        self._changed = threading.Condition()

    def put(self, message: Message):
        with self._changed:
            self._messages.append(message)
            self._changed.notify_all()

    def mark(self) -> int:
        """A place in the order of arrival, for `since`."""
        with self._changed:
            return len(self._messages)

    def place(self, message: Message) -> int:
        """Where in the order of arrival this very message stands."""
        with self._changed:
            return next(place for place, other in enumerate(self._messages) if other is message)

    def all(self, topic: str, since=0) -> list[Message]:
        with self._changed:
            return [message for message in self._messages[since:] if message.topic == topic]

    def messages(self, since=0, until: int | None = None) -> list[Message]:
        """The messages of all topics between two marks."""
        with self._changed:
            return self._messages[since:until]

    def newest(self, topic: str) -> Message | None:
        return next(reversed(self.all(topic)), None)

    def wait_for(self, topic, wanted=lambda message: True, *, since=None, timeout=TIMEOUT, give_up=lambda: None):
        """The first message on `topic` that is `wanted`.

        `since` is a mark: everything after it counts. Without it the newest message counts, and all that come
        later. `give_up` returns a reason for not waiting any longer, or None.
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            at = self._place_of_newest(topic) if since is None else since
            while True:
                for message in self._messages[at:]:
                    if message.topic == topic and wanted(message):
                        return message
                at = max(at, len(self._messages))
                reason = give_up() or (f"{timeout:g} s are over" if time.monotonic() > deadline else None)
                if reason:
                    raise AssertionError(f"no such message on {topic}: {reason}{self._tail(topic)}")
                self._changed.wait(0.1)  # woken by each message; looks up for `give_up` and the deadline

    def _place_of_newest(self, topic: str) -> int:
        places = (place for place, message in enumerate(self._messages) if message.topic == topic)
        return max(places, default=len(self._messages))

    def _tail(self, topic: str) -> str:
        lines = [f"\n  {m.topic} {m.payload[:400]!r}" for m in self._messages[-12:]]
        return f"; the last of {len(self._messages)} messages:" + "".join(lines) if lines else "; nothing came at all"
