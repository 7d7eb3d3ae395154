"""Sessions of UVC cameras: what was chosen is what the camera streams, and all of a change is done or
nothing."""


import pytest

from virtual_camera import Camera
from guest_agent import GuestAgent
from guest_photos import seen, shot
from state_file import state_in
from v4l2ctl import v4l2
from waiting import eventually

SIZES = {
    "low": (640, 480), "medium": (640, 480), "high": (1280, 720), "hd1280x720": (1280, 720), "hd1920x1080": (1920, 1080),
    "640x480": (640, 480), "1280x720": (1280, 720), "1920x1080": (1920, 1080)}


@pytest.fixture(scope="module")
def cameras(guest):
    return {
        "front": Camera(guest, "front", port=0), "raw": Camera(guest, "raw", port=1),
        "always": Camera(guest, "always", port=2, motor=400, auto_update="zoom")}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    allowed = {
        "front": {"width": 1280, "height": 720}, "raw": {"width": 640, "height": 480, "pixel_format": "YUYV"},
        "always": {"width": 640, "height": 480, "stream": "always"}}
    agent = GuestAgent(guest, broker, cameras=[
        {"id": name, "source": {"serial": name}, "v4l2": allowed[name]} for name in cameras]).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture
def controller_on(controller_for):
    """A controller for a camera that is in its first mode."""
    def controller_on(camera: str):
        controller = controller_for(camera)
        chosen(controller, {"quality": "high", "fps": 30})
        return controller

    return controller_on


def chosen(controller, body) -> dict:
    """The values of the answer, which are those of the state."""
    answer = controller.obeyed("session", body)
    state = controller.state("session")
    for name, value in answer["session"].items():
        assert state[name] == value, f"the answer is {answer}, the state {state}"
    return answer["session"]


def size(session: dict) -> tuple[int, int]:
    return session["width"], session["height"]


def same(controller, before: dict):
    """The session is what it was, and so are photos."""
    after = controller.state("session")
    assert {name: after[name] for name in before if name not in ("rev", "ts", "origin")} == {
        name: before[name] for name in before if name not in ("rev", "ts", "origin")}


def streams(camera: Camera, since=0) -> list[str]:
    return [entry.text for entry in camera.log(since) if entry.text.startswith("stream ")]


def rate(camera: Camera) -> float:
    """The format of the driver."""
    reported = v4l2(camera.guest, camera.node, "-P").output
    return float(next(line for line in reported.splitlines() if "Frames per second" in line).split(":")[1].split()[0])


# What is chosen


def test_info_lists_the_qualities(controller_on):
    info = controller_on("front").state("info")
    assert info["qualities"] == ["low", "medium", "high", "hd1280x720", "hd1920x1080", "1920x1080", "1280x720", "640x480"]


@pytest.mark.parametrize("quality", SIZES)
def test_photos_are_of_the_size_that_was_chosen(controller_on, guest, cameras, quality):
    controller, front = controller_on("front"), cameras["front"]
    since = front.mark()
    session = chosen(controller, {"quality": quality})
    assert (session["quality"], session["pixel_format"], size(session)) == (quality, "MJPG", SIZES[quality])
    picture = seen(guest, controller)
    assert (picture.zoom, picture.size) == (100, SIZES[quality])
    assert "stream MJPG {}x{}".format(*SIZES[quality]) in streams(front, since)


def test_the_pixel_format_is_the_configured_one(controller_on, cameras):
    controller = controller_on("raw")
    session = chosen(controller, {"quality": "hd1280x720"})
    assert (session["pixel_format"], size(session)) == ("YUYV", (1280, 720))
    photo = shot(controller)
    assert (photo["width"], photo["height"]) == (1280, 720)
    assert "stream YUYV 1280x720" in streams(cameras["raw"])


@pytest.mark.parametrize("wanted, given, is_clamped", [(15, 15, False), (17, 15, False), (5, 5, False), (120, 30, True), (1, 5, True)])
def test_the_rate_is_the_nearest_that_the_camera_has(controller_on, cameras, wanted, given, is_clamped):
    controller = controller_on("front")
    answer = controller.obeyed("session", {"quality": "medium", "fps": wanted})
    assert answer["session"]["fps"] == pytest.approx(given, abs=0.01)
    assert answer.get("clamped", False) == is_clamped
    assert rate(cameras["front"]) == pytest.approx(given, abs=0.01)


