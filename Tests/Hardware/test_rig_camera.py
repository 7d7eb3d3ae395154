"""The rig itself: virtual cameras under the kernel's real driver, seen through v4l2-ctl."""

import io
import itertools

import pytest
from PIL import Image

from virtual_camera import Camera
from camera_picture import read_jpeg
from v4l2ctl import limits, photo, reading, v4l2, value, wait_for_event
from waiting import eventually

pytestmark = pytest.mark.deep  # the virtual camera itself; every other test of a UVC camera needs it too

SIZES = [(640, 480), (1280, 720), (1920, 1080)]
_names = (f"camera{n}" for n in itertools.count())


@pytest.fixture(scope="module")
def front(guest):
    return Camera(guest, "front", port=0, zoom=(100, 500, 1, 120))


@pytest.fixture(scope="module")
def back(guest):
    """Another make: a slow lens of another range, whose position must be read each time."""
    return Camera(
        guest, "back", port=1, serial="B-0002", product="Back Yard", zoom=(100, 200, 5, 100), motor=50, auto_update="zoom")


@pytest.fixture
def make(guest):
    """Makes a camera of its own for one test, on a port that is free."""
    made = []

    def make(**options) -> Camera:
        made.append(Camera(guest, next(_names), port=2, **options))
        return made[-1]

    yield make
    for camera in made:
        camera.close()


def refusal(result) -> str:
    assert result.status != 0, f"it was not refused: {result.output}"
    return result.output


def test_driver_reports_the_limits_and_names_of_the_cameras(guest, front, back):
    for camera, most, step, at in ((front, 500, 1, 120), (back, 200, 5, 100)):
        reported = limits(guest, camera.node, "zoom_absolute")
        assert reported == {"min": 100, "max": most, "step": step, "default": 100, "value": at}
    reported = v4l2(guest, back.node, "--info").output
    assert "B-0002" in reported and "Back Yard" in reported


def test_values_that_are_set_reach_the_camera(guest, front):
    since, before = front.mark(), guest.clock()
    assert v4l2(guest, front.node, "-c zoom_absolute=300").status == 0
    assert front.settings("zoom", since) == ["300"]
    assert before < front.logged("SET_CUR zoom 300", since).time < guest.clock()
    assert (front.lens(), value(guest, front.node, "zoom_absolute")) == (300, 300)


@pytest.mark.parametrize("pixels", ["YUYV", "MJPG"])
@pytest.mark.parametrize("width, height", SIZES)
def test_frame_shows_the_lens_position(guest, front, pixels, width, height):
    for zoom in (217, 458):
        assert v4l2(guest, front.node, f"-c zoom_absolute={zoom}").status == 0
        seen = reading(guest, front.node, pixels, width, height)
        assert (seen.zoom, seen.size) == (zoom, (width, height))
        assert seen.viewport.x == pytest.approx(0, abs=0.01) and seen.viewport.width == pytest.approx(1, abs=0.01)


def test_cropped_and_compressed_frame_shows_the_lens_position(guest, front):
    whole = Image.open(io.BytesIO(photo(guest, front.node, "MJPG", 1920, 1080)))
    part, file = whole.resize((800, 450), box=(300, 500, 1260, 1040)), io.BytesIO()
    part.save(file, "JPEG", quality=75)
    seen = read_jpeg(file.getvalue())
    assert (seen.zoom, seen.size) == (front.lens(), (800, 450))
    view = seen.viewport
    assert (view.x, view.y, view.width, view.height) == pytest.approx((300 / 1920, 500 / 1080, 0.5, 0.5), abs=0.01)


def test_frames_may_come_without_huffman_tables(guest, make):
    camera = make(no_huffman=True, zoom=(100, 500, 1, 345))
    content = photo(guest, camera.node)
    assert b"AVI1" in content and b"\xff\xc4" not in content


def test_slow_lens_moves_for_a_while(guest, back):
    assert v4l2(guest, back.node, "-c zoom_absolute=200").status == 0
    assert value(guest, back.node, "zoom_absolute") < 200
    on_the_way = reading(guest, back.node).zoom
    eventually(lambda: value(guest, back.node, "zoom_absolute") == 200, "the lens at 200")
    assert on_the_way <= 200 and reading(guest, back.node).zoom == 200


def test_a_camera_can_be_pulled_and_plugged_ten_times(guest, back, front):
    for _ in range(10):
        front.unplug()
        front.plug()
        assert value(guest, front.node, "zoom_absolute") == front.lens()
    assert reading(guest, front.node).zoom == front.lens()
    assert v4l2(guest, back.node, "-C zoom_absolute").status == 0


