"""Views that are kept under names.

`Tests/CameraCoreTests/PresetsTests.swift` has the tests that are marked deep here, in virtual time and
without a broker.
"""

import pytest

from movie_file import SMALL
from state_file import state_in
from simulated_scene import in_scene, near, open_photo, read_position
from waiting import eventually


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def viewer(controller):
    """A controller; there are no presets."""
    for name in list(controller.state("presets", since=0)["presets"]):
        controller.obeyed("presets", {"delete": name})
    controller.state("presets", lambda state: not state["presets"])
    controller.obeyed("controls", {"autofocus": True})
    return controller


def look_at(controller, factor, x=0.5, y=0.5) -> dict:
    """Zooms with this point of the widest view in the middle, as far as that can be."""
    controller.zoom_to(factor)
    controller.obeyed("viewport", {"by": {"dx": -9, "dy": -9}})
    state = controller.state("zoom", lambda state: not state["ramping"])
    left = state["viewport"]["x"] + state["viewport"]["width"] / 2
    top = state["viewport"]["y"] + state["viewport"]["height"] / 2
    optical = state["optical"]
    at = 0.5 + (left - 0.5) / optical, 0.5 + (top - 0.5) / optical
    answer = controller.obeyed("viewport", {"by": {"dx": (x - at[0]) * factor, "dy": (y - at[1]) * factor}})
    return controller.settled(answer)


def middle(zoom: dict) -> tuple[float, float]:
    return in_scene(zoom, 0.5, 0.5)


def recall(controller, name, **how) -> dict:
    return controller.settled(controller.obeyed("presets", {"go": name, **how}))


def same_view(state: dict, other: dict) -> bool:
    return state["factor"] == near(other["factor"]) and middle(state) == near(middle(other))


def current(controller, name):
    return controller.state("presets", lambda state: state.get("current") == name)


@pytest.mark.deep
def test_initial_state_has_no_presets(viewer):
    assert viewer.state("presets", since=0)["presets"] == {}


def test_go_restores_the_saved_view(viewer):
    before = look_at(viewer, 6, 0.35, 0.6)
    viewer.obeyed("presets", {"save": "letter box"})
    state = current(viewer, "letter box")
    kept = state["presets"]["letter box"]
    assert kept["factor"] == near(6) and (kept["center"]["x"], kept["center"]["y"]) == near((0.35, 0.6))
    viewer.zoom_to(2)
    assert "current" not in current(viewer, None)
    assert same_view(recall(viewer, "letter box"), before)
    current(viewer, "letter box")
    (photo,) = viewer.obeyed("capture", {"quality": 95})["photos"]
    assert read_position(open_photo(photo["path"]), 0.5, 0.5, 0.2) == pytest.approx((0.35, 0.6), abs=0.02)


@pytest.mark.deep
def test_preset_can_be_replaced_and_deleted(viewer):
    look_at(viewer, 2)
    viewer.obeyed("presets", {"save": "a"})
    look_at(viewer, 5)
    viewer.obeyed("presets", {"save": "a"})
    viewer.zoom_to(1)
    assert recall(viewer, "a")["factor"] == near(5)
    viewer.obeyed("presets", {"delete": "a"})
    assert viewer.state("presets", lambda state: not state["presets"])
    viewer.refused("presets", {"go": "a"}, "bad_payload", "go")
    viewer.refused("presets", {"delete": "a"}, "bad_payload", "delete")


@pytest.mark.deep
def test_unknown_preset_is_refused_with_the_known_names(viewer):
    for name in ("gate", "door"):
        viewer.obeyed("presets", {"save": name})
    message = viewer.refused("presets", {"go": "nosuch"}, "bad_payload", "go")["message"]
    assert "door, gate" in message and "home" in message and "nosuch" in message


@pytest.mark.deep
def test_home_always_exists(viewer):
    look_at(viewer, 7, 0.2, 0.2)
    state = recall(viewer, "home")
    assert state["factor"] == 1 and middle(state) == near((0.5, 0.5))
    viewer.refused("presets", {"delete": "home"}, "bad_payload", "delete")


