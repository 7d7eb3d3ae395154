"""Proved clients: an ACL with a section for each account, and accounts that try to be others."""

import json
from contextlib import ExitStack, closing

import pytest

from command_line import ctl
from controller import V311, V5
from example_controller import Zoom
from home_assistant_client import HomeAssistantClient
from simulated_scene import near
from waiting import eventually

# A `pattern` line would apply to every account. Mallory is an account with too many rights.
RULES = """
user porch
topic readwrite v4l2mqtt/porch/#
topic read v4l2mqtt/groups/#
topic write replies/#
topic readwrite homeassistant/#

user kitchen
topic read v4l2mqtt/#
topic write v4l2mqtt/porch/+/+/set/kitchen
topic write v4l2mqtt/groups/all/+/set/kitchen
topic read replies/kitchen/#

user garden
topic read v4l2mqtt/#
topic write v4l2mqtt/porch/+/+/set/garden
topic read replies/garden/#

user mallory
topic read v4l2mqtt/#
topic write v4l2mqtt/porch/+/+/set
topic write v4l2mqtt/porch/+/+/set/mallory
topic read replies/mallory/#

user console
topic read v4l2mqtt/#
topic write v4l2mqtt/porch/+/+/set/console
topic read replies/console/#

user fleet
topic read v4l2mqtt/#
topic write v4l2mqtt/porch/+/desired/set/fleet
topic read replies/fleet/#

user homeassistant
topic readwrite homeassistant/#
topic read v4l2mqtt/#
topic write v4l2mqtt/+/+/+/set/homeassistant

user ctl
topic read v4l2mqtt/#
topic write v4l2mqtt/porch/+/+/set/ctl
topic read replies/ctl/#
"""


@pytest.fixture(scope="module")
def broker(shared):
    return shared.broker(rules=RULES)


@pytest.fixture(scope="module", params=["5", "3.1.1"])
def agent(request, shared, broker):
    agent = shared.agent(
        broker, camera={"groups": ["all"]}, mqtt={"protocol": request.param},
        clients={"mode": "proved", "delegates": ["console"]})
    yield agent
    agent.stop()
    shared.agents.remove(agent)


@pytest.fixture
def join(connect, agent):
    """Connects an account. An agent on 3.1.1 sees no response topics: it answers as to clients on 3.1.1."""
    only = V5 if agent.configuration["mqtt"]["protocol"] == "5" else V311
    return lambda account, version=only: connect(account=account, version=version)


@pytest.fixture
def kitchen(join):
    kitchen = join("kitchen")
    kitchen.zoom_to(1)
    yield kitchen
    kitchen.command("lease", {"release": True})


def test_a_client_is_the_account_of_its_topic(kitchen):
    answer = kitchen.obeyed("zoom", {"factor": 2, "id": "k-1"})
    assert answer["client"] == "kitchen"
    state = kitchen.settled(answer)
    assert state["origin"] == {"client": "kitchen", "proved": True, "id": "k-1", "kind": "command"}
    assert kitchen.state("info")["clients"] == "proved"


def test_the_broker_stops_a_publication_in_the_name_of_another_account(kitchen, join):
    garden = join("garden")
    kitchen.obeyed("lease", {"take": True})
    since = kitchen.mark()
    for topic in ("zoom/set/kitchen", "zoom/set", "lease/set/kitchen"):
        garden.send("zoom", {"factor": 7, "force": True}, topic=garden.topic(topic))
    # The broker handles the publications of a connection in their order.
    garden.refused("zoom", {"factor": 7}, "held")
    assert kitchen.obeyed("zoom", {"by": 1})["factor"] == 1
    refusals = [state for state in kitchen.states("event", since) if state["event"] == "refused"]
    assert [event["client"] for event in refusals] == ["garden"]


def test_a_command_without_a_proved_client_is_refused(kitchen, join):
    mallory, since = join("mallory"), kitchen.mark()
    kitchen.obeyed("lease", {"take": True})
    for node, body in (("zoom", {"factor": 7}), ("lease", {"release": True}), ("lease", {"take": True, "force": True})):
        identity = f"as-kitchen-{node}-{len(body)}"
        mallory.send(
            node, {**body, "client": "kitchen", "id": identity}, topic=mallory.topic(f"{node}/set"),
            response_topic="replies/kitchen/fake")
        answer = kitchen.inbox.wait_for(
            kitchen.topic(f"{node}/reply"), lambda message: message.json.get("id") == identity, since=since).json
        assert (answer["status"], answer["error"]["code"]) == ("error", "unproved")
    assert kitchen.state("lease")["client"] == "kitchen"
    assert kitchen.obeyed("zoom", {"by": 1})["factor"] == 1
    assert not kitchen.inbox.all("replies/kitchen/fake")


