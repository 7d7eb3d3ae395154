"""A camera in Home Assistant: what it shows, what can be done with it, and that it is right after every kind of restart."""

import itertools
import json
import time

import pytest

from home_assistant import GOLDEN, rendered
from house import House
from movie import SMALL
from saved import put, state_in
from waiting import eventually


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def house(broker, controller):
    with House(broker) as house:
        house.awaits_available("zoom")
        yield house


# What is there


def test_it_is_there_with_nothing_to_configure(bench):
    broker = bench.broker()
    bench.agent(broker)
    with House(broker) as house:
        house.device()
        info = json.loads(house.heard["v4l2mqtt/porch/door/info"])
        document = house.documents[house.topic()]
    reviewed = json.loads((GOLDEN / "simulated.json").read_text())
    assert info == json.loads((GOLDEN.parent / "cameras" / "simulated.json").read_text())
    # The version is the program's, the presets are those of the reviewed one.
    for version in (document["dev"], document["o"], reviewed["dev"], reviewed["o"]):
        version.pop("sw")
    for one in (document, reviewed):
        one["cmps"].pop("preset")
    assert document == reviewed


def test_everything_is_known_as_soon_as_it_is_there(house):
    for name, component in house.device().items():
        if "stat_t" in component and component["p"] != "event":
            house.until(lambda: component["stat_t"] in house.heard, name)
            assert house.shows(name) is not None, name


def test_the_slider_moves_the_zoom_and_somebody_else_the_slider(house, controller):
    house.sets("zoom", 3.5000000000000004)
    house.awaits("zoom", "3.5")
    assert controller.state("zoom", lambda state: state["factor"] == 3.5)["origin"]["client"] == "home-assistant"
    assert house.shows("zoom_origin") == "home-assistant"
    controller.obeyed("zoom", {"factor": 2, "client": "phone"})
    house.awaits("zoom", "2")
    house.awaits("zoom_origin", "phone")


def test_a_ramp_does_not_make_the_slider_jump_about(house, controller):
    component = house.device()["zoom"]
    since = controller.mark()
    controller.obeyed("zoom", {"factor": 4, "rate": 4})
    controller.state("zoom", lambda state: state["factor"] == 4 and not state["ramping"], since=since)
    shown = [rendered(component["val_tpl"], json.dumps(state).encode()) for state in controller.states("zoom", since)]
    assert {float(text) for text in shown} == {4}


def test_a_button_that_is_held_moves_the_slider_once_when_it_is_let_go(house, controller):
    component = house.device()["zoom"]
    since = controller.mark()
    move = controller.send("zoom", {"move": {"velocity": 0.7, "timeout_ms": 10000}, "client": "remote"})
    assert move.answer()["status"] == "accepted"
    controller.inbox.wait_for(
        controller.topic("zoom/live"), lambda message: message.json["factor"] > 1.2, since=since)
    stopped = controller.settled(controller.obeyed("zoom", {"stop": True}))
    shown = [rendered(component["val_tpl"], json.dumps(state).encode()) for state in controller.states("zoom", since)]
    assert [float(text) for text, _ in itertools.groupby(shown)] == [1, round(stopped["factor"], 2)]


def test_buttons_zoom_by_steps(house, controller):
    house.presses("zoom_in")
    stepped = controller.state("zoom", lambda state: state["factor"] > 1 and not state["ramping"])
    assert stepped["factor"] == pytest.approx(2 ** 0.5, abs=0.01)
    house.presses("zoom_out")
    controller.state("zoom", lambda state: state["factor"] == pytest.approx(1, abs=0.01) and not state["ramping"])
    for _ in range(3):
        house.presses("zoom_in")
    fast = controller.state("zoom", lambda state: state["target"] == pytest.approx(2 ** 1.5, abs=0.01))
    assert fast["ramping"], "they add up, and it gets there at its pace"
    house.presses("zoom_stop")
    stopped = controller.state("zoom", lambda state: not state["ramping"])
    assert stopped["factor"] < 2.8
    house.sets("zoom", 1)
    house.presses("zoom_stop")
    house.awaits("zoom", "1")


def test_a_lease_is_seen_and_respected(house, controller):
    controller.obeyed("lease", {"take": True, "client": "guard", "ttl_ms": 60000})
    house.awaits("lease_holder", "guard")
    house.sets("zoom", 5)
    controller.state("event", lambda event: event["event"] == "refused" and event["error"]["code"] == "held")
    assert house.shows("zoom") == "1"  # never optimistic
    house.awaits("controllers", "refused")
    controller.obeyed("lease", {"release": True, "client": "guard"})
    house.awaits("lease_holder", "nobody")


