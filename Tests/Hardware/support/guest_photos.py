"""Photos that an agent in the guest took, as they are on its disk."""

import io
from pathlib import Path

from PIL import Image

from guest import Guest
from camera_picture import Reading, read_jpeg

#: Small frames: under emulation a large one takes a while to be decoded.
SMALL = {"width": 640, "height": 480}


def shot(controller, body=None) -> dict:
    """The only photo of a capture."""
    (photo,) = controller.obeyed("capture", body or {})["photos"]
    return photo


def content(guest: Guest, photo: dict) -> bytes:
    return (guest.share / Path(photo["path"]).relative_to("/share")).read_bytes()


def seen(guest: Guest, controller, body=None) -> Reading:
    """What a new photo of a virtual camera shows."""
    return read_jpeg(content(guest, shot(controller, body)))


def narrowed(photo: bytes) -> bytes:
    """With the levels of the camera's YUYV, where black is 16 and white 235; in a JPEG they are 0 and 255."""
    image, file = Image.open(io.BytesIO(photo)), io.BytesIO()
    image.draft("YCbCr", image.size)
    luma, *chroma = image.convert("YCbCr").split()
    planes = [luma.point(lambda level: 16 + level * 219 / 255)]
    planes += [plane.point(lambda level: 128 + (level - 128) * 224 / 255) for plane in chroma]
    Image.merge("YCbCr", planes).save(file, "JPEG", quality=95)
    return file.getvalue()
