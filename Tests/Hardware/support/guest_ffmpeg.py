"""ffmpeg in the guest, with the many libraries that it needs: for measurements beside it."""

import fcntl
import shutil

import paths
from guest_image import Made, Missing, _digest, _libraries

#: To be put before its arguments.
COMMAND = ("env", "LD_LIBRARY_PATH=/programs/ffmpeg", "/programs/ffmpeg/ffmpeg", "-nostdin", "-v", "error")


def prepare(made: Made):
    """Adds it to the folder that guests see as `/programs`.

    Raises `Missing` if this machine has no ffmpeg.
    """
    program = shutil.which("ffmpeg")
    if not program:
        raise Missing("ffmpeg is not installed: deploy/prepare benchmarks")
    folder = made.programs / "ffmpeg"
    stamp = made.programs / "ffmpeg.stamp"
    with open(paths.BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = _digest([program])
        if stamp.exists() and stamp.read_text() == state:
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for file in (program, *_libraries(program)):
            shutil.copy(file, folder)
        stamp.write_text(state)
