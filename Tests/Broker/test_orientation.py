"""Pictures that are turned and mirrored: every coordinate and every size on the bus is that of the picture
that users see."""

import io

import pytest

from movie_file import pictures, played
from simulated_scene import in_scene, open_photo, read_position

#: How far a place that is read from colours may be off, in fractions of the scene. H.264 rounds more than
#: JPEG.
READING, MOVIE_READING = 0.03, 0.05
PLACES = [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.5, 0.5), (0.7, 0.35)]

QUARTER, MIRRORED, DIAGONAL = {"rotation": 90}, {"mirror": "horizontal"}, {"rotation": 270, "mirror": "vertical"}
ORIENTATIONS = {
    "quarter": QUARTER, "mirrored": MIRRORED, "diagonal": DIAGONAL, "half": {"rotation": 180},
    "flipped": {"rotation": 0, "mirror": "vertical"}, "three": {"rotation": 270}}


def in_sensor(orientation: dict, x: float, y: float) -> tuple[float, float]:
    """The point of the sensor's picture that is shown at x,y: first what the mirror does is undone, then the
    rotation."""
    mirror = orientation.get("mirror")
    x, y = (1 - x if mirror == "horizontal" else x), (1 - y if mirror == "vertical" else y)
    for _ in range(orientation.get("rotation", 0) // 90):
        x, y = y, 1 - x
    return x, y


def size_of(orientation: dict) -> tuple[int, int]:
    return (180, 320) if orientation.get("rotation") in (90, 270) else (320, 180)


@pytest.fixture(scope="module")
def agent(shared, broker):
    """One agent with a camera for each orientation."""
    return shared.agent(broker, cameras=[
        {"id": name, "source": "simulated", "simulated": {"width": 320, "height": 180}, **keys}
        for name, keys in ORIENTATIONS.items()])


@pytest.fixture
def controllers(connect):
    return {name: connect(camera=name) for name in ORIENTATIONS}


def assert_shows(image, orientation: dict, zoom: dict, tolerance=READING):
    """Every place shows the point of the scene that follows from the state of the zoom."""
    for x, y in PLACES:
        expected = in_sensor(orientation, *in_scene(zoom, x, y))
        assert read_position(image, x, y) == pytest.approx(expected, abs=tolerance), (x, y)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_photo_preview_and_zoom_round_a_point(controllers, name):
    controller, orientation = controllers[name], ORIENTATIONS[name]
    width, height = size_of(orientation)
    (photo,) = controller.obeyed("capture", {})["photos"]
    assert (photo["width"], photo["height"]) == (width, height)
    assert_shows(open_photo(photo["path"]), orientation, controller.state("zoom"))

    # Round a point beside the middle, beyond what the lens zooms.
    controller.obeyed("zoom", {"factor": 4, "anchor": {"x": 0.4, "y": 0.65}})
    state = controller.state("zoom", lambda state: state["factor"] == 4)
    (photo,) = controller.obeyed("capture", {})["photos"]
    image = open_photo(photo["path"])
    assert image.size == (width, height)
    assert_shows(image, orientation, state)
    assert read_position(image, 0.4, 0.65) == pytest.approx(in_sensor(orientation, 0.4, 0.65), abs=READING)

    since = controller.mark()
    controller.obeyed("preview", {"width": 160})
    message = controller.inbox.wait_for(controller.topic("preview/live"), since=since)
    controller.obeyed("preview", {"stop": True})
    preview = open_photo(io.BytesIO(message.payload))
    assert preview.size == (160, 160 * height // width)
    assert_shows(preview, orientation, state)
    controller.obeyed("zoom", {"factor": 1})


@pytest.mark.parametrize("name", ["quarter", "diagonal", "mirrored"])
def test_a_pinch_keeps_the_content_between_the_fingers(controllers, name):
    controller, orientation = controllers[name], ORIENTATIONS[name]
    controller.obeyed("zoom", {"factor": 3})
    before = controller.state("zoom", lambda state: state["factor"] == 3)
    content = in_sensor(orientation, *in_scene(before, 0.3, 0.8))
    for phase, scale in (("began", 1), ("changed", 1.5), ("ended", 2)):
        controller.obeyed("pinch", {"gesture": name, "phase": phase, "scale": scale, "anchor": {"x": 0.3, "y": 0.8}})
    controller.state("zoom", lambda state: state["factor"] == 6)
    (photo,) = controller.obeyed("capture", {})["photos"]
    assert read_position(open_photo(photo["path"]), 0.3, 0.8) == pytest.approx(content, abs=READING)
    controller.obeyed("zoom", {"factor": 1})


@pytest.mark.parametrize("name, codec", [("quarter", "h264"), ("diagonal", "mjpeg")])
def test_a_recording_is_upright(controllers, name, codec):
    controller, orientation = controllers[name], ORIENTATIONS[name]
    controller.obeyed("zoom", {"factor": 2, "anchor": {"x": 0, "y": 1}})
    state = controller.state("zoom", lambda state: state["factor"] == 2)
    controller.obeyed("recording", {"on": True, "codec": codec})
    path = controller.obeyed("recording", {"on": False})["recording"]["path"]
    movie = played(path)
    assert (movie.width, movie.height) == size_of(orientation)
    assert_shows(pictures(path)[-1].convert("YCbCr"), orientation, state, MOVIE_READING)
    controller.obeyed("zoom", {"factor": 1})


def test_sizes_of_the_session_and_of_info_are_those_of_the_turned_picture(controllers):
    controller = controllers["quarter"]
    info = controller.state("info")
    assert (info["formats"][0]["width"], info["formats"][0]["height"]) == (180, 320)
    assert info["qualities"][-1] == "180x320"
    assert info["orientation"] == {"rotation": 90, "mirrored": False, "driver": False}
    session = controller.obeyed("session", {"quality": "180x320"})["session"]
    assert (session["width"], session["height"]) == (180, 320)
    assert controllers["diagonal"].state("info")["orientation"] == {"rotation": 90, "mirrored": True, "driver": False}
