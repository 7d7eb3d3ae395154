"""A retained command would be obeyed again and again: it never moves the camera at a start.

`Tests/MQTTFrontEndTests/CommandRouterTests.swift` has the tests that are marked deep here, in virtual time
and without a broker.
"""

import pytest

from controller import V5, V311


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.mark.parametrize("version", [V5, V311], ids=["from 5", "from 3.1.1"])
@pytest.mark.parametrize("node, body", [
    ("zoom", {"factor": 5}), *(pytest.param(node, body, marks=pytest.mark.deep) for node, body in [
        ("pinch", {"gesture": "g", "phase": "began"}), ("capture", {}), ("controls", {"brightness": 1}),
        ("viewport", {"by": {"dx": 1}}), ("lease", {"take": True, "client": "c"}),
        ("touch", {"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]})]),
])
def test_a_retained_command_is_refused_as_stale(bench, broker, version, node, body):
    bench.agent(broker)
    controller = bench.controller(broker, version=version)
    before = controller.zoom_to(2)
    controller.refused(node, body, "stale", retain=True)
    controller.stop_retaining(controller.topic(f"{node}/set"))
    assert controller.obeyed("zoom", {"stop": True})["factor"] == before["factor"]
    assert controller.state("capture", since=0)["counter"] == 0
    assert controller.state("controls", since=0)["values"]["brightness"] == 128


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_a_retained_command_that_waits_for_the_agent_does_not_move_the_camera(bench, broker, protocol):
    controller = bench.controller(broker, version=V311)
    waiting = controller.send("zoom", {"factor": 5}, retain=True)
    bench.agent(broker, mqtt={"protocol": protocol})
    assert waiting.answer()["error"]["code"] == "stale"
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 1


def test_a_retained_command_does_not_move_the_camera_again_after_a_restart_on_3_1_1(bench, broker):
    agent = bench.agent(broker, mqtt={"protocol": "3.1.1"})
    controller = bench.controller(broker, version=V311)
    # On 3.1.1 the broker hides the flag from those who are subscribed already, so it is obeyed this once.
    controller.obeyed("zoom", {"factor": 5}, retain=True)
    controller.zoom_to(2)
    agent.stop()
    since = controller.mark()
    agent.start()
    restored = controller.state("zoom", since=since)
    assert restored["factor"] == 2
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 2
