"""A client of MQTT 5 that does what an attacker does: as little as the check of a broker needs."""

import itertools
import socket
import ssl
import struct
from dataclasses import dataclass

TIMEOUT = 20.0
CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 13, 14
_WITH_WILL = 4


class Refused(Exception):
    """The broker did not accept the connection."""


class Ended(Exception):
    """The broker has ended the connection."""


@dataclass(frozen=True)
class Message:
    topic: str
    payload: bytes
    retain: bool = False


class Session:
    """A connection whose session ends with it. It receives with QoS 0: the broker sends at once."""

    def __init__(
        self, port: int, tls: "ssl.SSLContext | None", client_id: str, user: "str | None" = None,
        password: "str | None" = None, *, will: "Message | None" = None, bridge=False, name="localhost"
    ):
        """Raises Refused with the reason. A bridge speaks MQTT 3.1.1, which has no properties."""
        self.received: list[Message] = []
        self._identifiers = itertools.count(1)
        self._bytes = b""
        self._properties = b"" if bridge else b"\0"
        try:
            plain = socket.create_connection(("127.0.0.1", port), TIMEOUT)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = tls.wrap_socket(plain, server_hostname=name) if tls else plain
            self._send(CONNECT, _connect(client_id, user, password, will, bridge))
            code = self._next(CONNACK)[1]
        except (OSError, Ended) as error:
            raise Refused(str(error)) from None
        if code != 0:
            self.close()
            raise Refused(f"reason {code:#x}")

    def subscribe(self, *filters: str):
        """Returns when the broker has answered, and has sent what is retained."""
        body = b"".join(_text(topic) + b"\0" for topic in filters)
        self._send(SUBSCRIBE, self._identifier() + self._properties + body, flags=2)
        self._next(SUBACK)
        self.flush()

    def publish(self, message: Message):
        """Returns when the broker has dealt with the message; whether it took it is another question."""
        body = _text(message.topic) + self._identifier() + self._properties + message.payload
        self._send(PUBLISH, body, flags=2 | (1 if message.retain else 0))
        self._next(PUBACK)

    def flush(self):
        """Returns when everything that the broker had for this client so far is in `received`."""
        self._send(PINGREQ, b"")
        self._next(PINGRESP)

    def leave_with_will(self):
        """Makes the broker publish the will, and returns when it has ended the connection."""
        self._send(DISCONNECT, bytes([_WITH_WILL]))
        try:
            while True:
                self._packet()
        except Ended:
            self.close()

    def close(self):
        self._socket.close()

    def _identifier(self) -> bytes:
        return struct.pack("!H", next(self._identifiers))

    def _send(self, kind: int, body: bytes, flags=0):
        length, rest = b"", len(body)
        while True:
            rest, digit = divmod(rest, 128)
            length += bytes([digit | (128 if rest else 0)])
            if not rest:
                break
        try:
            self._socket.sendall(bytes([kind << 4 | flags]) + length + body)
        except OSError as error:
            raise Ended(str(error)) from None

    def _next(self, wanted: int) -> bytes:
        """The body of the next packet of a kind; messages before it are received."""
        while True:
            kind, body = self._packet()
            if kind == wanted:
                return body
            if kind == DISCONNECT:
                raise Ended(f"the broker ended the connection: {body[:1].hex()}")

    def _packet(self) -> "tuple[int, bytes]":
        first = self._read(1)[0]
        length, shift = 0, 0
        while True:
            digit = self._read(1)[0]
            length |= (digit & 127) << shift
            shift += 7
            if digit < 128:
                break
        kind, body = first >> 4, self._read(length)
        if kind == PUBLISH:
            self._receive(body, retain=bool(first & 1))
        return kind, body

    def _receive(self, body: bytes, retain: bool):
        size = struct.unpack_from("!H", body)[0]
        topic, rest = body[2:2 + size].decode(), body[2 + size:]
        if not self._properties:
            self.received.append(Message(topic, rest, retain))
            return
        properties, shift = 0, 0
        for index, digit in enumerate(rest):
            properties |= (digit & 127) << shift
            shift += 7
            if digit < 128:
                self.received.append(Message(topic, rest[index + 1 + properties:], retain))
                return

    def _read(self, count: int) -> bytes:
        try:
            while len(self._bytes) < count:
                more = self._socket.recv(65_536)
                if not more:
                    raise Ended("the broker closed the connection")
                self._bytes += more
        except OSError as error:
            raise Ended(str(error)) from None
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken


def _text(text: str) -> bytes:
    return _binary(text.encode())


def _binary(content: bytes) -> bytes:
    return struct.pack("!H", len(content)) + content


def _connect(client_id: str, user: "str | None", password: "str | None", will: "Message | None", bridge: bool) -> bytes:
    flags = 0x02  # clean start
    body = _text(client_id)
    if will:
        flags |= 0x04 | 0x08 | (0x20 if will.retain else 0)  # a will with QoS 1
        body += (b"" if bridge else b"\0") + _text(will.topic) + _binary(will.payload)
    if user is not None:
        flags |= 0x80
        body += _text(user)
    if password is not None:
        flags |= 0x40
        body += _text(password)
    version, properties = (4 | 0x80, b"") if bridge else (5, b"\0")
    return _text("MQTT") + bytes([version, flags]) + struct.pack("!H", 60) + properties + body
