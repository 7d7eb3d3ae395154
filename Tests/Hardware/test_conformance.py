"""The V4L2 driver keeps the contract of a camera backend: the checks that the simulated camera passes in the
unit tests."""

import shutil

import pytest

import paths
from v4l2ctl import v4l2
from virtual_camera import Camera

#: Random checks for each device; each prints its number with a problem.
SEEDS = 10
#: Seconds for all checks of one device, on a machine that is busy.
LIMIT = 300


pytestmark = pytest.mark.timeout(LIMIT + 60)


@pytest.fixture(scope="module")
def check(guest):
    """Checks a device; fails with everything that broke the contract."""
    shutil.copy(paths.CONFORMANCE, guest.share / "conformance")

    def check(node: str):
        result = guest.run(f"/share/conformance {node} {SEEDS}", LIMIT)
        assert result.status == 0, result.output

    return check


@pytest.fixture(scope="module")
def vivid(guest):
    """One that crops, one that does not, and one that crops and has the multi-planar API."""
    guest.load("vivid", n_devs=3, node_types="1,1,1", num_inputs="2,1,2", input_types="0xd,0x0,0xd", num_outputs="0,0,0",
               ccs_cap_mode="7,-1,7", multiplanar="1,1,2")
    cropping, webcam, multiplanar = sorted(guest.video_nodes())
    for node in (cropping, multiplanar):
        assert v4l2(guest, node, "-i 1 --set-dv-bt-timings=index=0").status == 0
    return {"cropping": cropping, "webcam": webcam, "multiplanar": multiplanar}


@pytest.mark.parametrize("name", ["cropping", *(pytest.param(name, marks=pytest.mark.deep) for name in ("webcam", "multiplanar"))])
def test_vivid(check, vivid, name):
    check(vivid[name])


@pytest.mark.parametrize("port, motor", [pytest.param(0, 0, id="at once", marks=pytest.mark.deep), pytest.param(1, 400, id="slow lens")])
def test_a_usb_camera(guest, check, port, motor):
    camera = Camera(guest, f"usb{port}", port=port, **({"motor": motor} if motor else {}))
    check(camera.node)
