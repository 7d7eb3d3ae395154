"""A camera in Home Assistant after restarts of Home Assistant, the broker and the agent, and while it is
away."""

import json

import pytest

from home_assistant_client import HomeAssistantClient
from movie_file import SMALL
from state_file import put, state_in
from waiting import eventually


@pytest.fixture(params=["5", "3.1.1"])
def own(bench, request):
    """A broker and an agent for one test, with each version of MQTT."""
    broker = bench.broker()
    return broker, bench.agent(broker, camera=SMALL, mqtt={"protocol": request.param})


def test_home_assistant_restarted(own):
    broker, _ = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        home_assistant.presses("photo")
        image = home_assistant.device()["last_photo"]["img_t"]
        home_assistant.until(lambda: home_assistant.received.get(image), "a photo")
        home_assistant.until(lambda: home_assistant.state("capture").get("counter") == 1, "the photo to be counted")
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        assert image not in home_assistant.received
        home_assistant.has_started()
        home_assistant.until(lambda: home_assistant.received.get(image), "the photo, which the broker does not retain")


def test_broker_restarted_without_persistence(own):
    broker, _ = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        broker.kill()
        for memory in (home_assistant.received, home_assistant.documents):
            memory.clear()
        broker.start()
        home_assistant.until(lambda: home_assistant.documents, "the document once more")
        home_assistant.uses_the_zoom()
        for name, component in home_assistant.device().items():
            if "stat_t" in component and component["p"] != "event":
                assert component["stat_t"] in home_assistant.received, name


def test_agent_restarted(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        agent.stop()
        home_assistant.awaits_available("zoom", False)
        home_assistant.awaits_available("status", False)
        agent.start()
        home_assistant.uses_the_zoom()
        agent.kill()
        home_assistant.awaits_available("zoom", False)
        agent.start()
        home_assistant.uses_the_zoom()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_control_that_another_one_enables_is_available_after_a_restart(own, end):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.turns("switch_autofocus", "off")
        home_assistant.awaits_available("number_focus")
        eventually(lambda: state_in(agent.state_file)["cameras"]["door"]["controls"].get("autofocus") is False, "the state file")
        getattr(agent, end)()
        home_assistant.awaits_available("number_focus", False)
        agent.start()
        home_assistant.awaits_available("number_focus")
        home_assistant.sets("number_focus", 20)
        home_assistant.awaits("number_focus", "20")


def absent(agent) -> dict:
    """The configuration with a camera that does not exist."""
    return {**agent.configuration, "cameras": [{"id": "door", "source": {"v4l2": "/dev/nosuch"}}]}


def test_camera_away(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        agent.stop()
        before = agent.configuration
        agent.configure(absent(agent))
        agent.start()
        home_assistant.awaits_available("zoom", False)
        home_assistant.awaits("status", "not_found")
        home_assistant.awaits_available("status")
        agent.stop()
        agent.configure(before)
        agent.start()
        home_assistant.uses_the_zoom()


def test_another_camera_with_fewer_controls(own):
    """The state file and the document have controls of an earlier run, which this camera does not have."""
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.uses_the_zoom()
        agent.stop()
        topic = home_assistant.topic()
    state = state_in(agent.state_file)
    state["discovered"][topic] += ["number/number_pan_absolute", "switch/switch_brightness"]
    put(agent.state_file, state)
    with HomeAssistantClient(broker) as home_assistant:
        pan = {**home_assistant.device()["zoom"], "uniq_id": "pan"}
        document = home_assistant.documents[topic]
        home_assistant.publish(topic, json.dumps({**document, "cmps": {"number_pan_absolute": pan}}).encode(), retain=True)
        home_assistant.until(lambda: home_assistant.has("number_pan_absolute"), "the control")
        agent.start()
        home_assistant.until(lambda: not home_assistant.has("number_pan_absolute"), "the control to be removed")
        assert home_assistant.documents[topic]["cmps"]["switch_brightness"] == {"p": "switch"}
        home_assistant.uses_the_zoom()
