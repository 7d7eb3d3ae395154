"""A broker that sends packets as a test writes them, to show what a client makes of them."""

import contextlib
import socket
import ssl
import struct
import threading

from broker import HOST
from waiting import TIMEOUT

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, UNSUBSCRIBE, PINGREQ, DISCONNECT, AUTH = (
    1, 2, 3, 4, 8, 9, 10, 12, 14, 15)


def packet(kind: int, body: bytes, flags: int = 0) -> bytes:
    """A packet with its fixed header (MQTT 5, 2.1)."""
    return bytes([kind << 4 | flags]) + variable(len(body)) + body


def variable(number: int) -> bytes:
    """A variable byte integer (MQTT 5, 1.5.5)."""
    encoded = b""
    while True:
        number, digit = divmod(number, 128)
        encoded += bytes([digit | (0x80 if number else 0)])
        if not number:
            return encoded


def text(value: str) -> bytes:
    return struct.pack(">H", len(value.encode())) + value.encode()


def publish(topic: str, payload: bytes, properties: bytes | None = b"") -> bytes:
    """A PUBLISH with QoS 0; `properties` None: MQTT 3.1.1."""
    extra = b"" if properties is None else variable(len(properties)) + properties
    return packet(PUBLISH, text(topic) + extra + payload)


TAKEN_OVER = packet(DISCONNECT, b"\x8e")


def connect(client_id: str) -> bytes:
    """A CONNECT of MQTT 5 with a clean start, and without properties."""
    return packet(CONNECT, text("MQTT") + b"\x05\x02\0\x3c\0" + text(client_id))


def client_id(body: bytes) -> str:
    """That of a CONNECT of MQTT 5, which has less than 128 bytes of properties."""
    rest = body[11 + body[10]:]
    return rest[2:2 + struct.unpack(">H", rest[:2])[0]].decode()


class HostileBroker:
    """Listens on a port of loopback. Each connection is accepted, and its subscriptions are granted. With
    MQTT 5, the connection before with the same client identifier is told that it is taken over.

    `certificates` or an `ssl.SSLContext` turn TLS on. `acknowledgement`: the properties of CONNACK. `attack`:
    bytes that follow the first SUBACK. `silent`: CONNECT has no answer. `unanswered`: nor has PUBLISH.
    `only_3_1_1`: MQTT 5 is refused in the form of 3.1.1. The lists `connections` and `received` have a value
    for each accepted CONNECT, and each packet as (kind, body).
    """

    def __init__(self, *, certificates=None, context=None, version=5, acknowledgement=b"", attack=b"",
                 silent=False, unanswered=False, only_3_1_1=False):
        self.version, self.acknowledgement, self.attack = version, acknowledgement, attack
        self.silent, self.unanswered, self.only_3_1_1 = silent, unanswered, only_3_1_1
        self.connections, self.received, self.errors = [], [], []
        self._changed = threading.Condition()
        self._context = context
        if certificates:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificates.server.certificate, certificates.server.key)
        self._listener = socket.create_server((HOST, 0))
        self.port = self._listener.getsockname()[1]
        self._sockets = []
        self._clients: dict[str, socket.socket] = {}
        threading.Thread(target=self._accept, daemon=True).start()

    def wait(self, condition) -> None:
        """Waits until `condition` of this broker is true."""
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self), TIMEOUT), (self.connections, self.received[-5:])

    def close(self):
        self._listener.close()
        for each in self._sockets:
            each.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(connection)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        try:
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
            stream = connection.makefile("rb")
            attacked = False
            while first := stream.read(1):
                kind, body = first[0] >> 4, stream.read(self._length(stream))
                with self._changed:
                    self.received.append((kind, body))
                    if kind == CONNECT:
                        self.connections.append(body)
                    self._changed.notify_all()
                if kind == CONNECT and body[6] == 5:
                    self._take_over(client_id(body), connection)
                for answer in self._answers(kind, first[0] & 0xF, body):
                    connection.sendall(answer)
                if kind == SUBSCRIBE and not attacked:
                    attacked = True
                    connection.sendall(self.attack)
        except (OSError, ssl.SSLError) as error:
            self.errors.append(error)

    def _take_over(self, client: str, connection):
        """Ends the connection before of a client (MQTT 5, 3.1.4). Its socket stays open, so that no reset
        overtakes the reason."""
        with self._changed:
            before, self._clients[client] = self._clients.get(client), connection
        if before:
            with contextlib.suppress(OSError):
                before.sendall(TAKEN_OVER)
                before.shutdown(socket.SHUT_WR)

    @staticmethod
    def _length(stream) -> int:
        length, shift = 0, 0
        while True:
            digit = stream.read(1)[0]
            length |= (digit & 0x7F) << shift
            shift += 7
            if not digit & 0x80:
                return length

    def _answers(self, kind: int, flags: int, body: bytes):
        extra = b"\0" if self.version == 5 else b""
        if kind == CONNECT and self.silent:
            return
        if kind == CONNECT and self.only_3_1_1:
            yield packet(CONNACK, b"\0\1" if body[6] == 5 else b"\0\0")
        elif kind == CONNECT:
            properties = variable(len(self.acknowledgement)) + self.acknowledgement if self.version == 5 else b""
            yield packet(CONNACK, b"\0\0" + properties)
        elif kind == SUBSCRIBE:
            yield packet(SUBACK, body[:2] + extra + b"\x01")
        elif kind == UNSUBSCRIBE:
            yield packet(11, body[:2] + (extra + b"\0" if self.version == 5 else b""))
        elif kind == PUBLISH and flags & 0x6 and not self.unanswered:
            length = struct.unpack(">H", body[:2])[0]
            yield packet(PUBACK, body[2 + length:4 + length])
        elif kind == PINGREQ:
            yield packet(13, b"")
