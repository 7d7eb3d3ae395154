"""Effects: one more picker, seen in photos, previews and movies."""

import io

import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat

from movie_file import CODECS, SMALL, noise, pictures, played
from simulated_scene import open_photo

NONE, MONO, SEPIA, NEGATIVE, POSTERISE = 0, 1, 2, 3, 100


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def viewer(controller):
    """A controller; before and after the test there is no effect."""
    controller.obeyed("controls", {"color_effects": NONE})
    yield controller
    controller.obeyed("controls", {"color_effects": NONE})


def photo(controller) -> Image.Image:
    (made,) = controller.obeyed("capture", {"quality": 95})["photos"]
    return open_photo(made["path"])


def preview(controller) -> Image.Image:
    since = controller.mark()
    controller.obeyed("preview", {"width": 320})
    message = controller.inbox.wait_for(controller.topic("preview/live"), since=since)
    controller.obeyed("preview", {"stop": True})
    return open_photo(io.BytesIO(message.payload))


def movie(controller, codec) -> list[Image.Image]:
    controller.obeyed("recording", {"on": True, "codec": codec})
    path = controller.obeyed("recording", {"on": False})["recording"]["path"]
    played(path)
    return pictures(path)


def is_similar(one: Image.Image, other: Image.Image, tolerance=6.0) -> bool:
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < tolerance


def share_near(plane: Image.Image, levels, distance: int) -> float:
    """Of the samples, how many are so near to a level."""
    counts = plane.histogram()
    near = {value for level in levels for value in range(max(0, level - distance), min(255, level + distance) + 1)}
    return sum(counts[value] for value in near) / sum(counts)


def has(image: Image.Image, effect: int, plain: Image.Image) -> bool:
    """Whether the image is the plain one with this effect, as far as a codec leaves it."""
    luma, blue, red = image.split()
    if effect == NONE:
        return is_similar(image, plain)
    if effect == NEGATIVE:
        return is_similar(image, Image.merge("YCbCr", [ImageOps.invert(plane) for plane in plain.split()]))
    if effect == POSTERISE:
        chroma = range(0, 256, 32)
        return (
            share_near(luma, (0, 85, 170, 255), 16) > 0.85 and min(share_near(blue, chroma, 6), share_near(red, chroma, 6)) > 0.8
            and share_near(plain.getchannel(0), (0, 85, 170, 255), 8) < 0.6)
    tint = {MONO: (128, 128), SEPIA: (108, 148)}[effect]
    return is_similar(luma, plain.getchannel(0)) and all(
        share_near(plane, [level], 3) > 0.98 for plane, level in zip((blue, red), tint))


@pytest.mark.parametrize("effect, codecs", [
    (MONO, ["h264"]), (SEPIA, ["mjpeg"]), (NEGATIVE, CODECS), (POSTERISE, CODECS), (NONE, [])])
def test_effect_applies_to_photos_previews_and_recordings(viewer, effect, codecs):
    plain = photo(viewer)
    viewer.obeyed("controls", {"color_effects": effect})
    assert has(photo(viewer), effect, plain)
    assert has(preview(viewer), effect, plain)
    for codec in codecs:
        images = movie(viewer, codec)
        assert images and all(has(image, effect, plain) for image in images), codec


def test_mono_is_gray_and_sepia_is_brown(viewer):
    """As a person sees them."""
    viewer.obeyed("controls", {"color_effects": MONO})
    red, green, blue = ImageStat.Stat(photo(viewer).convert("RGB")).mean
    assert abs(red - green) < 2 and abs(green - blue) < 2
    viewer.obeyed("controls", {"color_effects": SEPIA})
    red, green, blue = ImageStat.Stat(photo(viewer).convert("RGB")).mean
    assert red > green + 15 > blue + 25


def test_effect_applies_to_camera_jpegs_and_none_passes_them_unchanged(bench, tmp_path):
    broker = bench.broker()
    camera = noise(tmp_path / "noise.jpg", (320, 180))
    bench.agent(broker, camera=camera)
    viewer = bench.controller(broker)
    own = (tmp_path / "noise.jpg").read_bytes()

    def bytes_of_a_photo() -> bytes:
        (made,) = viewer.obeyed("capture", {})["photos"]
        return open(made["path"], "rb").read()
    assert bytes_of_a_photo() == own
    viewer.obeyed("controls", {"color_effects": NEGATIVE})
    assert bytes_of_a_photo() != own
    plain = open_photo(tmp_path / "noise.jpg")
    assert is_similar(photo(viewer).getchannel(0), ImageOps.invert(plain.getchannel(0)), 12)
    images = movie(viewer, "mjpeg")
    assert is_similar(images[0].getchannel(0), ImageOps.invert(plain.getchannel(0)), 12)
    viewer.obeyed("controls", {"color_effects": NONE})
    assert bytes_of_a_photo() == own


def test_sepia_of_a_gray_camera_is_brown(bench, tmp_path):
    Image.linear_gradient("L").resize((320, 180)).save(tmp_path / "gray.jpg")
    broker = bench.broker()
    bench.agent(broker, camera={"image": str(tmp_path / "gray.jpg"), "simulated": {"width": 320, "height": 180}})
    viewer = bench.controller(broker)
    viewer.obeyed("controls", {"color_effects": SEPIA})
    for image in (photo(viewer), preview(viewer), movie(viewer, "h264")[0], movie(viewer, "mjpeg")[0]):
        red, green, blue = ImageStat.Stat(image.convert("RGB")).mean
        assert red > green > blue