def test_presets(house, controller):
    house.sets("zoom", 4)
    house.awaits("zoom", "4")
    house.presses("preset_save")
    house.awaits("preset", "Saved view")
    house.sets("preset_save_as", "None")
    house.until(lambda: "(None)" in house.device()["preset"]["ops"], "the new preset among the options")
    controller.zoom_to(1)
    house.sets("preset", "(None)")
    house.awaits("zoom", "4")
    for name in ("None", "Saved view"):
        controller.obeyed("presets", {"delete": name})
    house.until(lambda: house.device()["preset"]["ops"] == ["home"], "the preset to go from the options")


def test_photo(house):
    house.presses("photo")
    house.awaits("shutter", "shutter")
    image = house.device()["last_photo"]["img_t"]
    assert house.until(lambda: house.heard.get(image), "the photo").startswith(b"\xff\xd8")


def test_live_view(house):
    frames = house.device()["preview"]["t"]
    house.awaits("live_view", "OFF")
    house.awaits_available("preview", False)
    house.turns("live_view", "on")
    house.awaits_available("preview")
    assert house.heard[frames].startswith(b"\xff\xd8"), "who looks as soon as it can sees something"
    house.awaits("live_view", "ON")
    house.turns("live_view", "off")
    house.awaits("live_view", "OFF")


def test_recording(house):
    house.awaits("recording", "OFF")
    house.turns("recording", "on")
    house.awaits("recording", "ON")
    house.awaits("shutter", "recording_started")
    house.turns("recording", "off")
    house.awaits("recording", "OFF")
    house.awaits("shutter", "recording_finished")
    assert house.shows("recording_problem") == "OFF"


def test_controls(house):
    house.sets("number_brightness", 150.37)
    house.awaits("number_brightness", "150")
    house.sets("number_exposure_bias", -1.2)
    house.awaits("number_exposure_bias", "-1.333")
    house.sets("select_power_line_frequency", "60 Hz")
    house.awaits("select_power_line_frequency", "60 Hz")
    house.sets("select_color_effects", "Sepia")
    house.awaits("select_color_effects", "Sepia")
    house.sets("select_color_effects", "(None)")
    house.awaits("select_color_effects", "(None)")
    house.sets("session_quality", "medium")
    house.awaits("session_quality", "medium")
    house.sets("session_quality", "high")


def test_what_is_inactive_is_unavailable_and_not_gone(house):
    house.awaits_available("number_focus", False)
    house.turns("switch_autofocus", "off")
    house.awaits_available("number_focus")
    house.sets("number_focus", 12)
    house.awaits("number_focus", "10")
    house.turns("switch_autofocus", "on")
    house.awaits_available("number_focus", False)
    assert "number_focus" in house.device()


# Restarts


@pytest.fixture(params=["5", "3.1.1"])
def own(bench, request):
    """A broker and an agent for one test."""
    broker = bench.broker()
    return broker, bench.agent(broker, camera=SMALL, mqtt={"protocol": request.param})


def seen(house):
    house.awaits_available("zoom")
    house.awaits("status", "online")
    house.sets("zoom", 2)
    house.awaits("zoom", "2")
    house.sets("zoom", 1)
    house.awaits("zoom", "1")


def test_home_assistant_restarted(own):
    broker, _ = own
    with House(broker) as house:
        seen(house)
        house.presses("photo")
        image = house.device()["last_photo"]["img_t"]
        house.until(lambda: house.heard.get(image), "a photo")
        house.until(lambda: house.shows("photos") == "1", "the photo to be counted")
    with House(broker) as house:
        seen(house)
        assert image not in house.heard
        house.has_started()
        house.until(lambda: house.heard.get(image), "the photo, which the broker doesn't keep")


def test_broker_restarted_without_persistence(own):
    broker, _ = own
    with House(broker) as house:
        seen(house)
        broker.kill()
        for memory in (house.heard, house.documents):
            memory.clear()
        broker.start()
        house.until(lambda: house.documents, "the document once more")
        seen(house)
        for name, component in house.device().items():
            if "stat_t" in component and component["p"] != "event":
                assert component["stat_t"] in house.heard, name


