"""The virtual camera: other programs see on an output device what controllers frame.

The devices are of v4l2loopback (Debian's, built for the guest's kernel) and of vivid. The camera is
simulated: the colour of its scene encodes the position.
"""

import copy
import json

import pytest

import loopback_module
from controller import Controller
from guest_agent import GuestAgent
from output_pictures import HEIGHT, WIDTH, read, running, shows
from v4l2ctl import v4l2
from waiting import TIMEOUT, eventually

OUTPUT = {"width": WIDTH, "height": HEIGHT, "fps": 10}
CAMERA = {"source": "simulated", "simulated": {"width": 640, "height": 360, "fps": 15, "optical_max": 1}}
#: The devices of v4l2loopback by the cameras' names. That of `yard` always says that it captures too.
NODES = {"door": "/dev/video40", "gate": "/dev/video41", "yard": "/dev/video42", "shed": "/dev/video43"}
#: Of vivid, which is loaded by a test: an HDMI output, and the input that its cable leads to.
SHOWN, RECEIVED = "/dev/video51", "/dev/video50"


@pytest.fixture(scope="module")
def loopback(guest, made):
    guest.check("modprobe videodev")
    numbers = ",".join(node.removeprefix("/dev/video") for node in NODES.values())
    guest.check(f"insmod {loopback_module.build(made)} video_nr={numbers} exclusive_caps=1,1,0,1 card_label={','.join(NODES)}")
    for node in NODES.values():
        guest.wait_for(node)


@pytest.fixture(scope="module")
def agent(guest, broker, loopback):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": "door", **copy.deepcopy(CAMERA), "output": {"v4l2": NODES["door"], **OUTPUT}},
        {"id": "gate", **copy.deepcopy(CAMERA), "output": {"v4l2": NODES["gate"], "pixel_format": "NV12", **OUTPUT}},
        {"id": "yard", **copy.deepcopy(CAMERA), "output": {"v4l2": NODES["yard"], "pixel_format": "YU12", "when_read": True, **OUTPUT}},
        {"id": "shed", "source": {"serial": "none"}, "output": {"v4l2": NODES["shed"], **OUTPUT}},
        {"id": "loft", **copy.deepcopy(CAMERA), "output": {"v4l2": SHOWN, **OUTPUT}}])
    agent.start()
    yield agent
    assert agent.ending() is None


@pytest.mark.parametrize("camera, pixels", (("door", "YUYV"), ("gate", "NV12"), ("yard", "YU12")))
def test_a_program_sees_what_controllers_frame(guest, agent, controller_for, camera, pixels):
    controller, node = controller_for(camera), NODES[camera]
    state = running(controller)
    assert (state["device"], state["width"], state["height"], state["pixel_format"]) == (node, WIDTH, HEIGHT, pixels)
    assert "read" not in state  # version 0.12.7 doesn't report it
    for factor, center in ((1, (0.5, 0.5)), (4, (0.375, 0.4375))):
        controller.zoom_to(factor)
        # The command has a point of the present view, in whose middle the scene's middle is.
        controller.obeyed("viewport", {"center": {name: 0.5 + (at - 0.5) * factor for name, at in zip("xy", center)}})
        # The first pictures that a program gets may be from before.
        eventually(lambda: shows(guest, node, factor, pixels, center), f"{camera} at {factor}, not {read(guest, node, pixels).view}")


def test_effects_are_seen(guest, agent, controller_for):
    controller = controller_for("door")
    running(controller)
    controller.obeyed("controls", {"color_effects": 1})
    eventually(lambda: set(read(guest, NODES["door"]).blue) == {128}, "a picture without colours", TIMEOUT * 2)
    controller.obeyed("controls", {"color_effects": 0})
    eventually(lambda: shows(guest, NODES["door"], 1), "the colours", TIMEOUT * 2)


def test_a_private_camera_is_black_and_readers_do_not_hang(guest, agent, controller_for):
    controller = controller_for("door")
    running(controller)
    assert not read(guest, NODES["door"]).is_black
    controller.obeyed("privacy", "ON")
    running(controller, shows="black")
    # Two pictures from before may be in the driver's buffers.
    assert read(guest, NODES["door"], skip=4).is_black
    controller.obeyed("privacy", "OFF")
    running(controller)
    assert not read(guest, NODES["door"], skip=4).is_black


