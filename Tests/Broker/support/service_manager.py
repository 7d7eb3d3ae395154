"""The service manager of an agent."""

import socket

from waiting import TIMEOUT


class Manager:
    """The other end of sd_notify(3)."""

    def __init__(self, address: str):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(TIMEOUT)

    def until(self, beginning: str) -> str:
        while not (line := self.socket.recv(4096).decode()).startswith(beginning):
            pass
        return line
