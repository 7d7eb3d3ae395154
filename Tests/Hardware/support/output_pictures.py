"""What programs see on the device of a virtual camera. The camera is simulated: the colour of its scene
encodes the position.
"""

from guest import Guest
from v4l2ctl import v4l2

WIDTH, HEIGHT = 320, 180


class Picture:
    """A picture of the device, as a program read it: in `pixels`, of limited range."""

    def __init__(self, content: bytes, pixels: str, width=WIDTH, height=HEIGHT):
        self.width, count = width, width * height
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
        columns, rows = self.width // 2, len(self.blue) // (self.width // 2)

        def place(sample: float) -> float:  # the scene goes from 64 to 192, at full range
            return ((sample - 128) * 255 / 224 + 64) / 128

        def mean(values) -> float:
            return sum(values) / len(values)

        left, right = (place(mean(self.blue[at::columns])) for at in (2, columns - 3))
        top, bottom = (place(mean(self.red[at * columns:(at + 1) * columns])) for at in (2, rows - 3))
        width, height = (right - left) * columns / (columns - 5), (bottom - top) * rows / (rows - 5)
        return left - 2.5 / columns * width, top - 2.5 / rows * height, width, height


def read(guest: Guest, node: str, pixels="YUYV", *, skip=2) -> Picture:
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
