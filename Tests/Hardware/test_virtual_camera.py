"""The virtual camera: other programs see on an output device what controllers frame.

The devices are of v4l2loopback (Debian's, built for the guest's kernel) and of vivid. The camera is simulated:
the colour of its scene encodes the position.
"""

import json

import pytest

import loopback_module
from guest_agent import GuestAgent
from v4l2ctl import v4l2
from waiting import TIMEOUT, eventually

WIDTH, HEIGHT = 320, 180
OUTPUT = {"width": WIDTH, "height": HEIGHT, "fps": 10}
CAMERA = {"source": "simulated", "simulated": {"width": 640, "height": 360, "fps": 15}}
#: The devices of v4l2loopback by the cameras' names; the last belongs to no camera.
NODES = {"door": "/dev/video40", "gate": "/dev/video41", "yard": "/dev/video42", "spare": "/dev/video43"}


@pytest.fixture(scope="module")
def loopback(guest, made):
    guest.check("modprobe videodev")
    numbers = ",".join(node.removeprefix("/dev/video") for node in NODES.values())
    guest.check(f"insmod {loopback_module.build(made)} video_nr={numbers} exclusive_caps=1,1,0,1 card_label=door,gate,yard,spare")
    for node in NODES.values():
        guest.wait_for(node)


@pytest.fixture(scope="module")
def agent(guest, broker, loopback):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": "door", **CAMERA, "output": {"v4l2": NODES["door"], **OUTPUT}},
        {"id": "gate", **CAMERA, "output": {"v4l2": NODES["gate"], "pixel_format": "NV12", **OUTPUT}},
        {"id": "yard", **CAMERA, "output": {"v4l2": NODES["yard"], "pixel_format": "YU12", "when_read": True, **OUTPUT}}])
    agent.start()
    yield agent
    assert agent.ending() is None


class Picture:
    """A picture of the device, as a program read it: in `pixels`, of limited range."""

    def __init__(self, content: bytes, pixels: str):
        count = WIDTH * HEIGHT
        if pixels == "YUYV":
            self.luma, self.blue, self.red = content[::2], content[1::4], content[3::4]
        elif pixels == "NV12":
            self.luma, self.blue, self.red = content[:count], content[count::2], content[count + 1::2]
        else:
            self.luma, self.blue, self.red = content[:count], content[count:count * 5 // 4], content[count * 5 // 4:]
        assert len(self.luma) == count and len(self.blue) == len(self.red), f"{len(content)} bytes"

    @property
    def is_black(self) -> bool:
        return set(self.luma) == {16} and set(self.blue) == set(self.red) == {128}

    @property
    def view(self) -> tuple[float, float, float, float]:
        """The part of the scene that it shows: left and top edge, width and height, in fractions."""
        columns, rows = WIDTH // 2, len(self.blue) // (WIDTH // 2)

        def place(sample: float) -> float:  # the scene goes from 64 to 192, at full range
            return ((sample - 128) * 255 / 224 + 64) / 128

        def mean(values) -> float:
            return sum(values) / len(values)

        left, right = (place(mean(self.blue[at::columns])) for at in (2, columns - 3))
        top, bottom = (place(mean(self.red[at * columns:(at + 1) * columns])) for at in (2, rows - 3))
        width, height = (right - left) * columns / (columns - 5), (bottom - top) * rows / (rows - 5)
        return left - 2.5 / columns * width, top - 2.5 / rows * height, width, height


def read(guest, node: str, pixels="YUYV", *, skip=2) -> Picture:
    """What a program sees that begins to read now."""
    file = guest.share / "seen"
    file.unlink(missing_ok=True)
    result = v4l2(guest, node, "--stream-mmap", f"--stream-skip={skip}", "--stream-count=1", "--stream-to=/share/seen", timeout=60)
    assert result.status == 0 and file.exists(), result.output
    return Picture(file.read_bytes(), pixels)


def shows(guest, node: str, factor: float, pixels="YUYV", center=(0.5, 0.5)) -> bool:
    picture = read(guest, node, pixels)
    if picture.is_black:
        return False
    left, top, width, height = picture.view
    near = 0.03
    return (abs(width - 1 / factor) < near and abs(height - 1 / factor) < near
            and abs(left + width / 2 - center[0]) < near and abs(top + height / 2 - center[1]) < near)


def running(controller, shows="camera") -> dict:
    return controller.state("output", lambda state: state["state"] == "running" and state["shows"] == shows)


@pytest.mark.parametrize("camera, pixels", (("door", "YUYV"), ("gate", "NV12"), ("yard", "YU12")))
def test_a_program_sees_what_controllers_frame(guest, agent, controller_for, camera, pixels):
    controller, node = controller_for(camera), NODES[camera]
    state = running(controller)
    assert (state["device"], state["width"], state["height"], state["format"]) == (node, WIDTH, HEIGHT, pixels)
    for factor, center in ((1, (0.5, 0.5)), (2, (0.5, 0.5)), (4, (0.25, 0.375))):
        controller.obeyed("zoom", {"factor": factor, "center": {"x": center[0], "y": center[1]}})
        # The first pictures may be from before.
        eventually(lambda: shows(guest, node, factor, pixels, center), f"{camera} at {factor}", TIMEOUT * 2)
