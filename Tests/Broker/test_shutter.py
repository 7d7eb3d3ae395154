"""The shutter as a button: press and release, photos and sounds."""

import itertools
from pathlib import Path

import pytest

from movie_file import SMALL
from shutter_button import ShutterButton, agent_with_shutter


@pytest.fixture(scope="module")
def agent(shared, broker):
    """An agent without long presses."""
    return shared.agent(broker, camera={**SMALL, "shutter": {"long_press_ms": 0}})


def test_a_press_prepares_and_its_end_takes_the_photo(controller):
    button = ShutterButton(controller)
    began = button.send("began")
    assert began.answer()["status"] in ("accepted", "done")
    button.down()
    ended = button.send("ended")
    assert ended.answer()["status"] == "accepted"
    (photo,) = ended.answer()["photos"]
    assert Path(photo["path"]).exists() and (photo["width"], photo["height"]) == (320, 180)
    (event,) = button.events("shutter")
    assert event["photo"] == photo


@pytest.mark.deep
def test_the_photo_is_taken_at_the_release(controller):
    button = ShutterButton(controller).down()
    before = controller.zoom_to(4)
    photo = button.photo()
    assert (photo["factor"], photo["viewport"]) == (4, before["viewport"])


@pytest.mark.deep
def test_the_first_press_is_accepted_and_done_when_the_exposure_has_settled(bench):
    agent, controller = agent_with_shutter(bench)
    began = ShutterButton(controller).send("began")
    assert [began.answer()["status"], began.answer()["status"]] == ["accepted", "done"]


@pytest.mark.deep
def test_a_release_before_the_camera_is_ready_takes_its_photo(bench):
    agent, controller = agent_with_shutter(bench)
    button = ShutterButton(controller)
    began, ended = button.send("began"), button.send("ended")
    assert ended.answer()["status"] == "accepted"
    answer = ended.answer()
    assert answer["status"] == "done" and len(answer["photos"]) == 1
    assert [began.answer()["status"], began.answer()["status"]] == ["accepted", "done"]


@pytest.mark.deep
def test_ended_whose_began_was_lost_takes_a_photo(controller):
    assert ShutterButton(controller).photo()


@pytest.mark.deep
def test_a_press_that_is_cancelled_takes_nothing(controller):
    counter = controller.state("capture", since=0)["counter"]
    button = ShutterButton(controller).down()
    assert "photos" not in button.up("cancelled")
    assert "photos" not in button.up("cancelled")  # without a press it has no effect
    photo = ShutterButton(controller).photo()
    assert photo["sequence"] == controller.state("capture", lambda state: state["last"] == photo)["counter"]
    assert photo["sequence"] <= counter + 1
    assert not button.events("shutter")


@pytest.mark.deep
def test_a_press_that_is_cancelled_before_the_camera_is_ready_is_superseded(bench):
    agent, controller = agent_with_shutter(bench)
    button = ShutterButton(controller)
    began, cancelled = button.send("began"), button.send("cancelled")
    assert cancelled.result()["status"] == "done"
    assert began.answer()["status"] == "accepted"
    assert began.answer()["status"] in ("superseded", "done")
    controller.state("capture", lambda state: state["pressed"] == [])


@pytest.mark.deep
def test_the_state_has_the_buttons_that_are_pressed(controller):
    first, second = ShutterButton(controller), ShutterButton(controller, button="secondary")
    since = controller.mark()
    first.down()
    controller.state("capture", lambda state: state["pressed"] == ["primary"], since=since)
    second.down()
    controller.state("capture", lambda state: state["pressed"] == ["primary", "secondary"], since=since)
    first.photo()
    controller.state("capture", lambda state: state["pressed"] == ["secondary"], since=since)
    second.up("cancelled")
    controller.state("capture", lambda state: state["pressed"] == [], since=since)


@pytest.mark.deep
def test_each_client_has_its_own_buttons(controller):
    buttons = [ShutterButton(controller) for _ in range(3)]
    for button in buttons:
        button.down()
    pending = [button.send("ended") for button in buttons]
    photos = [photo for one in pending for photo in one.result()["photos"]]
    assert len({photo["path"] for photo in photos}) == 3
    assert [len(button.events("shutter")) for button in buttons] == [1, 1, 1]


