"""Cameras of libcamera, through its V4L2 layer: vimc, the kernel's virtual camera with a media controller,
whose sensor shows eight bars of colour, with words above.

libcamera makes widths divisible by 6 of what vimc lists.
"""

import io
import json
import signal

import pytest
from PIL import Image

import guest_libcamera
from camera_controllers import controllers_at
from controller import Controller
from guest_agent import GuestAgent
from guest_image import Missing
from guest_photos import content, shot
from guest_recordings import begin, consistent, file, stop
from movie_file import pictures
from virtual_camera import Camera

SIZE = 636, 480
LIMIT = {"width": 640, "height": 480, "fps": 15}
#: Of the camera, which can be named by any of its nodes.
NODE = "/dev/video2"
BARS = [
    (192, 192, 192), (192, 192, 0), (0, 192, 192), (0, 192, 0), (192, 0, 192), (192, 0, 0), (0, 0, 192), (0, 0, 0)]


@pytest.fixture(scope="module")
def guest(made, guest):
    try:
        guest_libcamera.prepare(made)
    except Missing as reason:
        pytest.skip(f"!!! NOTHING WAS TESTED WITH LIBCAMERA !!! {reason}")
    guest_libcamera.install(guest)
    guest_libcamera.load_vimc(guest)
    return guest


@pytest.fixture(scope="module")
def agent(guest, broker):
    agent = GuestAgent(guest, broker, libcamera=True, preload="/usr/lib/faulty_driver.so", cameras=[
        {"id": "csi", "source": {"v4l2": NODE}, "v4l2": dict(LIMIT)}]).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def controller(controller_for):
    return controller_for("csi")


def photo(guest, controller, body=None) -> Image.Image:
    return Image.open(io.BytesIO(content(guest, shot(controller, body)))).convert("RGB")


def shows_bars(image: Image.Image, factor=1.0) -> bool:
    """Whether the bars are where they are at a zoom to the middle, in their colours."""
    y = round(image.height * 0.8)  # below the words
    for number, colour in enumerate(BARS):
        x = ((number + 0.5) / len(BARS) - 0.5) * factor + 0.5
        if 0.02 < x < 0.98:
            found = image.convert("RGB").getpixel((round(x * image.width), y))
            if max(abs(one - other) for one, other in zip(found, colour)) > 24:
                return False
    return True


def devices(guest, *options: str):
    return json.loads(guest.check(f"{GuestAgent.PROGRAM} devices {' '.join(options)} 2>/dev/null", 60))


def test_the_camera_is_listed_once(guest):
    (camera,) = devices(guest, "--libcamera", "--json")
    assert (camera["driver"], camera["path"], camera["model"]) == ("libcamera", "/dev/video0", "platform/vimc.0 Sensor B")
    assert camera["links"] == ["/dev/video1", "/dev/video2"]


@pytest.mark.deep
def test_without_the_layer_the_kernels_devices_are_listed(guest):
    assert [device["driver"] for device in devices(guest, "--json")] == ["vimc"] * 3


def test_it_has_no_controls_no_rates_and_no_lens(controller):
    assert controller.state("controls")["values"] == {"color_effects": 0}  # the agent's own
    controller.refused("controls", {"brightness": 5}, "bad_payload")
    info = controller.state("info")
    assert info["model"] == "platform/vimc.0 Sensor B"
    assert controller.state("zoom")["optical"] == 1


def test_photo(controller, guest):
    image = photo(guest, controller)
    assert image.size == SIZE and shows_bars(image)


def test_zoomed_photo(controller, guest):
    assert shows_bars(photo(guest, controller, {"zoom": {"factor": 2}}), 2)


def test_preview(controller):
    controller.zoom_to(3)
    since = controller.mark()
    controller.obeyed("preview", {"seconds": 60})
    frame = controller.inbox.wait_for(controller.topic("preview/live"), since=since)
    controller.obeyed("preview", {"stop": True})
    assert shows_bars(Image.open(io.BytesIO(frame.payload)), 3)


def test_recording(controller, guest):
    begin(controller, codec="h264")
    controller.zoom_to(2)
    guest.sleep(1)
    recording = stop(controller)
    consistent(guest, recording)
    found = pictures(file(guest, recording))
    assert shows_bars(found[0]) and shows_bars(found[-1], 2)


def test_session_of_another_size(controller, guest):
    first = controller.state("session")
    assert (first["width"], first["height"]) == SIZE
    # While the camera streams.
    session = controller.obeyed("session", {"quality": "636x360"})["session"]
    assert (session["width"], session["height"], session["pixel_format"]) == (636, 360, "RGB3")
    image = photo(guest, controller)
    assert image.size == (636, 360) and shows_bars(image)
    controller.obeyed("session", {"quality": "high"})
    assert photo(guest, controller).size == SIZE


def test_restart_while_it_streams(controller, guest, agent):
    controller.obeyed("preview", {"seconds": 60})
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    controller.state("availability", lambda state: state["state"] == "online", since=since)
    assert shows_bars(photo(guest, controller))
    assert agent.stop() == 0
    agent.start()
    with Controller(agent.broker, camera="csi") as again:
        assert shows_bars(photo(guest, again))


# Faults


@pytest.fixture
def faults(guest):
    """Has the layer make mistakes; at the end of the test it makes none any more."""
    def faults(*mistakes: str):
        guest.write("/run/faults.new", "".join(f"anon_inode:[eventfd] {mistake}\n" for mistake in mistakes))
        guest.check("mv /run/faults.new /run/faults")

    yield faults
    guest.check("rm -f /run/faults")


