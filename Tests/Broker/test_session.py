"""How frames come: a quality and a rate, with controls and zoom beside them, all of it or nothing.

`SessionTests.swift` and `SessionChangeTests.swift` in `Tests/CameraCoreTests` have the tests that are marked
deep here, in virtual time and without a broker.
"""

import pytest

from movie_file import played
from state_file import state_in
from simulated_scene import open_photo
from waiting import eventually

QUALITIES = ["low", "medium", "high", "hd1280x720", "hd1920x1080", "1920x1080", "1280x720", "640x360", "320x180"]


AT_FIRST = {
    "quality": "high", "fps": 30,
    "controls": {"autofocus": False, "focus": 0, "brightness": 128, "color_effects": 0, "power_line_frequency": 1}}


@pytest.fixture
def phone(controller):
    """A controller; all is as it is configured."""
    controller.obeyed("session", AT_FIRST)
    controller.obeyed("controls", {"autofocus": True})
    return controller


@pytest.fixture
def alone(bench):
    """An agent that may be ended."""
    return bench.agent(bench.broker())


def session(controller, **how) -> dict:
    """The state, without what is new in each."""
    state = controller.state("session", **how)
    return {name: state[name] for name in ("quality", "width", "height", "fps", "pixel_format")}


def session_values(controller) -> tuple:
    """All that a session may change."""
    zoom = controller.state("zoom", lambda state: not state["ramping"])
    return session(controller), controller.state("controls")["values"], zoom["factor"], zoom["viewport"]


def photo_size(controller) -> tuple[int, int]:
    (photo,) = controller.obeyed("capture", {})["photos"]
    assert open_photo(photo["path"]).size == (photo["width"], photo["height"])
    return photo["width"], photo["height"]


@pytest.mark.deep
def test_initial_session_is_the_configured_one(controller):
    assert session(controller, since=0) == {"quality": "high", "width": 1920, "height": 1080, "fps": 30, "pixel_format": "422P"}
    assert controller.state("info", since=0)["qualities"] == QUALITIES


@pytest.mark.parametrize("quality, size", [
    ("low", (320, 180)), *(pytest.param(quality, size, marks=pytest.mark.deep) for quality, size in [
        ("medium", (640, 360)), ("high", (1920, 1080)), ("hd1280x720", (1280, 720)), ("hd1920x1080", (1920, 1080)),
        ("640x360", (640, 360))]),
])
def test_quality_selects_the_frame_size(phone, quality, size):
    since = phone.mark()
    answer = phone.obeyed("session", {"quality": quality, "client": "phone", "id": f"to-{quality}"})
    assert (answer["session"]["quality"], answer["session"]["width"], answer["session"]["height"]) == (quality, *size)
    state = phone.state("session", lambda state: state["origin"]["kind"] == "command", since=since)
    assert (state["width"], state["height"]) == size
    assert state["origin"] == {"kind": "command", "client": "phone", "proved": False, "id": f"to-{quality}"}
    assert photo_size(phone) == size


@pytest.mark.deep
@pytest.mark.parametrize("payload", [b"low", b'"low"', b'{"quality":"low"}', b'{"quality":["low"]}'])
def test_bare_quality_name_is_accepted(phone, payload):
    assert phone.obeyed("session", payload)["session"]["width"] == 320


@pytest.mark.deep
def test_each_quality_of_info_can_be_selected(phone):
    for quality in QUALITIES:
        assert phone.obeyed("session", {"quality": quality})["session"]["quality"] == quality


@pytest.mark.deep
def test_camera_with_4k_offers_hd4k(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"width": 3840, "height": 2160}})
    phone = bench.controller(broker)
    assert "hd4K3840x2160" in phone.state("info", since=0)["qualities"]
    assert phone.obeyed("session", {"quality": "hd4K3840x2160"})["session"]["width"] == 3840