def test_agent_restarted(own):
    broker, agent = own
    with House(broker) as house:
        seen(house)
        agent.stop()
        house.awaits_available("zoom", False)
        house.awaits_available("status", False)
        agent.start()
        seen(house)
        agent.kill()
        house.awaits_available("zoom", False)
        agent.start()
        seen(house)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_control_that_another_one_enables_is_there_after_a_restart(own, end):
    broker, agent = own
    with House(broker) as house:
        house.turns("switch_autofocus", "off")
        house.awaits_available("number_focus")
        eventually(lambda: state_in(agent.state_file)["cameras"]["door"]["controls"].get("autofocus") is False, "the state file")
        getattr(agent, end)()
        house.awaits_available("number_focus", False)
        agent.start()
        house.awaits_available("number_focus")
        house.sets("number_focus", 20)
        house.awaits("number_focus", "20")


def discovered(agent) -> dict:
    """What the agent would take back."""
    return state_in(agent.state_file)["discovered"]


def absent(agent) -> dict:
    return {**agent.configuration, "cameras": [{"id": "door", "source": {"v4l2": "/dev/nosuch"}}]}


def test_camera_away(own):
    broker, agent = own
    with House(broker) as house:
        seen(house)
        agent.stop()
        before = agent.configuration
        agent.configure(absent(agent))
        agent.start()
        house.awaits_available("zoom", False)
        house.awaits("status", "not_found")
        house.awaits_available("status")
        agent.stop()
        agent.configure(before)
        agent.start()
        seen(house)


def test_another_camera_with_fewer_controls(own):
    """As an earlier run would have left it: with controls that this camera hasn't."""
    broker, agent = own
    with House(broker) as house:
        seen(house)
        agent.stop()
        topic = house.topic()
    state = state_in(agent.state_file)
    state["discovered"][topic] += ["number/number_pan_absolute", "switch/switch_brightness"]
    put(agent.state_file, state)
    with House(broker) as house:
        pan = {**house.device()["zoom"], "uniq_id": "pan"}
        document = house.documents[topic]
        house.publish(topic, json.dumps({**document, "cmps": {"number_pan_absolute": pan}}).encode(), retain=True)
        house.until(lambda: house.has("number_pan_absolute"), "the control")
        agent.start()
        house.until(lambda: not house.has("number_pan_absolute"), "the control to be removed")
        assert house.documents[topic]["cmps"]["switch_brightness"] == {"p": "switch"}
        seen(house)


@pytest.mark.parametrize("change", ["renamed", "without", "off", "off for it", "prefix"])
def test_what_is_not_there_any_more_goes(own, change):
    broker, agent = own
    with House(broker) as house, House(broker, prefix="other") as other:
        seen(house)
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
        house.until(lambda: house.topic() not in house.documents, "the device to go")
        where = {"renamed": (house, {"agent": "barn"}), "without": (house, {"camera": "gate"}), "prefix": (other, {})}
        if change in where:
            where[change][0].awaits_available("zoom", **where[change][1])
        # And that is known at the next start.
        topic = house.topic()
        eventually(lambda: topic not in discovered(agent), "the state file to forget it")
        if change.startswith("off"):
            agent.stop()
            agent.configure(before)
            agent.start()
            seen(house)


