"""`ctl forget`: what a broker retains of agents and cameras that are gone for good."""

import json

import paho.mqtt.client as paho
import pytest

from account_broker import AccountBroker, Client, served
from broker import HOST, Broker
from command_line import ctl, done, refused
from retained import kept
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")
DOCUMENT = "homeassistant/device/v4l2mqtt_door_AT_porch/config"


@pytest.fixture
def broker(tmp_path):
    made = Broker(tmp_path / "broker", persistence=True).start()
    yield made
    made.stop()


def retain(broker, topics):
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect(HOST, broker.port)
    client.loop_start()
    for topic in topics:
        client.publish(topic, b"{}", retain=True)
    last = client.publish("done", b"", qos=1)
    last.wait_for_publish(TIMEOUT)
    assert last.is_published(), "the broker did not take the messages"
    client.disconnect()
    client.loop_stop()


def topics(broker, *filters) -> set[str]:
    return {topic for topic, _ in kept(broker, *filters or ["#"])}


# With the rights of deploy/broker


def at(account: Client) -> list[str]:
    """The options that name the broker and the account."""
    files = account.files
    return ["--host", "localhost", "--port", str(account.port), "--ca-file", str(files / "ca.crt"),
            "--username", account.name, "--password-file", str(files / "password")]


def test_the_role_forgets_an_agent_and_no_other_role_does(tmp_path):
    broker = AccountBroker(tmp_path)
    broker.do("add", "porch", "--role", "agent", "--cameras", "door")
    for name, role in [("cleaner", "forget"), ("hall", "console"), ("kitchen", "controller"), ("home", "home-assistant")]:
        broker.do("add", name, "--role", role)
    with broker:
        cleaner, hall, kitchen, home = (Client(broker, name) for name in ("cleaner", "hall", "kitchen", "home"))

        def there() -> set[str]:
            return topics(home, "v4l2mqtt/#", "homeassistant/#")

        with served(broker, "porch", tmp_path / "agent") as agent:
            eventually(lambda: {DOCUMENT, "v4l2mqtt/porch/door/zoom"} <= there(), "the agent's states")
            assert refused("forget", "porch", *at(cleaner)) == "porch is online. Stop its agent before you forget it.\n"
            assert "porch is online with door" in refused("forget", "porch/door", *at(cleaner))
            ended = ctl("zoom", "2", *at(cleaner))
            assert ended.returncode == 1 and "2" not in ended.stdout, ended
            assert agent.stop() == 0
        before = there()
        assert {DOCUMENT, "v4l2mqtt/porch/availability", "v4l2mqtt/porch/door/desired"} <= before
        for other in (hall, kitchen):
            ended = ctl("forget", "porch", "--json", *at(other))
            assert ended.returncode == 1 and "the broker refuses to clear it: Not authorized" in ended.stderr
            assert json.loads(ended.stdout)["cleared"] == []
        assert there() == before
        cleared = json.loads(done("forget", "porch", "--json", *at(cleaner)))
        assert cleared == {"cleared": sorted(before), "left": []}
        assert there() == set()
        assert "There is no agent" in refused("forget", "porch", *at(cleaner))


# Among clients that retain what no agent does


def test_all_below_the_agent_is_cleared_and_nothing_beside_it(broker):
    own = {"v4l2mqtt/garden/info", "v4l2mqtt/garden/a/b/c/d/e/f", "v4l2mqtt/garden//", "v4l2mqtt/garden/x/zoom/set",
           "v4l2mqtt/garden/" + "x" * 65_000, "v4l2mqtt/garden/ü\u0301", "v4l2mqtt/garden/pond/zoom",
           "homeassistant/device/v4l2mqtt_pond_AT_garden/config"}
    others = {"v4l2mqtt/garden2/info", "v4l2mqtt/gardener", "v4l2mqtt/groups/garden/desired/set", "v4l2mqtt/fleet/config",
              "other/garden/info", "homeassistant/device/v4l2mqtt_pond_AT_garden2/config", "homeassistant/status"}
    retain(broker, own | others)
    printed = done("forget", "garden", "--port", str(broker.port)).splitlines()
    assert set(printed[:-1]) == own and printed[-1] == f"Retained messages of garden that are cleared: {len(own)}"
    assert topics(broker) == others


def test_a_camera_is_cleared_alone(broker):
    stays = {"v4l2mqtt/garden/availability", "v4l2mqtt/garden/ponds/zoom", "homeassistant/device/v4l2mqtt_ponds_AT_garden/config"}
    retain(broker, stays | {"v4l2mqtt/garden/pond/zoom", "homeassistant/device/v4l2mqtt_pond_AT_garden/config"})
    assert done("forget", "garden/pond", "--port", str(broker.port)).endswith("cleared: 2\n")
    assert topics(broker) == stays
    assert "The broker retains nothing of garden/pond." in refused("forget", "garden/pond", "--port", str(broker.port))
    assert "There is no agent shed; there is garden." in refused("forget", "shed", "--port", str(broker.port))


def test_more_than_a_broker_keeps_for_a_client_are_cleared(broker):
    retain(broker, [f"v4l2mqtt/garden/camera{number}/zoom" for number in range(10_000)] + ["v4l2mqtt/barn/info"])
    assert done("forget", "garden", "--port", str(broker.port)).endswith("cleared: 10000\n")
    assert topics(broker) == {"v4l2mqtt/barn/info"}


@pytest.mark.parametrize("name, message", [
    ("+", "without a pattern"), ("#", "without a pattern"), ("garden/+", "without a pattern"), ("garden/#", "without a pattern"),
    ("garden/pond/zoom", "without a pattern"), ("", "without a pattern"), ("garden/", "without a pattern"),
    ("g" * 65_536, "1 to 64"), ("groups", "groups is no agent"), ("fleet/config", "fleet is no agent"),
])
def test_what_is_no_name_is_wrong_usage(name, message):
    ended = ctl("forget", name, "--port", "1")
    assert ended.returncode == 64 and message in ended.stderr and ended.stdout == ""


@pytest.mark.parametrize("options", [["--group", "stage"], ["--agent", "hall"], ["--camera", "door"]])
def test_other_ways_to_select_are_wrong_usage(options):
    ended = ctl("forget", "garden", "--port", "1", *options)
    assert ended.returncode == 64 and "in the place of" in ended.stderr
    assert ctl("forget", "garden", "--port", "1", "--discovery", "a/#").returncode == 64
