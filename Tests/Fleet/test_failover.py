"""A node of the broker is killed under load: agents, consoles and `ctl` go on at the other one.

`Tests/Benchmarks/run failover` has the times.
"""

import itertools
import socket
from contextlib import ExitStack, closing

import pytest

from broker import HOST, free_port
from command_line import done
from console import Console
from hostile_broker import HostileBroker
from page_socket import PageSocket
from retained import kept
from unanswered import Load
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.deep

_numbers = itertools.count(1)


def place(port: int) -> str:
    return f"{HOST}:{port}"


@pytest.fixture
def obstacles():
    """The hosts between both nodes, by their conduct: the port, and what the agent says of it."""
    with ExitStack() as made:
        full = made.enter_context(socket.socket())
        full.bind((HOST, 0))
        full.listen(0)
        # One connection fills the queue: the kernel drops all packets of further ones.
        made.enter_context(closing(socket.create_connection(full.getsockname())))
        silent = made.enter_context(HostileBroker(silent=True))
        yield {
            "refuses": (free_port(), "refuses the connection: Connection refused"),
            "drops packets": (full.getsockname()[1], "does not answer: no TCP connection after 1 s"),
            "is silent": (silent.port, "does not answer: no answer to CONNECT after 1 s")}


def agent_at(bench, nodes, *between: int):
    """An agent with a name of its own at the first node. Other hosts are listed before the second node."""
    hosts = [place(port) for port in (nodes[0].port, *between, nodes[1].port)]
    return bench.agent(
        nodes[0], name=f"hall-{next(_numbers)}", mqtt={"hosts": hosts, "connect_timeout_s": 1},
        limits={"commands_per_second": 1_000_000})


def states_at(node, agent) -> dict[str, str]:
    """What a new client receives, but for what the agent publishes from time to time."""
    found = dict(kept(node, f"v4l2mqtt/{agent.name}/#"))
    return {topic: payload for topic, payload in found.items() if not topic.endswith(("/diagnostics", "/availability"))}


@pytest.mark.parametrize("obstacle", [None, "refuses", "drops packets", "is silent"])
def test_an_agent_goes_on_at_the_other_node(bench, nodes, obstacles, obstacle):
    port, complaint = obstacles.get(obstacle, (None, None))
    agent = agent_at(bench, nodes, *([port] if port else []))
    far = bench.controller(nodes[1], agent=agent.name)
    before = far.zoom_to(2)
    load = Load(far)
    load.answered(100)
    mark = far.mark()
    nodes[0].kill()
    online = []

    def is_online():
        topic = f"{far.agent_topic}/availability"
        online[:] = [message for message in far.inbox.all(topic, since=mark) if message.json["state"] == "online"]
        return online

    load.run(is_online, "the agent at the other node")
    load.online_again()
    load.answered(100)
    unanswered = load.finish()
    # Each command has one answer, or it is known to have none: the answers to later ones have come.
    assert unanswered <= load.doubtful
    answered = list(load.answers)
    last = max((answered.index(command) for command in load.doubtful & load.answers.keys()), default=-1)
    assert not [command for command in answered[:last] if command not in load.doubtful]
    revisions = [load.answers[command]["rev"] for command in load.sent if command in load.answers]
    assert revisions == sorted(set(revisions)), "each was carried out once, in its order"
    after = far.settled(far.obeyed("zoom", {"factor": 3}))
    assert after["boot"] == before["boot"]
    carried_out = after["rev"] - before["rev"] - 1
    assert len(load.answers) <= carried_out <= len(load.sent)
    print(f"{len(load.sent)} commands, {len(unanswered)} unanswered, {carried_out - len(load.answers)} of these carried out")
    # One attempt with each host.
    if complaint:
        agent.logs(f"{place(port)}: {complaint}", 1)
    agent.logs("connected to", 2)
    # The node comes back: whoever connects there finds the same as at the other one.
    nodes[0].start()
    eventually(lambda: states_at(nodes[0], agent) == states_at(nodes[1], agent), "equal states")
    near = bench.controller(nodes[0], agent=agent.name)
    assert near.state("zoom", lambda zoom: zoom["rev"] == after["rev"], since=0)["factor"] == 3
    assert near.obeyed("zoom", {"factor": 4})["factor"] == 4


def test_ctl_and_a_console_go_on_at_the_other_node(bench, nodes, tmp_path):
    password = tmp_path / "password"
    password.write_text(nodes[0].password)
    password.chmod(0o600)
    options = [option for node in nodes for option in ("--host", place(node.port))]
    options += ["--username", nodes[0].USERNAME, "--password-file", str(password)]
    with closing(Console(nodes[0], tmp_path / "console", *options).start()) as console, PageSocket(console) as page:
        agent = bench.agent(nodes[1], name=f"hall-{next(_numbers)}")
        camera = f"{agent.name}/door"
        page.wait_for("cameras", lambda cameras: cameras.get(camera, {}).get("online"), timeout=2 * TIMEOUT)
        page.send(open=[camera])
        # The states are at the other node: the console has to ask for them.
        page.wait_for("state", lambda state: state["node"] == "zoom")
        assert page.command("zoom", {"factor": 2}, camera)["status"] == "done"
        page.texts.clear()
        nodes[0].kill()
        page.wait_for("bus", lambda is_connected: not is_connected)
        page.wait_for("bus", lambda is_connected: is_connected)
        # The other node may end the agent's connection for a moment: an order has an error then.
        eventually(
            lambda: page.command("zoom", {"factor": 3}, camera)["status"] == "done", "a zoom through the other node")
        page.wait_for("state", lambda state: state["node"] == "zoom" and state["payload"]["factor"] == 3)
    assert done("zoom", "4", "--agent", agent.name, *options).startswith("done")
