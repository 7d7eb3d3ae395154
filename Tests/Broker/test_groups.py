"""One command for several cameras: each takes it and answers it as if it were its own.

`Tests/MQTTFrontEndTests/GroupTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import pytest

from controller import V5, V311
from inbox import Message

GROUP = "v4l2mqtt/groups/outside"


def camera(name, *groups, **more) -> dict:
    return {"id": name, "source": "simulated", "groups": list(groups), "simulated": {"optical_max": 2}, **more}


@pytest.fixture(scope="module")
def agent(shared, broker):
    """Three cameras, two of them outside."""
    cameras = [camera("door", "outside", "all"), camera("yard", "outside", zoom={"max": 4}), camera("hall", "all")]
    return shared.agent(broker, cameras=cameras)


@pytest.fixture(params=[V5, V311], ids=["5", "3.1.1"])
def everywhere(request, connect):
    """One controller for each camera, by name; all zooms are at 1."""
    controllers = {name: connect(camera=name, version=request.param) for name in ("door", "yard", "hall")}
    for controller in controllers.values():
        controller.zoom_to(1)
    return controllers


def answers(everywhere, node, body, count=2, **how) -> dict[str, dict]:
    """The last answer of each camera to a command that goes to its group."""
    sender = everywhere["door"]
    since = sender.mark()
    pending = sender.send(node, body, topic=f"{GROUP}/{node}/set", **how)
    if sender.version == V5:
        found = [pending.result() for _ in range(count)]
    else:
        def is_it(message: Message) -> bool:
            return message.json.get("id") == pending.identity and message.json["status"] != "accepted"
        names = ("door", "yard")[:count]
        found = [sender.inbox.wait_for(everywhere[name].topic(f"{node}/reply"), is_it, since=since).json for name in names]
    return {answer["camera"]: answer for answer in found}


def test_each_camera_of_the_group_executes_and_answers(everywhere):
    replies = answers(everywhere, "zoom", {"factor": 3})
    assert {name: (answer["status"], answer["node"]) for name, answer in replies.items()} == {
        "door": ("done", "zoom"), "yard": ("done", "zoom")}
    for name, answer in replies.items():
        assert everywhere[name].settled(answer)["factor"] == 3
    assert everywhere["hall"].obeyed("zoom", {"stop": True})["factor"] == 1, "a camera of another group took it"


@pytest.mark.deep
def test_each_camera_answers_on_its_own_reply_topic(everywhere):
    replies = answers(everywhere, "zoom", {"factor": 6})
    assert (replies["door"]["factor"], replies["yard"]["factor"]) == (6, 4)
    assert "clamped" not in replies["door"] and replies["yard"]["clamped"] is True


@pytest.mark.deep
def test_one_camera_refuses_and_the_other_executes(everywhere):
    lender = everywhere["yard"]
    lender.obeyed("lease", {"take": True, "client": "yard-desk"})
    replies = answers(everywhere, "zoom", {"factor": 2, "client": "phone"})
    lender.obeyed("lease", {"release": True, "client": "yard-desk"})
    assert (replies["door"]["status"], replies["yard"]["error"]["code"]) == ("done", "held")


@pytest.mark.deep
@pytest.mark.parametrize("node, body", [
    ("pinch", {"gesture": "g", "phase": "ended"}), ("viewport", {"by": {"dx": 0.1}}), ("controls", {"brightness": 100}),
    ("capture", {"size": {"width": 64}}), ("lease", {"release": True}), ("desired", {"version": 1, "zoom": {"factor": 1}}),
    ("touch", {"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "ended"}]}),
])
def test_every_node_takes_the_commands_of_a_group(everywhere, node, body):
    replies = answers(everywhere, node, body)
    assert {name: answer["status"] for name, answer in replies.items()} == {"door": "done", "yard": "done"}


@pytest.mark.deep
def test_a_wrong_command_is_refused_by_each(everywhere):
    replies = answers(everywhere, "zoom", {"factor": 0})
    assert {answer["error"]["code"] for answer in replies.values()} == {"bad_payload"} and len(replies) == 2


@pytest.mark.deep
def test_a_retained_command_is_refused_by_each(bench):
    broker = bench.broker()
    cameras = [camera("door", "outside"), camera("yard", "outside")]
    bench.agent(broker, cameras=cameras)
    everywhere = {name: bench.controller(broker, camera=name) for name in ("door", "yard")}
    replies = answers(everywhere, "zoom", {"factor": 3}, retain=True)
    assert {answer["error"]["code"] for answer in replies.values()} == {"stale"} and len(replies) == 2


@pytest.mark.deep
def test_unknown_node_is_answered(connect):
    controller = connect()
    pending = controller.send("nosuch", {}, topic=f"{GROUP}/nosuch/set")
    controller.obeyed("zoom", {"stop": True})  # later than it, so it is answered before
    assert pending.answer()["error"]["code"] == "bad_topic"


def test_a_group_reaches_over_several_agents(bench):
    broker = bench.broker()
    for name in ("porch", "garden"):
        bench.agent(broker, name=name, camera={"groups": ["outside"]})
    controllers = [bench.controller(broker, agent=name) for name in ("porch", "garden")]
    pending = controllers[0].send("zoom", {"factor": 4}, topic=f"{GROUP}/zoom/set")
    assert [pending.result()["factor"] for _ in range(2)] == [4, 4]
    for controller in controllers:
        controller.state("zoom", lambda state: state["factor"] == 4)
        assert controller.state("info")["groups"] == ["outside"]