# While photos are taken


def test_no_photo_is_lost_over_changes(controller_on, guest):
    controller = controller_on("front")
    pending = []
    for quality in ("medium", "hd1280x720", "hd1920x1080", "medium"):
        pending.append(controller.send("capture", {"count": 2}))
        chosen(controller, {"quality": quality})
    answers = [command.result() for command in pending]
    assert {answer["status"] for answer in answers} == {"done"}, answers
    photos = [photo for answer in answers for photo in answer.get("photos", [])]
    assert len(photos) == 8
    assert {(photo["width"], photo["height"]) for photo in photos} <= set(SIZES.values())
    assert seen(guest, controller).size == (640, 480)


@pytest.mark.deep
def test_a_camera_that_streams_for_ever_goes_on_in_the_new_mode(controller_on, guest, cameras):
    controller, always = controller_on("always"), cameras["always"]
    since = always.mark()
    chosen(controller, {"quality": "hd1280x720", "fps": 15})
    always.logged("stream MJPG 1280x720", since)
    assert streams(always, since)[0] == "stream stop"
    assert seen(guest, controller).size == (1280, 720)
    chosen(controller, {"quality": "high"})
    always.logged("stream MJPG 640x480", since)


# All or nothing


@pytest.mark.parametrize("camera", ["front", pytest.param("always", marks=pytest.mark.deep)])
@pytest.mark.parametrize("how", [("refuse", "probe", 1920), ("replace", 1920)])
def test_a_refused_mode_changes_nothing(controller_on, guest, cameras, camera, how):
    """The second gives another size instead, which the driver passes on in silence."""
    controller, camera = controller_on(camera), cameras[camera]
    controller.obeyed("controls", {"brightness": 50})
    seen(guest, controller)
    before = controller.state("session")
    camera.command(*how)
    controller.refused("session", {"quality": "hd1920x1080", "controls": {"brightness": 60}, "zoom": {"factor": 3}}, "device")
    camera.command(*how[:-1], 0)
    same(controller, before)
    assert (camera.command("read", "brightness"), camera.lens()) == ("50", 100)
    assert controller.state("controls")["values"]["brightness"] == 50
    assert seen(guest, controller).size == size(before)
    assert size(chosen(controller, {"quality": "hd1920x1080"})) == (1920, 1080), "and isn't refused any more"


def test_a_mode_in_which_the_camera_does_not_stream_is_taken_back(controller_on, guest, cameras):
    """As when the bus has no room for it: the driver finds out when the stream begins."""
    controller, always = controller_on("always"), cameras["always"]
    since = always.mark()
    before = controller.state("session")
    always.command("refuse", "commit", 1920)
    controller.refused("session", {"quality": "hd1920x1080"}, "device")
    always.command("refuse", "commit", 0)
    same(controller, before)
    always.logged("stream refused", since)
    always.logged("stream MJPG 640x480", since)
    assert seen(guest, controller).size == (640, 480)


# The zoom


@pytest.mark.parametrize("camera, factor", [
    ("front", 3), *(pytest.param(*case, marks=pytest.mark.deep) for case in [("always", 2.5), ("front", 8)])])
def test_zoom_is_kept_over_a_change(controller_on, guest, cameras, camera, factor):
    controller = controller_on(camera)
    before = controller.zoom_to(factor)
    since = controller.mark()
    for quality in ("hd1920x1080", "medium"):
        chosen(controller, {"quality": quality})
    after = controller.state("zoom")
    assert [after[name] for name in ("factor", "optical", "viewport")] == [before[name] for name in ("factor", "optical", "viewport")]
    assert not controller.states("zoom", since), "no state is to be published"
    assert cameras[camera].lens() == min(factor, 5) * 100
    picture = seen(guest, controller)
    assert picture.zoom == min(factor, 5) * 100
    assert picture.viewport.width == pytest.approx(min(1, 5 / factor), abs=0.02)


# The start, others, and the cable


