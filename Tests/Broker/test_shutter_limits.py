"""The shutter as a button: the rate limit of presses. A release is never refused."""

import pytest

from movie_file import SMALL
from shutter_button import LONG, ShutterButton, recording


@pytest.fixture
def limited_controller(bench):
    """A controller of an agent that accepts ten commands of a client in each second."""
    broker = bench.broker()
    bench.agent(broker, camera={**SMALL, "shutter": LONG}, limits={"commands_per_second": 10})
    return bench.controller(broker)


def limited(sent):
    """Waits for the first answer that reports the rate limit: in a flood, its event gives way to answers."""
    assert any(each.answer().get("error", {}).get("code") == "rate_limited" for each in sent)


def test_a_client_over_the_limit_is_refused_and_others_are_served(limited_controller):
    button, other = ShutterButton(limited_controller), ShutterButton(limited_controller)
    sent = [button.send("began") for _ in range(60)]
    limited(sent[1:])
    assert sent[0].answer()["status"] == "accepted"
    assert other.photo()
    assert button.up("cancelled")


def test_a_client_over_the_limit_can_end_a_recording(limited_controller):
    button = ShutterButton(limited_controller).down()
    recording(limited_controller, button.since)
    limited([limited_controller.send("zoom", {"by": 1, "client": button.client}) for _ in range(60)])
    assert button.up()["recording"]["reason"] == "stopped"
    limited_controller.obeyed("recording", {"on": True})
    for _ in range(60):
        limited_controller.send("zoom", {"by": 1, "client": button.client})
    assert limited_controller.obeyed("recording", {"on": False, "client": button.client})["recording"]["reason"] == "stopped"


def test_ends_without_a_beginning_count_as_presses(limited_controller):
    button = ShutterButton(limited_controller)
    sent = [button.send("ended") for _ in range(60)]
    assert sent[0].result()["photos"]
    limited(sent[1:])