def test_without_its_device_a_camera_shows_black(guest, agent, broker):
    with Controller(broker, camera="shed") as controller:
        running(controller, shows="black")
        assert controller.state("availability")["state"] == "offline"
        assert read(guest, NODES["shed"]).is_black


def test_a_reader_that_wants_another_format_gets_the_present_one(guest, agent, controller_for):
    running(controller_for("door"))
    v4l2(guest, NODES["door"], "-v width=1920,height=1080,pixelformat=RGB3")
    assert shows(guest, NODES["door"], 1)
    formats = v4l2(guest, NODES["door"], "-V").output
    assert f"{WIDTH}/{HEIGHT}" in formats and "'YUYV'" in formats


def test_a_device_that_another_program_writes_to(guest, agent, broker, controller_for):
    """`shed` gives its device away by a restart of the agent, in which the other program is faster."""
    agent.stop()
    guest.start("writer", "v4l2-ctl", "-d", NODES["shed"], f"--set-fmt-video-out=width={WIDTH},height={HEIGHT},pixelformat=YUYV",
                "--stream-out-mmap", "--stream-out-pattern=0")
    eventually(lambda: "Video Capture" in v4l2(guest, NODES["shed"], "-D").output, "the other writer")
    agent.launch()
    with Controller(broker, camera="shed") as controller:
        state = controller.state("output", lambda state: state["state"] == "failed")
        assert state["error"]["code"] == "device" and "another program writes" in state["error"]["message"]
        running(controller_for("door"))
        guest.kill("writer")
        running(controller, shows="black")


def test_devices_of_outputs_are_no_cameras(guest, agent, broker, controller_for):
    """An agent that serves all cameras leaves them out; so does one whose source is a link to its own
    output."""
    running(controller_for("yard"))
    listed = json.loads(guest.check(f"{GuestAgent.PROGRAM} devices --json"))
    assert NODES["yard"] in [device["path"] for device in listed], "no device that could be taken by accident"
    guest.check(f"mkdir -p /run/links && ln -sf {NODES['shed']} /run/links/output")
    other = GuestAgent(guest, broker, name="barn", cameras=[
        {"id": "self", "source": {"v4l2": NODES["shed"]}, "output": {"v4l2": "/run/links/output", **OUTPUT}}])
    other.start()
    with Controller(broker, agent="barn", camera="self") as controller:
        assert controller.state("availability", lambda state: state["state"] == "offline")["reason"] == "not_found"
    other.stop()


@pytest.mark.deep
def test_an_hdmi_output_is_seen_at_the_end_of_its_cable(guest, agent, broker, controller_for):
    """vivid takes the pictures one after the other, and copies the present one to what captures."""
    with Controller(broker, camera="loft") as controller:
        state = controller.state("output", lambda state: state["state"] == "failed")
        assert state["error"]["message"] == f"There is no device {SHOWN}."
        running(controller_for("door"))
        guest.load("vivid", n_devs=1, node_types="0x101", num_inputs=1, input_types=3, num_outputs=1, output_types=1,
                   vid_cap_nr=50, vid_out_nr=51)
        state = running(controller)
        formats = v4l2(guest, SHOWN, "--get-fmt-video-out").output
        assert f"{state['width']}/{state['height']}" in formats and state["pixel_format"] in formats
        # Input and output have the same timings (720p60) from the start. The formats must agree, and the
        # texts that vivid writes into the pictures that it gives are switched off.
        v4l2(guest, RECEIVED, "-c loop_video=1,osd_text_mode=2")
        v4l2(guest, RECEIVED, f"-v width={WIDTH},height={HEIGHT},pixelformat=YUYV")
        for factor in (1, 4):
            controller.zoom_to(factor)
            eventually(lambda: shows(guest, RECEIVED, factor), f"the loop at {factor}, not {read(guest, RECEIVED).view}")
        controller.obeyed("privacy", "ON")
        running(controller, shows="black")
        eventually(lambda: read(guest, RECEIVED).is_black, "black")
        controller.obeyed("privacy", "OFF")
        # The driver returns a buffer only when it has shown it: the agent gives away more than there are.
        eventually(lambda: shows(guest, RECEIVED, 4), "the camera's pictures again")
        assert controller.state("output")["state"] == "running"