@pytest.mark.deep
def test_first_supported_quality_of_a_list_is_selected(phone):
    answer = phone.obeyed("session", {"quality": ["hd4K3840x2160", "nosuch", "hd1280x720", "low"]})
    assert (answer["session"]["quality"], answer["session"]["height"]) == ("hd1280x720", 720)
    assert session(phone)["quality"] == "hd1280x720"


@pytest.mark.deep
@pytest.mark.parametrize("quality", ["hd4K3840x2160", "nosuch", "1x1", "640X360", "0640x360", ["8k", "hd4K3840x2160"]])
def test_unsupported_quality_is_refused_with_the_supported_ones(phone, quality):
    before = session(phone)
    message = phone.refused("session", {"quality": quality}, "unsupported", "quality")["message"]
    assert all(name in message for name in QUALITIES)
    assert session(phone) == before


@pytest.mark.deep
@pytest.mark.parametrize("asked, rate, clamped", [(15, 15, False), (10.4, 10, False), (200, 30, True), (0.5, 5, True)])
def test_nearest_supported_rate_is_selected(phone, asked, rate, clamped):
    answer = phone.obeyed("session", {"quality": "low", "fps": asked})
    assert (answer["session"]["fps"], answer.get("clamped", False)) == (rate, clamped)
    assert session(phone)["fps"] == rate


def test_rate_is_kept_with_another_quality(phone):
    phone.obeyed("session", {"fps": 15})
    assert session(phone)["quality"] == "high"
    assert phone.obeyed("session", {"quality": "low"})["session"]["fps"] == 15
    phone.obeyed("recording", {"on": True})
    for _ in range(3):
        phone.obeyed("capture", {"size": {"width": 64}})  # the recording is given these frames too
    movie = played(phone.obeyed("recording", {"on": False})["recording"]["path"])
    steps = [after - before for before, after in zip(movie.times, movie.times[1:])]
    assert min(steps) > 0.06


# All or nothing


WHOLE = {
    "quality": "medium", "fps": 15, "controls": {"autofocus": False, "focus": 100, "brightness": 90, "color_effects": 1},
    "zoom": {"factor": 4, "anchor": {"x": 0.2, "y": 0.5}}}


def test_quality_controls_and_zoom_change_together(phone):
    answer = phone.obeyed("session", WHOLE)
    assert (answer["session"]["quality"], answer["session"]["fps"]) == ("medium", 15)
    assert (answer["values"]["focus"], answer["values"]["brightness"]) == (100, 90)
    (mode, values, factor, viewport) = session_values(phone)
    assert (mode["width"], values["autofocus"], factor) == (640, False, 4)
    assert viewport["x"] < 0.3
    (photo,) = phone.obeyed("capture", {})["photos"]
    assert (photo["width"], photo["factor"]) == (640, 4)


@pytest.mark.deep
def test_ramp_is_answered_with_accepted_first(phone):
    change = phone.send("session", {"quality": "low", "zoom": {"factor": 8, "rate": 8}})
    assert change.answer()["status"] == "accepted"
    assert change.answer()["session"]["quality"] == "low"
    assert phone.state("zoom", lambda state: not state["ramping"])["factor"] == 8


BAD_CONTROLS = [
    ({"autofocus": True, "focus": 50}, "unavailable", "controls.focus"), ({"focus": 50}, "unavailable", "controls.focus"),
    ({"brightness": 1, "nosuch": 1}, "bad_payload", "controls.nosuch"),
    ({"brightness": "bright"}, "bad_payload", "controls.brightness"),
    ({"color_effects": 1, "power_line_frequency": "often"}, "bad_payload", "controls.power_line_frequency"),
    ({"color_effects": 1, "focus": 50}, "unavailable", "controls.focus"),
]


