"""What a picky person looks at: nothing covers the picture or the name, and each state says what it is."""

import copy
from io import BytesIO

import pytest
from PIL import Image

from chromium import phones_of
from conftest import CAMERA
from test_looks import COLOURS, CONTRAST, contrast
from waiting import eventually

pytestmark = pytest.mark.deep

BOXES = """(selectors) => selectors.map((selector) => {
    const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { left, top, right, bottom };
})"""
SIZES = [(390, 844), (844, 390), (1400, 900)]
LONG = "Street beside the gate"


def boxes(phone, *selectors: str) -> list[dict]:
    return phone.page.evaluate(BOXES, list(selectors))


def overlap(one: dict, other: dict) -> bool:
    return (one["left"] < other["right"] and other["left"] < one["right"]
            and one["top"] < other["bottom"] and other["top"] < one["bottom"])


@pytest.mark.parametrize("width, height", SIZES)
def test_settings_leave_the_picture_and_its_light(phone_for, width, height):
    phone = phone_for(viewport={"width": width, "height": height}).open()
    phone.button("Settings").tap()
    phone.until("$('dialog [data-control]') !== null", "the controls")
    picture, sheet = boxes(phone, ".view", "dialog")
    assert not overlap(picture, sheet), (picture, sheet)
    assert sheet["bottom"] - sheet["top"] <= height / 2 or sheet["left"] >= width / 2
    assert not phone.run("$('dialog').matches(':modal')"), "nothing is dimmed"
    # The zoom is moved meanwhile.
    phone.fingers.slide([phone.place(0.4, 0.5), phone.place(0.6, 0.5)], [phone.place(0.3, 0.5), phone.place(0.7, 0.5)])
    phone.until("Number(stage().dataset.factor) > 1.5", "a zoom beside the settings")
    # All of them can be reached.
    phone.run("$('dialog').scrollTop = 99_999")
    privacy, last = boxes(phone, "#privacy", "dialog dl")
    assert privacy["bottom"] < last["bottom"] <= height
    phone.page.keyboard.press("Tab")
    phone.page.keyboard.press("Escape")
    phone.until("$('dialog') === null", "no settings")


@pytest.mark.parametrize("width, height", SIZES[:2])
def test_the_name_is_whole_while_the_camera_records(bench, browser, console_at, width, height):
    """Defect 7."""
    broker = bench.broker()
    bench.agent(broker, camera={**CAMERA, "name": LONG})
    console = console_at(broker).start()
    controller = bench.controller(broker)
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for(viewport={"width": width, "height": height}).open()
        phone.until(f"$('h1 span').textContent === '{LONG}'", "the name")
        controller.obeyed("recording", {"on": True})
        phone.until("!$('.clock').hidden", "the clock")
        is_whole = phone.run("((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1)($('h1 span'))")
        title, clock, settings = boxes(phone, "h1 span", ".clock", ".bar > button")
        controller.obeyed("recording", {"on": False})
        assert is_whole and not overlap(title, clock) and not overlap(title, settings), (title, clock, settings)


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("width, height", SIZES)
def test_a_lost_connection_covers_nothing(phone_for, broker, console_at, scheme, width, height):
    """Defect 6."""
    console = console_at(broker).start()
    phone = phone_for(console.address(), viewport={"width": width, "height": height}, color_scheme=scheme).open()
    phone.permit("WebSocket connection to .* failed|Failed to load resource")
    console.kill()
    phone.says("No connection. Trying again …")
    banner, *others = boxes(phone, ".banner", ".bar a", "h1", ".bar > button", ".view", ".shutter")
    assert [other for other in others if overlap(banner, other)] == []
    assert others[-1]["bottom"] <= height
    for selector in (".banner", ".clock"):
        colour, ground = phone.page.evaluate(COLOURS, selector)
        assert contrast(colour, ground) >= CONTRAST, selector


def test_a_factor_between_chips_is_shown_by_one(phone, controller):
    controller.zoom_to(3.8)
    phone.until("$('.chips [aria-pressed=true]')?.textContent === '3.8×'", "the present factor")
    texts = phone.run("[...$('.chips').children].map((chip) => chip.textContent)")
    assert texts == ["1", "3.8×", "4", "8"]
    assert phone.button("Zoom 2×, now 3.8×").is_enabled()


