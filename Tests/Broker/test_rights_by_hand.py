"""The lists of rights that the documents have for a broker that is set up by hand."""

import re
import threading
from contextlib import ExitStack
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from inbox import Inbox, Message
from waiting import TIMEOUT

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
#: The documents, and how many lists each has.
LISTS = {DEPLOY / "broker.md": 2, DEPLOY / "console/README.md": 1}
#: MQTT 5, 3.4.2.1: not authorized.
NOT_AUTHORIZED = 0x87
#: Accounts, and how the topics end on which they send commands.
ENDS = {
    "phone": ["set"], "manager": ["set"], "dashboard": ["set"], "kitchen": ["set/kitchen"],
    "console": ["set", "set/console"]}
EVERYONE = tuple(ENDS)

#: What is sent, and who may send it.
COMMANDS = {
    "v4l2mqtt/porch/door/zoom": ("phone", "kitchen", "console"),
    "v4l2mqtt/porch/door/desired": ("manager",),
    "v4l2mqtt/groups/outside/zoom": ("manager",),
    "v4l2mqtt/groups/outside/desired": ("manager",),
    "v4l2mqtt/porch/refresh": EVERYONE,
    "v4l2mqtt/porch/door/refresh": EVERYONE,
    "v4l2mqtt/groups/outside/refresh": ("manager", "dashboard"),
}
#: Other topics, and who may publish there.
TOPICS = {
    "v4l2mqtt/fleet/config": ("manager",),
    "v4l2mqtt/porch/door/zoom": ("porch",),
    "v4l2mqtt/porch/refresh/reply": ("porch",),
    "replies/phone/porch/refresh": ("porch",),
}


class Account:
    """A client with an account."""

    def __init__(self, broker, name: str):
        self.name, self.inbox = name, Inbox()
        self._reasons, self._published = {}, threading.Condition()
        self._subscribed = threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.on_connect = lambda client, *_: client.subscribe("replies/+/#", 1)
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = lambda client, data, message: self.inbox.put(Message.of(message))
        self._client.on_publish = self._note
        broker.admit(self._client, name)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert self._subscribed.wait(TIMEOUT)

    def _note(self, client, data, identifier, reason, properties):
        with self._published:
            self._reasons[identifier] = reason.value
            self._published.notify_all()

    def may_publish(self, topic: str) -> bool:
        identifier = self._client.publish(topic, b"{}", 1).mid
        with self._published:
            assert self._published.wait_for(lambda: identifier in self._reasons, TIMEOUT)
            return self._reasons[identifier] != NOT_AUTHORIZED

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture(scope="module")
def accounts(shared):
    rules = []
    for document, count in LISTS.items():
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(), re.M | re.S)
        found = [block for language, block in blocks if not language and re.search("^user ", block, re.M)]
        assert len(found) == count
        rules += found
    broker = shared.broker(rules="\n".join(rules))
    with ExitStack() as stack:
        yield {name: stack.enter_context(Account(broker, name)) for name in ("porch", *EVERYONE)}


def test_who_may_send_which_command(accounts):
    for topic, permitted in COMMANDS.items():
        for name, ends in ENDS.items():
            for end in ends:
                assert accounts[name].may_publish(f"{topic}/{end}") == (name in permitted), (name, topic, end)
            assert not accounts[name].may_publish(f"{topic}/set/other"), (name, topic)


def test_who_may_write_other_topics(accounts):
    for topic, permitted in TOPICS.items():
        for name, account in accounts.items():
            assert account.may_publish(topic) == (name in permitted), (name, topic)


@pytest.mark.parametrize("name", EVERYONE)
def test_each_reads_the_answers_to_itself(accounts, name):
    since = accounts[name].inbox.mark()
    for reader in ("other", name):
        assert accounts["porch"].may_publish(f"replies/{reader}/porch/refresh")
    accounts[name].inbox.wait_for(f"replies/{name}/porch/refresh", since=since)
    assert not accounts[name].inbox.all("replies/other/porch/refresh", since=since)