def test_frames_that_were_not_taken_are_not_in_the_next_stream(controller, guest, agent, faults):
    """The layer keeps frames that came before the end of a stream, and announces them in the next one. A
    program that takes them queues buffers that libcamera has."""
    photo(guest, controller)
    faults("stop_delay 0 500")
    for quality, size in (("high", SIZE), ("636x360", (636, 360)), ("high", SIZE)):
        controller.obeyed("session", {"quality": quality})
        image = photo(guest, controller)
        assert image.size == size and shows_bars(image)
    assert "ERROR" not in agent.log


@pytest.mark.deep
def test_buffers_of_empty_frames_are_queued_in_their_order(controller, guest, agent, faults):
    """The layer gives buffers in the order of their numbers, whichever is ready."""
    faults("empty_every 0 3")
    controller.obeyed("preview", {"seconds": 60, "fps": 30})
    guest.sleep(2)
    assert shows_bars(photo(guest, controller))
    controller.obeyed("preview", {"stop": True})
    assert "ERROR" not in agent.log


#: What the layer says of a frame, and the error.
MISTAKES = {
    "used 0 99999999": "VIDIOC_DQBUF: the driver filled 99999999 bytes of plane 1, which has",
    "used 0 100": "the frame is shorter than its format says: RGB3 636×480 needs 915840 bytes and has 100",
    "index 0 77": "VIDIOC_DQBUF: the driver gave buffer 77 of",
}


@pytest.mark.deep
@pytest.mark.parametrize("mistake", MISTAKES)
def test_frame_with_wrong_numbers_is_refused(controller, guest, faults, mistake):
    faults(mistake)
    assert MISTAKES[mistake] in controller.refused("capture", {}, "device")["message"]
    faults()
    assert shows_bars(photo(guest, controller))


@pytest.mark.deep
def test_format_with_another_size_is_refused(controller, guest, faults):
    faults("width 0 4000000000")
    answer = controller.command("session", {"quality": "low"})
    assert answer["status"] == "error" and "VIDIOC_" in json.dumps(answer), answer
    faults()
    assert shows_bars(photo(guest, controller))


@pytest.mark.deep
def test_missing_layer_is_an_error_of_the_configuration(guest):
    result = guest.run(f"{GuestAgent.PROGRAM} run --set libcamera=/nowhere/v4l2-compat.so")
    assert result.status == 64
    assert "--set libcamera: /nowhere/v4l2-compat.so: No such file or directory" in result.output
    guest.check("cp /bin/busybox /tmp/v4l2-compat.so")
    result = guest.run(f"{GuestAgent.PROGRAM} run --set libcamera=/tmp/v4l2-compat.so")
    assert result.status == 64
    assert "--set libcamera: /tmp/v4l2-compat.so: cannot dynamically load" in result.output


@pytest.mark.deep
def test_usb_camera_keeps_its_lens_and_its_controls(guest, broker, agent):
    """libcamera's layer would serve it too, without both."""
    agent.stop()
    agent.configure({**agent.configuration, "cameras": [
        *agent.configuration["cameras"], {"id": "usb", "source": {"serial": "usb"}, "v4l2": dict(LIMIT)}]})
    camera = Camera(guest, "usb")
    agent.start()
    with controllers_at(broker) as controller_for:
        usb, csi = controller_for("usb"), controller_for("csi")
        assert "brightness" in usb.state("controls")["values"]
        usb.zoom_to(2)
        assert usb.state("zoom")["optical"] == 2 and camera.lens() == 200
        assert shows_bars(photo(guest, csi))
        since = usb.mark()
        camera.unplug()
        usb.state("availability", lambda state: state["state"] == "offline", since=since)
        camera.plug()
        usb.state("availability", lambda state: state["state"] == "online", since=since)
        # The coming and going of a USB camera restarts nothing.
        agent.logs("serving csi, usb", 1)
        assert shows_bars(photo(guest, csi))


@pytest.mark.deep
def test_camera_of_another_program_is_offline_until_it_is_free(request, guest, broker, agent):
    agent.stop()
    # It has the camera as long as it runs.
    request.addfinalizer(lambda: guest.run("kill -9 $(cat /run/job/other.pid)"))
    guest.start("other", "env", f"LD_PRELOAD={guest_libcamera.LAYER}", "v4l2-ctl", "-d", NODE, "--stream-mmap", "--stream-count=100000")
    guest.check("until grep -q rw-s.*dmabuf /proc/$(cat /run/job/other.pid)/maps; do usleep 100000; done")
    with Controller(broker, camera="csi") as controller:
        since = controller.mark()
        agent.launch()
        offline = controller.state("availability", lambda state: state.get("reason") == "unusable", since=since)
        assert offline["state"] == "offline"
        agent.logs("another program uses the camera")
        guest.kill("other")
        controller.state("availability", lambda state: state["state"] == "online", since=since)
        assert shows_bars(photo(guest, controller))


@pytest.mark.deep
def test_camera_that_comes_after_the_start(made, guest, broker, agent):
    agent.stop()
    guest.check("rmmod vimc")
    with Controller(broker, camera="csi") as controller:
        since = controller.mark()
        agent.launch()
        controller.state("availability", lambda state: state.get("reason") == "not_found", since=since)
        guest_libcamera.load_vimc(guest)
        controller.state("availability", lambda state: state["state"] == "online", since=since)
        assert shows_bars(photo(guest, controller))
