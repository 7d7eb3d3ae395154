"""A camera in Home Assistant: what it shows, what can be done with it, and that it is right after every kind of restart."""

import itertools
import json
import time

import pytest

from home_assistant_rules import GOLDEN, rendered
from home_assistant_client import HomeAssistantClient
from movie_file import SMALL
from state_file import put, state_in
from waiting import eventually


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def home_assistant(broker, controller):
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.awaits_available("zoom")
        yield home_assistant


# What is there


def test_it_is_there_with_nothing_to_configure(bench):
    broker = bench.broker()
    bench.agent(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.device()
        info = json.loads(home_assistant.heard["v4l2mqtt/porch/door/info"])
        document = home_assistant.documents[home_assistant.topic()]
    reviewed = json.loads((GOLDEN / "simulated.json").read_text())
    assert info == json.loads((GOLDEN.parent / "cameras" / "simulated.json").read_text())
    # The version is the program's, the presets are those of the reviewed one.
    for version in (document["dev"], document["o"], reviewed["dev"], reviewed["o"]):
        version.pop("sw")
    for one in (document, reviewed):
        one["cmps"].pop("preset")
    assert document == reviewed


def test_everything_is_known_as_soon_as_it_is_there(home_assistant):
    for name, component in home_assistant.device().items():
        if "stat_t" in component and component["p"] != "event":
            home_assistant.until(lambda: component["stat_t"] in home_assistant.heard, name)
            assert home_assistant.shows(name) is not None, name


def test_the_slider_moves_the_zoom_and_somebody_else_the_slider(home_assistant, controller):
    home_assistant.sets("zoom", 3.5000000000000004)
    home_assistant.awaits("zoom", "3.5")
    assert controller.state("zoom", lambda state: state["factor"] == 3.5)["origin"]["client"] == "home-assistant"
    assert home_assistant.shows("zoom_origin") == "home-assistant"
    controller.obeyed("zoom", {"factor": 2, "client": "phone"})
    home_assistant.awaits("zoom", "2")
    home_assistant.awaits("zoom_origin", "phone")


def test_a_ramp_does_not_make_the_slider_jump_about(home_assistant, controller):
    component = home_assistant.device()["zoom"]
    since = controller.mark()
    controller.obeyed("zoom", {"factor": 4, "rate": 4})
    controller.state("zoom", lambda state: state["factor"] == 4 and not state["ramping"], since=since)
    shown = [rendered(component["val_tpl"], json.dumps(state).encode()) for state in controller.states("zoom", since)]
    assert {float(text) for text in shown} == {4}


def test_a_button_that_is_held_moves_the_slider_once_when_it_is_let_go(home_assistant, controller):
    component = home_assistant.device()["zoom"]
    since = controller.mark()
    move = controller.send("zoom", {"move": {"velocity": 0.7, "timeout_ms": 10000}, "client": "remote"})
    assert move.answer()["status"] == "accepted"
    controller.inbox.wait_for(
        controller.topic("zoom/live"), lambda message: message.json["factor"] > 1.2, since=since)
    stopped = controller.settled(controller.obeyed("zoom", {"stop": True}))
    shown = [rendered(component["val_tpl"], json.dumps(state).encode()) for state in controller.states("zoom", since)]
    assert [float(text) for text, _ in itertools.groupby(shown)] == [1, round(stopped["factor"], 2)]


def test_buttons_zoom_by_steps(home_assistant, controller):
    home_assistant.presses("zoom_in")
    stepped = controller.state("zoom", lambda state: state["factor"] > 1 and not state["ramping"])
    assert stepped["factor"] == pytest.approx(2 ** 0.5, abs=0.01)
    home_assistant.presses("zoom_out")
    controller.state("zoom", lambda state: state["factor"] == pytest.approx(1, abs=0.01) and not state["ramping"])
    for _ in range(3):
        home_assistant.presses("zoom_in")
    fast = controller.state("zoom", lambda state: state["target"] == pytest.approx(2 ** 1.5, abs=0.01))
    assert fast["ramping"], "they add up, and it gets there at its pace"
    home_assistant.presses("zoom_stop")
    stopped = controller.state("zoom", lambda state: not state["ramping"])
    assert stopped["factor"] < 2.8
    home_assistant.sets("zoom", 1)
    home_assistant.presses("zoom_stop")
    home_assistant.awaits("zoom", "1")


def test_a_lease_is_seen_and_respected(home_assistant, controller):
    controller.obeyed("lease", {"take": True, "client": "guard", "ttl_ms": 60000})
    home_assistant.awaits("lease_holder", "guard")
    home_assistant.sets("zoom", 5)
    controller.state("event", lambda event: event["event"] == "refused" and event["error"]["code"] == "held")
    assert home_assistant.shows("zoom") == "1"  # never optimistic
    home_assistant.awaits("controllers", "refused")
    controller.obeyed("lease", {"release": True, "client": "guard"})
    home_assistant.awaits("lease_holder", "nobody")


def test_presets(home_assistant, controller):
    home_assistant.sets("zoom", 4)
    home_assistant.awaits("zoom", "4")
    home_assistant.presses("preset_save")
    home_assistant.awaits("preset", "Saved view")
    home_assistant.sets("preset_save_as", "None")
    home_assistant.until(lambda: "(None)" in home_assistant.device()["preset"]["ops"], "the new preset among the options")
    controller.zoom_to(1)
    home_assistant.sets("preset", "(None)")
    home_assistant.awaits("zoom", "4")
    for name in ("None", "Saved view"):
        controller.obeyed("presets", {"delete": name})
    home_assistant.until(lambda: home_assistant.device()["preset"]["ops"] == ["home"], "the preset to go from the options")


def test_photo(home_assistant):
    home_assistant.presses("photo")
    home_assistant.awaits("shutter", "shutter")
    image = home_assistant.device()["last_photo"]["img_t"]
    assert home_assistant.until(lambda: home_assistant.heard.get(image), "the photo").startswith(b"\xff\xd8")


def test_live_view(home_assistant):
    frames = home_assistant.device()["preview"]["t"]
    home_assistant.awaits("live_view", "OFF")
    home_assistant.awaits_available("preview", False)
    home_assistant.turns("live_view", "on")
    home_assistant.awaits_available("preview")
    assert home_assistant.heard[frames].startswith(b"\xff\xd8"), "who looks as soon as it can sees something"
    home_assistant.awaits("live_view", "ON")
    home_assistant.turns("live_view", "off")
    home_assistant.awaits("live_view", "OFF")


def test_recording(home_assistant):
    home_assistant.awaits("recording", "OFF")
    home_assistant.turns("recording", "on")
    home_assistant.awaits("recording", "ON")
    home_assistant.awaits("shutter", "recording_started")
    home_assistant.turns("recording", "off")
    home_assistant.awaits("recording", "OFF")
    home_assistant.awaits("shutter", "recording_finished")
    assert home_assistant.shows("recording_problem") == "OFF"


def test_controls(home_assistant):
    home_assistant.sets("number_brightness", 150.37)
    home_assistant.awaits("number_brightness", "150")
    home_assistant.sets("number_exposure_bias", -1.2)
    home_assistant.awaits("number_exposure_bias", "-1.333")
    home_assistant.sets("select_power_line_frequency", "60 Hz")
    home_assistant.awaits("select_power_line_frequency", "60 Hz")
    home_assistant.sets("select_color_effects", "Sepia")
    home_assistant.awaits("select_color_effects", "Sepia")
    home_assistant.sets("select_color_effects", "(None)")
    home_assistant.awaits("select_color_effects", "(None)")
    home_assistant.sets("session_quality", "medium")
    home_assistant.awaits("session_quality", "medium")
    home_assistant.sets("session_quality", "high")


def test_what_is_inactive_is_unavailable_and_not_gone(home_assistant):
    home_assistant.awaits_available("number_focus", False)
    home_assistant.turns("switch_autofocus", "off")
    home_assistant.awaits_available("number_focus")
    home_assistant.sets("number_focus", 12)
    home_assistant.awaits("number_focus", "10")
    home_assistant.turns("switch_autofocus", "on")
    home_assistant.awaits_available("number_focus", False)
    assert "number_focus" in home_assistant.device()


# Restarts


@pytest.fixture(params=["5", "3.1.1"])
def own(bench, request):
    """A broker and an agent for one test."""
    broker = bench.broker()
    return broker, bench.agent(broker, camera=SMALL, mqtt={"protocol": request.param})


def seen(home_assistant):
    home_assistant.awaits_available("zoom")
    home_assistant.awaits("status", "online")
    home_assistant.sets("zoom", 2)
    home_assistant.awaits("zoom", "2")
    home_assistant.sets("zoom", 1)
    home_assistant.awaits("zoom", "1")


def test_home_assistant_restarted(own):
    broker, _ = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        home_assistant.presses("photo")
        image = home_assistant.device()["last_photo"]["img_t"]
        home_assistant.until(lambda: home_assistant.heard.get(image), "a photo")
        home_assistant.until(lambda: home_assistant.shows("photos") == "1", "the photo to be counted")
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        assert image not in home_assistant.heard
        home_assistant.has_started()
        home_assistant.until(lambda: home_assistant.heard.get(image), "the photo, which the broker doesn't keep")


def test_broker_restarted_without_persistence(own):
    broker, _ = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        broker.kill()
        for memory in (home_assistant.heard, home_assistant.documents):
            memory.clear()
        broker.start()
        home_assistant.until(lambda: home_assistant.documents, "the document once more")
        seen(home_assistant)
        for name, component in home_assistant.device().items():
            if "stat_t" in component and component["p"] != "event":
                assert component["stat_t"] in home_assistant.heard, name


def test_agent_restarted(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        agent.stop()
        home_assistant.awaits_available("zoom", False)
        home_assistant.awaits_available("status", False)
        agent.start()
        seen(home_assistant)
        agent.kill()
        home_assistant.awaits_available("zoom", False)
        agent.start()
        seen(home_assistant)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_control_that_another_one_enables_is_there_after_a_restart(own, end):
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


def discovered(agent) -> dict:
    """What the agent would take back."""
    return state_in(agent.state_file)["discovered"]


def absent(agent) -> dict:
    return {**agent.configuration, "cameras": [{"id": "door", "source": {"v4l2": "/dev/nosuch"}}]}


def test_camera_away(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
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
        seen(home_assistant)


def test_another_camera_with_fewer_controls(own):
    """As an earlier run would have left it: with controls that this camera hasn't."""
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
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
        seen(home_assistant)


@pytest.mark.parametrize("change", ["renamed", "without", "off", "off for it", "prefix"])
def test_what_is_not_there_any_more_goes(own, change):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant, HomeAssistantClient(broker, prefix="other") as other:
        seen(home_assistant)
        agent.stop()
        before = agent.configuration
        renamed = {**before["cameras"][0], "id": "gate"}
        agent.configure({
            "renamed": {**before, "agent": "barn"}, "without": {**before, "cameras": [renamed]},
            "off": {**before, "home_assistant": {"discovery": False}},
            "off for it": {**before, "cameras": [{**before["cameras"][0], "discovery": False}]},
            "prefix": {**before, "home_assistant": {"prefix": "other"}},
        }[change])
        agent.name = "barn" if change == "renamed" else "porch"
        agent.start()
        home_assistant.until(lambda: home_assistant.topic() not in home_assistant.documents, "the device to go")
        where = {"renamed": (home_assistant, {"agent": "barn"}), "without": (home_assistant, {"camera": "gate"}), "prefix": (other, {})}
        if change in where:
            where[change][0].awaits_available("zoom", **where[change][1])
        # And that is known at the next start.
        topic = home_assistant.topic()
        eventually(lambda: topic not in discovered(agent), "the state file to forget it")
        if change.startswith("off"):
            agent.stop()
            agent.configure(before)
            agent.start()
            seen(home_assistant)


def test_another_agent_that_takes_over_an_old_name_is_left_alone(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.device()
        agent.stop()
        agent.rename("barn")
        agent.start()
        home_assistant.until(lambda: home_assistant.topic() not in home_assistant.documents, "the device to go")
        eventually(lambda: home_assistant.topic() not in discovered(agent), "the state file to forget it")
        bench.agent(broker)
        home_assistant.awaits_available("zoom")
        agent.stop()
        agent.start()
        home_assistant.awaits_available("zoom", agent="barn")
        assert home_assistant.documents[home_assistant.topic()]


def test_a_user_who_deletes_the_device(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        home_assistant.publish(home_assistant.topic(), b"", retain=True)
        home_assistant.until(lambda: home_assistant.topic() not in home_assistant.documents, "the device to go")
    eventually(lambda: "deleted in Home Assistant" in agent.log, "the agent to hear of it")
    with HomeAssistantClient(broker) as home_assistant:
        # A preset changes the document.
        home_assistant.publish("v4l2mqtt/porch/door/presets/set", b'{"save":"x"}')
        home_assistant.until(lambda: b'"x"' in home_assistant.heard.get("v4l2mqtt/porch/door/presets", b""), "the preset")
        assert home_assistant.topic() not in home_assistant.documents
        home_assistant.has_started()
        seen(home_assistant)


def test_echoes_of_a_device_that_was_taken_back_are_no_deletion(own):
    """Renamed there and back: with the entities of the one, Home Assistant also takes those away that it knew before by the same ids."""
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        for name in ("barn", "porch"):
            agent.stop()
            agent.rename(name)
            agent.start()
            home_assistant.until(lambda: home_assistant.topic(agent=name) in home_assistant.documents, "the device of the new name")
            for _ in range(4):
                home_assistant.publish(home_assistant.topic(agent=name), b"", retain=True)
            home_assistant.until(lambda: home_assistant.topic(agent=name) not in home_assistant.documents, "the echo")
            home_assistant.awaits_available("zoom", agent=name)
        assert "deleted in Home Assistant" not in agent.log
        seen(home_assistant)


def test_a_device_that_was_deleted_comes_back_with_the_agent(own):
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        home_assistant.publish(home_assistant.topic(), b"", retain=True)
        eventually(lambda: "deleted in Home Assistant" in agent.log, "the agent to hear of it")
        agent.stop()
        assert home_assistant.topic() not in home_assistant.documents
        agent.start()
        seen(home_assistant)


def test_renamed_while_home_assistant_is_away(own):
    """The broker has the old device no more when it comes back: to it, that one is no longer provided."""
    broker, agent = own
    with HomeAssistantClient(broker) as home_assistant:
        seen(home_assistant)
        old = home_assistant.topic()
    agent.stop()
    agent.rename("barn")
    agent.start()
    eventually(lambda: old not in discovered(agent), "the old one to be taken back")
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.awaits_available("zoom", agent="barn")
        assert list(home_assistant.documents) == [home_assistant.topic(agent="barn")]


def test_another_prefix_has_the_usual_birth(bench):
    broker = bench.broker()
    agent = bench.agent(broker, home_assistant={"prefix": "ha/cams"})
    with HomeAssistantClient(broker, prefix="ha/cams") as home_assistant:
        home_assistant.awaits_available("zoom")
        for status in ("homeassistant/status", "ha/cams/status"):
            home_assistant.publish(home_assistant.topic(), b"", retain=True)
            eventually(lambda: "deleted in Home Assistant" in agent.log, "the agent to hear of it")
            home_assistant.publish(status, b"online")
            home_assistant.awaits_available("zoom")


def test_a_broker_that_takes_no_documents_is_told_of_once(bench):
    broker = bench.broker(forbidden=["homeassistant/#"])
    agent = bench.agent(broker)
    words = "the broker refuses messages on homeassistant/device/v4l2mqtt_door_AT_porch/config: Not authorized"
    eventually(lambda: words in agent.log, "the agent to say so")
    controller = bench.controller(broker)
    for name in ("a", "b"):
        controller.obeyed("presets", {"save": name})
        time.sleep(1.2)  # a document is said a second after its last change
    assert agent.log.count(words) == 1


def test_nothing_is_said_twice_in_quick_succession(bench):
    broker = bench.broker()
    with HomeAssistantClient(broker) as home_assistant:
        agent = bench.agent(broker)
        home_assistant.device()
        controller = bench.controller(broker)
        for n in range(5):
            controller.obeyed("presets", {"save": f"p{n}"})
        home_assistant.until(lambda: len(home_assistant.device()["preset"]["ops"]) == 6, "the presets among the options")
        assert len([topic for topic, payload in home_assistant.said if payload]) <= 3
        assert agent.ending() is None


def test_a_low_rate_that_nobody_asks_for(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL, home_assistant={"preview_fps": 5})
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.awaits_available("preview")
        frames = home_assistant.device()["preview"]["t"]
        home_assistant.until(lambda: home_assistant.heard.get(frames), "a frame")
        assert home_assistant.shows("live_view") == "OFF"
        home_assistant.turns("live_view", "on")
        home_assistant.awaits("live_view", "ON")
        home_assistant.turns("live_view", "off")
        home_assistant.awaits("live_view", "OFF")
        assert home_assistant.is_available("preview")
        # Nobody stops it by bearing the agent's own name.
        controller = bench.controller(broker)
        controller.obeyed("preview", {"stop": True, "client": "v4l2mqtt"})
        assert controller.state("preview")["clients"] == ["v4l2mqtt"]


def test_how_it_does_is_told_once_a_minute(home_assistant):
    home_assistant.presses("photo")
    home_assistant.until(lambda: int(home_assistant.shows("frames")) > 0, "the photo's frame to be counted", patience=75)
    assert float(home_assistant.shows("disk_free")) > 0
    assert home_assistant.shows("frames_lost") == "0"
