"""A server of a test, which runs on a thread of its own."""

import asyncio
import threading

from broker import HOST, free_port


class BackgroundServer:
    """Listens at `port`; `_accept` of a subclass serves each connection."""

    def __init__(self, **options):
        self.port = free_port()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        listening = asyncio.start_server(self._accept, HOST, self.port, **options)
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
        raise NotImplementedError
