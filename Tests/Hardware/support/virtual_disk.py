"""A disk of the guest with a cache that a power cut empties: a server of the NBD protocol, in this process.

QEMU passes each write and each flush of the guest on to it. It numbers them together with what the
controllers see, so that what happened first is known, whatever the speed of the machine.
"""

import itertools
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md
_MAGIC, _OPTIONS, _OPTION_REPLY = b"NBDMAGIC", b"IHAVEOPT", 0x3E889045565A9
_REQUEST, _REPLY = 0x25609513, 0x67446698
_READ, _WRITE, _END, _FLUSH = range(4)
_EXPORT_NAME, _ABORT, _GO = 1, 2, 7
_ACKNOWLEDGED, _INFO, _UNSUPPORTED = 1, 3, (1 << 31) + 1
_HAS_FLAGS, _TAKES_FLUSH = 1, 4
_EIO = 5


class Timeline:
    """Numbers what happens on the disk and at the controllers, in its order."""

    def __init__(self):
        self._numbers = itertools.count(1)

    def next(self) -> int:
        return next(self._numbers)


@dataclass(frozen=True)
class Write:
    """The disk has it in its cache from this moment on."""

    at: int
    offset: int
    data: bytes


@dataclass(frozen=True)
class Flush:
    """The disk keeps all writes that it had at `begun`, from `done` on; the guest learns that later."""

    begun: int
    done: int


class VirtualDisk:
    """A disk with these contents. `path` is the socket that QEMU connects to.

    `history` has all writes and flushes since `power_on`.
    """

    def __init__(self, contents: bytes, path: Path, timeline: Timeline):
        self.path, self.timeline = path, timeline
        self._lock = threading.RLock()
        self._connection: socket.socket | None = None
        self._hanging: set[int] = set()
        self._fails: Callable[[bytes], bool] = lambda data: False
        self._waiting: list[tuple] = []
        self.power_on(contents)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._serve, name="disk", daemon=True).start()

    def close(self):
        self._listener.close()
        if self._connection:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)

    # Power

    def power_on(self, contents: bytes):
        """Gives the disk other contents. The guest must not have it mounted."""
        with self._lock:
            self.first, self._contents = bytes(contents), bytearray(contents)
            self.history: list[Write | Flush] = []
            self._is_off = False

    def cut(self) -> int:
        """From now on no write has an effect. Returns when that was."""
        with self._lock:
            self._is_off = True
            return self.timeline.next()

    @property
    def contents(self) -> bytes:
        with self._lock:
            return bytes(self._contents)

    # A disk that hangs

    def hang(self, *, reads=False):
        """Writes and flushes, and `reads` too, are carried out and answered with `recover` only."""
        with self._lock:
            self._hanging = {_WRITE, _FLUSH, *([_READ] if reads else [])}

    def recover(self) -> int:
        """Carries out what waits. Returns when that was."""
        with self._lock:
            now, waiting = self.timeline.next(), self._waiting
            self._hanging, self._waiting = set(), []
            for request in waiting:
                self._carry_out(*request)
            return now

    @property
    def waiting(self) -> int:
        """How many reads, writes and flushes wait."""
        with self._lock:
            return len(self._waiting)

    # A disk with defects

    def fail(self, fails: Callable[[bytes], bool]):
        """From now on a write of data for which `fails` is true is an I/O error, and has no effect."""
        with self._lock:
            self._fails, self.failures = fails, 0

    def repair(self):
        with self._lock:
            self._fails = lambda data: False

    # The protocol

    def _serve(self):
        with suppress(OSError, EOFError):
            while True:
                self._connection, _ = self._listener.accept()
                with suppress(OSError, EOFError):
                    self._shake_hands()
                    while self._answer():
                        pass
                self._connection.close()

    def _take(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = self._connection.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def _shake_hands(self):
        self._connection.sendall(_MAGIC + _OPTIONS + struct.pack(">H", 1))
        self._take(4)
        while True:
            _, option, length = struct.unpack(">8sII", self._take(16))
            self._take(length)
            size = struct.pack(">QH", len(self._contents), _HAS_FLAGS | _TAKES_FLUSH)
            if option == _EXPORT_NAME:
                return self._connection.sendall(size + bytes(124))
            if option == _GO:
                self._reply_to_option(option, _INFO, struct.pack(">H", 0) + size)
                return self._reply_to_option(option, _ACKNOWLEDGED)
            self._reply_to_option(option, _ACKNOWLEDGED if option == _ABORT else _UNSUPPORTED)

    def _reply_to_option(self, option: int, kind: int, data=b""):
        self._connection.sendall(struct.pack(">QIII", _OPTION_REPLY, option, kind, len(data)) + data)

    def _answer(self) -> bool:
        magic, _, kind, handle, offset, length = struct.unpack(">IHHQQI", self._take(28))
        assert magic == _REQUEST
        request = kind, handle, offset, length, self._take(length) if kind == _WRITE else b""
        with self._lock:
            if kind in self._hanging:
                self._waiting.append(request)
            elif kind != _END:
                self._carry_out(*request)
        return kind != _END

    def _carry_out(self, kind: int, handle: int, offset: int, length: int, data: bytes):
        found, error = b"", 0
        if kind == _WRITE and self._fails(data):
            self.failures, error = self.failures + 1, _EIO
        elif kind == _READ:
            found = bytes(self._contents[offset:offset + length])
        elif kind == _WRITE and not self._is_off:
            self.history.append(Write(self.timeline.next(), offset, data))
            self._contents[offset:offset + length] = data
        elif kind == _FLUSH and not self._is_off:
            self.history.append(Flush(self.timeline.next(), self.timeline.next()))
        self._connection.sendall(struct.pack(">IIQ", _REPLY, error, handle) + found)
