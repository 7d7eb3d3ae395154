"""A broker of two nodes: the agent is at the first one, its clients are at the second one."""

import itertools
from contextlib import closing

import pytest

from command_line import done
from console import Console
from controller import V5, V311
from page_socket import PageSocket
from proxy import Proxy
from retained import kept
from waiting import TIMEOUT

CAMERA = {"groups": ["outside"]}
_numbers = itertools.count(1)


@pytest.fixture
def agent(bench, nodes):
    """An agent with a name of its own: what an earlier one has retained does not count."""
    return bench.agent(nodes[0], name=f"porch-{next(_numbers)}", camera=CAMERA)


def controller_at(bench, node, agent, **options):
    return bench.controller(node, agent=agent.name, **options)


def found_at(node, agent) -> list[str]:
    """The topics of an agent whose retained messages a new client receives."""
    return sorted(topic for topic, _ in kept(node, f"v4l2mqtt/{agent.name}/#"))


@pytest.mark.parametrize("version", [V5, V311])
def test_states_commands_and_answers_cross(bench, nodes, agent, version):
    near, far = (controller_at(bench, node, agent, version=version) for node in nodes)
    for count, sender in enumerate([far, near], 3):
        answer = sender.obeyed("zoom", {"factor": count / 2})
        states = [each.state("zoom", lambda state: state["rev"] >= answer["rev"], since=0) for each in (near, far)]
        assert states[0] == states[1] and states[0]["factor"] == count / 2
    assert far.obeyed("capture", {"size": {"width": 64}})["photos"]


def test_the_will_crosses(bench, nodes, agent):
    far = controller_at(bench, nodes[1], agent)
    agent.kill()
    will = far.inbox.wait_for(f"{far.agent_topic}/availability", since=0)
    assert (will.json["state"], will.json["boot"]) == ("offline", 1)


@pytest.mark.parametrize("scope", ["agent", "camera", "group"])
def test_a_viewer_that_finds_nothing_asks_for_it(bench, nodes, agent, scope):
    expected = found_at(nodes[0], agent)
    assert f"v4l2mqtt/{agent.name}/door/zoom" in expected
    assert found_at(nodes[1], agent) == []
    viewer = controller_at(bench, nodes[1], agent, account=nodes[1].VIEWER)
    topic = {
        "agent": f"{viewer.agent_topic}/refresh/set", "camera": f"{viewer.camera_topic}/refresh/set",
        "group": "v4l2mqtt/groups/outside/refresh/set"}[scope]
    # The node has no right for this; so the answer to what follows is the first one.
    viewer.publish(viewer.topic("zoom/set"), b"2")
    assert viewer.obeyed("refresh", {}, topic=topic)["node"] == "refresh"
    for topic in expected:
        viewer.inbox.wait_for(topic, since=0)
    assert viewer.state("zoom")["factor"] == 1


def far_options(node, tmp_path) -> list[str]:
    """Options of `ctl` and of the console."""
    password = tmp_path / "password"
    password.write_text(node.password)
    password.chmod(0o600)
    return ["--host", "127.0.0.1", "--username", node.USERNAME, "--password-file", str(password)]


@pytest.mark.parametrize("command, expected", [
    (["zoom", "2"], "done"), (["zoom", "2", "--camera", "door"], "done"), (["controls"], "brightness"),
    (["list"], "Simulated camera")])
def test_ctl_finds_an_agent_at_the_other_node(nodes, agent, tmp_path, command, expected):
    assert found_at(nodes[1], agent) == []
    options = far_options(nodes[1], tmp_path)
    assert expected in done(*command, "--agent", agent.name, "--port", str(nodes[1].port), *options)


@pytest.mark.deep
def test_a_second_ctl_finds_what_was_just_published_for_the_first(nodes, agent, tmp_path):
    """An agent publishes everything again once in ten seconds. The second request waits for their end."""
    options = ["--agent", agent.name, "--port", str(nodes[1].port), *far_options(nodes[1], tmp_path)]
    assert "Simulated camera" in done("list", *options)
    assert done("zoom", "2", *options).startswith("done")


def assert_page_works(page, camera: str):
    page.send(open=[camera])
    page.wait_for("state", lambda state: state["camera"] == camera and state["node"] == "zoom")
    assert page.command("zoom", {"factor": 2}, camera)["status"] == "done"


@pytest.mark.deep
def test_a_console_that_reconnects_asks_for_the_agents_that_it_knew(bench, nodes, tmp_path):
    with Proxy(nodes[1]) as proxy, closing(
            Console(proxy, tmp_path / "console", *far_options(nodes[1], tmp_path)).start()) as console, \
            PageSocket(console) as page:
        agent = bench.agent(nodes[0], name=f"porch-{next(_numbers)}")
        camera = f"{agent.name}/door"
        page.wait_for("cameras", lambda cameras: cameras.get(camera, {}).get("online"))
        witness = controller_at(bench, nodes[1], agent)
        proxy.cut()
        page.wait_for("bus", lambda is_connected: not is_connected)
        page.texts.clear()
        proxy.restore()
        page.wait_for("bus", lambda is_connected: is_connected)
        witness.inbox.wait_for(f"{witness.agent_topic}/refresh/set", since=0)
        witness.inbox.wait_for(f"{witness.camera_topic}/info", since=0)
        assert_page_works(page, camera)
        assert not [text for text in page.texts if "cameras" in text and text["cameras"].get(camera, 0) is None]


@pytest.mark.deep
def test_a_page_shows_a_camera_at_the_other_node(nodes, agent, tmp_path):
    """The console hears of the agent when that renews its availability, after a minute at most."""
    options = far_options(nodes[1], tmp_path)
    with closing(Console(nodes[1], tmp_path / "console", *options).start()) as console, PageSocket(console) as page:
        camera = f"{agent.name}/door"
        page.wait_for("cameras", lambda cameras: cameras.get(camera, {}).get("online"), timeout=2 * TIMEOUT)
        assert_page_works(page, camera)