@pytest.mark.deep
def test_saved_home_replaces_the_default_until_it_is_deleted(viewer):
    before = look_at(viewer, 3, 0.6, 0.5)
    viewer.obeyed("presets", {"save": "home"})
    viewer.zoom_to(1)
    assert same_view(recall(viewer, "home"), before)
    viewer.obeyed("presets", {"delete": "home"})
    assert recall(viewer, "home")["factor"] == 1


@pytest.mark.deep
@pytest.mark.parametrize("optical_max, begin, end, is_line", [
    (1, (3, 0.3, 0.4), (8, 0.8, 0.7), True), (1, (8, 0.9, 0.1), (4, 0.3, 0.3), True), (1, (1, 0.5, 0.5), (8, 0.93, 0.2), False),
    (2, (3, 0.45, 0.5), (8, 0.65, 0.6), True), (8, (2, 0.5, 0.5), (8, 0.5, 0.5), True),
])
def test_go_with_a_rate_moves_the_center_on_a_straight_line(bench, optical_max, begin, end, is_line):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"optical_max": optical_max, "width": 320, "height": 180}})
    viewer = bench.controller(broker)
    look_at(viewer, *end)
    viewer.obeyed("presets", {"save": "far"})
    first = look_at(viewer, *begin)
    since = viewer.mark()
    # The shortest way takes two seconds: only an agent that hangs publishes fewer than five samples in them.
    go = viewer.send("presets", {"go": "far", "rate": 0.5})
    assert go.answer()["status"] == "accepted"
    last = viewer.settled(go.answer())
    assert last["factor"] == near(end[0]) and middle(last) == near(end[1:])
    samples = [first, *viewer.states("zoom/live", since), last]
    assert len(samples) > 6, "no samples on the way"
    ways = [[sample["factor"] for sample in samples], *zip(*map(middle, samples))]
    for way in ways:
        assert all((after - before) * (way[-1] - way[0]) >= -1e-6 for before, after in zip(way, way[1:])), way
    if is_line:
        across, down = (to - at for at, to in zip(begin[1:], end[1:]))
        for x, y in map(middle, samples):
            assert (y - begin[2]) * across == pytest.approx((x - begin[1]) * down, abs=0.005), "it left the line"


@pytest.mark.deep
def test_go_to_a_view_of_the_same_factor_only_pans(viewer):
    begin = look_at(viewer, 4, 0.3, 0.5)
    viewer.obeyed("presets", {"save": "left"})
    look_at(viewer, 4, 0.7, 0.5)
    state = recall(viewer, "left", rate=4)
    assert same_view(state, begin)


@pytest.mark.deep
def test_zoom_command_supersedes_a_go_in_progress(viewer):
    look_at(viewer, 8)
    viewer.obeyed("presets", {"save": "far"})
    viewer.zoom_to(1)
    go = viewer.send("presets", {"go": "far", "rate": 0.1})
    assert go.answer()["status"] == "accepted"
    viewer.zoom_to(2)
    assert go.answer()["status"] == "superseded"


@pytest.mark.deep
def test_manual_focus_is_saved_and_restored(viewer):
    viewer.obeyed("controls", {"autofocus": False, "focus": 100})
    viewer.obeyed("presets", {"save": "near"})
    assert viewer.state("presets", lambda state: "near" in state["presets"])["presets"]["near"]["controls"] == {
        "autofocus": False, "focus": 100}
    viewer.obeyed("controls", {"autofocus": True})
    viewer.state("presets", lambda state: state.get("current") != "near")
    recall(viewer, "near")
    values = viewer.state("controls", lambda state: state["values"]["autofocus"] is False)["values"]
    assert values["focus"] == 100
    current(viewer, "near")


@pytest.mark.deep
def test_automatic_focus_is_saved_and_restored(viewer):
    viewer.obeyed("presets", {"save": "auto"})
    viewer.obeyed("controls", {"autofocus": False, "focus": 100})
    recall(viewer, "auto")
    assert viewer.state("controls", lambda state: state["values"]["autofocus"] is True)


