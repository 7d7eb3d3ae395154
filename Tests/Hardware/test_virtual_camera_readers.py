"""A virtual camera that costs nothing while no program reads it: `when_read`, with the versions of
v4l2loopback that report readers, from later releases of Debian.
"""

import pytest

import loopback_module
from guest_agent import GuestAgent
from guest_image import Missing
from output_pictures import HEIGHT, WIDTH, read, shows
from v4l2ctl import v4l2
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.deep

NODE = "/dev/video40"


@pytest.fixture(scope="module", params=["bookworm-backports", "trixie"])
def loopback(request, guest, made):
    try:
        module = loopback_module.build(made, request.param)
    except Missing as reason:
        pytest.skip(f"!!! when_read WAS NOT TESTED WITH A DRIVER !!! {reason}")
    guest.check("modprobe videodev")
    guest.check(f"insmod {module} video_nr=40 exclusive_caps=1 card_label=door")
    guest.wait_for(NODE)
    yield
    guest.check("rmmod v4l2loopback")


@pytest.fixture(scope="module")
def agent(guest, broker, loopback):
    agent = GuestAgent(guest, broker, cameras=[{
        "id": "door", "source": "simulated", "simulated": {"width": 640, "height": 360, "fps": 15, "optical_max": 1},
        "output": {"v4l2": NODE, "width": WIDTH, "height": HEIGHT, "fps": 10, "when_read": True}}])
    agent.start()
    yield agent
    assert agent.ending() is None
    agent.stop()


@pytest.fixture
def reader(request, guest):
    """Starts a program that reads the device; ends those that still run."""
    names = []

    def reader(name: str):
        names.append(name)
        guest.run(f"rm -f /run/job/{name}.*")  # of an earlier test
        guest.start(name, "v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=100000", "--stream-to=/dev/null", "--verbose")

    yield reader
    for name in names:
        guest.run(f"kill -9 $(cat /run/job/{name}.pid)")


def idle(controller) -> dict:
    return controller.state("output", lambda state: state["state"] == "idle" and state["read"] is False)


def seen(controller) -> dict:
    return controller.state(
        "output", lambda state: state["state"] == "running" and state["read"] is True and state["shows"] == "camera")


def pictures_of(guest, name: str) -> int:
    return guest.log(name).count("cap dqbuf")


def test_without_a_reader_nothing_is_written_and_the_device_is_a_camera(guest, agent, controller_for):
    state = idle(controller_for("door"))
    assert state["shows"] == "black" and (state["width"], state["height"]) == (WIDTH, HEIGHT)
    listed = v4l2(guest, NODE, "-D").output
    assert "Video Capture" in listed and "Video Output" not in listed, listed
    assert "when_read has no effect" not in agent.log


def test_a_reader_sees_what_controllers_frame(guest, agent, controller_for, reader):
    controller = controller_for("door")
    idle(controller)
    controller.zoom_to(4)
    since = controller.mark()
    reader("first")
    seen(controller)
    eventually(lambda: pictures_of(guest, "first") > 10, "pictures of the camera")
    guest.kill("first")
    controller.state("output", lambda state: state["state"] == "idle" and state["shows"] == "black", since=since)
    # A reader of its own, which comes while the device is idle.
    assert shows(guest, NODE, 4) or shows(guest, NODE, 4), read(guest, NODE).view
    idle(controller)


def test_the_last_picture_that_waits_for_a_reader_is_black(guest, agent, controller_for, reader):
    controller = controller_for("door")
    reader("first")
    seen(controller)
    guest.kill("first")
    idle(controller)
    assert read(guest, NODE, skip=0).is_black
    idle(controller)


def test_a_second_reader_is_refused_by_the_driver_and_disturbs_nothing(guest, agent, controller_for, reader):
    """These versions give pictures to one program at a time."""
    controller = controller_for("door")
    reader("first")
    seen(controller)
    reader("second")
    guest.ended("second")
    assert "Device or resource busy" in guest.log("second") and pictures_of(guest, "second") == 0
    before = pictures_of(guest, "first")
    eventually(lambda: pictures_of(guest, "first") > before + 10, "pictures after the second reader's end", TIMEOUT * 2)
    assert controller.state("output")["read"] is True
    guest.kill("first")
    idle(controller)


def test_a_private_camera_that_is_read_is_black(guest, agent, controller_for, reader):
    controller = controller_for("door")
    reader("first")
    seen(controller)
    controller.obeyed("privacy", "ON")
    controller.state("output", lambda state: state["read"] is True and state["shows"] == "black")
    guest.kill("first")
    idle(controller)
    assert read(guest, NODE, skip=0).is_black
    controller.obeyed("privacy", "OFF")
    reader("second")
    seen(controller)
    guest.kill("second")
    idle(controller)


def test_a_reader_outlives_a_restart_of_the_agent(guest, agent, controller_for, reader):
    controller = controller_for("door")
    reader("first")
    seen(controller)
    since = controller.mark()
    agent.stop()
    agent.launch()
    before = pictures_of(guest, "first")
    controller.state("output", lambda state: state["state"] == "running" and state["read"] is True, since=since, timeout=TIMEOUT * 2)
    eventually(lambda: pictures_of(guest, "first") > before + 10, "pictures of the new run", TIMEOUT * 2)
    guest.kill("first")
    idle(controller)
