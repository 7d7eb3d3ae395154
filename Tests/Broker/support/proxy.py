"""A way to the broker that can be cut, or fall silent, as a network does."""

import asyncio
import socket
import threading

from broker import HOST, free_port
from waiting import TIMEOUT


class Proxy:
    """Passes bytes between its own `port` and the broker's.

    An agent that is to come through it gets `mqtt={"port": proxy.port}`.
    """

    def __init__(self, broker):
        self.port, self._broker = free_port(), broker
        self._links: set[_Link] = set()
        self._loop, self._server = asyncio.new_event_loop(), None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.restore()

    def cut(self):
        """Closes every connection, and takes no new one before `mend`."""
        self._run(self._cut())

    def restore(self):
        self._run(self._listen())

    def stall(self, *, to_agent_only=False):
        """From now on nothing passes the open connections, and neither side is notified: they are half-open.

        New connections pass. `to_agent_only`: what the agent sends still arrives, but it gets no
        acknowledgement.
        """
        self._run(self._each(lambda link: link.stall(to_agent_only)))

    def resume(self):
        """What was held back arrives, in its order, as TCP would send it again."""
        self._run(self._each(_Link.resume))

    def close(self):
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(TIMEOUT)

    async def _listen(self):
        self._server = await asyncio.start_server(self._accept, HOST, self.port)

    async def _cut(self):
        if self._server:
            self._server.close()
        await self._each(_Link.close)

    async def _each(self, act):
        for link in list(self._links):
            act(link)

    async def _accept(self, agent_reader, agent_writer):
        try:
            broker_reader, broker_writer = await asyncio.open_connection(HOST, self._broker.port)
        except OSError:
            agent_writer.close()
            return
        link = _Link((agent_reader, broker_writer), (broker_reader, agent_writer))
        self._links.add(link)
        await link.pass_on()
        self._links.discard(link)


class _Link:
    """One connection: two directions, each of which can be held."""

    def __init__(self, from_agent, to_agent):
        self._ways = [from_agent, to_agent]
        self._open = [asyncio.Event(), asyncio.Event()]
        for _, writer in self._ways:
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.resume()

    def stall(self, to_agent_only):
        for event in self._open[1:] if to_agent_only else self._open:
            event.clear()

    def resume(self):
        for event in self._open:
            event.set()

    def close(self):
        self.resume()
        for _, writer in self._ways:
            writer.transport.abort()

    async def pass_on(self):
        await asyncio.gather(*(self._pump(*way, event) for way, event in zip(self._ways, self._open)))

    async def _pump(self, reader, writer, is_open):
        try:
            while data := await reader.read(65536):
                await is_open.wait()  # the end of a connection is held back too
                writer.write(data)
                await writer.drain()
            await is_open.wait()
        except ConnectionError:
            pass
        writer.close()