@pytest.mark.deep
def test_both_buttons_of_a_client_are_independent(controller):
    first = ShutterButton(controller)
    second = ShutterButton(controller, client=first.client, button="secondary")
    first.down()
    second.down()
    second.up("cancelled")
    assert first.photo()


@pytest.mark.deep
def test_second_began_replaces_a_press_whose_ended_was_lost(controller):
    button = ShutterButton(controller).down().down()
    assert button.photo()
    controller.state("capture", lambda state: state["pressed"] == [])


@pytest.mark.deep
def test_two_quick_presses_make_two_photos(bench):
    agent, controller = agent_with_shutter(bench)
    button = ShutterButton(controller)
    sent = [button.send(phase) for phase in ("began", "ended", "began", "ended")]
    answers = [pending.result() for pending in sent]
    assert [answer["status"] for answer in answers[1::2]] == ["done", "done"]
    assert len({photo["path"] for answer in answers for photo in answer.get("photos", [])}) == 2


@pytest.mark.deep
def test_a_phase_that_comes_twice_is_done_once(controller):
    button = ShutterButton(controller).down()
    answer = button.send("ended", id="up-1").result()
    assert len(answer["photos"]) == 1
    again = button.send("ended", id="up-1").result()
    assert again["error"]["code"] == "duplicate"


@pytest.mark.deep
def test_a_plain_capture_goes_on_beside_a_press(controller):
    button = ShutterButton(controller).down()
    assert controller.obeyed("capture", {"count": 2, "size": {"width": 64}})["photos"]
    assert button.photo()


@pytest.mark.deep
def test_64_buttons_can_be_pressed_together(bench):
    agent, controller = agent_with_shutter(bench, long_press_ms=0)
    buttons = [ShutterButton(controller) for _ in range(65)]
    answers = [pending.result() for pending in [button.send("began") for button in buttons]]
    assert [answer["status"] for answer in answers[1:]] == ["done"] * 64
    assert buttons[0].send("ended").result()["error"]["code"] == "busy", "it made room for the last one"
    for button in buttons[1:]:
        button.send("cancelled")
    controller.state("capture", lambda state: state["pressed"] == [])


# Sounds


@pytest.mark.deep
def test_only_a_remote_button_is_answered_by_a_sound(controller):
    for fields, sounds in (({}, []), ({"remote": False}, []), ({"remote": True}, ["default"])):
        button = ShutterButton(controller, **fields).down()
        button.photo()
        assert [event["sound"] for event in button.events("sound")] == sounds


@pytest.mark.deep
def test_the_sound_names_action_button_and_client_and_comes_before_the_photo(controller):
    button = ShutterButton(controller, remote=True, button="secondary").down()
    answer = button.send("ended", id="shot-9").result()
    (sound,) = button.events("sound")
    assert (sound["sound"], sound["action"], sound["button"]) == ("default", "photo", "secondary")
    assert (sound["client"], sound["id"]) == (button.client, "shot-9")
    kinds = [event["event"] for event in controller.states("event", button.since)]
    assert kinds.index("sound") < kinds.index("shutter") and answer["photos"]


@pytest.mark.deep
@pytest.mark.parametrize("sound", ["none", "bell"])
def test_another_sound_or_none(bench, sound):
    agent, controller = agent_with_shutter(bench, sound=sound)
    button = ShutterButton(controller, remote=True)
    button.photo()
    assert [event["sound"] for event in button.events("sound")] == [sound]


@pytest.mark.deep
def test_failed_press_publishes_no_sound_event(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"inject_fault": "frame_error"}})
    button = ShutterButton(bench.controller(broker), remote=True)
    button.down()
    assert button.send("ended").result()["error"]["code"] == "device"
    assert not button.events("sound")


# Without a camera


@pytest.mark.deep
def test_every_press_is_answered_when_the_camera_is_absent(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/nosuch"}})
    controller = bench.controller(broker)
    for phase, name in itertools.product(("began", "ended", "cancelled"), ("primary", "secondary")):
        controller.refused("capture", {"phase": phase, "button": name, "remote": True}, "unavailable")


@pytest.mark.deep
def test_after_a_stop_of_the_agent_no_button_is_pressed(bench):
    agent, controller = agent_with_shutter(bench, long_press_ms=0)
    button = ShutterButton(controller).down()
    assert agent.stop() == 0
    agent.start()
    assert controller.state("capture", lambda state: state["pressed"] == [])
    assert button.photo()
