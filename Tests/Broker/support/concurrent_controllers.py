"""Many controllers in one thread: each sends a sequence of commands, and keeps the newest state of the
zoom."""

import heapq
import itertools
import json
import random
import selectors
import socket
import threading
import time

import paho.mqtt.client as paho

from controller import without_delay
from waiting import TIMEOUT, eventually

#: What a sequence yields instead of a command, for a phone that is out of reach from one moment to the next.
VANISH = object()
#: A slow one looks at what came only this often, in seconds.
SLOW = 0.4
ZOOM = "v4l2mqtt/porch/door/zoom"


class ConcurrentController:
    """One controller.

    Its sequence yields `(pause in seconds, node, command)`, or `(pause, VANISH, None)`: the connection breaks
    without a word, and is there again after the pause.
    """

    def __init__(self, broker, number: int, sequence, *, is_slow=False):
        self.name, self.is_slow, self._broker, self._sequence = f"{sequence.__name__}-{number}", is_slow, broker, sequence
        self.newest: dict | None = None
        self.went_back: list[tuple[int, int]] = []
        self.sent = self.received = self.connections = 0
        self._steps = sequence(self.name, random.Random(number))
        self.connect()

    def connect(self):
        self.client = client = paho.Client(
            paho.CallbackAPIVersion.VERSION2, self.name, protocol=paho.MQTTv311, clean_session=True)
        client.on_connect = lambda client, *_: client.subscribe(ZOOM, 1)
        client.on_message = self._receive
        client.on_socket_open = without_delay
        client.connect("127.0.0.1", self._broker.port)
        self.connections += 1

    def _receive(self, client, data, message):
        state = json.loads(message.payload)
        if self.newest and state["rev"] < self.newest["rev"]:
            self.went_back.append((self.newest["rev"], state["rev"]))
        self.newest = state
        self.received += 1

    def vanish(self):
        self.client.socket().shutdown(socket.SHUT_RDWR)

    def step(self):
        """Does the next thing of the sequence. Returns the pause after it, and whether it vanished."""
        pause, node, command = next(self._steps)
        if node is VANISH:
            return pause, True
        command.setdefault("client", self.name)
        self.client.publish(f"v4l2mqtt/porch/door/{node}/set", json.dumps(command), qos=self.sent % 2)
        self.sent += 1
        return pause, False


class ControllerGroup:
    """Sends all sequences at the same time for `play(seconds)`, then goes on receiving until it is closed."""

    def __init__(self, members: list[ConcurrentController]):
        self.members = members
        self._selector = selectors.DefaultSelector()
        self._order = itertools.count()
        self._due = []
        for member in members:
            self._watch(member)
        self._playing, self._open = True, True
        self.worst_delay = 0.0
        self._thread = threading.Thread(target=self._run, daemon=True)

    def run(self, seconds: float, until=lambda: True):
        """Sends for so long, and on until `until()` is true."""
        now = time.monotonic()
        for number, member in enumerate(self.members):
            self._at(now + number / len(self.members), self._step, member)
            self._at(now + 1, self._maintain, member)
        self._thread.start()
        self._thread.join(seconds)
        assert self._thread.is_alive(), "the thread of the controllers ended"
        eventually(until, "each controller to have done its part")
        self._playing = False

    def close(self):
        self._open = False
        self._thread.join(TIMEOUT)
        for member in self.members:
            member.client.disconnect()

    def _at(self, when, act, member):
        heapq.heappush(self._due, (when, next(self._order), act, member))

    def _watch(self, member):
        if not member.is_slow:
            self._selector.register(member.client.socket(), selectors.EVENT_READ, member)

    def _run(self):
        while self._open:
            wait = self._due[0][0] - time.monotonic() if self._due else 0.1
            for key, _ in self._selector.select(max(0, min(wait, 0.1))):
                self._read(key.data)
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                when, _, act, member = heapq.heappop(self._due)
                act(member, when)

    def _read(self, member):
        code = member.client.loop_read()
        assert code == paho.MQTT_ERR_SUCCESS, f"{member.name}: {paho.error_string(code)}"
        if member.client.want_write():
            member.client.loop_write()

    def _step(self, member, when):
        if not self._playing:
            return  # in the middle of a gesture as it may be
        self.worst_delay = max(self.worst_delay, time.monotonic() - when)
        pause, vanished = member.step()
        if vanished:
            if not member.is_slow:
                self._selector.unregister(member.client.socket())
            member.vanish()
            self._at(when + pause, self._return, member)
        else:
            self._at(max(when + pause, time.monotonic() - 0.1), self._step, member)

    def _return(self, member, when):
        member.connect()
        self._watch(member)
        self._at(when + 0.2, self._step, member)

    def _maintain(self, member, when):
        """Keep-alive for all; for the slow ones, everything."""
        if member.client.socket():
            member.client.loop_misc()
            if member.is_slow:
                self._drain(member)
        self._at(when + (SLOW if member.is_slow else 1), self._maintain, member)

    def _drain(self, member):
        with selectors.SelectSelector() as selector:
            selector.register(member.client.socket(), selectors.EVENT_READ)
            while selector.select(0):
                self._read(member)
