#!/usr/bin/env python3
"""From a frame of a camera to the device of a virtual camera, beside ffmpeg, which copies the frames from one
device to the other without a change. Part of `Tests/Benchmarks/run hardware`; alone, it prints the medians
and the ratio.

The guest's clock counts its instructions, so the figures do not depend on what else the host does; what
counts is the ratio.
"""

import re
import statistics
import sys
import tempfile
from contextlib import closing
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Hardware/support"), str(TESTS / "Broker/support")]

import guest_ffmpeg  # noqa: E402
import loopback_module  # noqa: E402
from camera_picture import read_yuyv  # noqa: E402
from controller import Controller  # noqa: E402
from guest import Guest  # noqa: E402
from guest_agent import GuestAgent  # noqa: E402
from guest_broker import GuestBroker  # noqa: E402
from guest_image import prepare  # noqa: E402
from output_pictures import running  # noqa: E402
from v4l2ctl import v4l2  # noqa: E402
from virtual_camera import Camera  # noqa: E402
from waiting import eventually  # noqa: E402

WIDTH, HEIGHT, RATE, FRAMES = 640, 480, 5, 60
OURS, THEIRS = "/dev/video40", "/dev/video41"


def figure() -> list:
    """A row of measure.py."""
    made = prepare()
    guest_ffmpeg.prepare(made)
    module = loopback_module.build(made)
    with tempfile.TemporaryDirectory() as folder, closing(Guest(made, Path(folder), memory=640)) as guest:
        broker = GuestBroker(guest).start()
        guest.check("modprobe videodev")
        guest.check(f"insmod {module} video_nr=40,41 exclusive_caps=0,0")
        camera = Camera(guest, "front", journal_frames=True)
        ours, theirs = agents(guest, broker, camera), copies(guest, camera)
    note = (
        f"{WIDTH}×{HEIGHT} YUYV at {RATE} frames a second, unchanged, medians of {FRAMES} pictures. From when the virtual USB camera has "
        "sent the last byte of a frame to when v4l2loopback has the picture. The peer is ffmpeg -f v4l2 … -c copy -f v4l2.")
    return ["frame → picture of a virtual camera", ours, theirs, "ms", "ffmpeg -c copy", note]


def agents(guest, broker, camera) -> float:
    size = {"width": WIDTH, "height": HEIGHT, "fps": RATE}
    agent = GuestAgent(guest, broker, cameras=[{
        "id": "door", "source": {"serial": "front"}, "v4l2": {**size, "pixel_format": "YUYV"},
        "output": {"v4l2": OURS, **size, "pixel_format": "YUYV"}}]).start()
    with Controller(broker) as controller:
        running(controller)
        took = median(guest, camera, OURS)
    agent.stop()
    return took


def copies(guest, camera) -> float:
    guest.start(
        "copy", *guest_ffmpeg.COMMAND, "-f", "v4l2", "-input_format", "yuyv422", "-video_size", f"{WIDTH}x{HEIGHT}",
        "-framerate", RATE, "-i", camera.node, "-c", "copy", "-f", "v4l2", THEIRS)
    eventually(lambda: f"{WIDTH}/{HEIGHT}" in v4l2(guest, THEIRS, "-V").output, "ffmpeg's first picture", 120)
    took = median(guest, camera, THEIRS)
    guest.kill("copy")
    return took


def median(guest, camera, node) -> float:
    """In milliseconds. The first pictures are not counted: a program has not reached its pace with them."""
    since = camera.mark()
    file = guest.share / "seen"
    seen = v4l2(guest, node, "--stream-mmap", f"--stream-skip={RATE * 2}", f"--stream-count={FRAMES}",
                "--stream-to=/share/seen", "--verbose", timeout=300).output
    # The driver's time of each picture, among them those that were skipped.
    times = [float(time) for time in re.findall(r"cap dqbuf:.* ts: ([0-9.]+)", seen)][-FRAMES:]
    sent: dict[int, list[float]] = {}
    for entry in camera.log(since):
        if entry.text.startswith("sent "):
            sent.setdefault(int(entry.text.split()[1]), []).append(entry.time / 1e9)
    length = WIDTH * HEIGHT * 2
    took, last = [], None
    with open(file, "rb") as pictures:
        for time in times:
            number = read_yuyv(pictures.read(length), WIDTH, HEIGHT).count
            if number != last and (before := [at for at in sent.get(number, []) if at <= time]):
                took.append(time - before[-1])
            last = number
    assert len(took) > FRAMES / 2, f"{len(took)} of {FRAMES} pictures are new ones"
    return statistics.median(took) * 1000


if __name__ == "__main__":
    name, ours, theirs, *_ = figure()
    print(f"{name}: {ours:.1f} ms, ffmpeg -c copy: {theirs:.1f} ms, ratio {ours / theirs:.2f}")
