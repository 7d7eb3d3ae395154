"""The folder of the photos: its limit, its order, and what happens when it is full."""

from pathlib import Path

import pytest
from PIL import Image

SMALL = {"size": {"width": 320}, "quality": 80}


@pytest.fixture
def broker(bench):
    return bench.broker()


def files(folder: Path) -> list[Path]:
    """Everything in the folder and below, oldest first."""
    return sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime_ns)


def sample_size(bench, broker) -> int:
    """How many bytes a SMALL photo has."""
    agent = bench.agent(broker, name="sample")
    (photo,) = bench.controller(broker, agent="sample").obeyed("capture", SMALL)["photos"]
    agent.stop()
    return photo["bytes"]


def test_oldest_photos_are_deleted_when_the_folder_is_full(bench, broker):
    limit = int(3.5 * sample_size(bench, broker))
    agent = bench.agent(broker, captures={"max_bytes": limit})
    controller = bench.controller(broker)
    paths = [Path(controller.obeyed("capture", SMALL)["photos"][0]["path"]) for _ in range(6)]
    assert files(agent.captures) == paths[-3:]
    assert sum(path.stat().st_size for path in paths[-3:]) <= limit


def test_oldest_photos_are_deleted_after_a_restart(bench, broker):
    limit = int(2.5 * sample_size(bench, broker))
    agent = bench.agent(broker, captures={"max_bytes": limit})
    controller = bench.controller(broker)
    before = [Path(controller.obeyed("capture", SMALL)["photos"][0]["path"]) for _ in range(2)]
    agent.stop()
    agent.start()
    after = Path(controller.obeyed("capture", SMALL)["photos"][0]["path"])
    assert files(agent.captures) == [before[1], after]


def test_full_disk_is_storage_full_and_leaves_no_partial_file(bench, broker, mounted, tmp_path):
    mounted("-t", "tmpfs", "-o", "size=256k", "none", tmp_path)
    bench.agent(broker, captures={"directory": str(tmp_path)})
    controller = bench.controller(broker)
    (tmp_path / "ballast").write_bytes(bytes(200 * 1024))
    controller.refused("capture", {"quality": 100}, "storage_full")
    assert [path.name for path in files(tmp_path)] == ["ballast"]
    (tmp_path / "ballast").unlink()
    (photo,) = controller.obeyed("capture", SMALL)["photos"]
    assert [str(path) for path in files(tmp_path)] == [photo["path"]]


def test_folder_has_only_complete_photos(bench, broker):
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    controller.obeyed("capture", {"count": 5, "size": {"width": 640}})
    assert len(files(agent.captures)) == 5
    for path in files(agent.captures):
        with Image.open(path) as image:
            image.load()


def picture_file(folder: Path, subsampling: str) -> Path:
    """A JPEG as a camera makes them."""
    path = folder / "picture.jpg"
    gradient = Image.linear_gradient("L").resize((640, 480))
    Image.merge("RGB", (gradient, gradient.rotate(180), gradient)).save(path, quality=87, subsampling=subsampling)
    return path


@pytest.mark.parametrize("simulated, size", [
    ({"width": 320, "height": 240}, (320, 240)),
    ({"width": 320, "height": 320}, (320, 320)),
    ({"width": 320}, (320, 240)),
    ({"height": 240}, (320, 240)),
    ({"width": 800, "height": 480}, (800, 480)),
    ({"fps": 10}, (640, 480)),
])
def test_the_picture_of_a_simulated_camera_has_the_frame_size_that_is_configured(
        bench, broker, tmp_path, simulated, size):
    picture = picture_file(tmp_path, "4:2:2")
    bench.agent(broker, camera={"image": str(picture), "simulated": simulated})
    controller = bench.controller(broker)
    (photo,) = controller.obeyed("capture", {})["photos"]
    assert (photo["width"], photo["height"]) == size
    with Image.open(photo["path"]) as image:
        assert image.size == size
