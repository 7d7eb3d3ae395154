"""A way to a server on which all bytes take a time, as in a slow network."""

import asyncio
import socket
import threading

from broker import HOST, free_port


class DelayedWay:
    """Passes bytes between its own `port` and another one. Each arrives `delay` seconds after it was sent, in
    both directions; a slow reader is not waited for."""

    def __init__(self, port: int, delay: float):
        self.port, self._target, self._delay = free_port(), port, delay
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        listening = asyncio.start_server(self._accept, HOST, self.port)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result(10)

    def close(self):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self):
        self._server.close()
        links = asyncio.all_tasks() - {asyncio.current_task()}
        for link in links:
            link.cancel()
        await asyncio.gather(*links, return_exceptions=True)

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