def test_answers_of_an_account_go_to_no_other(kitchen, join):
    garden = join("garden")
    since = kitchen.mark()
    garden.send("zoom", {"factor": 2, "id": "g-1"}, response_topic=kitchen.response_topic)
    if garden.version == V5:
        garden.inbox.wait_for(
            "replies/garden/porch/door/zoom", lambda message: message.json["error"]["code"] == "bad_topic")
    else:
        garden.inbox.wait_for("replies/garden/porch/door/zoom", lambda message: message.json["status"] == "done")
    garden.obeyed("zoom", {"factor": 1})
    kitchen.obeyed("zoom", {"by": 1})
    # The broker would not let it read the other's, and the agent sent no answer of the other here.
    assert not kitchen.inbox.all("replies/garden/porch/door/zoom", since)
    for topic in (kitchen.response_topic, "replies/kitchen/porch/door/zoom"):
        assert {message.json["client"] for message in kitchen.inbox.all(topic, since)} <= {"kitchen"}


def test_a_client_on_3_1_1_gets_its_answers_below_its_name(join):
    older = join("garden", V311)
    answer = older.obeyed("zoom", {"factor": 2})
    assert (answer["client"], answer["camera"], answer["node"]) == ("garden", "door", "zoom")
    older.refused("zoom", {"factor": -1}, "bad_payload", "factor")
    older.refused("nosuch", {"factor": 1}, "bad_topic")


def test_a_delegate_speaks_for_others(kitchen, join):
    console = join("console")
    console.obeyed("lease", {"take": True, "client": "kitchen"})
    assert kitchen.state("lease", lambda state: state is not None)["client"] == "console/kitchen"
    kitchen.refused("zoom", {"factor": 2}, "held")
    console.refused("zoom", {"factor": 2, "client": "hall"}, "held")
    state = console.settled(console.obeyed("zoom", {"factor": 2, "client": "kitchen", "id": "c-1"}))
    assert state["origin"] == {"client": "console/kitchen", "proved": True, "id": "c-1", "kind": "command"}
    console.obeyed("lease", {"release": True, "client": "kitchen"})


def test_a_group_takes_the_commands_of_an_account(kitchen, join):
    answer = kitchen.obeyed("zoom", {"factor": 3}, topic="v4l2mqtt/groups/all/zoom/set/kitchen")
    assert kitchen.settled(answer)["origin"]["client"] == "kitchen"


def test_a_desired_state_may_be_retained(agent, kitchen, join):
    fleet = join("fleet")
    topic = fleet.topic("desired/set/fleet")
    version = (kitchen.state("desired") or {"version": 0})["version"] + 1
    agent.stop()
    since = kitchen.mark()
    fleet.publish(topic, json.dumps({"version": version, "zoom": {"factor": 4}, "id": "d"}).encode(), retain=True)
    agent.start()
    state = kitchen.state("zoom", lambda state: state["factor"] == 4 and state["origin"]["kind"] == "desired", since=since)
    assert (state["origin"]["client"], state["origin"]["proved"]) == ("fleet", True)
    fleet.stop_retaining(topic)


def test_home_assistant_commands_as_its_account(kitchen, broker):
    with HomeAssistantClient(broker, account="homeassistant") as home_assistant:
        home_assistant.awaits_available("zoom")
        home_assistant.sets("zoom", 2.5)
        home_assistant.awaits("zoom", "2.5")
    state = kitchen.state("zoom", lambda state: state["factor"] == 2.5)
    assert (state["origin"]["client"], state["origin"]["proved"]) == ("homeassistant", True)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_ctl_commands_as_its_account(kitchen, broker, tmp_path, protocol):
    password = tmp_path / "password"
    password.write_text("ctl\n")
    ended = ctl(
        "zoom", "3.5", "--host", "127.0.0.1", "--port", str(broker.port), "--agent", "porch", "--username", "ctl",
        "--password-file", str(password), "--protocol", protocol)
    assert (ended.returncode, ended.stderr) == (0, "")
    state = kitchen.state("zoom", lambda state: state["factor"] == 3.5)
    assert (state["origin"]["client"], state["origin"]["proved"]) == ("ctl", True)


def test_the_example_controller_commands_as_its_account(kitchen, broker):
    # Each run has other ids: the second command of this account is no repetition of the first.
    for factor in (2, 2.5):
        the_example_zooms_to(factor, kitchen, broker)
    assert kitchen.state("zoom", lambda state: state["factor"] == near(2.5))["origin"]["proved"] is True


def the_example_zooms_to(factor, kitchen, broker):
    seen = []
    with ExitStack() as made:
        zoom = made.enter_context(closing(Zoom(
            kitchen.camera_topic, port=broker.port, account="garden", password="garden",
            changed=lambda state, is_mine: seen.append((state["factor"], is_mine)))))
        eventually(lambda: zoom.shown, "the first state")
        zoom.zoom(factor)
        eventually(lambda: (factor, True) in seen, "its own change")
