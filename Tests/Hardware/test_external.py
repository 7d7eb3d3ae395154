"""The lens is turned or a control is set from outside: at the camera itself, or by another program."""

import pytest

from virtual_camera import Camera
from guest_agent import GuestAgent
from guest_photos import SMALL, seen
from simulated_scene import near
from camera_controllers import controllers_at
from v4l2ctl import v4l2, value
from waiting import eventually


@pytest.fixture(scope="module")
def cameras(guest):
    return {
        "front": Camera(guest, "front", port=0),
        "firm": Camera(guest, "firm", port=1),
        # Reports the end of each move, of those by the agent too.
        "tele": Camera(guest, "tele", port=2, motor=150, auto_update="zoom", reports_arrival=True)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = [{"id": name, "source": {"serial": name}, "v4l2": dict(SMALL)} for name in cameras]
    settings[1]["external"] = "reassert"
    agent = GuestAgent(guest, broker, cameras=settings).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def controller_for(broker, agent):
    with controllers_at(broker, at=2) as controller_for:
        yield controller_for


def by_button(guest, camera: Camera, raw: int):
    camera.button("zoom", raw)


def by_program(guest, camera: Camera, raw: int):
    assert v4l2(guest, camera.node, f"-c zoom_absolute={raw}").status == 0


def turn_once(controller, front: Camera):
    """A turn soon after a write is written again, as it may have come before it. After this one, no turn
    is."""
    since = controller.mark()
    front.button("zoom", 500)
    controller.state("zoom", lambda state: state["factor"] == 5, since=since)
    # The control thread sets one after the other.
    controller.obeyed("controls", {"contrast": 50})


@pytest.mark.parametrize("turn", [by_button, by_program])
def test_external_lens_movement_is_published(controller_for, guest, cameras, turn):
    controller, front = controller_for("front"), cameras["front"]
    turn_once(controller, front)
    since, log = controller.mark(), front.mark()
    turn(guest, front, 333)
    state = controller.state("zoom", lambda state: state["factor"] == near(3.33), since=since)
    assert (state["origin"]["kind"], state["optical"], state["digital"]) == ("external", near(3.33), 1)
    assert state["target"] == state["factor"]
    assert front.settings("zoom", log) == ([] if turn is by_button else ["333"]), "the agent turned it too"
    assert seen(guest, controller).zoom == front.lens() == 333


@pytest.mark.deep
def test_external_movement_takes_precedence_over_the_cached_value_of_the_driver(controller_for, guest, cameras):
    """This camera does not report auto-update: the driver goes on reading what was last set."""
    controller, front = controller_for("front"), cameras["front"]
    turn_once(controller, front)
    since = controller.mark()
    front.button("zoom", 400)
    controller.state("zoom", lambda state: state["factor"] == 4, since=since)
    assert value(guest, front.node, "zoom_absolute") in (200, 500), "the driver knows better than this test"
    log = front.mark()
    controller.obeyed("controls", {"contrast": 60})
    controller.obeyed("zoom", {"stop": True})
    assert seen(guest, controller).zoom == 400
    state = controller.state("zoom")
    assert (state["factor"], state["optical"], front.settings("zoom", log)) == (4, 4, [])
    assert controller.state("controls")["values"]["zoom_absolute"] == 400


# Controls


def test_control_set_by_another_program_is_published(controller_for, guest, cameras):
    controller, front = controller_for("front"), cameras["front"]
    for number, change in enumerate((lambda n: front.button("brightness", n), lambda n: v4l2(guest, front.node, f"-c brightness={n}"))):
        since = controller.mark()
        change(20 + number)
        state = controller.state("controls", lambda state: state["values"]["brightness"] == 20 + number, since=since)
        assert state["origin"]["kind"] == "external"


@pytest.mark.deep
def test_event_takes_precedence_over_the_cached_control_value_of_the_driver(controller_for, guest, cameras):
    controller, front = controller_for("front"), cameras["front"]
    controller.obeyed("controls", {"brightness": 10})
    since = controller.mark()
    front.button("brightness", 44)
    controller.state("controls", lambda state: state["values"]["brightness"] == 44, since=since)
    assert value(guest, front.node, "brightness") == 10, "the driver knows better than this test"
    answer = controller.obeyed("controls", {"contrast": 61})
    assert answer["values"]["brightness"] == 44
    assert controller.state("controls", lambda state: state["values"]["contrast"] == 61)["values"]["brightness"] == 44


# Reasserted


def test_lens_is_moved_back_if_configured(controller_for, guest, cameras):
    controller, firm = controller_for("firm"), cameras["firm"]
    for turn in (by_button, by_program):
        log = firm.mark()
        turn(guest, firm, 444)
        eventually(lambda: firm.settings("zoom", log)[-1:] == ["200"], "the lens set back")
        eventually(lambda: firm.lens() == 200, "the lens where it was")
        state = controller.state("zoom", lambda state: not state["ramping"] and state["factor"] == 2)
        assert state["target"] == 2
    assert seen(guest, controller).zoom == 200
