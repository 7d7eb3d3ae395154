"""Sessions and presets: frames, photos and files of the chosen size and view, and both after a kill.

The rules are tested in `SessionTests.swift`, `SessionChangeTests.swift` and `PresetsTests.swift` in
`Tests/CameraCoreTests`, in virtual time.
"""

import pytest

from movie_file import played
from state_file import state_in
from simulated_scene import in_scene, near, open_photo, read_position
from waiting import eventually


def middle(zoom: dict) -> tuple[float, float]:
    return in_scene(zoom, 0.5, 0.5)


def photo_size(controller) -> tuple[int, int]:
    (photo,) = controller.obeyed("capture", {})["photos"]
    assert open_photo(photo["path"]).size == (photo["width"], photo["height"])
    return photo["width"], photo["height"]


def test_quality_controls_and_zoom_change_together(controller):
    answer = controller.obeyed("session", {
        "quality": "medium", "fps": 15, "controls": {"autofocus": False, "focus": 100, "brightness": 90},
        "zoom": {"factor": 4, "anchor": {"x": 0.2, "y": 0.5}}, "client": "phone", "id": "s-1"})
    assert (answer["session"]["quality"], answer["session"]["fps"]) == ("medium", 15)
    assert (answer["values"]["focus"], answer["values"]["brightness"]) == (100, 90)
    state = controller.state("session", lambda state: state["width"] == 640)
    assert state["origin"] == {"kind": "command", "client": "phone", "proved": False, "id": "s-1"}
    assert controller.state("zoom", lambda state: state["factor"] == 4)["viewport"]["x"] < 0.3
    assert photo_size(controller) == (640, 360)


def test_rate_is_kept_with_another_quality(controller):
    controller.obeyed("session", {"quality": "high", "fps": 15})
    assert controller.obeyed("session", {"quality": "low"})["session"]["fps"] == 15
    controller.obeyed("recording", {"on": True})
    for _ in range(3):
        controller.obeyed("capture", {"size": {"width": 64}})  # the recording is given these frames too
    movie = played(controller.obeyed("recording", {"on": False})["recording"]["path"])
    steps = [after - before for before, after in zip(movie.times, movie.times[1:])]
    assert (movie.width, movie.height) == (320, 180) and min(steps) > 0.06


def test_preset_and_session_are_there_again_after_a_kill(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    controller.obeyed("session", {"quality": "medium", "fps": 15})
    before = controller.settled(controller.obeyed("zoom", {"factor": 6, "anchor": {"x": 0.2, "y": 0.8}}))
    controller.obeyed("presets", {"save": "letter box"})
    kept = controller.state("presets", lambda state: state["presets"])["presets"]
    controller.zoom_to(2)
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("presets") == kept, "the preset in the state file")
    agent.kill()
    since = controller.mark()
    agent.start()
    assert controller.state("presets", since=since)["presets"] == kept
    state = controller.state("session", since=since)
    assert (state["quality"], state["fps"], state["origin"]["kind"]) == ("medium", 15, "restore")
    view = controller.settled(controller.obeyed("presets", {"go": "letter box"}))
    assert view["factor"] == near(6) and middle(view) == near(middle(before))
    controller.state("presets", lambda state: state.get("current") == "letter box")
    (photo,) = controller.obeyed("capture", {"quality": 95})["photos"]
    assert (photo["width"], photo["height"]) == (640, 360)
    assert read_position(open_photo(photo["path"]), 0.5, 0.5, 0.2) == pytest.approx(middle(before), abs=0.02)