def test_a_session_outlives_the_agent_and_blocks_no_other_program(controller_on, guest, cameras, agent):
    """A driver may reserve the device for the program that set its format, even before the first frame."""
    controller, front = controller_on("front"), cameras["front"]
    before = chosen(controller, {"quality": "hd1920x1080", "fps": 15})
    eventually(lambda: "hd1920x1080" in str(state_in(agent.state_file)), "the session in the state file")
    agent.kill()
    since = controller.mark()
    agent.start()
    controller.state("availability", lambda now: now["state"] == "online", since=since)
    after = controller.state("session", since=since)
    assert {name: after[name] for name in before} == before
    taken = v4l2(guest, front.node, "-v width=1280,height=720,pixelformat=YUYV --stream-mmap --stream-count=1")
    assert taken.status == 0, taken.output
    assert seen(guest, controller).size == (1920, 1080)
    assert rate(front) == pytest.approx(15, abs=0.01)


@pytest.mark.deep
def test_other_programs_can_stream_after_a_change(controller_on, guest, cameras):
    """A driver may reserve the device for the program that set its format."""
    controller, front = controller_on("front"), cameras["front"]
    eventually(lambda: streams(front)[-1:] in ([], ["stream stop"]), "the stream's end")
    chosen(controller, {"quality": "medium", "fps": 15})
    taken = v4l2(guest, front.node, "-v width=1920,height=1080,pixelformat=YUYV --stream-mmap --stream-count=1")
    assert taken.status == 0, taken.output
    picture = seen(guest, controller)
    assert (picture.size, rate(front)) == ((640, 480), pytest.approx(15, abs=0.01)), "what the other chose is still there"


def test_a_stream_of_another_program_refuses_the_change(controller_on, guest, cameras):
    controller, front = controller_on("front"), cameras["front"]
    eventually(lambda: streams(front)[-1:] in ([], ["stream stop"]), "the stream's end")
    before = controller.state("session")
    guest.start("other", "v4l2-ctl", "-d", front.node, "--stream-mmap")
    eventually(lambda: "fps" in guest.log("other"), "frames")
    assert "busy" in controller.refused("session", {"quality": "medium"}, "device")["message"].lower()
    guest.kill("other")
    guest.ended("other")
    same(controller, before)
    assert seen(guest, controller).size == (1280, 720)


def test_a_camera_that_hangs_fails_the_change_and_recovers(controller_on, guest, cameras):
    controller, front = controller_on("front"), cameras["front"]
    front.command("hang", 60)
    change = controller.send("session", {"quality": "medium"})
    guest.sleep(6)  # the driver waits for five seconds
    front.command("hang", 0)
    assert change.result()["error"]["code"] == "device"
    assert seen(guest, controller).size == (1280, 720)
    assert size(chosen(controller, {"quality": "medium"})) == (640, 480)


@pytest.mark.parametrize("camera", ["front", pytest.param("always", marks=pytest.mark.deep)])
def test_unplugged_in_the_middle_of_a_change(controller_on, guest, cameras, camera):
    controller, camera = controller_on(camera), cameras[camera]
    camera.command("hang", 60)
    pending = [controller.send("session", {"quality": quality}) for quality in ("hd1920x1080", "medium")]
    guest.sleep(0.3)
    since = controller.mark()
    camera.command("unplug")
    assert controller.state("availability", lambda now: now["state"] == "offline", since=since)["reason"] == "unplugged"
    for command in pending:
        answer = command.result()
        assert answer["status"] == "error" and answer["error"]["code"] in ("unavailable", "device", "busy"), answer
    camera.unplug()
    camera.command("hang", 0)
    since = controller.mark()
    camera.plug()
    controller.state("availability", lambda now: now["state"] == "online", since=since)
    assert seen(guest, controller).size == size(controller.state("session"))
    assert size(chosen(controller, {"quality": "hd1920x1080"})) == (1920, 1080)
    assert seen(guest, controller).size == (1920, 1080)


@pytest.mark.deep
def test_frames_are_counted_while_they_come(controller_on):
    """Not only when a stream ends: this one never does. The counts are published once a minute."""
    state = controller_on("always").state("diagnostics", lambda state: state["frames"] > 100, timeout=100)
    assert 0 <= state["lost"] < state["frames"]