def test_a_photo_during_a_recording(phone, controller):
    controller.obeyed("recording", {"on": True})
    try:
        phone.until("!$('.still').hidden", "the second shutter")
        phone.page.locator(".still").tap()
        assert phone.answer("capture")["status"] == "done"
        phone.until("$('.thumbnail img') !== null", "the photo")
        assert controller.state("recording")["on"]
    finally:
        controller.obeyed("recording", {"on": False})
    phone.until("$('.still').hidden", "one shutter")


def test_one_button_ends_privacy(phone, controller):
    controller.obeyed("privacy", {"state": "ON"})
    phone.button("End privacy").tap()
    controller.state("privacy", lambda privacy: privacy["state"] == "OFF")
    phone.shows_pictures().until("$('.remedy button').hidden", "no button")


def test_the_grid_says_what_cameras_do_and_sets_the_gone_ones_apart(bench, browser, console_at):
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera=CAMERA)
    (door,) = agent.configuration["cameras"]
    agent.configure({**agent.configuration, "cameras": [door, copy.deepcopy({**door, "id": "tower", "rotation": 90})]})
    agent.start()
    controller = bench.controller(broker)
    controller.zoom_to(2)
    controller.obeyed("recording", {"on": True})
    bench.agent(broker, name="shed", camera=CAMERA).stop()
    with phones_of(browser, console_at(broker).start().address()) as phone_for:
        phone = phone_for(camera=None).open("")
        phone.until("thumbnails() === 2", "pictures")
        phone.until("$('[data-camera=\"porch/door\"] .recording').textContent === 'Recording'"
                    " && $('[data-camera=\"porch/door\"] .factor').textContent === '2.0×'", "what the camera does")
        phone.until("$('.gone li')?.dataset.camera === 'shed/door'", "the camera that is gone, apart")
        assert "2 cameras" in phone.text() and "Offline (1)" in phone.text()
        assert phone.run("document.querySelectorAll('.grid:not(.gone) li').length") == 2
        # A camera that is turned is shown whole.
        canvas = "$('[data-camera=\"porch/tower\"] canvas')"
        phone.until(f"{canvas}.height > {canvas}.width", "a high picture")
        assert phone.run(f"getComputedStyle({canvas}).objectFit") == "contain"
        phone.screenshot("grid-states")
    controller.obeyed("recording", {"on": False})


def test_names_of_the_grid_are_whole(bench, browser, console_at):
    broker = bench.broker()
    agent = bench.agent(broker, name="garden-shed-2", start=False, camera={**CAMERA, "name": LONG})
    (door,) = agent.configuration["cameras"]
    attic = {"id": "attic", "source": {"v4l2": "/dev/video99"}, "name": "Attic"}
    agent.configure({**agent.configuration, "cameras": [door, attic]})
    agent.start()
    with phones_of(browser, console_at(broker).start().address()) as phone_for:
        phone = phone_for(camera=None, viewport={"width": 844, "height": 390}).open("")
        phone.until("$('.gone .reason')?.textContent === 'The camera is not connected.'", "why it is gone")
        is_whole = "one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1"
        assert phone.run(f"((one) => {is_whole} && one.textContent)($('.names strong'))") == LONG
        names, reason = boxes(phone, ".gone .names strong", ".gone .reason")
        assert not overlap(names, reason), (names, reason)


@pytest.mark.parametrize("width, height, columns", [(390, 844, 1), (844, 390, 4), (1400, 900, 4)])
def test_columns_of_the_grid(phone_for, width, height, columns):
    phone = phone_for(camera=None, viewport={"width": width, "height": height}).open("")
    phone.until("$('.grid li') !== null", "the grid")
    assert phone.run("getComputedStyle($('.grid')).gridTemplateColumns.split(' ').length") == columns


