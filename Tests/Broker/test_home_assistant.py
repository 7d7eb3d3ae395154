"""A camera in Home Assistant: its entities, what they show, and what they do."""

import itertools
import json
import signal

import pytest

from home_assistant_client import HomeAssistantClient
from home_assistant_rules import GOLDEN, merged, rendered
from movie_file import SMALL


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def home_assistant(broker, controller):
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.awaits_available("zoom")
        yield home_assistant


def test_a_camera_is_discovered_without_configuration(bench):
    broker = bench.broker()
    bench.agent(broker)
    with HomeAssistantClient(broker) as home_assistant:
        home_assistant.device()
        info = json.loads(home_assistant.received["v4l2mqtt/porch/door/info"])
        document = home_assistant.documents[home_assistant.topic()]
    reviewed = merged(json.loads((GOLDEN / "simulated.json").read_text()))
    assert info == json.loads((GOLDEN.parent / "cameras" / "simulated.json").read_text())
    # The versions and the presets of the reviewed document may differ.
    for version in (document["dev"], document["o"], reviewed["dev"], reviewed["o"]):
        version.pop("sw")
    for one in (document, reviewed):
        one["cmps"].pop("preset")
    assert document == reviewed


def test_every_entity_has_a_state_when_it_is_discovered(home_assistant):
    for name, component in home_assistant.device().items():
        if "stat_t" in component and component["p"] != "event":
            home_assistant.until(lambda: component["stat_t"] in home_assistant.received, name)
            assert home_assistant.shows(name) is not None, name


def test_the_slider_moves_the_zoom_and_follows_another_client(home_assistant, controller):
    home_assistant.sets("zoom", 3.5000000000000004)
    home_assistant.awaits("zoom", "3.5")
    assert controller.state("zoom", lambda state: state["factor"] == 3.5)["origin"]["client"] == "homeassistant"
    assert home_assistant.shows("zoom_origin") == "homeassistant"
    controller.obeyed("zoom", {"factor": 2, "client": "phone"})
    home_assistant.awaits("zoom", "2")
    home_assistant.awaits("zoom_origin", "phone")


def test_a_held_button_moves_the_slider_once_at_its_release(home_assistant, controller):
    component = home_assistant.device()["zoom"]
    since = controller.mark()
    move = controller.send("zoom", {"move": {"velocity": 0.7, "timeout_ms": 10000}, "client": "remote"})
    assert move.answer()["status"] == "accepted"
    controller.inbox.wait_for(
        controller.topic("zoom/live"), lambda message: message.json["factor"] > 1.2, since=since)
    stopped = controller.settled(controller.obeyed("zoom", {"stop": True}))
    shown = [rendered(component["val_tpl"], json.dumps(state).encode()) for state in controller.states("zoom", since)]
    assert [float(text) for text, _ in itertools.groupby(shown)] == [1, round(stopped["factor"], 2)]


def test_buttons_zoom_by_steps(home_assistant, controller, agent):
    home_assistant.presses("zoom_in")
    stepped = controller.state("zoom", lambda state: state["factor"] > 1 and not state["ramping"])
    assert stepped["factor"] == pytest.approx(2 ** 0.5, abs=0.01)
    home_assistant.presses("zoom_out")
    controller.state("zoom", lambda state: state["factor"] == pytest.approx(1, abs=0.01) and not state["ramping"])
    since = controller.mark()
    # The agent finds all of them at once: no step ends before the next one comes, nor the ramp before the
    # stop.
    agent.signal(signal.SIGSTOP)
    try:
        for button in ("zoom_in", "zoom_in", "zoom_in", "zoom_stop"):
            home_assistant.presses(button)
    finally:
        agent.signal(signal.SIGCONT)
    fast = controller.state("zoom", lambda state: state["target"] == pytest.approx(2 ** 1.5, abs=0.01), since=since)
    assert fast["ramping"], "the steps add up to one ramp"
    stopped = controller.state("zoom", lambda state: not state["ramping"])
    assert stopped["factor"] < 2.8
    home_assistant.sets("zoom", 1)
    home_assistant.presses("zoom_stop")
    home_assistant.awaits("zoom", "1")


def test_a_lease_is_shown_and_respected(home_assistant, controller):
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
    assert home_assistant.until(lambda: home_assistant.received.get(image), "the photo").startswith(b"\xff\xd8")


def test_live_view(home_assistant):
    frames = home_assistant.device()["preview"]["t"]
    home_assistant.awaits("live_view", "OFF")
    home_assistant.awaits_available("preview", False)
    home_assistant.turns("live_view", "on")
    home_assistant.awaits_available("preview")
    assert home_assistant.received[frames].startswith(b"\xff\xd8"), "a frame is there when the preview is available"
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


def test_privacy(home_assistant):
    home_assistant.awaits("privacy", "OFF")
    home_assistant.turns("privacy", "on")
    home_assistant.awaits("privacy", "ON")
    home_assistant.awaits("status", "private")
    for entity in ("zoom", "photo", "number_brightness"):
        home_assistant.awaits_available(entity, False)
    home_assistant.turns("privacy", "off")
    home_assistant.awaits("privacy", "OFF")
    home_assistant.awaits_available("zoom")
    home_assistant.awaits("status", "online")


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


def test_an_inactive_control_is_unavailable_and_not_removed(home_assistant):
    home_assistant.awaits_available("number_focus", False)
    home_assistant.turns("switch_autofocus", "off")
    home_assistant.awaits_available("number_focus")
    home_assistant.sets("number_focus", 12)
    home_assistant.awaits("number_focus", "10")
    home_assistant.turns("switch_autofocus", "on")
    home_assistant.awaits_available("number_focus", False)
    assert "number_focus" in home_assistant.device()


def test_diagnostics_are_published_once_a_minute(home_assistant):
    home_assistant.presses("photo")
    home_assistant.until(lambda: home_assistant.state("diagnostics").get("frames", 0) > 0, "the photo's frame to be counted", timeout=75)
    assert float(home_assistant.shows("disk_free")) > 0
    assert home_assistant.shows("frames_lost") == "0"
