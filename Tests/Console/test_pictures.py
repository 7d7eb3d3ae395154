"""Which cameras send pictures, and pictures outside the page."""

import copy

import pytest

from chromium import phones_of

pytestmark = pytest.mark.deep

#: More than fit on a phone's screen.
COUNT = 12
SMALL = {"optical_max": 1, "width": 320, "height": 180}
#: Whether the image is there, and the colour of its middle.
IMAGE = """(() => {
    const image = $("img.other");
    if (!image?.naturalWidth) return null;
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 1, 1);
    return [image.naturalWidth, image.naturalHeight, ...context.getImageData(0, 0, 1, 1).data];
})()"""


def test_only_cameras_on_the_screen_send_pictures(bench, browser, console_at):
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera={"simulated": SMALL})
    (door,) = agent.configuration["cameras"]
    names = [f"camera-{number:02}" for number in range(COUNT)]
    agent.configure({**agent.configuration, "cameras": [copy.deepcopy({**door, "id": name}) for name in names]})
    agent.start()
    first, last = (bench.controller(broker, camera=name) for name in (names[0], names[-1]))
    with phones_of(browser, console_at(broker).start().address()) as phone_for:
        phone = phone_for(camera=None, viewport={"width": 390, "height": 500}).open("")
        first.state("preview", lambda preview: preview is not None and preview["clients"] == ["console"])
        assert last.state("preview") is None
        phone.run("scrollTo(0, 1e6)")
        last.state("preview", lambda preview: preview is not None and preview["clients"] == ["console"])
        first.state("preview", lambda preview: preview is None)
        phone.until("isPainted($(`[data-camera='porch/camera-11'] canvas`))", "a picture of the last camera")


@pytest.mark.parametrize("path, is_live", [("live", True), ("snapshot", False)])
def test_pictures_in_an_image_of_another_page(phone_for, controller, path, is_live):
    phone = phone_for(camera=None).open("")
    phone.run(f"document.body.append(Object.assign(new Image(), {{ className: 'other', src: '{path}/porch/door' }}))")
    before = phone.until(IMAGE, "a picture")
    assert before[:2] == [960, 540]
    controller.obeyed("zoom", {"factor": 8, "anchor": {"x": 0, "y": 0}})
    if is_live:
        phone.until(f"JSON.stringify({IMAGE}) !== '{before}'.replaceAll(' ', '')", "a picture of the new view")
        phone.page.goto("about:blank")
        controller.state("preview", lambda preview: preview is None)
    else:
        assert phone.run(IMAGE) == before, "one picture"