@pytest.mark.deep
def test_a_lease_of_another_client_refuses_go_but_not_save(viewer):
    viewer.obeyed("presets", {"save": "here"})
    viewer.obeyed("lease", {"take": True, "client": "desk"})
    for name in ("here", "home"):
        assert "desk" in viewer.refused("presets", {"go": name, "client": "phone"}, "held")["message"]
    viewer.obeyed("presets", {"save": "there", "client": "phone"})
    viewer.obeyed("presets", {"go": "here", "client": "desk"})
    viewer.obeyed("presets", {"delete": "there", "client": "phone"})
    viewer.obeyed("lease", {"release": True, "client": "desk"})


@pytest.mark.deep
def test_at_most_64_presets(viewer):
    for pending in [viewer.send("presets", {"save": f"view {n}"}) for n in range(64)]:
        assert pending.result()["status"] == "done"
    viewer.refused("presets", {"save": "one more"}, "busy", "save")
    viewer.obeyed("presets", {"save": "view 7"})
    viewer.obeyed("presets", {"delete": "view 8"})
    viewer.obeyed("presets", {"save": "one more"})


@pytest.mark.deep
@pytest.mark.parametrize("name", ["é" * 32, "a/b", "💡 garden", "$x", "home.1", '"quoted"', " "])
def test_names_with_any_printable_characters_are_accepted(viewer, name):
    viewer.obeyed("presets", {"save": name})
    assert name in viewer.state("presets", lambda state: state["presets"])["presets"]
    recall(viewer, name)


@pytest.mark.parametrize("end", [pytest.param("stop", marks=pytest.mark.deep), "kill"])
def test_presets_are_restored_after_a_restart(bench, end):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    before = look_at(controller, 5, 0.4, 0.3)
    controller.obeyed("presets", {"save": "gate"})
    kept = controller.state("presets", lambda state: state["presets"])["presets"]
    controller.zoom_to(2)
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("presets") == kept, "the preset in the state file")
    getattr(agent, end)()
    since = controller.mark()
    agent.start()
    assert controller.state("presets", since=since)["presets"] == kept
    assert same_view(recall(controller, "gate"), before)


@pytest.mark.deep
def test_preset_beyond_the_configured_range_is_clamped(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    look_at(controller, 8)
    controller.obeyed("presets", {"save": "far"})
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("presets"), "the preset in the state file")
    agent.stop()
    agent.configuration["cameras"][0]["zoom"] = {"max": 4}
    agent.configure(agent.configuration)
    agent.start()
    answer = controller.obeyed("presets", {"go": "far"})
    assert answer["clamped"] is True and controller.settled(answer)["factor"] == 4


@pytest.mark.deep
def test_lens_error_during_go_is_a_device_error(bench):
    broker = bench.broker()
    bench.agent(broker, camera={"simulated": {"inject_fault": "write_error"}, "zoom": {"min": 2}})
    controller = bench.controller(broker)
    controller.refused("presets", {"go": "home"}, "device")


@pytest.mark.deep
def test_without_a_camera_presets_can_only_be_deleted(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    controller.obeyed("presets", {"save": "a"})
    eventually(lambda: state_in(agent.state_file)["cameras"]["door"].get("presets"), "the preset in the state file")
    agent.stop()
    agent.configuration["cameras"][0] |= {"source": {"v4l2": "/dev/nosuch"}}
    agent.configure(agent.configuration)
    since = controller.mark()
    agent.start()
    assert list(controller.state("presets", since=since)["presets"]) == ["a"]
    controller.refused("presets", {"go": "a"}, "unavailable")
    controller.refused("presets", {"save": "b"}, "unavailable")
    controller.obeyed("presets", {"delete": "a"})
    assert controller.state("presets", lambda state: not state["presets"])


@pytest.mark.deep
def test_names_with_control_characters_are_refused(controller):
    for name in ("a\nb", "\x01", "\x7f"):
        controller.refused("presets", {"save": name}, "bad_payload", "save")


@pytest.mark.deep
def test_saved_home_can_be_deleted_once(controller):
    controller.zoom_to(2)
    controller.obeyed("presets", {"save": "home"})
    controller.obeyed("presets", {"delete": "home"})
    error = controller.refused("presets", {"delete": "home"}, "bad_payload", "delete")
    assert "there is home" not in error["message"]
    assert controller.obeyed("presets", {"go": "home"})["factor"] == 1
