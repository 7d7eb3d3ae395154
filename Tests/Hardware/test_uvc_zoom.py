"""The zoom of UVC cameras, by every actuator that they may have; what reached the lens is read from the
cameras' own logs."""

import math
from itertools import pairwise

import pytest

from virtual_camera import Camera
from guest_agent import GuestAgent
from guest_photos import SMALL, seen
from simulated_scene import near
from waiting import eventually


@pytest.fixture(scope="module")
def cameras(guest):
    return {
        "front": Camera(guest, "front", port=0, zoom=(100, 500, 1, 100)),
        # A lens of steps, which is slow and reports its position.
        "tele": Camera(guest, "tele", port=1, zoom=(100, 200, 5, 100), motor=50, auto_update="zoom"),
        "honest": Camera(guest, "honest", port=2, zoom=(100, 500, 1, 100), auto_update="zoom"),
        "speedy": Camera(guest, "speedy", port=3, without="zoom"),
        "fixed": Camera(guest, "fixed", port=4, without=["zoom", "zoom_speed"])}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = {name: {"id": name, "source": {"serial": name}, "v4l2": dict(SMALL)} for name in cameras}
    settings["honest"]["zoom"] = {"calibration": [[100, 1], [300, 2], [500, 6]], "max": 10}
    agent = GuestAgent(guest, broker, cameras=list(settings.values())).start()
    yield agent
    assert agent.ending() is None


# A motor that is set to positions


@pytest.mark.parametrize("factor, raw", [(1.5, 150), (3, 300), (4.99, 499), (5, 500)])
def test_a_factor_is_the_units_over_the_least_one(controller_for, cameras, factor, raw):
    controller, front = controller_for("front"), cameras["front"]
    since = front.mark()
    state = controller.zoom_to(factor)
    assert front.settings("zoom", since) == [str(raw)] and front.lens() == raw
    assert (state["optical"], state["digital"]) == (near(factor), near(1))


def test_lens_is_used_before_the_crop(controller_for, cameras):
    controller, front = controller_for("front"), cameras["front"]
    state = controller.zoom_to(8)
    assert front.lens() == 500
    assert (state["optical"], state["digital"], state["viewport"]["width"]) == near((5, 1.6, 1 / 1.6))
    zoom = controller.state("info")["zoom"]
    assert (zoom["handover"], zoom["upscale_from"], zoom["max"]) == ([5], 5, 8)
    assert zoom["actuators"] == [{"kind": "absolute", "max": 5}, {"kind": "crop", "max": near(1.6)}]


@pytest.mark.parametrize("factor, raw", [(1.5, 200), (2, 300), (4, 400), (6, 500)])
def test_calibration_converts_units_to_factors(controller_for, cameras, factor, raw):
    controller = controller_for("honest")
    state = controller.zoom_to(factor)
    assert cameras["honest"].lens() == raw
    assert (state["optical"], state["digital"]) == (near(factor), near(1))
    assert controller.state("info")["zoom"]["handover"] == [6]


def test_crop_fills_in_between_lens_steps(controller_for, guest, cameras):
    controller, tele = controller_for("tele"), cameras["tele"]
    state = controller.zoom_to(1.23)
    assert tele.lens() == 120
    assert (state["optical"], state["digital"]) == near((1.2, 1.025))
    picture = seen(guest, controller)
    assert picture.zoom == 120 and picture.viewport.width == pytest.approx(1 / 1.025, abs=0.01)


@pytest.mark.parametrize("fault, asked, done", [(("clamp", 150, 300), 350, 300), (("round", 50), 234, 200)])
def test_published_factor_is_read_back(controller_for, cameras, fault, asked, done):
    """The device accepts less than its range; the crop provides the rest."""
    controller, honest = controller_for("honest"), cameras["honest"]
    linear = {200: 1.5, 300: 2, 234: 1.67, 350: 3}
    honest.command(fault[0], "zoom", *fault[1:])
    try:
        state = controller.zoom_to(linear[asked])
        assert honest.lens() == done
        assert (state["optical"], state["digital"]) == near((linear[done], linear[asked] / linear[done]))
    finally:
        honest.command(fault[0], "zoom", *([] if fault[0] == "clamp" else [0]))


def test_a_ramp_takes_the_steps_of_the_lens_in_order_and_none_twice(controller_for, cameras, guest):
    """How evenly, and that it leaves none out on a machine that keeps up, is held in virtual time:
    SteppedRampTests.swift."""
    controller, tele = controller_for("tele"), cameras["tele"]
    since, rate, began = tele.mark(), 0.4, guest.clock()
    answer = controller.obeyed("zoom", {"factor": 2, "rate": rate})
    assert controller.settled(answer)["factor"] == 2
    steps = [entry for entry in tele.log(since) if entry.text.startswith("SET_CUR zoom ")]
    values = [int(entry.text.split()[2]) for entry in steps]
    assert values[-1] == 200 and set(values) <= set(range(105, 201, 5))
    assert all(before < after for before, after in pairwise(values)), values
    # By the guest's clock. No step may come before its time; on a busy machine one may come late.
    early = [math.log2(value / 100) / rate - (entry.time - began) / 1e9 for value, entry in zip(values, steps)]
    assert max(early) < 0.1, early


