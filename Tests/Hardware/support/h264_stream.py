"""Streams of H.264 that the virtual camera sends: made by x264 of pictures as the camera's own
(`camera/frame.h`)."""

import subprocess
from pathlib import Path

from PIL import Image

import camera_picture as layout

SIZE = (640, 480)
#: The lens is at its wide end in all pictures.
ZOOM = 100
_DARK, _LIGHT = 96, 160


def make(path: Path, *, frames: int, group: int, pixels="yuv420p", slices=1) -> Path:
    """An elementary stream: each access unit begins with a delimiter, and each `group` with a key
    frame, which has the parameter sets. Frame n shows the count n modulo 256. `yuv420p10le`: with 10 bits.
    `slices`: of each picture."""
    width, height = SIZE
    command = [
        "ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{width}x{height}", "-r", "30",
        "-i", "-", "-c:v", "libx264", "-pix_fmt", pixels, "-preset", "veryfast", "-crf", "18", "-g", str(group), "-keyint_min", str(group),
        "-sc_threshold", "0", "-bf", "0", "-x264-params", f"aud=1:repeat-headers=1:slices={slices}", "-threads", "1", "-f", "h264", "-y", path]
    content = b"".join(_picture(number % 256) for number in range(frames))
    subprocess.run(command, input=content, check=True)
    return path


def _picture(count: int) -> bytes:
    """Planes in the range of videos: what a decoder makes full range of is what the camera's JPEGs show."""
    width, height = SIZE
    code = ZOOM << 16 | count << 8 | (ZOOM >> 8 ^ ZOOM & 255 ^ count ^ 0xA5)
    cells = Image.new("L", (layout._COLUMNS, layout._ROWS))
    for row in range(layout._ROWS):
        for column in range(layout._COLUMNS):
            place = row % layout._TILE_ROWS * layout._TILE_COLUMNS + column % layout._TILE_COLUMNS
            cells.putpixel((column, row), round(16 + (_LIGHT if code >> 31 - place & 1 else _DARK) * 219 / 255))
    luma = cells.resize(SIZE, Image.Resampling.NEAREST)

    def chroma(at: int, length: int) -> int:
        return round(128 + (layout._CHROMA_LOW + layout._CHROMA_SPAN * at / length - 128) * 224 / 255)

    across = bytes(chroma(x, width // 2) for x in range(width // 2))
    blue = across * (height // 2)
    red = b"".join(bytes([chroma(y, height // 2)]) * (width // 2) for y in range(height // 2))
    return luma.tobytes() + blue + red


def units(stream: bytes) -> list[bytes]:
    """The units of Annex B without their start codes, in order."""
    parts = stream.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")
    return [part.rstrip(b"\0") for part in parts if part]


def slices(stream: bytes) -> list[bytes]:
    """The units that have parts of pictures."""
    return [unit for unit in units(stream) if unit[0] & 31 in (1, 5)]
