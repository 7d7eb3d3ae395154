"""The shutter as a button: the action of each button, and recordings by a long press."""

import pytest

from movie_file import SMALL, played
from recording_steps import with_a_yard
from shutter_button import LONG, ShutterButton, agent_with_shutter, recording


@pytest.mark.deep
def test_info_has_the_actions_of_the_buttons(bench):
    agent, controller = agent_with_shutter(bench)
    assert controller.state("info", since=0)["shutter"] == {
        "primary": "photo", "secondary": "photo", "long_press_ms": 500}
    agent, controller = agent_with_shutter(bench, primary="record", secondary="photo", long_press_ms=0)
    assert controller.state("info", since=0)["shutter"] == {"primary": "record", "secondary": "photo"}


@pytest.mark.deep
@pytest.mark.parametrize("name", ["primary", "secondary"])
def test_the_second_button_has_the_action_of_the_first_by_default(bench, name):
    agent, controller = agent_with_shutter(bench, primary="record", long_press_ms=0)
    button = ShutterButton(controller, button=name, remote=True).down()
    since = controller.mark()
    assert "recording" not in button.up()  # it has begun
    assert recording(controller, since)["origin"]["client"] == button.client
    button.down()
    ended = button.up()["recording"]
    assert (ended["reason"], played(ended["path"]).frames) == ("stopped", ended["frames"])
    actions = [event["action"] for event in button.events("sound")]
    assert actions == ["recording_started", "recording_finished"]


@pytest.mark.deep
def test_each_button_has_an_action_of_its_own(bench):
    agent, controller = agent_with_shutter(bench, primary="photo", secondary="record", long_press_ms=0)
    first = ShutterButton(controller)
    second = ShutterButton(controller, button="secondary")
    second.up()
    assert first.photo()
    assert second.up()["recording"]["reason"] == "stopped"


# A long press


def test_a_press_records_while_it_is_held(bench):
    agent, controller = agent_with_shutter(bench, **LONG)
    button = ShutterButton(controller, remote=True)
    button.down()
    # The state comes with the first frame of the file.
    assert recording(controller, button.since)["origin"]["client"] == button.client
    ended = button.send("ended")
    assert ended.answer()["status"] == "accepted"
    made = ended.answer()["recording"]
    assert (made["reason"], played(made["path"]).frames) == ("stopped", made["frames"])
    recording(controller, button.since, "idle")
    assert [event["action"] for event in button.events("sound")] == ["recording_started", "recording_finished"]
    assert not button.events("shutter"), "a photo was taken as well"
    ShutterButton(controller).photo()


@pytest.mark.deep
def test_a_long_press_of_the_second_button_records_too(bench):
    agent, controller = agent_with_shutter(bench, **LONG)
    button = ShutterButton(controller, button="secondary").down()
    recording(controller, button.since)
    assert button.up()["recording"]["reason"] == "stopped"


@pytest.mark.deep
def test_a_long_press_that_is_cancelled_ends_its_recording(bench):
    agent, controller = agent_with_shutter(bench, **LONG)
    button = ShutterButton(controller).down()
    recording(controller, button.since)
    button.up("cancelled")
    idle = controller.state("recording", lambda state: state["state"] == "idle")
    assert idle["last"]["reason"] == "stopped"


@pytest.mark.deep
def test_a_recording_that_ends_by_itself_leaves_the_button_pressed(bench):
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": LONG}, recordings={"max_duration_s": 3})
    controller = bench.controller(broker)
    button = ShutterButton(controller).down()
    state = recording(controller, button.since)
    idle = controller.state("recording", lambda state: state["state"] == "idle" and "last" in state, since=button.since)
    assert (idle["last"]["path"], idle["last"]["reason"]) == (state["path"], "max_duration")
    assert button.up()["status"] == "done"
    assert not button.events("shutter")
    assert len({state.get("path") for state in controller.states("recording", button.since) if state["on"]} - {None}) == 1


@pytest.mark.deep
def test_a_long_press_during_a_recording_leaves_it_alone(bench):
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera={**SMALL, "shutter": LONG})
    with_a_yard(agent).start()
    controller, yard = bench.controller(broker), bench.controller(broker, camera="yard")
    since = controller.mark()
    controller.obeyed("recording", b"ON")
    path = recording(controller, since)["path"]
    button = ShutterButton(controller).down()
    # A press of another camera that begins later is long: then this one is, too.
    other = ShutterButton(yard).down()
    recording(yard, other.since)
    other.up()
    button.photo()
    state = controller.state("recording")
    assert (state["state"], state["path"]) == ("recording", path)
    controller.obeyed("recording", b"OFF")
