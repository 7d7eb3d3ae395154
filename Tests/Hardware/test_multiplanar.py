"""Devices with V4L2's multi-planar API, whose frames are in one, two or three planes of memory; and drivers
that report other planes and bytes than there are.

Zoom, sessions, controls and recordings of such devices are in the files of vivid's other devices.
"""

import io
import json

import pytest
from PIL import Image, ImageChops, ImageStat

from controller import Controller
from guest_agent import GuestAgent
from guest_photos import content, shot
from guest_recordings import begin, consistent, file, stop
from movie_file import pictures
from v4l2ctl import photo as frame_of_driver, v4l2

#: By the camera's name: frames in two, three and one plane of memory.
FORMATS = {"nm12": "NM12", "ym12": "YM12", "nv12": "NV12"}
SIZE = 320, 180
SMALL = {**dict(zip(("width", "height"), SIZE)), "fps": 15}


@pytest.fixture(scope="module")
def nodes(guest):
    """All are multi-planar, except `single`, which is no camera of the agent."""
    guest.load("vivid", n_devs=4, node_types="1,1,1,1", num_inputs="1,1,1,1", input_types="0,0,0,0", num_outputs="0,0,0,0",
               multiplanar="2,2,2,1")
    nodes = dict(zip((*FORMATS, "single"), sorted(guest.video_nodes())))
    for node in nodes.values():
        assert v4l2(guest, node, "-c osd_text_mode=2").status == 0
    return nodes


@pytest.fixture(scope="module")
def agent(guest, broker, nodes):
    agent = GuestAgent(guest, broker, preload="/usr/lib/faulty_driver.so", cameras=[
        {"id": name, "source": {"v4l2": nodes[name]}, "v4l2": {**SMALL, "pixel_format": FORMATS[name]}} for name in FORMATS])
    agent.start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def faults(guest, nodes):
    """Has the driver of a camera make mistakes; at the end of the test it makes none any more."""
    def faults(camera: str, *mistakes: str):
        guest.write("/run/faults.new", "".join(f"{nodes[camera]} {mistake}\n" for mistake in mistakes))
        guest.check("mv /run/faults.new /run/faults")

    yield faults
    guest.check("rm -f /run/faults")


@pytest.fixture(scope="module")
def scene(guest, nodes) -> Image.Image:
    """What the cameras show, from a single-planar device without the agent."""
    return Image.frombytes("RGB", SIZE, frame_of_driver(guest, nodes["single"], "RGB3", *SIZE))


def photo(guest, controller) -> Image.Image:
    return Image.open(io.BytesIO(content(guest, shot(controller)))).convert("RGB")


def same(one: Image.Image, other: Image.Image) -> bool:
    """Whether the pictures differ at most at the edges of colours: the chroma of some formats is coarser."""
    return one.size == other.size and max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < 4


def test_devices_are_listed_and_served(guest, nodes):
    listed = json.loads(guest.check(f"{GuestAgent.PROGRAM} devices --json"))
    assert [device["path"] for device in listed] == sorted(nodes.values())


@pytest.mark.parametrize("camera", FORMATS)
def test_photo_is_that_of_a_single_planar_device(controller_for, guest, scene, camera):
    controller = controller_for(camera)
    assert controller.state("session")["pixel_format"] == FORMATS[camera]
    assert same(photo(guest, controller), scene)


def test_preview(controller_for, scene):
    controller = controller_for("nm12")
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 60})
    frame = controller.inbox.wait_for(controller.topic("preview/live"), since=since)
    controller.obeyed("preview", {"stop": True})
    picture = Image.open(io.BytesIO(frame.payload)).convert("RGB")
    assert same(picture, scene.resize(picture.size))


@pytest.mark.deep
@pytest.mark.parametrize("camera", FORMATS)
def test_recording(controller_for, guest, camera):
    controller = controller_for(camera)
    begin(controller, codec="h264")
    controller.zoom_to(2)
    guest.sleep(1)
    recording = stop(controller)
    consistent(guest, recording)
    # After the zoom by 2, which is the same for photos.
    last = pictures(file(guest, recording))[-1].convert("RGB")
    assert same(last, photo(guest, controller))


def refusal(controller) -> str:
    return controller.refused("capture", {}, "device")["message"]


