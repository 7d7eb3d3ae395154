"""Sessions of vivid, the kernel's test driver: any size, many pixel formats, and a crop whose reach is a
matter of the size."""

import io

import pytest
from PIL import Image

from guest_agent import GuestAgent
from guest_photos import content, shot
from simulated_scene import near
from test_session import chosen
from test_vivid import edges, edges_at, rectangle
from v4l2ctl import v4l2

# sizes and crops together; test_session.py and test_vivid.py hold each for itself
pytestmark = pytest.mark.deep

CROPPING = ["shrinks", "composes", "several"]


@pytest.fixture(scope="module")
def nodes(guest):
    """As in test_vivid.py. `several` has the multi-planar API and frames in two planes of memory."""
    guest.load("vivid", n_devs=5, node_types="1,1,1,1,1", num_inputs="2,2,2,1,2", input_types="0xd,0xd,0xd,0x0,0xd",
               num_outputs="0,0,0,0,0", ccs_cap_mode="5,7,5,-1,7", multiplanar="1,1,1,1,2")
    nodes = dict(zip(("shrinks", "composes", "planar", "webcam", "several"), sorted(guest.video_nodes())))
    for name, node in nodes.items():
        assert v4l2(guest, node, "-c osd_text_mode=2").status == 0
        if name != "webcam":  # 480p
            assert v4l2(guest, node, "-i 1 --set-dv-bt-timings=index=0").status == 0
    return nodes


@pytest.fixture(scope="module")
def agent(guest, broker, nodes):
    full = {"width": 640, "height": 480, "input": 1}
    allowed = {
        "shrinks": full, "composes": {**full, "stream": "always"}, "planar": {**full, "pixel_format": "NV12"},
        "webcam": {"width": 640, "height": 480, "input": 0}, "several": {**full, "pixel_format": "NM16"}}
    agent = GuestAgent(guest, broker, cameras=[
        {"id": name, "source": {"v4l2": node}, "v4l2": allowed[name]} for name, node in nodes.items()]).start()
    yield agent
    assert agent.ending() is None


def picture(guest, controller) -> tuple[tuple[int, int], bytes]:
    photo = content(guest, shot(controller))
    return Image.open(io.BytesIO(photo)).size, photo


# The crop


@pytest.mark.parametrize("camera", CROPPING)
def test_crop_is_kept_over_a_change(controller_for, guest, nodes, camera):
    controller, node = controller_for(camera), nodes[camera]
    chosen(controller, {"quality": "640x480"})
    before = controller.zoom_to(3)
    cropped = rectangle(guest, node, "crop")
    for quality, wanted in (("320x240", (320, 240)), ("640x480", (640, 480))):
        chosen(controller, {"quality": quality})
        assert rectangle(guest, node, "crop") == cropped
        after = controller.state("zoom")
        assert [after[name] for name in ("factor", "optical", "viewport")] == [before[name] for name in ("factor", "optical", "viewport")]
        found, photo = picture(guest, controller)
        assert found == wanted
        assert edges(photo) == pytest.approx(edges_at(3), abs=0.015)
        if camera != "shrinks":
            assert rectangle(guest, node, "compose") == (0, 0, *wanted), "the picture doesn't go to all of the frame"


@pytest.mark.parametrize("camera", CROPPING)
def test_frame_crop_completes_a_limited_device_crop(controller_for, guest, nodes, camera):
    """At twice the size of the sensor, this driver zooms half as far."""
    controller, node = controller_for(camera), nodes[camera]
    chosen(controller, {"quality": "640x480"})
    controller.zoom_to(3)
    chosen(controller, {"quality": "1280x960"})
    state = controller.state("zoom", lambda state: not state["ramping"] and state["factor"] == near(3) and state["optical"] < 2.1)
    assert state["optical"] == pytest.approx(2, abs=0.05) and state["digital"] == pytest.approx(1.5, abs=0.05)
    assert rectangle(guest, node, "crop")[2] == pytest.approx(320, abs=4)
    found, photo = picture(guest, controller)
    assert found == (1280, 960)
    assert edges(photo) == pytest.approx(edges_at(3), abs=0.02)
    assert controller.zoom_to(1)["optical"] == 1
    chosen(controller, {"quality": "640x480"})
    assert controller.zoom_to(4)["optical"] == pytest.approx(4, abs=0.1), "and then further again"
