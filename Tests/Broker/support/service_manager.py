"""The service manager of an agent."""

import socket

from waiting import TIMEOUT


class Manager:
    """The other end of sd_notify(3): the messages in their order. `@` begins an abstract address."""

    def __init__(self, address: str):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address.replace("@", "\0", 1) if address.startswith("@") else address)
        self.socket.settimeout(TIMEOUT)

    def next(self) -> list[str]:
        return self.socket.recv(4096).decode().split("\n")

    def until(self, beginning: str) -> str:
        while not (line := self.next()[0]).startswith(beginning):
            pass
        return line