@pytest.mark.deep
@pytest.mark.parametrize("controls, code, field", BAD_CONTROLS)
def test_refused_control_rolls_back_the_whole_change(phone, controls, code, field):
    phone.obeyed("session", {"quality": "hd1280x720", "fps": 15, "controls": {"brightness": 77}, "zoom": {"factor": 2}})
    before = session_values(phone)
    phone.refused("session", {"quality": "low", "fps": 30, "controls": controls, "zoom": {"factor": 8}}, code, field)
    assert session_values(phone) == before
    assert photo_size(phone) == (1280, 720)


@pytest.mark.deep
def test_lens_error_rolls_back_the_whole_change(bench):
    broker = bench.broker()
    agent = bench.agent(broker, camera={"simulated": {"inject_fault": "write_error"}})
    phone = bench.controller(broker)
    phone.obeyed("session", {"quality": "hd1280x720", "fps": 15, "controls": {"brightness": 77, "color_effects": 2}})
    before = session_values(phone)
    controls = {"brightness": 5, "color_effects": 3, "autofocus": False}
    error = phone.refused("session", {**WHOLE, "controls": controls}, "device", "zoom")
    assert "Input/output error" in error["message"]
    assert session_values(phone) == before
    assert photo_size(phone) == (1280, 720)
    phone.refused("controls", {"focus": 5}, "unavailable")  # autofocus is on again
    # Nor does a restart bring back what was refused.
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("session", {}).get("quality") == "hd1280x720", "the session")
    agent.kill()
    agent.start()
    newcomer = bench.controller(broker)
    assert session(newcomer, since=0) == before[0]
    assert newcomer.state("controls", since=0)["values"] == before[1]


@pytest.mark.deep
def test_rollback_includes_controls_enabled_by_the_same_change(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"inject_fault": "write_error"}})
    phone = bench.controller(broker)
    before = session_values(phone)
    phone.refused("session", WHOLE, "device", "zoom")  # autofocus off, focus at 100
    assert session_values(phone) == before


@pytest.mark.deep
def test_refused_mode_changes_nothing(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"inject_fault": "mode_error"}})
    phone = bench.controller(broker)
    phone.obeyed("controls", {"brightness": 77})
    before = session_values(phone)
    phone.refused("session", WHOLE, "device")
    assert session_values(phone) == before


@pytest.mark.deep
def test_zoom_command_supersedes_only_the_zoom_of_the_session(phone):
    change = phone.send("session", {"quality": "low", "zoom": {"factor": 8, "rate": 0.05}})
    assert change.answer()["status"] == "accepted"
    phone.zoom_to(2)
    assert change.answer()["status"] == "superseded"
    assert phone.state("session", lambda state: state["quality"] == "low")
    phone.obeyed("session", {"quality": "medium"})


@pytest.mark.deep
def test_second_change_during_a_change_is_busy(phone):
    change = phone.send("session", {"quality": "low", "zoom": {"factor": 8, "rate": 0.05}})
    assert change.answer()["status"] == "accepted"
    phone.refused("session", {"quality": "medium"}, "busy")
    phone.obeyed("zoom", {"stop": True})
    assert change.answer()["status"] == "superseded"


@pytest.mark.deep
def test_zoom_of_a_session_is_refused_without_the_lease(phone):
    phone.obeyed("lease", {"take": True, "client": "desk"})
    before = session_values(phone)
    phone.refused("session", {**WHOLE, "client": "phone"}, "held")
    assert session_values(phone) == before
    assert phone.obeyed("session", {"quality": "low", "client": "phone"})
    assert phone.obeyed("session", {**WHOLE, "client": "desk"})
    phone.obeyed("lease", {"release": True, "client": "desk"})


# Beside recordings


@pytest.mark.deep
@pytest.mark.parametrize("body", [{"quality": "medium"}, {"fps": 15}, WHOLE])
def test_change_of_the_mode_during_a_recording_is_busy(phone, body):
    phone.obeyed("session", {"quality": "low"})
    phone.obeyed("recording", b"ON")
    before = session_values(phone)
    phone.refused("session", body, "busy")
    assert session_values(phone) == before
    movie = played(phone.obeyed("recording", b"OFF")["recording"]["path"])
    assert (movie.width, movie.height) == (320, 180)
    phone.obeyed("session", body)


