"""A listener that treats each connection as a test says, below MQTT."""

import contextlib
import select
import socket
import ssl
import struct
import threading

from broker import HOST


class BrokenBroker:
    """Listens on a port of loopback. `conduct` is called with each connection, on a thread of its own, and
    the connection is closed when it returns. `context`: the connection has TLS before.
    """

    def __init__(self, conduct, context: ssl.SSLContext | None = None, *, backlog=16):
        self._conduct, self._context = conduct, context
        self._over = threading.Event()
        self._listener = socket.create_server((HOST, 0), backlog=backlog)
        self.port = self._listener.getsockname()[1]
        self._waiting: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        if self._thread.ident:
            self._thread.join()
        for each in [self._listener, *self._waiting]:
            each.close()

    def fill(self) -> None:
        """Fills the queue of connections that nobody accepts, so that the kernel drops the next ones."""
        while True:
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex((HOST, self.port))
            self._waiting.append(waiting)
            if not select.select([], [waiting], [], 0.2)[1]:
                return

    def empty(self) -> None:
        """Accepts the connections of `fill`, and those that come later."""
        for each in self._waiting:
            each.close()
        self._waiting = []
        self._thread.start()

    def _accept(self):
        while not self._over.is_set():
            if select.select([self._listener], [], [], 0.05)[0]:
                threading.Thread(target=self._serve, args=[self._listener.accept()[0]], daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError):
            try:
                if self._context:
                    connection = self._context.wrap_socket(connection, server_side=True)
                self._conduct(connection)
            finally:
                connection.close()

    def wait(self, _connection) -> None:
        """Says nothing until the test is over."""
        self._over.wait()


def reset(connection) -> None:
    """Ends the connection by RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def read_and_close(connection) -> None:
    connection.recv(4096)


def read_and_reset(connection) -> None:
    connection.recv(4096)
    reset(connection)
