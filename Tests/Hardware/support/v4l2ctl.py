"""What tests do with a video node through v4l2-ctl."""

import re

from guest import Guest, Result
from camera_picture import Reading, read_jpeg, read_yuyv
from waiting import TIMEOUT


def v4l2(guest: Guest, node: str, *words: str, timeout=TIMEOUT) -> Result:
    return guest.run(f"v4l2-ctl -d {node} {' '.join(words)}", timeout)


def value(guest: Guest, node: str, control: str) -> int:
    """The value of the control, by the driver."""
    result = v4l2(guest, node, f"-C {control}")
    assert result.status == 0, result.output
    return int(result.output.split(":")[1].split()[0])


def limits(guest: Guest, node: str, control: str) -> dict[str, int]:
    """The driver's description of the control: min, max, step, default and value, as far as it has them."""
    line = next(line for line in v4l2(guest, node, "-L").output.splitlines() if line.strip().startswith(f"{control} "))
    return {name: int(number) for name, number in re.findall(r"(\w+)=(-?\d+)", line)}


def photo(guest: Guest, node: str, pixels="MJPG", width=640, height=480, *, skip=0) -> bytes:
    """One frame as it comes from the driver, after `skip` others."""
    file = guest.share / "photo"
    file.unlink(missing_ok=True)
    result = v4l2(
        guest, node, f"-v width={width},height={height},pixelformat={pixels}", "--stream-mmap", f"--stream-skip={skip}",
        "--stream-count=1", "--stream-to=/share/photo")
    assert result.status == 0 and file.exists(), result.output
    return file.read_bytes()


def reading(guest: Guest, node: str, pixels="MJPG", width=640, height=480, **how) -> Reading:
    """What the virtual camera's picture encodes."""
    content = photo(guest, node, pixels, width, height, **how)
    return read_jpeg(content) if pixels == "MJPG" else read_yuyv(content, width, height)
