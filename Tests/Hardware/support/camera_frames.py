"""Frames of the virtual camera byte for byte, made by its own program from what their picture encodes."""

import ctypes
import subprocess
from pathlib import Path

import paths
from camera_picture import Reading


class _Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_uint16), ("height", ctypes.c_uint16)]


class Frames:
    def __init__(self, folder: Path):
        library = folder / "jpeg.so"
        source = paths.HERE / "camera/jpeg.c"
        subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        self._make = ctypes.CDLL(str(library)).jpeg_make
        self._make.argtypes = [_Size, ctypes.c_uint32, ctypes.c_uint8, ctypes.c_bool, ctypes.c_char_p]

    def __call__(self, picture: Reading, huffman_tables=True) -> bytes:
        """The JPEG that the camera sent."""
        check = picture.zoom >> 8 ^ picture.zoom & 255 ^ picture.count ^ 0xA5
        room = ctypes.create_string_buffer(1920 * 1080 * 2)
        code = picture.zoom << 16 | picture.count << 8 | check
        length = self._make(_Size(*picture.size), code, 0, huffman_tables, room)
        return room.raw[:length]
