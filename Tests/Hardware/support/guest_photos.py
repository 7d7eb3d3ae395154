"""Photos that an agent in the guest took, as they are on its disk."""

from pathlib import Path

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
