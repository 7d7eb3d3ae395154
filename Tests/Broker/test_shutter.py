"""The shutter as a button: down, up, and what comes of it."""

import itertools
import time
from pathlib import Path

import pytest
from PIL import Image

from movie_file import SMALL, played

#: A press that shall become a recording is held until that is seen; the others are as short as the machine makes them.
LONG = {"long_press_ms": 200}

_clients = (f"hand-{n}" for n in itertools.count(1))


@pytest.fixture(scope="module")
def agent(shared, broker):
    """On it no press is too long."""
    return shared.agent(broker, camera={**SMALL, "shutter": {"long_press_ms": 0}})


class Hand:
    """One client's finger on a button."""

    def __init__(self, controller, **fields):
        self.controller, self.fields = controller, {"client": next(_clients), **fields}
        self.client, self.since = self.fields["client"], controller.mark()

    def send(self, phase, **fields):
        return self.controller.send("capture", {"phase": phase, **self.fields, **fields})

    def down(self):
        """Returns when the camera is ready."""
        began = self.send("began")
        answers = [began.answer()]
        if answers[0]["status"] == "accepted":
            answers.append(began.answer())
        assert answers[-1]["status"] == "done", answers
        return self

    def up(self, phase="ended") -> dict:
        answer = self.send(phase).result()
        assert answer["status"] == "done", answer
        return answer

    def photo(self) -> dict:
        (photo,) = self.up()["photos"]
        with Image.open(photo["path"]) as image:
            image.load()
        return photo

    def events(self, kind: str) -> list[dict]:
        events = self.controller.states("event", self.since)
        return [event for event in events if event["event"] == kind and event.get("client") == self.client]


def making(bench, **shutter):
    """An agent with such a shutter, and a controller of it."""
    broker = bench.broker()
    agent = bench.agent(broker, camera={**SMALL, "shutter": shutter})
    return agent, bench.controller(broker)


def recording(controller, since, wanted="recording") -> dict:
    return controller.state("recording", lambda state: state["state"] == wanted, since=since)


def test_a_press_prepares_and_its_end_shoots(controller):
    hand = Hand(controller)
    began = hand.send("began")
    assert began.answer()["status"] in ("accepted", "done")
    hand.down()
    ended = hand.send("ended")
    assert ended.answer()["status"] == "accepted"
    (photo,) = ended.answer()["photos"]
    assert Path(photo["path"]).exists() and (photo["width"], photo["height"]) == (320, 180)
    (event,) = hand.events("shutter")
    assert event["photo"] == photo


@pytest.mark.deep
def test_the_photo_is_of_the_moment_of_the_fingers_going_up(controller):
    hand = Hand(controller).down()
    before = controller.zoom_to(4)
    photo = hand.photo()
    assert (photo["factor"], photo["viewport"]) == (4, before["viewport"])


@pytest.mark.deep
def test_the_first_press_is_accepted_and_done_when_the_exposure_has_settled(bench):
    agent, controller = making(bench)
    began = Hand(controller).send("began")
    assert [began.answer()["status"], began.answer()["status"]] == ["accepted", "done"]


@pytest.mark.deep
def test_a_finger_that_is_up_before_the_camera_is_ready_gets_its_photo(bench):
    agent, controller = making(bench)
    hand = Hand(controller)
    began, ended = hand.send("began"), hand.send("ended")
    assert ended.answer()["status"] == "accepted"
    answer = ended.answer()
    assert answer["status"] == "done" and len(answer["photos"]) == 1
    assert [began.answer()["status"], began.answer()["status"]] == ["accepted", "done"]


@pytest.mark.deep
def test_an_end_whose_beginning_was_lost_shoots_too(controller):
    assert Hand(controller).photo()


@pytest.mark.deep
def test_a_press_that_is_cancelled_takes_nothing(controller):
    counter = controller.state("capture", since=0)["counter"]
    hand = Hand(controller).down()
    assert "photos" not in hand.up("cancelled")
    assert "photos" not in hand.up("cancelled")  # nor does it hurt without a press
    photo = Hand(controller).photo()
    assert photo["sequence"] == controller.state("capture", lambda state: state["last"] == photo)["counter"]
    assert photo["sequence"] <= counter + 1
    assert not hand.events("shutter")


@pytest.mark.deep
def test_a_press_that_is_cancelled_before_the_camera_is_ready_is_superseded(bench):
    agent, controller = making(bench)
    hand = Hand(controller)
    began, cancelled = hand.send("began"), hand.send("cancelled")
    assert cancelled.result()["status"] == "done"
    assert began.answer()["status"] == "accepted"
    assert began.answer()["status"] in ("superseded", "done")
    controller.state("capture", lambda state: state["pressed"] == [])


@pytest.mark.deep
def test_it_is_seen_which_buttons_are_down(controller):
    first, second = Hand(controller), Hand(controller, button="secondary")
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
    hands = [Hand(controller) for _ in range(3)]
    for hand in hands:
        hand.down()
    pending = [hand.send("ended") for hand in hands]
    photos = [photo for one in pending for photo in one.result()["photos"]]
    assert len({photo["path"] for photo in photos}) == 3
    assert [len(hand.events("shutter")) for hand in hands] == [1, 1, 1]


