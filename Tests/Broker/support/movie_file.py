"""Recordings as players see them: by ffprobe and ffmpeg, which know nothing of us."""

import io
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

CODECS = ["h264", "mjpeg"]
CONTAINER = {"h264": "mov,mp4,m4a,3gp,3g2,mj2", "mjpeg": "matroska,webm"}
SUFFIX = {"h264": ".mp4", "mjpeg": ".mkv"}
#: What a small simulated camera is: a movie of it costs little.
SMALL = {"simulated": {"width": 320, "height": 180}}
#: Frames as they are in the file, however irregularly they come: else ffmpeg counts in frames of a rate that
#: it guesses.
_TIMES = ("-fps_mode", "passthrough", "-enc_time_base:v", "-1")


@dataclass(frozen=True)
class Movie:
    codec: str
    container: str
    width: int
    height: int
    #: When each frame is shown, in seconds.
    times: list[float]
    #: From the container; a container that was not completed may not have it.
    duration: float | None
    #: Of its colours, as a player reads it.
    range: str | None

    @property
    def frames(self) -> int:
        return len(self.times)


def played(path) -> Movie:
    """Decodes the whole file; fails if a player would find anything to complain of."""
    assert not (errors := complaints(path)), f"{path}: {errors}"
    return probed(path)


def complaints(path) -> str:
    """What a player finds in the file, read to its end."""
    command = ["ffmpeg", "-nostdin", "-v", "warning", "-threads", "1", "-i", path, *_TIMES, "-f", "null", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if not any(words in line for words in _NOTHING)]
    return "\n".join(lines) + (f"\nffmpeg ended with {done.returncode}" if done.returncode else "")


#: Of JPEGs that ffmpeg itself put into a Matroska, it prints the second message too.
_NOTHING = ("deprecated pixel format", "EOI missing, emulating")


def probed(path) -> Movie:
    described = json.loads(_run(
        "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_format", "-show_streams", "-show_entries",
        "packet=pts_time", "-of", "json", path))
    (stream,) = [stream for stream in described["streams"] if stream["codec_type"] == "video"]
    times = [float(packet["pts_time"]) for packet in described["packets"]]
    return Movie(
        stream["codec_name"], described["format"]["format_name"], stream["width"], stream["height"], times,
        float(described["format"]["duration"]) if "duration" in described["format"] else None, stream.get("color_range"))


def key_frames(path) -> list[float]:
    """When those frames are shown that can be decoded without the frames before them."""
    said = json.loads(_run(
        "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags", "-of", "json", path))
    return [float(packet["pts_time"]) for packet in said["packets"] if packet["flags"].startswith("K")]


def pictures(path) -> list[Image.Image]:
    """All frames, as full-range YCbCr: on the way over RGB strong colours would be clipped."""
    movie = probed(path)
    return _pictures(_run(*_decoding(path, "error")), (movie.width, movie.height))


def pictures_so_far(path, size: tuple[int, int]) -> list[Image.Image]:
    """The frames that are complete in a file that is still being written. There are none if a player cannot
    open it yet. `size` is in pixels.
    """
    done = subprocess.run([str(word) for word in _decoding(path, "quiet")], capture_output=True)
    width, height = size
    complete = len(done.stdout) // (3 * width * height) * 3 * width * height
    return _pictures(done.stdout[:complete], size)


def _decoding(path, level) -> list:
    return [
        "ffmpeg", "-nostdin", "-v", level, "-threads", "1", "-i", path, *_TIMES,
        "-vf", "scale=out_range=full,format=yuv444p", "-f", "rawvideo", "-"]


def _pictures(raw: bytes, size: tuple[int, int]) -> list[Image.Image]:
    plane = size[0] * size[1]
    planes = [Image.frombytes("L", size, raw[at:at + plane]) for at in range(0, len(raw), plane)]
    return [Image.merge("YCbCr", planes[at:at + 3]) for at in range(0, len(planes), 3)]


def shown(path, number=0) -> Image.Image:
    """A frame in the colours that a player shows."""
    png = _run(
        "ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-i", path, "-vf", f"select=eq(n\\,{number})",
        "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-")
    return _opened(png)


def jpegs(path) -> list[bytes]:
    """The frames of a movie of JPEGs, byte by byte as they are in the file."""
    sizes = json.loads(_run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size", "-of", "json", path))
    raw = _run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-c", "copy", "-f", "data", "-map", "0:v", "-")
    found, at = [], 0
    for packet in sizes["packets"]:
        found.append(raw[at:at + int(packet["size"])])
        at += int(packet["size"])
    assert at == len(raw)
    return found


def noise(path: Path, size=(640, 360)) -> dict:
    """Makes a JPEG that no encoder can shrink much, and what a camera is that looks at it."""
    Image.effect_noise(size, 90).convert("RGB").save(path, quality=75)
    return {"image": str(path), "simulated": {"width": size[0], "height": size[1]}}


def files(folder: Path) -> list[Path]:
    """Everything in the folder and below."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def _run(*command) -> bytes:
    done = subprocess.run([str(part) for part in command], capture_output=True)
    assert done.returncode == 0 and not done.stderr, f"{' '.join(map(str, command))}: {done.stderr.decode()}"
    return done.stdout
