#!/usr/bin/env python3
"""A proxy before a broker, which breaks the protocol of MQTT once. It runs in the guest, without the other
modules of the tests.

    breaking_proxy.py PORT BROKER TEXT

It listens on PORT of loopback and passes the packets of the port BROKER on, in both directions. The first
packet that contains TEXT is followed by one to the client that is malformed: it has a property that MQTT 5
does not have (2.2.2.2). Each line that it prints has what happened and the seconds of the monotonic clock:
`connected` (a CONNECT came), `broken`.
"""

import socket
import sys
import threading
import time

HOST = "127.0.0.1"
CONNECT = 1
#: A PUBLISH on the topic `a`, with the property 0x7f.
MALFORMED = b"\x30\x06\0\1a\2\x7f\0"


def note(event: str):
    print(event, time.monotonic(), flush=True)


class Proxy:
    def __init__(self, port: int, broker: int, text: bytes):
        self._broker, self._text, self._lock = broker, text, threading.Lock()
        with socket.create_server((HOST, port)) as listener:
            while True:
                self._connect(listener.accept()[0])

    def _connect(self, client: socket.socket):
        broker = socket.create_connection((HOST, self._broker))
        for side in (client, broker):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, target in ((client, broker), (broker, client)):
            threading.Thread(target=self._pass_on, args=[source, target, client], daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, client: socket.socket):
        try:
            stream = source.makefile("rb")
            while packet := self._packet(stream):
                with self._lock:
                    if packet[0] >> 4 == CONNECT:
                        note("connected")
                    target.sendall(packet)
                    if self._text and self._text in packet:
                        self._text = b""
                        note("broken")
                        client.sendall(MALFORMED)
        except OSError:
            pass
        for side in (client, target, source):
            side.close()

    @staticmethod
    def _packet(stream) -> bytes:
        """The next one; empty at the end of the connection."""
        head, length, shift = stream.read(1), 0, 0
        while head:
            digit = stream.read(1)
            if not digit:
                return b""
            head += digit
            length |= (digit[0] & 0x7F) << shift
            shift += 7
            if digit[0] < 0x80:
                return head + stream.read(length)
        return b""


Proxy(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode())
