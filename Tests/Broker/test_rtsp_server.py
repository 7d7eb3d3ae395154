"""`deploy/rtsp-server`, the recipe that makes an RTSP stream of a virtual camera.

A test picture takes the place of the device, which this machine does not have:
`Tests/Hardware/test_virtual_camera.py` reads devices.
"""

import subprocess
from pathlib import Path

import pytest

from broker import HOST, free_port
from waiting import TIMEOUT

SERVER = Path(__file__).resolve().parents[2] / "deploy/rtsp-server"
WIDTH, HEIGHT = 320, 240


@pytest.mark.deep
def test_ffmpeg_reads_the_stream():
    """Of Debian's Python: it has the bindings of GStreamer."""
    port = free_port()
    with subprocess.Popen([SERVER, "test", "--port", str(port), "--path", "door"], stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            assert address == f"rtsp://{HOST}:{port}/door"
            for _ in range(2):  # clients come and go
                read = subprocess.run(
                    ["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", "tcp", "-i", address, "-frames:v", "5", "-pix_fmt", "gray",
                     "-f", "rawvideo", "-"], capture_output=True, timeout=TIMEOUT)
                assert read.returncode == 0, read.stderr.decode()
                assert len(read.stdout) == 5 * WIDTH * HEIGHT
                # The test picture has bars from white to blue.
                assert max(read.stdout) > 200 and min(read.stdout) < 60
        finally:
            server.kill()
