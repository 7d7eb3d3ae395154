"""Zoom by the sensor's crop: vivid, the kernel's test driver, can do that. Its pictures are eight bars of
colour."""

import io
from itertools import pairwise

import pytest
from PIL import Image

from guest_agent import GuestAgent
from guest_photos import content, shot
from simulated_scene import near
from state_file import state_in
from v4l2ctl import v4l2
from waiting import eventually

WIDTH, HEIGHT = 640, 480
MODES = ["shrinks", "composes"]
#: The same driver with the multi-planar API, and frames in two planes of memory.
PLANES = pytest.param("planes", marks=pytest.mark.deep)


@pytest.fixture(scope="module")
def nodes(guest):
    """Three that crop, with two ideas of what to do when they can't (`ccs_cap_mode` 5 and 7), and one that
    can't."""
    guest.load("vivid", n_devs=4, node_types="1,1,1,1", num_inputs="2,2,1,2", input_types="0xd,0xd,0x0,0xd", num_outputs="0,0,0,0",
               ccs_cap_mode="5,7,-1,7", multiplanar="1,1,1,2")
    nodes = dict(zip(("shrinks", "composes", "webcam", "planes"), sorted(guest.video_nodes())))
    for name, node in nodes.items():
        assert v4l2(guest, node, "-c osd_text_mode=2").status == 0
        if name != "webcam":  # 480p, which is less work than what it comes up with
            assert v4l2(guest, node, "-i 1 --set-dv-bt-timings=index=0").status == 0
    return nodes


@pytest.fixture(scope="module")
def agent(guest, broker, nodes):
    full, small = {"width": WIDTH, "height": HEIGHT, "input": 1}, {"width": 320, "height": 180, "fps": 15}
    agent = GuestAgent(guest, broker, cameras=[
        {"id": "shrinks", "source": {"v4l2": nodes["shrinks"]}, "v4l2": dict(full)},
        {"id": "composes", "source": {"v4l2": nodes["composes"]}, "v4l2": dict(full)},
        {"id": "planes", "source": {"v4l2": nodes["planes"]}, "v4l2": {**full, "pixel_format": "NM12"}},
        {"id": "webcam", "source": {"v4l2": nodes["webcam"]}, "v4l2": small}]).start()
    yield agent
    assert agent.ending() is None


# Zoom by the sensor's crop


def rectangle(guest, node: str, target: str) -> tuple[int, ...]:
    """Left, top, width and height of a selection."""
    words = v4l2(guest, node, f"--get-selection=target={target}").output.replace(",", " ").split()
    return tuple(int(words[words.index(name) + 1]) for name in ("Left", "Top", "Width", "Height"))


def edges(photo: bytes) -> list[float]:
    """Where in the picture one of the eight colour bars meets the next, from 0 to 1."""
    image = Image.open(io.BytesIO(photo)).convert("L")
    middle = image.height // 2
    row = image.crop((0, middle - 4, image.width, middle + 4)).resize((image.width, 1), Image.Resampling.BOX).tobytes()
    # A zoomed picture ends in a little of what lies beyond: a good filter looks farther than the view.
    steep = [x for x in range(12, len(row) - 12) if abs(row[x + 4] - row[x - 4]) > 7]
    groups = []
    for x in steep:
        if groups and x - groups[-1][-1] < 5:
            groups[-1].append(x)
        else:
            groups.append([x])
    return [sum(group) / len(group) / image.width for group in groups]


def edges_at(factor: float) -> list[float]:
    return [place for n in range(1, 8) if 0.02 < (place := (n / 8 - 0.5) * factor + 0.5) < 0.98]


@pytest.mark.parametrize("camera, factor", [
    *((camera, factor) for camera in MODES for factor in (1, 1.7, 3, 4)), ("planes", 3),
    *(pytest.param("planes", factor, marks=pytest.mark.deep) for factor in (1, 1.7, 4))])
