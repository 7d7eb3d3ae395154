"""What part of the simulated scene is seen: the lens zooms into the middle, the viewport crops what the lens
gives."""

from functools import partial

from PIL import Image, ImageStat
from pytest import approx

#: Equality of numbers in messages, which are rounded to a millionth.
near = partial(approx, abs=1e-5)


def optical(zoom: dict) -> float:
    """Of a zoom state; for a photo, whose width of viewport is 1 ÷ digital, it follows from that."""
    return zoom.get("optical", zoom["factor"] * zoom["viewport"]["width"])


def in_scene(zoom: dict, x: float, y: float) -> tuple[float, float]:
    """The point of the whole scene that a state (or a photo) shows at x,y of its view; all in fractions."""
    viewport, lens = zoom["viewport"], optical(zoom)
    frame = viewport["x"] + x * viewport["width"], viewport["y"] + y * viewport["height"]
    return 0.5 + (frame[0] - 0.5) / lens, 0.5 + (frame[1] - 0.5) / lens


def open_photo(file) -> Image.Image:
    """As YCbCr, straight from the JPEG: on the way over RGB strong colours would be clipped."""
    photo = Image.open(file)
    photo.draft("YCbCr", photo.size)
    photo.load()
    return photo


def read_position(photo: Image.Image, x: float, y: float, size=0.04) -> tuple[float, float]:
    """Where in the scene this place of a photo was taken: the colour of the generated scene encodes it.

    Over the scene Cb goes linearly from 64 to 192 from left to right, and Cr from top to bottom.
    """
    half = size / 2
    left, right = (x - half) * photo.width, (x + half) * photo.width
    top, bottom = (y - half) * photo.height, (y + half) * photo.height
    patch = photo.crop((round(left), round(top), round(right), round(bottom)))
    _, cb, cr = ImageStat.Stat(patch).mean
    return (cb - 64) / 128, (cr - 64) / 128
