"""A page's WebSocket as the benchmarks need it: no browser, no TLS, little that costs time."""
import base64
import json
import os
import socket
import struct
import time

from workshop import Unable


def _frame(message):
    data = json.dumps(message).encode()
    length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    # The mask is zero, so that the data is sent as it is.
    return b"\x81" + length + bytes(4) + data


class PageSocket:
    """Connects, and speaks the protocol of `Sources/Server/Console/README.md`."""

    def __init__(self, port, acknowledges=True, through=None):
        """`through`: the port of a proxy. `acknowledges`: each picture is reported as drawn when it comes."""
        self._socket = socket.create_connection(("127.0.0.1", through or port), timeout=10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall((
            f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        ).encode())
        self._data = bytearray()
        while b"\r\n\r\n" not in self._data:
            self._receive()
        head, _, rest = bytes(self._data).partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise Unable(f"the console refuses a page: {head!r}")
        self._data = bytearray(rest)
        self._acknowledges = acknowledges
        self._picture = b""

    def fileno(self):
        return self._socket.fileno()

    def close(self):
        self._socket.close()

    def send(self, message):
        self._socket.sendall(_frame(message))

    def time_until(self, text, message):
        """Nanoseconds from sending a message until these bytes have come. All messages up to then are
        dropped."""
        frame, data = _frame(message), b""
        before = time.monotonic_ns()
        self._socket.sendall(frame)
        while text not in data:
            data += self._socket.recv(1 << 16)
        return time.monotonic_ns() - before

    def _receive(self):
        more = self._socket.recv(1 << 20)
        if not more:
            raise Unable("the console has closed a page")
        self._data += more

    def next(self):
        """The next message: a dictionary, or the header of a picture."""
        while True:
            if message := self.buffered():
                return message
            self._receive()

    def take(self):
        """Reads what has come; returns the complete messages."""
        self._receive()
        return list(iter(self.buffered, None))

    def buffered(self):
        """The next complete message that has come already; None: there is none."""
        while len(self._data) >= 2:
            code, length, start = self._data[0] & 15, self._data[1] & 127, 2
            if length > 125:
                size = 2 if length == 126 else 8
                if len(self._data) < 2 + size:
                    return None
                length, start = int.from_bytes(self._data[2:2 + size]), 2 + size
            if len(self._data) < start + length:
                return None
            data = bytes(self._data[start:start + length])
            del self._data[:start + length]
            if code == 1:
                return json.loads(data)
            if code == 2:
                self._picture = data
            elif code == 0:
                header = json.loads(self._picture[2:])
                if self._acknowledges:
                    self.send({"drawn": header["number"]})
                return header
        return None
