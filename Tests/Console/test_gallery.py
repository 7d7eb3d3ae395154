"""Photos and recordings of a camera on the page."""

import io
import json
import os
import re
import threading
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image
from playwright.sync_api import expect

from broker import Broker
from camera_list import camera, retained
from chromium import phones_of
from controller import Controller
from recording_steps import begin, record_new_frame

pytestmark = pytest.mark.deep


def gallery(phone):
    phone.button("Photos and recordings").tap()
    phone.until("$('dialog[open] .media') !== null", "the gallery")


def count(phone, wanted: int):
    phone.until(f"document.querySelectorAll('.media li').length === {wanted}", f"{wanted} files")


@pytest.fixture
def many_photos(agent):
    """24 files in the folder of the camera, as large as photos of a camera."""
    folder = agent.captures / "door"
    folder.mkdir(parents=True, exist_ok=True)
    noise, names = Image.frombytes("RGB", (640, 360), os.urandom(640 * 360 * 3)), []
    for number in range(24):
        names.append(f"door-20260101T0000{number:02}.000Z-{number:06}.jpg")
        with io.BytesIO() as photo:
            noise.save(photo, "JPEG", quality=97)
            (folder / names[-1]).write_bytes(photo.getvalue())
    yield names
    for name in names:
        (folder / name).unlink(missing_ok=True)


def test_a_page_of_photos_is_shown_completely(phone, many_photos):
    under_way, most = set(), 0

    def asked(request):
        nonlocal most
        if "/media/" in request.url:
            under_way.add(request)
            most = max(most, len(under_way))

    phone.page.on("request", asked)
    phone.page.on("requestfinished", lambda request: under_way.discard(request))
    gallery(phone)
    count(phone, len(many_photos))
    shown = "[...document.querySelectorAll('.media img')].filter((image) => image.naturalWidth === 640).length"
    for number in range(len(many_photos)):
        phone.page.locator(".media li").nth(number).scroll_into_view_if_needed()
    phone.until(f"{shown} === {len(many_photos)}", "all photos")
    assert most <= 2, "others of the browser's connections stay free"


def test_photos_are_listed_saved_and_deleted(phone, controller, tmp_path):
    paths = [controller.obeyed("capture", {})["photos"][0]["path"] for _ in range(3)]
    gallery(phone)
    count(phone, len(paths))
    phone.screenshot("gallery")
    phone.page.locator(".media li button").first.tap()
    with phone.page.expect_download() as download:
        phone.page.get_by_role("link", name="Download").tap()
    file = tmp_path / "photo.jpg"
    download.value.save_as(file)
    assert file.read_bytes() == open(paths[-1], "rb").read(), "the newest is the first"
    with Image.open(file) as photo:
        assert photo.size == (960, 540)
    phone.button("Delete").tap()
    phone.page.locator(".question").get_by_role("button", name="Delete").tap()
    count(phone, len(paths) - 1)


@contextmanager
def foreign_site():
    """The origin of a site that can show the page in a frame: it is another site than the console's."""
    handler = type("Empty", (BaseHTTPRequestHandler,), {"do_GET": empty, "log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{site.server_address[1]}"
        finally:
            site.shutdown()


def empty(request):
    request.send_response(200)
    request.send_header("Content-Type", "text/html")
    request.end_headers()
    request.wfile.write(b"<!doctype html><title>Panel</title>")


def test_in_a_foreign_frame_files_are_read_with_the_token(browser, console_at, broker, controller, tmp_path):
    path = controller.obeyed("capture", {})["photos"][0]["path"]
    with foreign_site() as origin, closing(browser.new_context(locale="en-US")) as context:
        console = console_at(broker, "--frame-ancestor", origin)
        token = console.token("panel")
        console.start()
        panel = context.new_page()
        complaints = []
        panel.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        panel.goto(origin)
        panel.evaluate("""(src) => document.body.append(
            Object.assign(document.createElement("iframe"), { src, width: 400, height: 560 }))""", console.address(f"#t={token}"))
        frame = panel.frame_locator("iframe")
        frame.locator(".grid li a").click()
        frame.get_by_role("button", name="Photos and recordings").click()
        face = frame.locator(".media li img").first
        expect(face).to_have_attribute("src", re.compile("^blob:"))
        expect(face).to_have_js_property("naturalWidth", 960)
        face.click()
        expect(frame.locator(".viewer img")).to_have_js_property("naturalWidth", 960)
        with panel.expect_download() as download:
            frame.get_by_role("link", name="Download").click()
        file = tmp_path / "photo.jpg"
        download.value.save_as(file)
        assert file.read_bytes() == open(path, "rb").read()
        assert context.cookies() == [] and complaints == []


def test_a_recording_is_listed_and_played(phone, controller):
    begin(controller)
    record_new_frame(controller)
    controller.obeyed("recording", {"on": False})
    recorded = controller.state("event", lambda event: event["event"] == "recording_finished")["recording"]
    gallery(phone)
    phone.page.get_by_role("button", name=re.compile("^Recording, ")).first.tap()
    phone.until("$('dialog video') !== null", "the player")
    phone.until("$('video').readyState >= HTMLMediaElement.HAVE_CURRENT_DATA", "the first picture")
    width, height, duration = phone.run("((video) => [video.videoWidth, video.videoHeight, video.duration])($('video'))")
    assert (width, height) == (recorded["width"], recorded["height"])
    assert duration == pytest.approx(recorded["duration_s"], abs=0.1)
    assert phone.run("$('.viewer .empty').hidden"), "no text that the browser cannot play it"
    phone.run("$('video').play()")
    phone.until("$('video').currentTime > 0", "the recording to play")


def test_a_recording_of_several_files(browser, console_at, tmp_path):
    """The page says when a recording goes on in another file, and at its end how many files there are."""
    broker = Broker(tmp_path / "broker").start()
    first = {"reason": "continued", "cause": "zoom", "path": "/r/1.mp4", "duration_s": 3.2, "bytes": 900_000}
    last = {"reason": "stopped", "path": "/r/2.mp4", "duration_s": 65, "bytes": 2_100_000, "earlier": ["/r/1.mp4"]}
    try:
        with retained(broker, camera("porch", "door")), Controller(broker) as agent:
            console = console_at(broker).start()
            with phones_of(browser, console.address()) as phone_for:
                phone = phone_for().open("#/porch/door")
                phone.until("!$('.chips button')?.disabled && $('.chips button') !== null", "the camera")
                for recording, said in [
                        (first, "The recording goes on in another file."),
                        (last, "Recording stored in 2 files. The last: 1:05, 2.1 MB")]:
                    event = {"event": "recording_finished", "recording": recording}
                    agent.publish(agent.topic("event"), json.dumps(event).encode())
                    phone.says(said)
    finally:
        broker.stop()