@pytest.mark.deep
def test_both_buttons_of_a_client_are_apart(controller):
    first = Hand(controller)
    second = Hand(controller, client=first.client, button="secondary")
    first.down()
    second.down()
    second.up("cancelled")
    assert first.photo()


@pytest.mark.deep
def test_a_second_beginning_takes_the_place_of_one_whose_end_was_lost(controller):
    hand = Hand(controller).down().down()
    assert hand.photo()
    controller.state("capture", lambda state: state["pressed"] == [])


@pytest.mark.deep
def test_two_quick_presses_make_two_photos(bench):
    agent, controller = making(bench)
    hand = Hand(controller)
    sent = [hand.send(phase) for phase in ("began", "ended", "began", "ended")]
    answers = [pending.result() for pending in sent]
    assert [answer["status"] for answer in answers[1::2]] == ["done", "done"]
    assert len({photo["path"] for answer in answers for photo in answer.get("photos", [])}) == 2


@pytest.mark.deep
def test_a_phase_that_comes_twice_is_done_once(controller):
    hand = Hand(controller).down()
    answer = hand.send("ended", id="up-1").result()
    assert len(answer["photos"]) == 1
    again = hand.send("ended", id="up-1").result()
    assert again["error"]["code"] == "duplicate"


@pytest.mark.deep
def test_a_plain_capture_goes_on_beside_a_press(controller):
    hand = Hand(controller).down()
    assert controller.obeyed("capture", {"count": 2, "size": {"width": 64}})["photos"]
    assert hand.photo()


@pytest.mark.deep
def test_64_buttons_can_be_held_at_once(bench):
    agent, controller = making(bench, long_press_ms=0)
    hands = [Hand(controller) for _ in range(65)]
    answers = [pending.result() for pending in [hand.send("began") for hand in hands]]
    assert [answer["status"] for answer in answers] == ["done"] * 64 + ["error"]
    assert answers[-1]["error"]["code"] == "busy"
    assert hands[-1].photo(), "its end is one without a beginning"
    for hand in hands[:-1]:
        hand.send("cancelled")
    controller.state("capture", lambda state: state["pressed"] == [])


# Sounds


@pytest.mark.deep
def test_only_a_remote_button_is_answered_by_a_sound(controller):
    for fields, sounds in (({}, []), ({"remote": False}, []), ({"remote": True}, ["default"])):
        hand = Hand(controller, **fields).down()
        hand.photo()
        assert [event["sound"] for event in hand.events("sound")] == sounds


@pytest.mark.deep
def test_the_sound_says_what_it_is_about_and_comes_before_the_photo(controller):
    hand = Hand(controller, remote=True, button="secondary").down()
    answer = hand.send("ended", id="shot-9").result()
    (sound,) = hand.events("sound")
    assert (sound["sound"], sound["action"], sound["button"]) == ("default", "photo", "secondary")
    assert (sound["client"], sound["id"]) == (hand.client, "shot-9")
    kinds = [event["event"] for event in controller.states("event", hand.since)]
    assert kinds.index("sound") < kinds.index("shutter") and answer["photos"]


@pytest.mark.deep
@pytest.mark.parametrize("sound", ["none", "bell"])
def test_another_sound_or_none(bench, sound):
    agent, controller = making(bench, sound=sound)
    hand = Hand(controller, remote=True)
    hand.photo()
    assert [event["sound"] for event in hand.events("sound")] == [sound]


@pytest.mark.deep
def test_a_press_that_comes_to_nothing_is_silent(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"inject_fault": "frame_error"}})
    hand = Hand(bench.controller(broker), remote=True)
    hand.down()
    assert hand.send("ended").result()["error"]["code"] == "device"
    assert not hand.events("sound")


# Actions


@pytest.mark.deep
def test_info_says_what_the_buttons_do(bench):
    agent, controller = making(bench)
    assert controller.state("info", since=0)["shutter"] == {
        "primary": "photo", "secondary": "photo", "long_press_ms": 500}
    agent, controller = making(bench, primary="record", secondary="photo", long_press_ms=0)
    assert controller.state("info", since=0)["shutter"] == {"primary": "record", "secondary": "photo"}


@pytest.mark.deep
@pytest.mark.parametrize("button", ["primary", "secondary"])
def test_the_second_button_does_what_the_first_does_if_nothing_else_is_said(bench, button):
    agent, controller = making(bench, primary="record", long_press_ms=0)
    hand = Hand(controller, button=button, remote=True).down()
    since = controller.mark()
    assert "recording" not in hand.up()  # it has begun
    assert recording(controller, since)["origin"]["client"] == hand.client
    hand.down()
    ended = hand.up()["recording"]
    assert (ended["reason"], played(ended["path"]).frames) == ("stopped", ended["frames"])
    actions = [event["action"] for event in hand.events("sound")]
    assert actions == ["recording_started", "recording_finished"]