#: What the driver says of a camera with NM12 in 320 × 180, and the error.
MISTAKES = {
    "used 1 99999999": "VIDIOC_DQBUF: the driver filled 99999999 bytes of plane 2, which has",
    "used 1 100": "the frame is shorter than its format says: NM12 320×180 needs 28800 bytes in plane 2 and has 100",
    "offset 0 4000000000": "VIDIOC_DQBUF: the samples of plane 1 begin at byte 4000000000 of 57600",
    "frame_planes 0 1": "VIDIOC_DQBUF: the frame has 1 plane of memory; its buffer has 2",
    "frame_planes 0 4000000000": "VIDIOC_DQBUF: the frame has 8 planes of memory; its buffer has 2",
    "frame_planes 0 0": "VIDIOC_DQBUF: the frame has 0 planes of memory; its buffer has 2",
    "index 0 77": "VIDIOC_DQBUF: the driver gave buffer 77 of",
}

#: The same, when the stream begins.
MISTAKES_AT_THE_START = {
    "buffer_planes 0 1": "VIDIOC_QUERYBUF: a buffer has 1 plane of memory; its format NM12 320×180 has 2",
    "buffer_planes 0 4000000000": "VIDIOC_QUERYBUF: a buffer has 8 planes of memory; its format NM12 320×180 has 2",
    "length 1 0": "VIDIOC_QUERYBUF: plane 2 of a buffer for NM12 320×180 has no bytes",
    "length 1 4000000000": "mmap of a buffer: Invalid argument",
    "format_planes 0 3": "the driver describes NM12 320×180 with 3 planes of memory, not 2",
    "format_planes 0 255": "the driver describes NM12 320×180 with 8 planes of memory, not 2",
    "stride 1 100": "the rows of the frame are shorter than its format says: NM12 320×180 in 320 and 100 bytes",
}


def test_photo_of_a_faulty_driver_is_refused_and_other_cameras_have_photos(controller_for, guest, agent, faults):
    controller, other = controller_for("nm12"), controller_for("ym12")
    mistake = next(iter(MISTAKES))
    faults("nm12", mistake)
    assert MISTAKES[mistake] in refusal(controller)
    agent.logs(MISTAKES[mistake])
    assert photo(guest, other).size == SIZE
    faults("nm12")
    assert photo(guest, controller).size == SIZE


@pytest.mark.deep
@pytest.mark.parametrize("mistake", MISTAKES)
def test_frame_of_a_faulty_driver_is_refused(controller_for, guest, agent, faults, mistake):
    controller, other = controller_for("nm12"), controller_for("ym12")
    faults("nm12", mistake)
    assert MISTAKES[mistake] in refusal(controller)
    assert MISTAKES[mistake] in controller.refused("recording", {"on": True, "codec": "mjpeg"}, "device")["message"]
    assert photo(guest, other).size == SIZE
    faults("nm12")
    assert photo(guest, controller).size == SIZE
    assert agent.ending() is None


def without_stream(guest, node: str):
    """Waits until the agent has no memory of the device: five seconds after the last photo."""
    maps = "/proc/$(cat /run/job/agent-porch.pid)/maps"
    guest.check(f"while grep -q '{node}$' {maps}; do usleep 100000; done", 60)


@pytest.mark.deep
@pytest.mark.parametrize("mistake", MISTAKES_AT_THE_START)
def test_stream_of_a_faulty_driver_does_not_begin(controller_for, guest, nodes, agent, faults, mistake):
    controller, other = controller_for("nm12"), controller_for("ym12")
    without_stream(guest, nodes["nm12"])
    faults("nm12", mistake)
    assert MISTAKES_AT_THE_START[mistake] in refusal(controller)
    assert photo(guest, other).size == SIZE
    faults("nm12")
    without_stream(guest, nodes["nm12"])
    assert photo(guest, controller).size == SIZE
    assert agent.ending() is None


@pytest.mark.deep
def test_camera_whose_format_has_other_planes_is_offline_with_the_reason(guest, broker, agent, faults):
    faults("nm12", "format_planes 0 1")
    agent.stop()
    with Controller(broker, camera="nm12") as controller, Controller(broker, camera="ym12") as other:
        since, other_since = controller.mark(), other.mark()
        agent.launch()
        offline = controller.state("availability", lambda state: state.get("reason") == "unusable", since=since)
        assert offline["state"] == "offline"
        agent.logs("nm12: the camera can't be used: the driver describes")
        other.state("availability", lambda state: state["state"] == "online", since=other_since)
        faults("nm12")
        controller.state("availability", lambda state: state["state"] == "online", since=since)
        assert photo(guest, controller).size == SIZE