def test_selection_crops_in_the_driver(controller_for, guest, nodes, camera, factor):
    controller, node = controller_for(camera), nodes[camera]
    state = controller.zoom_to(factor)
    left, top, width, height = rectangle(guest, node, "crop")
    assert (width, height) == pytest.approx((WIDTH / factor, HEIGHT / factor), abs=2)
    assert (left + width / 2, top + height / 2) == pytest.approx((WIDTH / 2, HEIGHT / 2), abs=2)
    assert state["optical"] == near(WIDTH / width), "what is published is not what the driver made of it"
    photo = content(guest, shot(controller))
    assert Image.open(io.BytesIO(photo)).size == (WIDTH, HEIGHT)
    assert edges(photo) == pytest.approx(edges_at(factor), abs=0.01)


@pytest.mark.parametrize("camera", [*MODES, PLANES])
def test_frame_is_cropped_beyond_the_limit_of_the_driver(controller_for, guest, nodes, camera):
    """The one would shrink the frame in silence, the other its place in the buffer."""
    controller, node = controller_for(camera), nodes[camera]
    zoom = controller.state("info")["zoom"]
    assert zoom["handover"] == [pytest.approx(4, abs=0.1)]
    assert [actuator["kind"] for actuator in zoom["actuators"]] == ["selection", "crop"]
    state = controller.zoom_to(8)
    assert state["optical"] == pytest.approx(4, abs=0.1) and state["optical"] * state["digital"] == near(8)
    photo = content(guest, shot(controller))
    assert Image.open(io.BytesIO(photo)).size == (WIDTH, HEIGHT)
    assert edges(photo) == pytest.approx(edges_at(8), abs=0.02)
    reported = v4l2(guest, node, "--get-fmt-video").output
    assert f"{WIDTH}/{HEIGHT}" in reported
    if camera != "shrinks":
        assert rectangle(guest, node, "compose") == (0, 0, WIDTH, HEIGHT)


@pytest.mark.parametrize("camera", ["shrinks", PLANES])
def test_ramp_over_both_actuators_is_monotonic(controller_for, camera):
    controller = controller_for(camera)
    since = controller.mark()
    controller.settled(controller.obeyed("zoom", {"factor": 8, "rate": 2}))
    factors = [sample["factor"] for sample in controller.states("zoom/live", since)]
    assert len(factors) > 10 and all(a <= b for a, b in pairwise(factors)), factors


def test_start_keeps_the_crop(controller_for, guest, nodes, agent):
    controller = controller_for("composes")
    controller.zoom_to(3)
    before = rectangle(guest, nodes["composes"], "crop")
    eventually(lambda: "'factor': 3" in str(state_in(agent.state_file)), "the zoom in the state file")
    agent.kill()
    agent.start()
    assert controller.state("zoom", lambda state: state["boot"] == 2 and not state["ramping"])["factor"] == 3
    assert rectangle(guest, nodes["composes"], "crop") == before


def test_frame_is_cropped_if_the_driver_can_not_crop(controller_for, guest):
    controller = controller_for("webcam")
    assert [actuator["kind"] for actuator in controller.state("info")["zoom"]["actuators"]] == ["crop"]
    assert controller.zoom_to(2)["digital"] == 2
    photo = content(guest, shot(controller))
    assert Image.open(io.BytesIO(photo)).size == (320, 180)
    assert edges(photo) == pytest.approx(edges_at(2), abs=0.03)


def test_a_control_that_changes_with_each_frame_does_not_flood_the_bus(controller_for, guest):
    """vivid counts frames in one of its controls, 60 a second, as other drivers report their gain."""
    controller = controller_for("shrinks")
    shot(controller)
    since, began = controller.mark(), guest.clock()
    guest.sleep(3)
    reported = [state["values"]["read_only_integer_32_bits"] for state in controller.states("controls", since)]
    assert len(set(reported)) > 3, "the control stood still"
    assert len(reported) <= (guest.clock() - began) / 1e9 * 10 + 3
    assert len(controller.states("info", since)) <= 1, "nothing of it is other than before"