@pytest.mark.deep
def test_controls_and_zoom_can_change_during_a_recording(phone):
    phone.obeyed("session", {"quality": "low"})
    phone.obeyed("recording", b"ON")
    assert phone.obeyed("session", {"controls": {"brightness": 5}, "zoom": {"factor": 2}})["values"]["brightness"] == 5
    phone.obeyed("recording", b"OFF")


@pytest.mark.deep
def test_a_recording_has_the_size_of_the_session(phone):
    phone.obeyed("session", {"quality": "low", "fps": 15})
    phone.obeyed("recording", b"ON")
    recording = phone.obeyed("recording", b"OFF")["recording"]
    assert (recording["width"], recording["height"]) == (320, 180)


# Over restarts, and by a fleet


@pytest.mark.parametrize("end", [pytest.param("stop", marks=pytest.mark.deep), "kill"])
def test_session_is_restored_after_a_restart(bench, alone, end):
    agent, phone = alone, bench.controller(alone.broker)
    phone.obeyed("session", {"quality": "medium", "fps": 15})
    before = session(phone)
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("session"), "the session in the state file")
    getattr(agent, end)()
    agent.start()
    newcomer = bench.controller(agent.broker)
    state = newcomer.state("session", since=0)
    assert (session(newcomer), state["origin"]["kind"]) == (before, "restore")
    assert photo_size(newcomer) == (640, 360)


@pytest.mark.deep
def test_saved_session_that_is_no_longer_supported_is_replaced(bench, alone):
    agent, phone = alone, bench.controller(alone.broker)
    phone.obeyed("session", {"quality": "640x360"})
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("session"), "the session in the state file")
    agent.stop()
    (door,) = agent.configuration["cameras"]
    door["simulated"] |= {"width": 800, "height": 600}
    agent.configure(agent.configuration)
    agent.start()
    newcomer = bench.controller(agent.broker)
    assert session(newcomer, since=0)["width"] == 800
    assert photo_size(newcomer) == (800, 600)


def desired(controller, version, outcome, **how):
    def is_it(state):
        return state and (state["version"], state["outcome"]) == (version, outcome)
    return controller.state("desired", is_it, **how)


@pytest.mark.deep
def test_desired_version_can_set_the_session(phone):
    phone.obeyed("desired", {"version": 1, "session": {"quality": ["hd4K3840x2160", "low"], "fps": 15}, "zoom": {"factor": 2}})
    desired(phone, 1, "applied")
    assert session(phone)["quality"] == "low"
    assert phone.state("session")["origin"]["kind"] == "desired"
    phone.refused("desired", {"version": 2, "session": {"quality": "nosuch"}}, "unsupported", "session.quality")
    desired(phone, 2, "failed")


@pytest.mark.deep
def test_desired_session_waits_for_the_end_of_a_recording(phone):
    phone.obeyed("session", {"quality": "low"})
    phone.obeyed("recording", b"ON")
    desired_request = phone.send("desired", {"version": 3, "session": {"quality": "medium"}, "controls": {"brightness": 9}})
    assert desired_request.answer()["status"] == "accepted"
    desired(phone, 3, "applying")
    assert session(phone)["quality"] == "low"
    phone.obeyed("zoom", {"factor": 2})
    movie = played(phone.obeyed("recording", b"OFF")["recording"]["path"])
    assert desired_request.answer()["status"] == "done"
    desired(phone, 3, "applied")
    assert session(phone)["quality"] == "medium" and movie.width == 320


@pytest.mark.deep
def test_session_of_an_absent_camera_is_unavailable(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"source": {"v4l2": "/dev/nosuch"}})
    bench.controller(broker).refused("session", {"quality": "low"}, "unavailable")
