"""A client that sends as fast as the broker takes it."""

import itertools
import socket
import threading

from broker import HOST
from waiting import TIMEOUT

_numbers = itertools.count(1)


class Flood:
    """Publishes the payloads in turn, with QoS 0: in bursts, or from `start` on as many as the broker takes,
    from a thread of its own.

    It writes MQTT 3.1.1 packets by hand: a client library would be its own brake.
    """

    def __init__(self, broker, topic: str, payloads: list[bytes]):
        self.sent = 0
        packets = [_packet(0x30, _text(topic.encode()) + payload) for payload in payloads]
        self._chunk = b"".join(packets * (1 + 200 // len(packets)))
        self._a_chunk = len(packets) * (1 + 200 // len(packets))
        self._ended = threading.Event()
        self._socket = socket.create_connection((HOST, broker.port), timeout=TIMEOUT)
        name = f"flood-{next(_numbers)}".encode()
        self._socket.sendall(_packet(0x10, _text(b"MQTT") + b"\x04\x02\x00\x00" + _text(name)))
        assert self._socket.recv(4) == b"\x20\x02\x00\x00", "the broker refused the flood"
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


def _text(text: bytes) -> bytes:
    return len(text).to_bytes(2, "big") + text


def _packet(kind: int, body: bytes) -> bytes:
    """With the length as MQTT 3.1.1, 2.2.3 writes it: seven bits a byte."""
    length, rest = b"", len(body)
    while True:
        rest, seven = divmod(rest, 128)
        length += bytes([seven | (128 if rest else 0)])
        if not rest:
            return bytes([kind]) + length + body