def test_another_agent_that_takes_over_an_old_name_is_left_alone(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with House(broker) as house:
        house.device()
        agent.stop()
        agent.rename("barn")
        agent.start()
        house.until(lambda: house.topic() not in house.documents, "the device to go")
        eventually(lambda: house.topic() not in discovered(agent), "the state file to forget it")
        bench.agent(broker)
        house.awaits_available("zoom")
        agent.stop()
        agent.start()
        house.awaits_available("zoom", agent="barn")
        assert house.documents[house.topic()]


def test_a_user_who_deletes_the_device(own):
    broker, agent = own
    with House(broker) as house:
        seen(house)
        house.publish(house.topic(), b"", retain=True)
        house.until(lambda: house.topic() not in house.documents, "the device to go")
    eventually(lambda: "deleted in Home Assistant" in agent.log, "the agent to hear of it")
    with House(broker) as house:
        # A preset changes the document.
        house.publish("v4l2mqtt/porch/door/presets/set", b'{"save":"x"}')
        house.until(lambda: b'"x"' in house.heard.get("v4l2mqtt/porch/door/presets", b""), "the preset")
        assert house.topic() not in house.documents
        house.has_started()
        seen(house)


def test_echoes_of_a_device_that_was_taken_back_are_no_deletion(own):
    """Renamed there and back: with the entities of the one, Home Assistant also takes those away that it knew before by the same ids."""
    broker, agent = own
    with House(broker) as house:
        seen(house)
        for name in ("barn", "porch"):
            agent.stop()
            agent.rename(name)
            agent.start()
            house.until(lambda: house.topic(agent=name) in house.documents, "the device of the new name")
            for _ in range(4):
                house.publish(house.topic(agent=name), b"", retain=True)
            house.until(lambda: house.topic(agent=name) not in house.documents, "the echo")
            house.awaits_available("zoom", agent=name)
        assert "deleted in Home Assistant" not in agent.log
        seen(house)


def test_a_device_that_was_deleted_comes_back_with_the_agent(own):
    broker, agent = own
    with House(broker) as house:
        seen(house)
        house.publish(house.topic(), b"", retain=True)
        eventually(lambda: "deleted in Home Assistant" in agent.log, "the agent to hear of it")
        agent.stop()
        assert house.topic() not in house.documents
        agent.start()
        seen(house)


def test_renamed_while_home_assistant_is_away(own):
    """The broker has the old device no more when it comes back: to it, that one is no longer provided."""
    broker, agent = own
    with House(broker) as house:
        seen(house)
        old = house.topic()
    agent.stop()
    agent.rename("barn")
    agent.start()
    eventually(lambda: old not in discovered(agent), "the old one to be taken back")
    with House(broker) as house:
        house.awaits_available("zoom", agent="barn")
        assert list(house.documents) == [house.topic(agent="barn")]


def test_another_prefix_has_the_usual_birth(bench):
    broker = bench.broker()
    agent = bench.agent(broker, home_assistant={"prefix": "ha/cams"})
    with House(broker, prefix="ha/cams") as house:
        house.awaits_available("zoom")
        for status in ("homeassistant/status", "ha/cams/status"):
            house.publish(house.topic(), b"", retain=True)
            eventually(lambda: "deleted in Home Assistant" in agent.log, "the agent to hear of it")
            house.publish(status, b"online")
            house.awaits_available("zoom")


def test_a_broker_that_takes_no_documents_is_told_of_once(bench):
    broker = bench.broker(forbidden=["homeassistant/#"])
    agent = bench.agent(broker)
    words = "the broker doesn't take what is published on homeassistant/device/v4l2mqtt_door_AT_porch/config: Not authorized"
    eventually(lambda: words in agent.log, "the agent to say so")
    controller = bench.controller(broker)
    for name in ("a", "b"):
        controller.obeyed("presets", {"save": name})
        time.sleep(1.2)  # a document is said a second after its last change
    assert agent.log.count(words) == 1


def test_nothing_is_said_twice_in_quick_succession(bench):
    broker = bench.broker()
    with House(broker) as house:
        agent = bench.agent(broker)
        house.device()
        controller = bench.controller(broker)
        for n in range(5):
            controller.obeyed("presets", {"save": f"p{n}"})
        house.until(lambda: len(house.device()["preset"]["ops"]) == 6, "the presets among the options")
        assert len([topic for topic, payload in house.said if payload]) <= 3
        assert agent.ending() is None


def test_a_low_rate_that_nobody_asks_for(bench):
    broker = bench.broker()
    bench.agent(broker, camera=SMALL, home_assistant={"preview_fps": 5})
    with House(broker) as house:
        house.awaits_available("preview")
        frames = house.device()["preview"]["t"]
        house.until(lambda: house.heard.get(frames), "a frame")
        assert house.shows("live_view") == "OFF"
        house.turns("live_view", "on")
        house.awaits("live_view", "ON")
        house.turns("live_view", "off")
        house.awaits("live_view", "OFF")
        assert house.is_available("preview")
        # Nobody stops it by bearing the agent's own name.
        controller = bench.controller(broker)
        controller.obeyed("preview", {"stop": True, "client": "v4l2mqtt"})
        assert controller.state("preview")["clients"] == ["v4l2mqtt"]


def test_how_it_does_is_told_once_a_minute(house):
    house.presses("photo")
    house.until(lambda: int(house.shows("frames")) > 0, "the photo's frame to be counted", patience=75)
    assert float(house.shows("disk_free")) > 0
    assert house.shows("frames_lost") == "0"
