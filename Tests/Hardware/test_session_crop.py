"""Sessions of vivid, the kernel's test driver: any size, many pixel formats, and a crop whose reach is a
matter of the size."""

import io

import pytest
from PIL import Image

from guest_agent import GuestAgent
from guest_photos import content, shot
from simulated_scene import near
from test_session import chosen, same, size
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


def format_of(guest, node: str) -> str:
    return v4l2(guest, node, "--get-fmt-video").output


# Sizes and formats


@pytest.mark.parametrize("camera, pixels", [("shrinks", "YUYV"), ("composes", "YUYV"), ("planar", "NV12"), ("several", "NM16")])
@pytest.mark.parametrize("quality, wanted", [
    ("low", (352, 264)), ("medium", (640, 480)), ("320x240", (320, 240)), ("hd1280x720", (1280, 720)), ("634x358", (634, 358))])
def test_any_size_of_a_range_is_accepted(controller_for, guest, nodes, camera, pixels, quality, wanted):
    controller = controller_for(camera)
    session = chosen(controller, {"quality": quality})
    assert (session["pixel_format"], size(session)) == (pixels, wanted)
    reported = format_of(guest, nodes[camera])
    assert "{}/{}".format(*wanted) in reported and f"'{pixels}'" in reported
    assert picture(guest, controller)[0] == wanted


@pytest.mark.parametrize("quality", ["641x480", "16x14", "20000x20000"])
def test_sizes_between_steps_or_beyond_the_range_are_refused(controller_for, guest, nodes, quality):
    controller = controller_for("shrinks")
    before = controller.state("session")
    answer = controller.command("session", {"quality": quality})
    assert answer["status"] == "error", answer
    same(controller, before)
    assert "{}/{}".format(*size(before)) in format_of(guest, nodes["shrinks"])


@pytest.mark.parametrize("quality, fps, wanted, rate", [
    ("320x180", 60, (320, 180), 60), ("low", 15, (320, 180), 15), ("640x360", 1000, (640, 360), 60), ("high", 25, (640, 480), 25),
    ("3840x2160", None, (3840, 2160), 2)])
def test_each_size_of_a_webcam_has_rates_of_its_own(controller_for, guest, nodes, quality, fps, wanted, rate):
    controller = controller_for("webcam")
    session = chosen(controller, {"quality": quality} | ({"fps": fps} if fps else {}))
    assert size(session) == wanted and session["fps"] <= rate
    if fps:
        assert "{:.3f}".format(session["fps"]) in v4l2(guest, nodes["webcam"], "-P").output
    if wanted[0] < 3840:  # under emulation that would take a while
        assert picture(guest, controller)[0] == wanted


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


def test_ramp_over_a_change_reaches_its_target(controller_for, guest, nodes):
    controller = controller_for("shrinks")
    chosen(controller, {"quality": "640x480"})
    ramp = controller.send("zoom", {"factor": 4, "rate": 2})
    assert ramp.answer()["status"] == "accepted"
    chosen(controller, {"quality": "1280x960"})
    assert ramp.result()["status"] in ("done", "superseded"), "the ramp was not answered"
    chosen(controller, {"quality": "640x480"})
    assert controller.zoom_to(4)["optical"] == pytest.approx(4, abs=0.1)


def test_a_refused_control_leaves_the_crop_as_it_was(controller_for, guest, nodes):
    controller, node = controller_for("shrinks"), nodes["shrinks"]
    chosen(controller, {"quality": "640x480"})
    before = controller.zoom_to(3)
    cropped, handover = rectangle(guest, node, "crop"), controller.state("info")["zoom"]["handover"]
    session = controller.state("session")
    controller.refused("session", {"quality": "1280x960", "controls": {"read_only_integer_32_bits": 1}}, "unavailable")
    same(controller, session)
    state = controller.state("zoom", lambda state: not state["ramping"] and state["optical"] == before["optical"])
    assert state["factor"] == near(3)
    assert rectangle(guest, node, "crop")[2] == pytest.approx(cropped[2], abs=2)
    assert controller.state("info")["zoom"]["handover"] == handover
    assert edges(picture(guest, controller)[1]) == pytest.approx(edges_at(3), abs=0.015)


@pytest.mark.parametrize("camera", ["shrinks", "several"])
def test_another_program_streams_and_nothing_changes(controller_for, guest, nodes, camera):
    controller, node = controller_for(camera), nodes[camera]
    chosen(controller, {"quality": "640x480"})
    controller.zoom_to(2)
    cropped = rectangle(guest, node, "crop")
    before = controller.state("session")
    guest.start("other", "v4l2-ctl", "-d", node, "--stream-mmap")
    guest.check("until grep -q fps /run/job/other.log; do usleep 10000; done")
    controller.refused("session", {"quality": "320x240", "zoom": {"factor": 4}}, "device")
    guest.kill("other")
    guest.ended("other")
    guest.check("rm /run/job/other.log")
    same(controller, before)
    assert rectangle(guest, node, "crop") == cropped
    assert controller.state("zoom")["factor"] == 2
    assert picture(guest, controller)[0] == (640, 480)