def test_published_factors_increase_monotonically_during_a_ramp(controller_for):
    controller = controller_for("tele")
    since = controller.mark()
    controller.settled(controller.obeyed("zoom", {"factor": 3, "rate": 1}))
    samples = controller.states("zoom/live", since)
    assert len(samples) > 10
    factors = [sample["factor"] for sample in samples]
    assert all(a <= b for a, b in pairwise(factors)), factors


def test_moving_lens_publishes_its_present_position(controller_for, cameras):
    controller, tele = controller_for("tele"), cameras["tele"]
    since, log = controller.mark(), tele.mark()
    controller.zoom_to(2)
    samples = controller.states("zoom", since) + controller.states("zoom/live", since)
    on_the_way = {round(sample["optical"] * 100) for sample in samples if 1 < sample["optical"] < 2}
    read = {int(entry.text.split()[2]) for entry in tele.log(log) if entry.text.startswith("GET_CUR zoom ")}
    assert len(on_the_way) > 5 and on_the_way <= read
    assert controller.state("zoom")["optical"] == 2


@pytest.mark.parametrize("way", [
    {"factor": 2}, *(pytest.param(way, marks=pytest.mark.deep) for way in (
        {"factor": 2, "rate": 0.5}, {"move": {"velocity": 0.5, "timeout_ms": 5000}}))])
def test_stop_halts_the_lens_at_its_present_position(controller_for, cameras, way):
    controller, tele = controller_for("tele"), cameras["tele"]
    moving = controller.send("zoom", way)
    eventually(lambda: tele.lens() >= 120, "the lens at 120")
    state = controller.settled(controller.obeyed("zoom", {"stop": True}))
    assert moving.result()["status"] == "superseded"
    at = tele.lens()
    assert 120 <= at < 190 and round(state["optical"] * 100) == at
    # It stays: the motor isn't still on its way to somewhere.
    assert seen(tele.guest, controller).zoom == tele.lens() == at


# Lenses that can't be used


def test_speed_only_lens_is_unused_and_logged(controller_for, guest, agent, cameras):
    controller, speedy = controller_for("speedy"), cameras["speedy"]
    assert controller.zoom_to(2)["digital"] == 2
    assert controller.state("info")["zoom"]["actuators"] == [{"kind": "crop", "max": 8}]
    picture = seen(guest, controller)
    assert picture.viewport.width == pytest.approx(0.5, abs=0.02)
    assert any("warning" in line and "speedy" in line and "speed" in line for line in agent.log.lower().splitlines())


def test_probing_of_a_lens_that_can_not_stop_does_not_move_it(cameras, agent):
    """It would stop at its tele end, and no command could bring it back."""
    speedy = cameras["speedy"]
    assert (speedy.settings("zoom_speed"), speedy.lens()) == ([], 100)


def test_a_camera_without_a_lens_zooms_by_its_crop(controller_for, guest):
    controller = controller_for("fixed")
    state = controller.zoom_to(4)
    assert (state["optical"], state["digital"]) == (1, 4)
    view = seen(guest, controller).viewport
    assert (view.x, view.y, view.width, view.height) == pytest.approx((0.375, 0.375, 0.25, 0.25), abs=0.02)


# The end of the agent


@pytest.mark.parametrize("camera, command", [
    ("front", {"factor": 5, "rate": 0.5}), ("tele", {"factor": 2}), ("tele", {"move": {"velocity": 0.3, "timeout_ms": 9000}})])
def test_stop_during_a_movement_publishes_the_lens_position(controller_for, cameras, agent, camera, command):
    controller = controller_for(camera)
    start = controller.zoom_to(1)
    since = controller.mark()
    controller.send("zoom", command)
    controller.state("zoom", lambda state: state["ramping"], since=since)
    controller.inbox.wait_for(controller.topic("zoom/live"), lambda message: message.json["factor"] > 1.1, since=since)
    assert agent.stop() == 0
    last = controller.states("zoom")[-1]
    assert not last["ramping"] and last["target"] == last["factor"] and "velocity" not in last
    assert start["factor"] < last["factor"] and last["optical"] == near(cameras[camera].lens() / 100)
    assert controller.states("viewport")[-1]["viewport"] == last["viewport"]
    since = controller.mark()
    agent.start()
    again = controller.state("zoom", lambda state: not state["ramping"], since=since)
    assert again["factor"] == near(last["factor"])
