"""A site that shows the console's page in a frame. Below `PATH` it is also a proxy for the console, as the
ingress of Home Assistant is."""

import asyncio

from background_server import BackgroundServer
from broker import HOST

PATH = "/api/ingress/x7Hq/"
MAX_HEAD = 1 << 16


class FramingSite(BackgroundServer):
    """`/` frames the address that `shows` has got. Requests below `PATH` go to the console at the port that
    `passes_to` has got."""

    def __init__(self):
        self._framed, self._console_port = "about:blank", None
        super().__init__(limit=MAX_HEAD)

    def shows(self, framed: str):
        self._framed = framed

    def passes_to(self, console_port: int):
        self._console_port = console_port

    async def _accept(self, reader, writer):
        try:
            request, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
            method, path, version = request.split(" ")
            if self._console_port and path.startswith(PATH):
                await self._pass_on(f"{method} /{path[len(PATH):]} {version}", lines, reader, writer)
            else:
                self._answer(writer, path)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answer(self, writer, path: str):
        text = f'<!doctype html><title>Site</title><link rel="icon" href="data:,"><iframe width=380 height=800 src="{self._framed}"></iframe>'
        status = "200 OK" if path == "/" else "404 Not Found"
        body = text.encode() if path == "/" else b""
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
                     "Connection: close\r\n\r\n".encode() + body)

    async def _pass_on(self, request: str, lines: list[str], reader, writer):
        """One request for each connection, or the connection of a socket. The console sees a host of its own;
        that of the browser is in `X-Forwarded-Host`."""
        headers = [line.split(": ", 1) for line in lines]
        host = next(value for name, value in headers if name.lower() == "host")
        is_socket = any(name.lower() == "upgrade" for name, _ in headers)
        kept = [(name, value) for name, value in headers
                if name.lower() not in ("host", "connection") and not name.lower().startswith("x-forwarded-")]
        kept += [("Host", f"{HOST}:{self._console_port}"), ("Connection", "Upgrade" if is_socket else "close"),
                 ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "http"), ("X-Forwarded-For", HOST)]
        far_reader, far_writer = await asyncio.open_connection(HOST, self._console_port)
        try:
            far_writer.write("\r\n".join([request, *(f"{name}: {value}" for name, value in kept), "", ""]).encode())
            to_console = asyncio.create_task(self._copy(reader, far_writer))
            await self._copy(far_reader, writer)
            to_console.cancel()
        finally:
            far_writer.close()

    @staticmethod
    async def _copy(reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
