"""Cameras that lie about their frames: the agent neither reads beyond a frame nor gives its memory away."""

import io

import pytest
from PIL import Image

from camera_picture import read_jpeg
from guest_agent import GuestAgent
from guest_photos import SMALL, content, narrowed, seen, shot
from virtual_camera import Camera
from waiting import eventually

#: Bytes that a JPEG may cost above the agent's memory at idle.
LIMIT = 64_000_000
VAST, MODE = (16_384, 16_384), (1280, 720)
LIVE = "preview/live"


@pytest.fixture(scope="module")
def cameras(guest):
    return {
        "short": Camera(guest, "short", port=0, nv12=8),
        "right": Camera(guest, "right", port=1, nv12=12),
        "bomb": Camera(guest, "bomb", port=2)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    settings = [{"id": name, "source": {"serial": name}, "v4l2": dict(SMALL, pixel_format="NV12")} for name in cameras]
    settings[2]["v4l2"] = dict(zip(("width", "height"), MODE))
    agent = GuestAgent(guest, broker, cameras=settings, log={"level": "debug"}).start()
    agent.idle = memory(guest, "VmRSS")
    yield agent
    assert agent.ending() is None


def memory(guest, line: str) -> int:
    """Bytes of the agent, as the kernel counts them."""
    found = guest.check(f"grep {line}: /proc/$(cat /run/job/agent-porch.pid)/status").split()
    assert found[2] == "kB"
    return int(found[1]) * 1024


def progressive(size: tuple[int, int], scans=1) -> bytes:
    """A progressive JPEG of one gray (ITU-T T.81), 4:4:4.

    Each bit of its first scan is a block, for which a decoder keeps 128 bytes; each further scan, which is
    short, takes it the time of a whole picture.
    """
    width, height = size

    def table(kind: int, symbol: int) -> bytes:
        return bytes([0xFF, 0xC4, 0, 20, kind, 1, *[0] * 15, symbol])

    blocks = -(-width // 8) * -(-height // 8)
    parts = [b"\xff\xd8\xff\xdb\0\x43\0" + b"\x01" * 64, bytes([0xFF, 0xC2, 0, 17, 8])]
    parts += [height.to_bytes(2, "big"), width.to_bytes(2, "big"), bytes([3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])]
    # No mean differs from the one before; all further coefficients are zero for runs of 16,384 blocks.
    parts += [table(0x00, 0), table(0x10, 0xE0)]
    parts += [bytes([0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0]), bytes(-(-3 * blocks // 8))]
    for coefficient in range(1, scans):
        parts += [bytes([0xFF, 0xDA, 0, 8, 1, 1, 0, coefficient, coefficient, 0]), bytes(-(-blocks // 16_384) * 2)]
    return b"".join(parts) + b"\xff\xd9"


@pytest.fixture
def replay(guest, cameras):
    """Has the camera send a JPEG as each frame; afterwards it sends its own again."""

    def replay(jpeg: bytes):
        (guest.share / "frame.jpg").write_bytes(jpeg)
        cameras["bomb"].command("jpeg", "/share/frame.jpg")

    yield replay
    cameras["bomb"].command("jpeg")


def refusal(controller, body=None) -> str:
    return controller.refused("capture", body or {}, "device")["message"]


# Raw frames


def test_raw_frame_shorter_than_its_format_is_refused(controller_for, guest, agent):
    """The kernel computes the length of a frame from the bits that the camera declares for a pixel."""
    controller = controller_for("short")
    expected = "the frame is shorter than its format says: NV12 640×480 needs 460800 bytes and has 307200"
    assert expected in refusal(controller)
    assert expected in refusal(controller, {"size": {"width": 64}})
    assert expected in controller.refused("recording", {"on": True, "codec": "mjpeg"}, "device")["message"]
    assert agent.ending() is None


def test_preview_leaves_out_short_frames_and_counts_them(controller_for, agent):
    controller = controller_for("short")
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 60})
    agent.logs("short: received")
    controller.obeyed("preview", {"stop": True})
    eventually(lambda: any(counted(line) > 0 for line in agent.log.splitlines()), "a count of lost frames")
    assert not controller.inbox.all(controller.topic(LIVE), since)


def counted(line: str) -> int:
    """The lost frames in a line of the log."""
    _, found, count = line.partition(" frames, lost ")
    return int(count.split()[0]) if found and "short: received" in line else 0


def test_camera_that_tells_the_truth_has_photos(controller_for, guest):
    controller = controller_for("right")
    controller.zoom_to(3)
    picture = read_jpeg(narrowed(content(guest, shot(controller))))
    assert (picture.zoom, picture.size) == (300, (640, 480))


# JPEGs


def test_jpeg_bomb_is_answered_with_an_error_and_takes_no_memory(controller_for, guest, agent, replay):
    controller, bomb = controller_for("bomb"), progressive(VAST)
    assert len(bomb) < 2_000_000
    with pytest.raises(Image.DecompressionBombError, match=f"{VAST[0] * VAST[1]} pixels"):
        Image.open(io.BytesIO(bomb))
    replay(bomb)
    expected = "the camera sent a JPEG of 16384×16384 pixels in the mode MJPG 1280×720"
    # As it is, made smaller, and a part of it.
    for body in ({}, {"size": {"width": 320}}, {"quality": 50}, {"zoom": {"factor": 8}}):
        assert expected in refusal(controller, body)
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 60})
    assert expected in refusal(controller)
    controller.obeyed("preview", {"stop": True})
    assert not controller.inbox.all(controller.topic(LIVE), since)
    taken = memory(guest, "VmHWM") - agent.idle
    assert taken <= LIMIT, f"{taken:,} bytes"
    assert expected in controller.refused("recording", {"on": True, "codec": "mjpeg"}, "device")["message"]


def test_jpeg_of_too_many_scans_is_refused(controller_for, guest, agent, replay):
    """The size is that of the mode: what is wrong is found by decoding, or by reading the markers of a JPEG
    that is passed through."""
    controller = controller_for("bomb")
    replay(progressive(MODE, scans=63))
    for body in ({"size": {"width": 320}}, {}):
        assert "it has more than 20 scans" in refusal(controller, body)
    agent.logs("bomb: received 0 frames, lost 1")
    taken = memory(guest, "VmHWM") - agent.idle
    assert taken <= LIMIT, f"{taken:,} bytes"


def test_camera_whose_jpegs_are_right_again_has_photos(controller_for, guest, cameras):
    controller = controller_for("bomb")
    controller.zoom_to(2)
    picture = seen(guest, controller)
    assert (picture.zoom, picture.size) == (200, MODE)
