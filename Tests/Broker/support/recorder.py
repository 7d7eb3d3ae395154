"""Holds every message that passes a broker against `schemas/`."""

import itertools
import re
import threading
import time

import paho.mqtt.client as paho
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller import without_delay
from inbox import Message
from judge import Judge
from waiting import TIMEOUT

_numbers = itertools.count(1)


class Recorder:
    """A client that receives everything, for a `Judge`."""

    def __init__(self, broker, base="v4l2mqtt"):
        self._base, self._judge = base, Judge(base)
        self._ready, self._flushed = threading.Event(), threading.Event()
        self._request = b""
        # A broker may have two, for two base topics.
        name = f"recorder-{next(_numbers)}"
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, name, protocol=paho.MQTTv5)
        self._client.on_connect = self._subscribe
        self._client.on_subscribe = lambda *_: self._ready.set()
        self._client.on_message = lambda client, data, message: self._receive(Message.of(message))
        self._client.on_socket_open = without_delay
        self._client.reconnect_delay_set(min_delay=0.1, max_delay=1)
        broker.admit(self._client)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert self._ready.wait(TIMEOUT), "the recorder could not subscribe"

    def _subscribe(self, client, *_):
        # The retain flag and the QoS are to be seen as the agent sent them.
        options = SubscribeOptions(qos=2, retainAsPublished=True)
        client.subscribe([(topic, options) for topic in (f"{self._base}/#", "replies/#", "recorder")])

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def flush(self):
        """Returns when everything that the broker has taken so far is judged: it keeps the order.

        A broker that has just restarted may take the request before the subscription: then nothing comes
        back, and the request is repeated.
        """
        self._flushed.clear()
        self._request = str(next(_numbers)).encode()
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            self._client.publish("recorder", self._request, 1)
            if self._flushed.wait(1):
                return
        raise AssertionError("the recorder lost its broker")

    def _receive(self, message: Message):
        try:
            if message.topic == "recorder":
                if message.payload == self._request:  # an earlier one may have been repeated
                    self._flushed.set()
            elif message.topic.startswith("replies/"):
                self._judge.response(message)
            elif re.search("/set(/[^/]*)?$", message.topic):
                self._judge.command(message)
            elif message.topic == f"{self._base}/fleet/config":
                pass  # of a fleet manager, which may be wrong: the agent reports it
            else:
                self._judge.publication(message)
        except Exception as error:  # paho would swallow it, and with it the failure of the test
            self.objections.append(f"{message.topic}: the recorder failed: {error!r}")

    @property
    def objections(self) -> list[str]:
        return self._judge.objections

    @objections.setter
    def objections(self, objections: list[str]):
        self._judge.objections = objections

    @property
    def judged(self) -> int:
        """How many messages were judged."""
        return self._judge.judged
