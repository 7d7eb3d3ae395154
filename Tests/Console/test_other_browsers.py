"""Smoke tests in the engines of Safari (WebKitGTK) and Firefox: layout, policy, cookie, drag."""

import os
from contextlib import closing

import pytest

from console import Console
from other_browsers import FIREFOX, WEBKIT_DRIVER, Firefox, WebKit
from simulated_scene import in_scene
from waiting import eventually

pytestmark = pytest.mark.deep

#: A mouse and the fingers of WebDriver are at whole pixels.
PIXEL = 1.5 / 390


@pytest.fixture(scope="module", params=[
    pytest.param(Firefox, marks=pytest.mark.skipif(not os.path.exists(FIREFOX), reason="firefox-esr is not installed")),
    pytest.param(WebKit, marks=pytest.mark.skipif(not os.path.exists(WEBKIT_DRIVER), reason="webkit2gtk-driver is not installed")),
], ids=lambda browser: browser.name)
def signed_in(request, broker, agent, tmp_path_factory):
    """A browser that has opened the link of a token: (browser, token)."""
    console = Console(broker, tmp_path_factory.mktemp("guarded"))
    token = console.token("phone")
    with closing(console.start()), closing(request.param(tmp_path_factory.mktemp("browser"))) as browser:
        browser.open(console.address(f"#t={token}"))
        browser.until("thumbnails() === 1", "a thumbnail in the grid")
        yield browser, token


@pytest.fixture
def other(signed_in, controller):
    """A browser that shows the camera."""
    browser, _ = signed_in
    browser.run("(location.hash = '#/porch/door', null)")
    browser.until("$('.stage')?.dataset.frame > ''", "a picture")
    yield browser
    browser.run("(location.hash = '', null)")
    browser.until("$('.grid li') !== null", "the grid")


def test_the_layout(other):
    other.until("$('.chips button') !== null", "the controls")
    width, height = other.run("[innerWidth, innerHeight]")
    assert other.run("document.documentElement.scrollWidth") <= width
    for part in (".view canvas", ".chips", ".shutter", ".lease"):
        left, right, top, bottom = other.run(
            f"(({{ left, right, top, bottom }}) => [left, right, top, bottom])($('{part}').getBoundingClientRect())")
        assert 0 <= left < right <= width and 0 <= top < bottom <= height, part
    picture = other.run("(({ width, height }) => width / height)($('.view').getBoundingClientRect())")
    assert picture == pytest.approx(16 / 9, rel=0.01)
    other.screenshot("camera")


def test_the_cookie(signed_in):
    browser, token = signed_in
    assert browser.cookies() == [{"httpOnly": True, "sameSite": "Strict"}]
    assert browser.run("document.cookie") == "" and token not in browser.run("location.href")


def test_a_drag_holds_the_point(other, controller):
    before = controller.zoom_to(4)
    other.until("$('.stage').dataset.factor === '4.0000'", "the factor 4")
    left, top, width, height = other.run(
        "(({ left, top, width, height }) => [left, top, width, height])($('.view').getBoundingClientRect())")
    since = controller.mark()
    other.drag((left + 0.7 * width, top + 0.6 * height), (left + 0.5 * width, top + 0.4 * height))
    controller.inbox.wait_for(
        controller.topic("pinch/set"), lambda message: message.json["phase"] == "ended", since=since)
    after = controller.state("zoom", lambda zoom: abs(in_scene(zoom, 0.5, 0.4)[0] - in_scene(before, 0.7, 0.6)[0]) < PIXEL / 4)
    assert after["factor"] == 4
    for one, wanted in zip(in_scene(after, 0.5, 0.4), in_scene(before, 0.7, 0.6)):
        assert one == pytest.approx(wanted, abs=PIXEL)


def test_a_chip_zooms(other, controller):
    controller.zoom_to(1)
    other.run("($('.chips [data-factor=\"2\"]').click(), null)")
    controller.state("zoom", lambda zoom: zoom["factor"] == 2 and not zoom["ramping"])
    other.until("$('.stage').dataset.factor === '2.0000'", "the factor 2")


def test_the_browser_complains_about_nothing(other):
    """No violation of the page's policy, no exception. It is the last test of each browser."""
    assert other.complaints() == []
    other.run("document.body.append(Object.assign(document.createElement('img'), { src: 'http://127.0.0.1:9/' })) ?? null")
    eventually(other.complaints, "the complaint about an image from elsewhere")
