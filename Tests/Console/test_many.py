"""A thousand cameras: the grid shows them, scrolls, and finds each.

The grid is to be painted within a second, and to scroll smoothly: the run prints both times.
"""

import io
import json
import statistics
import threading
from contextlib import contextmanager

import paho.mqtt.client as paho
import pytest
from PIL import Image

from broker import Broker
from camera_list import camera, retained
from chromium import phones_of
from console import Console
from waiting import eventually

pytestmark = pytest.mark.deep

COUNT = 1000

GROUPS = ["outside", "inside", "street"]
#: Pictures of each watched camera in a second, as the grid requests them.
FPS = 2
#: When the first camera was there, and then painted.
FIRST_CAMERA = """const watcher = new MutationObserver(() => {
    if (!document.querySelector(".grid li")) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.firstPaint = performance.now(); }));
});
watcher.observe(document, { childList: true, subtree: true });"""
#: Those that are in the list, in its order: the ones near the screen.
NAMES = "[...document.querySelectorAll('.grid li')].map((li) => li.dataset.camera)"
#: Scrolls down in four strokes, each of 36 frames with 60 pixels. Returns the milliseconds between frames.
#: Cameras are watched where the list rests for a moment.
SCROLL = """async () => {
    const gaps = [];
    for (let frame = 0, last = performance.now(); frame < 240; frame += 1) {
        if (frame % 60 < 36) scrollBy(0, 60);
        await new Promise(requestAnimationFrame);
        gaps.push(performance.now() - last);
        last = performance.now();
    }
    return gaps;
}"""
#: How far it has scrolled then.
SCROLLED = 4 * 36 * 60


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A broker with the retained messages of many cameras, of fifty agents. No agent runs."""
    broker = Broker(tmp_path_factory.mktemp("broker")).start()
    messages = {}
    for number in range(COUNT):
        info = {"groups": [GROUPS[number % 3]]}
        messages |= camera(f"agent-{number % 50:02}", f"camera-{number:04}", info=info)
    with retained(broker, messages):
        yield broker
    broker.stop()


@pytest.fixture(scope="module")
def crowd_console(crowd, tmp_path_factory):
    console = Console(crowd, tmp_path_factory.mktemp("console")).start()
    yield console
    console.close()


@pytest.fixture
def phone_for(browser, crowd_console):
    with phones_of(browser, crowd_console.address()) as phone:
        yield phone


@pytest.fixture
def grid(phone_for):
    phone = phone_for(camera=None)
    phone.context.add_init_script(FIRST_CAMERA)
    # The console has the whole list at once, or soon after its start.
    eventually(lambda: phone.open("").until("document.querySelector('.grid li') !== null")
               and f"{COUNT} cameras" in phone.text(), f"{COUNT} cameras")
    return phone


def test_the_first_paint(grid, phone_for, figure):
    # In a new profile nothing of the page is in a cache. The console has the whole list already.
    fresh = phone_for(camera=None)
    fresh.context.add_init_script(FIRST_CAMERA)
    fresh.open("").until("window.firstPaint !== undefined")
    figure(f"{COUNT} cameras: the first are painted {fresh.run('firstPaint'):.0f} ms after the navigation")
    fresh.screenshot("many")
    first = [f"agent-00/camera-{number:04}" for number in range(0, 200, 50)]
    assert fresh.run(f"{NAMES}.slice(0, 4)") == first
    assert f"{COUNT} cameras" in fresh.text()


@contextmanager
def pictures_of_watched_cameras(broker):
    """Publishes previews of the cameras that the console watches, as their agents would."""
    picture = io.BytesIO()
    Image.linear_gradient("L").resize((480, 270)).convert("RGB").save(picture, "JPEG")
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    watched, is_over = set(), threading.Event()

    def note(_, __, message):
        camera = message.topic.removesuffix("/preview/set")
        (watched.discard if json.loads(message.payload).get("stop") else watched.add)(camera)

    def publish():
        while not is_over.wait(1 / FPS):
            for camera in list(watched):
                client.publish(f"{camera}/preview/live", picture.getvalue())

    client.on_message = note
    client.connect("127.0.0.1", broker.port)
    client.subscribe("v4l2mqtt/+/+/preview/set", 1)
    client.loop_start()
    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        client.disconnect()
        client.loop_stop()


def test_scrolling(grid, crowd, figure):
    with pictures_of_watched_cameras(crowd):
        grid.until("thumbnails() > 0", "pictures in the grid")
        at_the_top = grid.run(NAMES)
        before = len(grid.pictures)
        gaps = grid.page.evaluate(SCROLL)
        seen = len(grid.pictures) - before
        assert grid.run("scrollY") == SCROLLED
        assert not set(at_the_top) & set(grid.run(NAMES))
        grid.until("thumbnails() > 0", "pictures where the list rests")
    figure(f"{len(gaps)} frames while scrolling: {statistics.median(gaps):.1f} ms between two (95 %: "
           f"{sorted(gaps)[int(len(gaps) * 0.95)]:.1f} ms, longest {max(gaps):.0f} ms); {seen} pictures came")


def test_each_camera_can_be_reached(grid):
    """By the search, by a group, and at the end of the list."""
    search = grid.page.get_by_role("searchbox")
    search.fill("camera-0777")
    grid.until("[...document.querySelectorAll('.grid li')].filter((li) => !li.hidden).map((li) => li.dataset.camera).join()"
               " === 'agent-27/camera-0777'", "the camera that is searched for")
    search.fill("")
    grid.page.get_by_role("button", name="street", exact=True).tap()
    grid.until(f"document.body.innerText.includes('{len(range(2, COUNT, 3))}')", "the number of cameras of the group")
    grid.page.get_by_role("button", name="All", exact=True).tap()
    grid.until(f"document.body.innerText.includes('{COUNT} cameras')", "all cameras")
    grid.run("scrollTo(0, 1e9)")
    grid.until("[...document.querySelectorAll('.grid li')].some((li) => li.dataset.camera === 'agent-49/camera-0999'"
               " && li.getBoundingClientRect().bottom <= innerHeight + 1)", "the last camera")
