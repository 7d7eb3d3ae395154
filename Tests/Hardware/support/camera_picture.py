"""Reads the virtual camera's picture: where the lens was when it was made, and which part of it is in view.

What the picture looks like is in `camera/frame.h`. It may be cropped, scaled and compressed; a whole tile (a
quarter of the frame in each direction) must be in view.
"""

import io
from dataclasses import dataclass

from PIL import Image

_COLUMNS, _ROWS, _TILE_COLUMNS, _TILE_ROWS = 32, 16, 8, 4
_CHROMA_LOW, _CHROMA_SPAN = 80, 96


@dataclass(frozen=True)
class Viewport:
    """In fractions of the camera's frame; right to about 0.01."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Reading:
    zoom: int      # raw units
    count: int     # of frames, modulo 256
    size: tuple[int, int]
    viewport: Viewport


def read_jpeg(content: bytes) -> Reading:
    image = Image.open(io.BytesIO(content))
    image.draft("YCbCr", image.size)  # as it is in the file: no way over RGB
    return _read(*image.convert("YCbCr").split())


def read_picture(image: Image.Image) -> Reading:
    """`image` is YCbCr, its luma from 0 to 255."""
    return _read(*image.split())


def read_yuyv(content: bytes, width: int, height: int) -> Reading:
    assert len(content) == 2 * width * height, f"{len(content)} bytes are no YUYV frame of {width}x{height}"

    def plane(start, step, across):
        return Image.frombytes("L", (across, height), content[start::step])

    return _read(plane(0, 2, width), plane(1, 4, width // 2), plane(3, 4, width // 2))


def _read(luma: Image.Image, blue: Image.Image, red: Image.Image) -> Reading:
    x, width = _extent(blue, horizontal=True)
    y, height = _extent(red, horizontal=False)
    view = Viewport(x, y, width, height)
    code = 0
    for row in range(_TILE_ROWS):
        for column in range(_TILE_COLUMNS):
            code = code << 1 | _bit(luma, view, row, column)
    zoom, count, check = code >> 16, code >> 8 & 255, code & 255
    assert check == zoom >> 8 ^ zoom & 255 ^ count ^ 0xA5, f"no picture of the virtual camera, or torn: {code:08x}, {view}"
    return Reading(zoom, count, luma.size, view)


def _level(image: Image.Image, left: float, top: float, right: float, bottom: float) -> float:
    """The mean of a part, given in fractions of the image."""
    w, h = image.size
    x, y = round(left * w), round(top * h)
    part = image.crop((x, y, max(round(right * w), x + 1), max(round(bottom * h), y + 1)))
    return part.convert("F").resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))


def _extent(ramp: Image.Image, horizontal: bool) -> tuple[float, float]:
    """Where in the frame the view begins, and how much of it there is, by the levels in its first and last
    quarter."""
    if horizontal:
        first, last = _level(ramp, 0, 0, 0.25, 1), _level(ramp, 0.75, 0, 1, 1)
    else:
        first, last = _level(ramp, 0, 0, 1, 0.25), _level(ramp, 0, 0.75, 1, 1)
    # The two means are those at 1/8 and 7/8. Levels are cut to whole numbers, so they are half of one too
    # low.
    length = (last - first) / 0.75 / _CHROMA_SPAN
    return (first + 0.5 - _CHROMA_LOW) / _CHROMA_SPAN - length / 8, length


def _bit(luma: Image.Image, view: Viewport, row: int, column: int) -> int:
    """The values of the cells in view that hold this bit, by the middle of each."""
    levels = []
    for cell_row in range(row, _ROWS, _TILE_ROWS):
        for cell_column in range(column, _COLUMNS, _TILE_COLUMNS):
            left, right = (((cell_column + part) / _COLUMNS - view.x) / view.width for part in (0.3, 0.7))
            top, bottom = (((cell_row + part) / _ROWS - view.y) / view.height for part in (0.3, 0.7))
            if left >= 0 and right <= 1 and top >= 0 and bottom <= 1:
                levels.append(_level(luma, left, top, right, bottom))
    assert levels, f"less than a tile of the picture is in view: {view}"
    return int(sum(levels) / len(levels) > 128)