@pytest.mark.deep
def test_each_button_has_an_action_of_its_own(bench):
    agent, controller = making(bench, primary="photo", secondary="record", long_press_ms=0)
    first = Hand(controller)
    second = Hand(controller, button="secondary")
    second.up()
    assert first.photo()
    assert second.up()["recording"]["reason"] == "stopped"


# A long press


def test_a_press_records_while_it_is_held(bench):
    agent, controller = making(bench, **LONG)
    hand = Hand(controller, remote=True)
    hand.down()
    assert recording(controller, hand.since)["origin"]["client"] == hand.client
    time.sleep(0.3)
    ended = hand.send("ended")
    assert ended.answer()["status"] == "accepted"
    made = ended.answer()["recording"]
    assert (made["reason"], played(made["path"]).frames) == ("stopped", made["frames"])
    recording(controller, hand.since, "idle")
    assert [event["action"] for event in hand.events("sound")] == ["recording_started", "recording_finished"]
    assert not hand.events("shutter"), "a photo was taken as well"
    Hand(controller).photo()


@pytest.mark.deep
def test_a_long_press_of_the_second_button_records_too(bench):
    agent, controller = making(bench, **LONG)
    hand = Hand(controller, button="secondary").down()
    recording(controller, hand.since)
    assert hand.up()["recording"]["reason"] == "stopped"


@pytest.mark.deep
def test_a_long_press_that_is_cancelled_ends_its_recording(bench):
    agent, controller = making(bench, **LONG)
    hand = Hand(controller).down()
    recording(controller, hand.since)
    hand.up("cancelled")
    idle = controller.state("recording", lambda state: state["state"] == "idle")
    assert idle["last"]["reason"] == "stopped"


@pytest.mark.deep
def test_a_recording_that_ends_by_itself_leaves_the_finger_on_the_button(bench):
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": LONG}, recordings={"max_duration_s": 3})
    controller = bench.controller(broker)
    hand = Hand(controller).down()
    state = recording(controller, hand.since)
    idle = controller.state("recording", lambda state: state["state"] == "idle" and "last" in state, since=hand.since)
    assert (idle["last"]["path"], idle["last"]["reason"]) == (state["path"], "max_duration")
    assert hand.up()["status"] == "done"
    assert not hand.events("shutter")
    assert len({state.get("path") for state in controller.states("recording", hand.since) if state["on"]} - {None}) == 1


@pytest.mark.deep
def test_a_long_press_during_a_recording_leaves_it_alone(bench):
    agent, controller = making(bench, **LONG)
    since = controller.mark()
    controller.obeyed("recording", b"ON")
    path = recording(controller, since)["path"]
    hand = Hand(controller).down()
    time.sleep(0.4)  # long enough
    hand.photo()
    state = controller.state("recording")
    assert (state["state"], state["path"]) == ("recording", path)
    controller.obeyed("recording", b"OFF")


# Without a camera


@pytest.mark.deep
def test_every_press_is_answered_when_the_camera_is_off(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/nosuch"}})
    controller = bench.controller(broker)
    for phase, button in itertools.product(("began", "ended", "cancelled"), ("primary", "secondary")):
        controller.refused("capture", {"phase": phase, "button": button, "remote": True}, "unavailable")


@pytest.mark.deep
def test_a_stop_of_the_agent_answers_who_holds_a_button(bench):
    agent, controller = making(bench, long_press_ms=0)
    hand = Hand(controller).down()
    assert agent.stop() == 0
    agent.start()
    assert controller.state("capture", lambda state: state["pressed"] == [])
    assert hand.photo()


@pytest.fixture
def calm(bench):
    """A controller of an agent that lets nobody press more than ten times a second."""
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": LONG}, limits={"commands_per_second": 10})
    return bench.controller(broker)


def limited(controller, since, **how):
    controller.state("event", lambda event: event.get("error", {}).get("code") == "rate_limited", since=since, **how)


def test_who_presses_too_often_is_told_and_others_are_served(calm):
    hand, other = Hand(calm), Hand(calm)
    sent = [hand.send("began") for _ in range(60)]
    limited(calm, hand.since)
    assert sent[0].answer()["status"] == "accepted"
    assert other.photo()
    assert hand.up("cancelled")


def test_who_presses_too_often_can_still_end_what_is_recorded(calm):
    hand = Hand(calm).down()
    recording(calm, hand.since)
    for _ in range(60):
        calm.send("zoom", {"by": 1, "client": hand.client})
    limited(calm, hand.since)
    assert hand.up()["recording"]["reason"] == "stopped"
    calm.obeyed("recording", {"on": True})
    for _ in range(60):
        calm.send("zoom", {"by": 1, "client": hand.client})
    assert calm.obeyed("recording", {"on": False, "client": hand.client})["recording"]["reason"] == "stopped"


def test_ends_without_a_beginning_count_as_presses(calm):
    hand = Hand(calm)
    sent = [hand.send("ended") for _ in range(60)]
    assert sent[0].result()["photos"]
    limited(calm, hand.since)
