"""A way to a server on which all bytes take a time, as in a slow network."""

import asyncio
import socket

from background_server import BackgroundServer
from broker import HOST


class DelayedWay(BackgroundServer):
    """Passes bytes between its own `port` and another one. Each arrives `delay` seconds after it was sent, in
    both directions; a slow reader is not waited for."""

    def __init__(self, port: int, delay: float):
        self._target, self._delay = port, delay
        super().__init__()

    async def _accept(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(HOST, self._target)
        except OSError:
            writer.close()
            return
        for one in (writer, far_writer):
            one.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))

    async def _pass(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                self._loop.call_later(self._delay, self._write, writer, data)
        except ConnectionError:
            pass
        self._loop.call_later(self._delay, writer.close)

    @staticmethod
    def _write(writer, data: bytes):
        if not writer.is_closing():
            writer.write(data)
