"""A page's WebSocket, by hand: a test can send what no browser sends."""

import base64
import json
import os
import socket
import struct
import time

from broker import HOST
from waiting import TIMEOUT

TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 1, 2, 8, 9, 10, 0


class Refused(Exception):
    """The console did not open the socket: the status and the body of its answer."""

    def __init__(self, status: int, body: bytes):
        super().__init__(f"{status} {body!r}")
        self.status, self.body = status, body


class Closed(Exception):
    """The console has closed the socket: the code and the reason; None without a close frame."""

    def __init__(self, code: int | None, reason=""):
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason


class PageSocket:
    """The socket of a page that was opened.

    `headers` are added, or replace those of a browser; None leaves one out. `before` are requests that the
    same
    connection is used for first.
    """

    def __init__(self, console, *, cookie: str | None = None, before=b"", path="/socket", **headers):
        self._socket = socket.create_connection((HOST, console.port), timeout=TIMEOUT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._bytes = b""
        #: The texts, pictures and answers that came, in their order.
        self.texts: list[dict] = []
        self.pictures: list[tuple[dict, bytes]] = []
        self._ids = 0
        address = f"{HOST}:{console.port}"
        fields = {
            "Host": address, "Origin": f"http://{address}", "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Cookie": cookie} | {name.replace("_", "-"): value for name, value in headers.items()}
        for _ in range(before.count(b" HTTP/1.1\r\n")):
            request, _, before = before.partition(b"\r\n\r\n")
            self.write(request + b"\r\n\r\n")
            self._exactly(self._length(self._until(b"\r\n\r\n").decode()))
        lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self.write("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        head = self._until(b"\r\n\r\n").decode()
        status = int(head.split()[1])
        if status != 101:
            raise Refused(status, self._exactly(self._length(head)))
        #: The headers of the response, by their names in lower case.
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head.splitlines()[1:]) if name}

    @staticmethod
    def _length(head: str) -> int:
        lines = (line.split(":") for line in head.lower().splitlines())
        return next((int(value[0]) for name, *value in lines if name == "content-length"), 0)

    def close(self):
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What is sent

    def write(self, data: bytes):
        """Any bytes."""
        self._socket.sendall(data)

    def frame(self, code: int, data: bytes, *, end=True, length: int | None = None):
        """A frame. `length` is another one than it has."""
        count, key = len(data) if length is None else length, os.urandom(4)
        head = bytes([(128 if end else 0) | code])
        if count < 126:
            head += bytes([128 | count])
        elif count < 1 << 16:
            head += bytes([128 | 126]) + struct.pack(">H", count)
        else:
            head += bytes([128 | 127]) + struct.pack(">Q", count)
        masks = key * (len(data) // 4 + 1)
        self.write(head + key + bytes(a ^ b for a, b in zip(data, masks)))

    def send(self, **message):
        """A message of the protocol: `send(open=["porch/door"])`."""
        self.frame(TEXT, json.dumps(message).encode())

    def order(self, node: str, payload: dict, camera="porch/door") -> str:
        """Sends a command and returns its id."""
        self._ids += 1
        self.send(command={"id": str(self._ids), "camera": camera, "node": node, "payload": payload})
        return str(self._ids)

    def command(self, node: str, payload: dict, camera="porch/door") -> dict:
        """Sends a command and returns the payload of its final answer."""
        name = self.order(node, payload, camera)
        return self.wait_for("answer", lambda answer: answer["id"] == name and answer["payload"]["status"] != "accepted")["payload"]

    # What comes

    def wait_for(self, kind: str, wanted=lambda value: True, timeout=TIMEOUT):
        """The first text of a kind that is wanted, also of those that came before."""
        at, deadline = 0, time.monotonic() + timeout
        while True:
            for text in self.texts[at:]:
                if kind in text and wanted(text[kind]):
                    return text[kind]
            at = len(self.texts)
            assert time.monotonic() < deadline, f"no such {kind}; the last texts: {self.texts[-8:]}"
            self.receive()

    def picture(self, number=1, *, draws=True) -> tuple[dict, bytes]:
        """The header and the JPEG of a picture, after so many."""
        while len(self.pictures) < number:
            before = len(self.pictures)
            self.receive()
            if draws and len(self.pictures) > before:
                self.send(drawn=self.pictures[-1][0]["number"])
        return self.pictures[number - 1]

    def closing(self) -> Closed:
        """Waits for the end of the socket."""
        try:
            while True:
                self.receive()
        except Closed as closed:
            return closed

    def receive(self):
        """Takes the next message."""
        code, data = self._message()
        if code == TEXT:
            self.texts.append(json.loads(data))
        elif code == BINARY:
            length = struct.unpack(">H", data[:2])[0]
            header, file = json.loads(data[2:2 + length]), data[2 + length:]
            self.pictures.append((header, file))
        elif code == PING:
            self.frame(PONG, data)
        elif code == CLOSE:
            raise Closed(struct.unpack(">H", data[:2])[0] if len(data) >= 2 else None, data[2:].decode())

    def _message(self) -> tuple[int, bytes]:
        code, data = None, b""
        while True:
            head = self._exactly(2)
            length = head[1] & 127
            if length == 126:
                length = struct.unpack(">H", self._exactly(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._exactly(8))[0]
            kind = head[0] & 15
            part = self._exactly(length)
            if kind >= 8:
                return kind, part
            code, data = (kind if code is None else code), data + part
            if head[0] & 128:
                return code, data

    def _exactly(self, count: int) -> bytes:
        while len(self._bytes) < count:
            self._more()
        found, self._bytes = self._bytes[:count], self._bytes[count:]
        return found

    def _until(self, end: bytes) -> bytes:
        while end not in self._bytes:
            self._more()
        found, _, self._bytes = self._bytes.partition(end)
        return found

    def _more(self):
        try:
            data = self._socket.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            raise Closed(None, "the connection ended without a close frame")
        self._bytes += data
