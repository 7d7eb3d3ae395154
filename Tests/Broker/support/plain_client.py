"""A client of MQTT 3.1.1 on a socket: a library could not keep up with a flood, and would read what comes."""

import socket

from broker import HOST
from hostile_broker import CONNECT, SUBSCRIBE, packet, text


def connected(broker, name: str) -> socket.socket:
    connection = socket.create_connection((HOST, broker.port))
    connection.sendall(packet(CONNECT, text("MQTT") + b"\x04\x02\0\0" + text(name)))
    assert connection.recv(4, socket.MSG_WAITALL) == b"\x20\x02\0\0", "the broker refuses the client"
    return connection


def subscribe(connection: socket.socket, topic: str):
    connection.sendall(packet(SUBSCRIBE, b"\0\1" + text(topic) + b"\0", 2))
    assert connection.recv(5, socket.MSG_WAITALL)[:1] == b"\x90"
