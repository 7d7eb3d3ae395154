"""A client that sends as fast as the broker takes it."""

import itertools
import threading

from hostile_broker import publish
from plain_client import connected

_numbers = itertools.count(1)


class Flood:
    """Publishes the payloads in turn, with QoS 0: in bursts, or from `start` on as many as the broker takes,
    from a thread of its own.
    """

    def __init__(self, broker, topic: str, payloads: list[bytes]):
        self.sent = 0
        packets = [publish(topic, payload, None) for payload in payloads]
        self._chunk = b"".join(packets * (1 + 200 // len(packets)))
        self._a_chunk = len(packets) * (1 + 200 // len(packets))
        self._ended = threading.Event()
        self._socket = connected(broker, f"flood-{next(_numbers)}")
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def start(self):
        self._thread.start()
        return self

    def burst(self, count: int):
        """Publishes at least so many; returns when the broker has taken them, or they are on the way to
        it."""
        end = self.sent + count
        while self.sent < end:
            self._send_chunk()

    def _send(self):
        while not self._ended.is_set():
            self._send_chunk()

    def _send_chunk(self):
        self._socket.sendall(self._chunk)
        self.sent += self._a_chunk