def test_several_files_are_deleted_with_one_question(phone, controller):
    for _ in range(3):
        controller.obeyed("capture", {})
    phone.button("Photos and recordings").tap()
    phone.until("document.querySelectorAll('.media li').length >= 3", "the photos")
    before = phone.run("document.querySelectorAll('.media li').length")
    assert phone.run("$('.media h3').textContent") == "Today"
    phone.button("Select").tap()
    for place in (0, 1):
        phone.page.locator(".media li button").nth(place).tap()
    phone.says("2 selected")
    with phone.page.expect_download():
        phone.button("Download").tap()
    phone.button("Select").tap()
    for place in (0, 1):
        phone.page.locator(".media li button").nth(place).tap()
    phone.button("Delete").tap()
    phone.says("Delete 2 files?")
    phone.page.locator(".question").get_by_role("button", name="Delete").tap()
    phone.until(f"document.querySelectorAll('.media li').length === {before - 2}", "two files less")


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_bars_and_frames_of_the_gallery_lie_above_the_pictures(phone_for, controller, scheme):
    controller.obeyed("capture", {})
    controller.obeyed("recording", {"on": True})
    controller.obeyed("recording", {"on": False})
    phone = phone_for(color_scheme=scheme).open()
    phone.button("Photos and recordings").tap()
    phone.until("$('.media img')?.naturalWidth > 0 && $('.media svg') !== null", "a photo and a recording")
    phone.button("Select").tap()
    photo = phone.page.locator(".media li button:has(img)").first
    photo.tap()
    with Image.open(BytesIO(photo.screenshot())) as picture:
        frame = picture.convert("RGB").getpixel((2, picture.height // 2))
    assert frame == {"dark": (255, 214, 10), "light": (217, 139, 0)}[scheme]
    # A recording below the bar at the top.
    assert phone.run("""((mark, bar) => {
        $(".media").style.paddingBottom = "999px";
        $(".full").scrollTop += mark.getBoundingClientRect().top - bar.getBoundingClientRect().top;
        const { left, top, width, height } = mark.getBoundingClientRect();
        return bar.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    })($(".media svg"), $(".full header"))""")


def test_a_gallery_asks_with_a_red_button(phone, controller):
    controller.obeyed("capture", {})
    phone.button("Photos and recordings").tap()
    phone.until("$('.media li') !== null", "the photo")
    phone.button("Select").tap()
    phone.page.locator(".media li button").first.tap()
    phone.button("Delete").tap()
    phone.until("$('.question') !== null", "the question")
    colour, ground = phone.page.evaluate(COLOURS, ".question button:last-child")
    assert ground == [196, 0, 26] and contrast(colour, ground) >= CONTRAST


def test_dates_are_those_of_the_region(phone_for):
    text = """async () => (await import(new URL("words.js", location.href))).dayText(new Date(2020, 2, 31))"""
    assert "31 Mar 2020" in phone_for(locale="en-GB").open().page.evaluate(text)
    assert "Mar 31, 2020" in phone_for(locale="en-US").open().page.evaluate(text)


@pytest.mark.parametrize("width, height", [(390, 844), (1400, 900)])
def test_dates_of_the_gallery_fit(phone_for, controller, width, height):
    controller.obeyed("capture", {})
    phone = phone_for(viewport={"width": width, "height": height}, locale="de-DE").open()
    phone.button("Fotos und Aufnahmen").tap()
    phone.until("$('.media .date') !== null", "the photos")
    assert phone.run("[...document.querySelectorAll('.media .date')].every((one) => one.scrollWidth <= one.clientWidth)")


@pytest.mark.parametrize("width, height", SIZES)
def test_presets_are_in_sight(phone_for, controller, width, height):
    names = ["garden path", "mailbox"]
    for name in names:
        controller.obeyed("presets", {"save": name})
    phone = phone_for(viewport={"width": width, "height": height}).open()
    phone.until("document.querySelectorAll('.presets button').length === 4", "the presets")
    row, *buttons = boxes(phone, ".presets", *(f".presets button:nth-child({place})" for place in (1, 2, 3, 4)))
    release, lease = boxes(phone, ".release", ".lease")
    for name in names:
        controller.obeyed("presets", {"delete": name})
    # In a narrow row at least the last one, which adds presets.
    shown = buttons if width == 390 else buttons[-1:]
    assert all(row["left"] <= one["left"] and one["right"] <= row["right"] for one in shown), (row, buttons)
    assert release["bottom"] <= height and not overlap(row, lease)


def test_texts_above_the_picture_of_a_low_screen(phone_for, controller):
    phone = phone_for(viewport={"width": 844, "height": 390}).open()
    controller.obeyed("lease", {"take": True, "client": "hall-tablet", "ttl_ms": 600_000})
    controller.obeyed("recording", {"on": True})
    phone.says("Only hall-tablet zooms.")
    phone.until("!$('.clock').hidden", "the clock")
    picture, mover, clock = boxes(phone, ".view", ".mover", ".clock")
    # Around the clock only the area for fingers is larger.
    clock["bottom"] -= phone.run("parseFloat(getComputedStyle($('.clock')).borderBottomWidth)")
    controller.obeyed("recording", {"on": False})
    controller.obeyed("lease", {"release": True, "client": "hall-tablet"})
    assert not overlap(picture, mover), (picture, mover)
    assert not overlap(picture, clock), (picture, clock)


def test_an_obstacle_of_all_settings_is_said_once(phone, controller):
    sentence = "The camera is private."
    controller.obeyed("privacy", {"state": "ON"})
    try:
        phone.button("Settings").tap()
        phone.until("$('dialog #quality')?.disabled", "the settings of a private camera")
        assert phone.run("$('dialog').innerText").count(sentence) == 1
        for selector in ("#quality", "[data-control=brightness] input"):
            described = f"document.getElementById($('{selector}').getAttribute('aria-describedby')).textContent"
            assert phone.run(described) == sentence, selector
    finally:
        controller.obeyed("privacy", {"state": "OFF"})
    phone.until(f"!$('dialog').innerText.includes('{sentence}')", "no obstacle")


def test_a_camera_that_does_not_exist_has_neither_settings_nor_gallery(phone_for):
    phone = phone_for(camera=None).open("#/porch/nothing")
    phone.says("This camera does not exist.")
    for name in ("Settings", "Photos and recordings"):
        assert phone.button(name).is_disabled(), name


def test_a_question_ends_with_its_reason(phone, controller):
    """Defect 12."""
    controller.obeyed("lease", {"take": True, "client": "hall-tablet", "ttl_ms": 600_000})
    phone.says("Only hall-tablet zooms.")
    phone.button("Take the zoom").tap()
    phone.says("hall-tablet has taken the zoom for itself. Take it over?")
    controller.obeyed("lease", {"release": True, "client": "hall-tablet"})
    phone.until("$('dialog') === null", "no question")


def test_an_old_movement_is_no_event(phone_for, controller):
    """Defect 5: the retained state says who moved the zoom, perhaps long ago."""
    controller.obeyed("zoom", {"factor": 2, "client": "hall-tablet"})
    phone = phone_for().open()
    phone.run("(window.said = [], new MutationObserver(() => said.push($('.mover').textContent)).observe($('.mover'),"
              " { childList: true, characterData: true, subtree: true }))")
    phone.until("stage().dataset.factor === '2.0000'", "the zoom")
    assert phone.run("$('.mover').textContent") == "" and phone.run("said") == []
    controller.obeyed("zoom", {"factor": 3, "client": "hall-tablet"})
    phone.says("hall-tablet moves it")


def test_the_first_movement_after_the_grid_is_told(phone_for, controller):
    """Defect 5: the grid has read the camera's state, and the console does not send it again."""
    phone = phone_for(camera=None).open("")
    controller.obeyed("zoom", {"factor": 2, "client": "hall-tablet"})
    phone.until("$('.badge.factor')?.textContent === '2.0×'", "the zoom of the camera in the grid")
    phone.page.locator(".grid a").tap()
    phone.until("stage()?.dataset.factor === '2.0000'", "the camera")
    assert phone.run("$('.mover').textContent") == ""
    controller.obeyed("zoom", {"factor": 3, "client": "hall-tablet"})
    phone.says("hall-tablet moves it")


@pytest.mark.parametrize("name, shown", [
    ("Anna's phone", "Anna's phone"), ("kitchen1", "kitchen1"), ("  a/b \u202e  c ", "a/b c"),
    ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>")])
def test_a_page_has_the_name_that_a_person_gave_it(phone_for, controller, name, shown):
    """Defect 5. It stays after the page is closed, and is text only."""
    one, other = phone_for().open(), phone_for().open()
    one.button("Settings").tap()
    place = one.page.get_by_label("Name of this page")
    before = one.greetings
    place.fill(name)
    place.press("Enter")
    eventually(lambda: one.run("0") == 0 and one.greetings > before, "the connection with the name")
    one.button("Done").tap()
    one.button("Zoom 4×").tap()
    other.says(f"{shown} moves it")
    one.page.reload()
    one.shows_pictures().button("Take the zoom").tap()
    other.says(f"Only {shown} zooms.")
    assert one.run("document.querySelectorAll('.mover img').length") == 0
    one.button("Settings").tap()
    assert one.page.get_by_label("Name of this page").input_value() == name.strip()
    one.button("Done").tap()
    one.button("Release the zoom").tap()


def test_pages_without_a_token_are_other_pages(phone_for, controller):
    """Defect 5: nobody knows the names that consoles invent."""
    one, other = phone_for().open(), phone_for().open()
    one.button("Zoom 4×").tap()
    other.says("Another page moves it")
    one.button("Take the zoom").tap()
    other.says("Only another page zooms.")
    other.button("Take the zoom").tap()
    other.says("Another page has taken the zoom for itself. Take it over?")
    other.button("Cancel").tap()
    one.button("Release the zoom").tap()


def test_states_after_a_change_from_one_camera_to_another(bench, browser, console_at):
    """Defect 3."""
    broker = bench.broker()
    agent = bench.agent(broker, start=False, camera=CAMERA)
    (door,) = agent.configuration["cameras"]
    agent.configure({**agent.configuration, "cameras": [door, copy.deepcopy({**door, "id": "street"})]})
    agent.start()
    with phones_of(browser, console_at(broker).start().address()) as phone_for:
        phone = phone_for().open()
        phone.until("$('.chips button') !== null", "the camera")
        phone.run("location.hash = '#/porch/street'")
        phone.until("$('h1 span').textContent === 'street' && $('.chips button')?.disabled === false", "the other one's states")
        phone.shows_pictures()


def test_a_deep_link_of_a_console_that_has_just_started(console_at, phone_for, broker, agent):
    """Defect 3: it reads the cameras first. The list of the console is late here."""
    phone = phone_for(camera=None)
    phone.context.add_init_script("""(() => {
        const Native = window.WebSocket;
        window.WebSocket = class extends Native {
            set onmessage(listener) {
                super.onmessage = (event) => {
                    const [kind] = typeof event.data === "string" ? Object.keys(JSON.parse(event.data)) : [];
                    if (!["cameras", "complete"].includes(kind)) return listener?.(event);
                    if (kind === "cameras" && !window.isLate) listener({ data: JSON.stringify({ cameras: {} }) });
                    window.isLate = true;
                    setTimeout(() => listener?.(event), 4_000);
                };
            }
        };
        new MutationObserver(() => {
            const text = document.querySelector(".message")?.textContent;
            if (text && !(window.messages ??= []).includes(text)) messages.push(text);
        }).observe(document, { childList: true, subtree: true, characterData: true });
    })()""")
    phone.open("#/porch/door").shows_pictures()
    assert phone.run("messages") == ["Waiting for a picture …"]


def test_the_padlock_says_what_it_does(phone, controller):
    phone.until("$('.lease').innerText.includes('Take the zoom')", "what it does")
    phone.button("Take the zoom").tap()
    eventually(lambda: "Release the zoom" in phone.run("$('.lease').innerText"), "what it does then")
    phone.button("Release the zoom").tap()
    controller.state("lease", lambda lease: lease is None)


def test_a_manager_hides_a_camera_that_is_gone(bench, browser, console_at):
    """And sees how it is forgotten for good. It is back when its agent is."""
    broker = bench.broker()
    agent = bench.agent(broker, name="shed", camera=CAMERA)
    agent.stop()
    with phones_of(browser, console_at(broker).start().address()) as phone_for:
        phone = phone_for(camera="shed/door").open("#/shed/door")
        phone.until("$('.remedy code')?.textContent === 'v4l2mqtt ctl forget shed/door'", "the line to enter")
        phone.button("Hide it").tap()
        phone.until("$('.cameras') !== null && $('.grid li') === null", "the grid without it")
        agent.start()
        phone.until("$('[data-camera=\"shed/door\"]') !== null", "the camera again")
