"""What a broker keeps, as a client sees it that was not there before."""

import threading

import paho.mqtt.client as paho

from waiting import TIMEOUT


def kept_messages(broker, *filters: str, account: str | None = None) -> list[paho.MQTTMessage]:
    """The retained messages of all topics that the account may read."""
    found, acknowledged = [], threading.Semaphore(0)
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.on_message = lambda _client, _data, message: found.append(message)
    client.on_subscribe = lambda *_: acknowledged.release()
    broker.admit(client, account)
    client.connect("localhost", broker.port)
    client.loop_start()
    # A broker carries out one subscription after the other: the second is acknowledged when all messages of
    # the first have been sent.
    client.subscribe([(topic, 0) for topic in filters])
    client.subscribe("the/end")
    for _ in range(2):
        assert acknowledged.acquire(timeout=TIMEOUT), "the broker acknowledges no subscription"
    client.disconnect()
    client.loop_stop()
    return [message for message in found if message.retain]


def kept(broker, *filters: str, account: str | None = None) -> list[list[str]]:
    """The topics of the retained messages, and their payloads as hexadecimal digits."""
    return [[message.topic, message.payload.hex()] for message in kept_messages(broker, *filters, account=account)]
