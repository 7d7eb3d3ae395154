"""The shutter as a button: press and release, a photo or, while it is held, a recording.

The rules are tested in `Tests/CameraCoreTests` (`Shutter…Tests`) and `Tests/MQTTFrontEndTests/FloodTests`, in
virtual time.
"""

from pathlib import Path

import pytest

from movie_file import SMALL, played
from shutter_button import LONG, ShutterButton, recording


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera={**SMALL, "shutter": LONG})


def test_a_press_prepares_and_its_end_takes_the_photo(controller):
    button = ShutterButton(controller)
    assert button.send("began").answer()["status"] in ("accepted", "done")
    ended = button.send("ended")
    assert ended.answer()["status"] == "accepted"
    (photo,) = ended.answer()["photos"]
    assert Path(photo["path"]).exists() and (photo["width"], photo["height"]) == (320, 180)
    (event,) = button.events("shutter")
    assert event["photo"] == photo


def test_a_press_records_while_it_is_held(controller):
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