def test_a_camera_pulled_while_it_streams_ends_the_stream(guest, front):
    guest.start("stream", "v4l2-ctl", "-d", front.node, "--stream-mmap")
    eventually(lambda: "fps" in guest.log("stream"), "frames")
    front.unplug()
    assert guest.ended("stream") != 128 + 9
    front.plug()


def test_a_stall_is_an_error(guest, front):
    front.command("stall", "zoom")
    assert "busy" in refusal(v4l2(guest, front.node, "-c zoom_absolute=200"))
    front.command("stall", "zoom", 0)
    assert v4l2(guest, front.node, "-c zoom_absolute=200").status == 0


def test_a_camera_that_hangs_times_out_while_another_answers(guest, front, back):
    front.command("hang", 60)
    guest.start("stuck", "v4l2-ctl", "-d", front.node, "-c", "zoom_absolute=250")
    since = back.mark()
    assert v4l2(guest, back.node, "-c zoom_absolute=150").status == 0
    assert back.settings("zoom", since) == ["150"]
    assert guest.ending("stuck") is None, "the other camera took as long"
    assert guest.ended("stuck") != 0
    assert "timed out" in guest.log("stuck")
    front.command("hang", 0)
    assert v4l2(guest, front.node, "-c zoom_absolute=250").status == 0


def test_a_camera_can_be_slow_to_answer(guest, front):
    front.command("delay", "zoom", 700)
    before = guest.clock()
    assert v4l2(guest, front.node, "-c zoom_absolute=260").status == 0
    assert guest.clock() - before > 700_000_000
    front.command("delay", "zoom", 0)


def test_camera_can_apply_less_than_requested(guest, front):
    for fault, asked, done in ((("clamp", "zoom", 150, 300), 400, 300), (("round", "zoom", 50), 234, 200)):
        front.command(*fault)
        assert v4l2(guest, front.node, f"-c zoom_absolute={asked}").status == 0
        assert front.lens() == done
        front.command(fault[0], "zoom", *([] if fault[0] == "clamp" else [0]))


def test_a_turn_of_the_lens_is_an_event(guest, front):
    wait_for_event(guest, front.node, "zoom_absolute")
    front.button("zoom", 333)
    assert guest.ended("listener") == 0
    assert "value: 333" in guest.log("listener")


def test_the_end_of_a_move_can_be_an_event(guest, make):
    camera = make(motor=200, reports_arrival=True, auto_update="zoom")
    wait_for_event(guest, camera.node, "zoom_absolute", "arrival")
    assert v4l2(guest, camera.node, "-c zoom_absolute=180").status == 0
    assert guest.ended("arrival") == 0
    assert "value: 180" in guest.log("arrival")


def test_a_size_can_be_refused(guest, make):
    camera = make()
    asked = ("-v width=1280,height=720,pixelformat=MJPG", "--stream-mmap", "--stream-count=1")
    camera.command("refuse", "probe", 1280)
    assert "VIDIOC_S_FMT" in refusal(v4l2(guest, camera.node, asked[0]))
    camera.command("refuse", "probe", 0)
    camera.command("refuse", "commit", 1280)
    assert "VIDIOC_S_FMT" not in v4l2(guest, camera.node, *asked).output
    assert "stream refused" in [entry.text for entry in camera.log()] and "stream MJPG 1280x720" not in [e.text for e in camera.log()]
    camera.command("refuse", "commit", 0)
    assert v4l2(guest, camera.node, *asked).status == 0
    assert "stream MJPG 1280x720" in [entry.text for entry in camera.log()]


def test_a_size_can_be_replaced_by_another(guest, make):
    camera = make()
    camera.command("replace", 1280)
    reported = v4l2(guest, camera.node, "-v width=1280,height=720,pixelformat=MJPG", "-V").output
    assert "640/480" in reported
    assert "1920/1080" in v4l2(guest, camera.node, "-v width=1920,height=1080,pixelformat=MJPG", "-V").output


def test_zoom_speed_with_a_least_speed_of_one_cannot_be_stopped(guest, make):
    camera = make(without="zoom")
    assert "zoom_absolute" not in v4l2(guest, camera.node, "-L").output
    assert limits(guest, camera.node, "zoom_continuous")["min"] == 1
    for speed in (0, -3):
        since = camera.mark()
        v4l2(guest, camera.node, f"-c zoom_continuous={speed}")
        assert camera.settings("zoom_speed", since) == ["1,0,1"], f"{speed} was not clamped to +1"
    assert eventually(lambda: camera.lens() > 110, "the lens's way in")


def test_write_to_a_read_only_control_is_refused(guest, front):
    assert "denied" in refusal(v4l2(guest, front.node, "-c focus_absolute=50")), "autofocus is on"
    assert "denied" in refusal(v4l2(guest, front.node, "-c privacy=1"))
