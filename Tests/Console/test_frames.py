"""The page in a frame of another page: of another site, and of Home Assistant's ingress."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from chromium import HELPERS, phones_of
from framing_site import PATH, FramingSite
from waiting import eventually

pytestmark = pytest.mark.deep

ADDON = Path(__file__).resolve().parents[2] / "deploy/home-assistant/console-addon/Dockerfile"
#: The addresses of the add-on are those of a network that only Home Assistant has.
OF_THE_ADDON_ONLY = {"--listen", "--state-dir", "--host", "--username", "--password-file"}
#: What the page says about a photo, by the status of the answer; None: there is no answer.
DOWNLOAD_ERRORS = {
    403: "This is not permitted.",
    404: "This file is not there any more.",
    401: "This is not permitted.",
    503: "Not available at the moment.",
    501: "The camera cannot do this.",
    504: "Not available at the moment.",
    None: "No connection to the console.",
}


@pytest.fixture
def site():
    with closing(FramingSite()) as site:
        yield site


@pytest.fixture
def framed(browser, site):
    """Opens the site at this host, and returns the phone and the frame."""
    with phones_of(browser, "") as phone_for:

        def open(host: str, **options):
            phone = phone_for(f"http://{host}:{site.port}/", camera=None, **options).open("")
            return phone, eventually(lambda: phone.page.frames[1:] and phone.page.frames[1], "the frame")

        yield open


def run(frame, expression: str):
    return frame.evaluate(f"() => {{ {HELPERS} return ({expression}); }}")


def shows_the_camera(frame):
    """In the grid and, after a tap, live; and the page commands it."""
    eventually(lambda: run(frame, "thumbnails()"), "a picture in the grid")
    frame.locator("[data-camera='porch/door'] a").tap()
    eventually(lambda: run(frame, "![null, undefined].includes(stage()?.dataset.frame)"), "a picture of the camera")
    frame.get_by_role("button", name="Zoom 2×", exact=True).tap()
    eventually(lambda: run(frame, "stage().dataset.factor") == "2.0000", "the factor of a command")


def is_blocked(phone, frame):
    """The frame has an error page of the browser, without an address, and the browser says why."""
    violation = "frame-ancestors"
    phone.permit(violation, "chrome-error:")
    eventually(lambda: any(violation in text for text in phone.complaints), "the complaint of the browser")
    assert not frame.url.startswith("http"), frame.url


def options_of_the_addon() -> list[str]:
    """The options of the add-on's command, but for its addresses and files."""
    command = ADDON.read_text().split("\nCMD ")[1].replace("\\\n", "")
    words = re.sub(r"172\.30\.32\.2", "127.0.0.1", " ".join(json.loads(command)[1:])).split(" ")
    pairs = re.findall(r"(--[a-z-]+)((?: (?!--)\S+)*)", " ".join(words))
    return [word for name, value in pairs if name not in OF_THE_ADDON_ONLY for word in [name, *value.split()]]


def test_the_ingress_of_home_assistant_frames_the_page(broker, agent, controller, console_at, site, framed):
    """With the options of the add-on. The site and the page have the same origin."""
    console = console_at(broker, *options_of_the_addon()).start()
    site.passes_to(console.port)
    site.shows(PATH)
    _, frame = framed("localhost")
    assert frame.url == f"http://localhost:{site.port}{PATH}"
    shows_the_camera(frame)
    assert controller.state("zoom", lambda zoom: zoom["factor"] == 2)["origin"]["client"].startswith("console")


def test_another_site_is_no_part_of_self(broker, agent, console_at, site, framed):
    console = console_at(broker, "--frame-ancestor", "self").start()
    site.shows(console.address())
    is_blocked(*framed("localhost"))


def test_a_permitted_site_frames_the_page(broker, agent, controller, console_at, site, framed):
    """The browser keeps no cookie in this frame: the page sends its token through the socket."""
    console = console_at(broker, "--frame-ancestor", f"http://localhost:{site.port}")
    token = console.token("panel")
    console.start()
    site.shows(console.address(f"#t={token}"))
    phone, frame = framed("localhost")
    shows_the_camera(frame)
    assert token not in frame.url and phone.context.cookies() == []
    assert controller.state("zoom", lambda zoom: zoom["factor"] == 2)["origin"]["client"] == "panel"


def test_a_photo_that_cannot_be_read_in_a_frame_of_another_site(broker, agent, controller, console_at, site, framed):
    """The page reads it with its token, and knows why that failed."""
    console = console_at(broker, "--frame-ancestor", f"http://localhost:{site.port}")
    token = console.token("panel")
    console.start()
    site.shows(console.address(f"#t={token}"))
    controller.obeyed("capture", {})
    phone, frame = framed("localhost")
    phone.permit("Failed to load resource")
    shows_the_camera(frame)
    for status, text in DOWNLOAD_ERRORS.items():
        answer = {"status": status} if status else None
        phone.page.route("**/media/**", lambda route: route.fulfill(**answer) if answer else route.abort())
        frame.get_by_role("button", name="Photos and recordings", exact=True).tap()
        eventually(lambda: run(frame, "$('.notice').textContent") == text, f"the text for {status}")
        frame.get_by_role("button", name="Done", exact=True).tap()
        phone.page.unroute("**/media/**")


@pytest.mark.parametrize("options", [[], ["--frame-ancestor", "https://home.example"]], ids=["none", "another"])
def test_a_site_that_is_not_permitted_frames_nothing(broker, agent, console_at, site, framed, options):
    console = console_at(broker, *options)
    token = console.token("panel")
    console.start()
    site.shows(console.address(f"#t={token}"))
    is_blocked(*framed("localhost"))
