"""Every command is answered, on both protocols, and the answer identifies its command.

`Tests/CameraCoreTests/AnswerTests.swift` has the tests that are marked deep here, in virtual time and without
a broker.
"""

import pytest

from controller import V5, V311


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


@pytest.mark.parametrize("node, body", [
    ("zoom", 2.5), ("zoom", {"stop": True}), ("pinch", {"gesture": "g", "phase": "ended"}),
    ("controls", {"brightness": 100}), ("capture", {"size": {"width": 64}}), ("viewport", {"by": {"dx": 0}}),
    ("touch", {"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "ended"}]}),
    ("lease", {"release": True}),
])
def test_every_node_answers(mqtt_client, node, body):
    mqtt_client.obeyed(node, body)


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_commands_are_accepted_at_any_qos(mqtt_client, qos):
    assert mqtt_client.obeyed("zoom", {"factor": 2}, qos=qos)["factor"] == 2


@pytest.mark.deep
def test_slow_command_is_answered_with_accepted_first(mqtt_client):
    ramp = mqtt_client.send("zoom", {"factor": 2, "rate": 8})
    assert [ramp.answer()["status"], ramp.answer()["status"]] == ["accepted", "done"]


def test_each_of_two_controllers_gets_only_its_own_answer(connect):
    a, b = connect(), connect()
    a.obeyed("zoom", 2)
    b.obeyed("zoom", 3)
    for controller in (a, b):
        answers = controller.inbox.all(controller.response_topic)
        assert len(answers) == 1 and answers[0].correlation.startswith(controller.name.encode())


def test_with_a_response_topic_nothing_is_published_on_reply(controller):
    since = controller.mark()
    controller.obeyed("zoom", 2)
    controller.obeyed("zoom", 3)
    assert not controller.inbox.all(controller.topic("zoom/reply"), since)


def test_a_reply_topic_of_the_agent_can_be_the_response_topic(controller):
    controller.send("zoom", 2, response_topic=controller.topic("zoom/reply"))
    answer = controller.inbox.wait_for(controller.topic("zoom/reply"))
    assert answer.json["status"] == "done" and answer.correlation


@pytest.mark.parametrize("elsewhere", ["capture/set", "zoom", "zoom/set", "availability", "zoom/reply/set"])
def test_response_topic_can_not_be_a_command_or_a_state_topic(controller, elsewhere):
    since, before = controller.mark(), controller.state("zoom")
    controller.send("zoom", {"factor": 5, "id": "sly"}, response_topic=controller.topic(elsewhere))
    answer = controller.inbox.wait_for(controller.topic("zoom/reply"), since=since).json
    assert answer["status"] == "error" and answer["error"]["code"] == "bad_topic"
    assert controller.obeyed("zoom", {"stop": True})["factor"] == before["factor"]
    messages = controller.inbox.all(controller.topic(elsewhere), since)
    assert not [message for message in messages if b'"sly"' in message.payload and b'"status"' in message.payload]


def test_refusal_is_also_published_as_an_event(controller):
    since = controller.mark()
    error = controller.refused("zoom", {"factor": 0, "id": "r-1", "client": "tablet"}, "bad_payload")
    event = controller.state("event", lambda event: event["event"] == "refused", since=since)
    assert (event["node"], event["error"], event["id"], event["client"]) == ("zoom", error, "r-1", "tablet")
