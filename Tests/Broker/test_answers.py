"""Every command is answered, on both protocols, and the answer identifies its command.

The rules are tested in `Tests/CameraCoreTests` and `Tests/MQTTFrontEndTests`, in virtual time.
"""

import pytest

from controller import V5, V311

GROUP = "v4l2mqtt/groups/outside"


@pytest.fixture(params=[V5, V311], ids=["5", "3.1.1"])
def mqtt_client(request, connect):
    """A controller on either protocol, with the zoom at 1."""
    controller = connect(version=request.param)
    controller.zoom_to(1)
    return controller


def test_answer_has_the_result_of_the_command(mqtt_client):
    answer = mqtt_client.obeyed("zoom", {"factor": 3, "id": f"{mqtt_client.name}-x", "client": "tablet"})
    assert (answer["id"], answer["client"]) == (f"{mqtt_client.name}-x", "tablet")
    assert (answer["camera"], answer["node"], answer["status"]) == ("door", "zoom", "done")
    assert (answer["factor"], answer["target"]) == (3, 3)
    state = mqtt_client.settled(answer)
    assert (answer["rev"], answer["boot"]) == (state["rev"], state["boot"])


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_commands_are_accepted_at_any_qos(mqtt_client, qos):
    assert mqtt_client.obeyed("zoom", {"factor": 2}, qos=qos)["factor"] == 2


@pytest.mark.parametrize("topic", ["nosuch/zoom/set", "door//set", "door/set"])
def test_bad_topic_is_answered(mqtt_client, topic):
    answer = mqtt_client.command("zoom", {"factor": 5}, topic=f"{mqtt_client.agent_topic}/{topic}")
    assert answer["error"]["code"] == "bad_topic"
    assert mqtt_client.obeyed("zoom", {"stop": True})["factor"] == 1


def test_every_command_of_a_garbage_burst_is_answered(controller):
    since = controller.mark()
    for n in range(500):
        controller.send("zoom", b"\xff" * n + b"{")
    controller.obeyed("zoom", {"stop": True})
    answers = [message.json for message in controller.inbox.all(controller.response_topic, since)]
    assert sum(answer["status"] == "error" for answer in answers) == 500


def test_each_of_two_controllers_gets_only_its_own_answer(connect):
    a, b = connect(), connect()
    since = a.mark()
    a.obeyed("zoom", 2)
    b.obeyed("zoom", 3)
    for controller in (a, b):
        answers = controller.inbox.all(controller.response_topic)
        assert len(answers) == 1 and answers[0].correlation.startswith(controller.name.encode())
    assert not a.inbox.all(a.topic("zoom/reply"), since)


def test_a_repeated_command_is_refused_and_the_refusal_is_an_event(controller):
    step = {"by": 2, "id": "twice", "client": "remote"}
    assert controller.obeyed("zoom", step)["factor"] == 2
    since = controller.mark()
    error = controller.refused("zoom", step, "duplicate", "id")
    event = controller.state("event", lambda event: event["event"] == "refused", since=since)
    assert (event["node"], event["error"], event["id"], event["client"]) == ("zoom", error, "twice", "remote")
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 2


@pytest.mark.parametrize("version", [V5, V311], ids=["5", "3.1.1"])
def test_a_group_reaches_over_several_agents(bench, version):
    broker = bench.broker()
    for name in ("porch", "garden"):
        bench.agent(broker, name=name, camera={"groups": ["outside"]})
    controllers = [bench.controller(broker, agent=name, version=version) for name in ("porch", "garden")]
    pending = controllers[0].send("zoom", {"factor": 4}, topic=f"{GROUP}/zoom/set")
    for controller in controllers:
        controller.state("zoom", lambda state: state["factor"] == 4)
        assert controller.state("info")["groups"] == ["outside"]
        if version == V5:
            assert pending.result()["factor"] == 4
        else:
            is_it = lambda message: message.json.get("id") == pending.identity  # noqa: E731
            assert controller.inbox.wait_for(controller.topic("zoom/reply"), is_it, since=0).json["factor"] == 4


# Retained commands: a broker would deliver them again and again


@pytest.mark.parametrize("version", [V5, V311], ids=["from 5", "from 3.1.1"])
def test_a_retained_command_is_refused_as_stale(bench, version):
    broker = bench.broker()
    bench.agent(broker)
    controller = bench.controller(broker, version=version)
    controller.refused("zoom", {"factor": 5}, "stale", retain=True)
    controller.stop_retaining(controller.topic("zoom/set"))
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 1


@pytest.mark.parametrize("protocol", [5, "3.1.1"])
def test_a_retained_command_that_waits_for_the_agent_does_not_move_the_camera(bench, protocol):
    broker = bench.broker()
    controller = bench.controller(broker, version=V311)
    waiting = controller.send("zoom", {"factor": 5}, retain=True)
    bench.agent(broker, mqtt={"protocol": protocol})
    assert waiting.answer()["error"]["code"] == "stale"
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 1


def test_a_retained_command_does_not_move_the_camera_again_after_a_restart_on_3_1_1(bench):
    broker = bench.broker()
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
