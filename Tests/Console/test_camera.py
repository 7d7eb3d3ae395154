"""The controls below the picture: dial, chips, shutter, and what other clients do."""


import pytest

from chromium import phones_of
from conftest import CAMERA
from simulated_scene import in_scene, open_photo, read_position

#: How far a place that is read from a photo's colours may be off, in fractions of the scene: JPEG rounds
#: colours.
READING = 0.015
#: CSS pixels of the dial in which the factor doubles.
OCTAVE = 96
CORNERS = [(0.05, 0.05), (0.95, 0.05), (0.05, 0.95), (0.95, 0.95)]


def middle_of(element) -> tuple[float, float]:
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dial_of(phone):
    return phone.page.get_by_role("slider", name="Zoom", exact=True)


def dial_stays(phone):
    """A long press of a chip shows the dial in the place of the chips."""
    assert phone.run("getComputedStyle($('.dial')).opacity") == "0"
    press(phone, phone.page.locator(".chips button").nth(1))
    phone.until("getComputedStyle($('.dial')).opacity === '1' && getComputedStyle($('.chips')).visibility === 'hidden'",
                "the dial instead of the chips")
    phone.fingers.up()


def press(phone, button):
    """Puts a finger on a button, where it stays."""
    phone.fingers.down({0: middle_of(button)})


def test_an_octave_of_the_dial_doubles_the_factor(phone, controller):
    dial_stays(phone)
    x, y = middle_of(dial_of(phone))
    phone.fingers.slide([(x, y)], [(x - OCTAVE, y)])
    zoom = controller.settled(phone.answer("pinch", phase="ended"))
    assert zoom["factor"] == pytest.approx(2, abs=0.00005)
    phone.until("$('.dial').getAttribute('aria-valuetext') === '2.0×'")


def test_keys_turn_the_dial(phone, controller):
    dial_of(phone).focus()
    for key, factor in [("PageUp", 2), ("PageUp", 4), ("PageDown", 2), ("Home", 1)]:
        phone.page.keyboard.press(key)
        controller.state("zoom", lambda zoom: zoom["factor"] == factor and not zoom["ramping"])


def test_chips_zoom_and_show_the_factor(phone, controller):
    for factor in (4, 8, 2, 1):
        phone.button(f"Zoom {factor}×").tap()
        controller.state("zoom", lambda zoom: zoom["factor"] == factor and not zoom["ramping"])
        phone.until(f"$('.chips [aria-pressed=true]')?.dataset.factor === '{factor}'", f"the chip {factor} is marked")


@pytest.mark.parametrize("motion, rate", [("no-preference", {"rate": 6}), ("reduce", {})])
def test_chips_and_presets_move_as_fast_as_the_person_wants(phone_for, controller, motion, rate):
    controller.obeyed("presets", {"save": "gate"})
    try:
        phone = phone_for(reduced_motion=motion).open()
        phone.button("Go to gate").tap()
        assert phone.answer("presets", go="gate")["status"] == "done"
        assert phone.commands("presets")[-1]["payload"] == {"go": "gate", **rate}
        phone.button("Zoom 2×").tap()
        controller.state("zoom", lambda zoom: zoom["factor"] == 2 and not zoom["ramping"])
        assert phone.commands("zoom")[-1]["payload"] == {"factor": 2, **rate}
    finally:
        controller.obeyed("presets", {"delete": "gate"})


def test_the_heading_has_the_name_for_people(bench, browser, console_at):
    broker = bench.broker()
    bench.agent(broker, camera={**CAMERA, "name": "Haustür"})
    console = console_at(broker).start()
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for().open()
        phone.until("$('h1 span').textContent === 'Haustür' && document.title === 'Haustür'", "the name")
        assert phone.run("$('h1 small').textContent") == "porch"


@pytest.mark.deep
def test_the_factor_at_which_a_lens_hands_over_has_a_chip(bench, browser, console_at):
    broker = bench.broker()
    bench.agent(broker, camera={**CAMERA, "simulated": {**CAMERA["simulated"], "optical_max": 3, "lens_speed": 100}})
    console = console_at(broker).start()
    controller = bench.controller(broker)
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for().open()
        phone.until("$('.chips button') !== null", "the chips")
        factors = phone.run("[...$('.chips').children].map((chip) => Number(chip.dataset.factor))")
        assert factors == [1, 2, 3, 4, 8]
        phone.button("Zoom 3×").tap()
        zoom = controller.state("zoom", lambda zoom: zoom["factor"] == pytest.approx(3) and not zoom["ramping"])
        assert (zoom["optical"], zoom["digital"]) == (pytest.approx(3), pytest.approx(1))
        phone.until("$('.chips [aria-pressed=true]')?.dataset.factor === '3'", "the chip is marked")


@pytest.mark.deep
def test_a_view_is_saved_and_shown_again(phone, controller):
    saved = controller.zoom_to(3)
    phone.until("stage().dataset.factor === '3.0000'")
    phone.button("Save or delete presets").tap()
    phone.page.get_by_label("Name of the preset").fill("gate")
    phone.button("Save this view").tap()
    controller.state("presets", lambda presets: "gate" in presets["presets"])
    phone.until("$('dialog') === null && $('[data-preset=gate]') !== null", "the preset, and no dialog")
    controller.zoom_to(1)
    phone.button("Go to gate").tap()
    zoom = controller.state("zoom", lambda zoom: zoom["factor"] == 3 and not zoom["ramping"])
    assert zoom["viewport"] == saved["viewport"]
    phone.until("$('[data-preset=gate]').getAttribute('aria-pressed') === 'true'", "the preset in effect is marked")
    phone.button("Save or delete presets").tap()
    phone.button("Delete gate").tap()
    controller.state("presets", lambda presets: "gate" not in presets["presets"])
    phone.until("$('[data-preset=gate]') === null", "no preset")


@pytest.mark.deep
def test_the_mode_for_recordings_starts_and_stops_one(phone, controller):
    phone.button("Video").tap()
    shutter = phone.button("Start recording")
    shutter.tap()
    controller.state("recording", lambda recording: recording["state"] == "recording")
    phone.until("$('.clock').hidden === false", "the recording's time")
    phone.page.locator(".shutter[aria-label='Stop recording']").tap()
    controller.state("recording", lambda recording: recording["state"] == "idle")
    phone.says("Recording stored")
    phone.button("Photo").tap()
    assert phone.button("Take photo").is_enabled()
    assert phone.commands("capture") == []


def test_another_clients_zoom_moves_the_dial(phone, controller):
    controller.obeyed("zoom", {"factor": 5, "client": "hall-tablet"})
    phone.until("$('.dial').getAttribute('aria-valuenow') === '5' && stage().dataset.factor === '5.0000'")
    phone.says("hall-tablet moves it")
    controller.zoom_to(1)
    phone.until("stage().dataset.factor === '1.0000'")


def test_the_shutter_takes_the_zoomed_picture(phone, controller, tmp_path):
    zoom = controller.settled(controller.obeyed("zoom", {"factor": 4, "anchor": {"x": 0.3, "y": 0.6}}))
    press(phone, phone.button("Take photo"))
    phone.fingers.up()
    answer = phone.answer("capture", phase="ended")
    assert answer["status"] == "done", answer
    phone.button("Last photo").tap()
    with phone.page.expect_download() as download:
        phone.page.get_by_role("link", name="Save").tap()
    file = tmp_path / "photo.jpg"
    download.value.save_as(file)
    assert download.value.suggested_filename.startswith("porch-door-")
    photo = open_photo(file)
    for x, y in CORNERS:
        assert read_position(photo, x, y) == pytest.approx(in_scene(zoom, x, y), abs=READING), (x, y)


def test_a_finger_that_slides_off_the_shutter_takes_no_photo(phone, controller):
    shutter = phone.button("Take photo")
    x, y = middle_of(shutter)
    since = controller.mark()
    press(phone, shutter)
    phone.fingers.move({0: (x, y - 300)})
    phone.fingers.up()
    phone.answer("capture", phase="cancelled")
    photo = controller.obeyed("capture", {})["photos"][0]
    taken = [event for event in controller.states("event", since) if event["event"] == "shutter"]
    assert [event["photo"]["path"] for event in taken] == [photo["path"]], "only the photo of the controller"


def test_a_long_press_records_until_it_is_released(phone, controller):
    press(phone, phone.button("Take photo"))
    controller.state("recording", lambda recording: recording["state"] == "recording")
    phone.until("$('.clock')?.hidden === false", "the recording's time")
    phone.screenshot("recording")
    phone.fingers.up()
    controller.state("recording", lambda recording: recording["state"] == "idle")
    phone.until("$('.clock').hidden", "no recording's time")
    phone.says("Recording stored")


def test_a_page_in_the_grid_shows_the_camera(phone_for, controller):
    phone = phone_for(camera=None).open()
    phone.until("thumbnails() === 1", "a thumbnail")
    phone.screenshot("grid")
    phone.page.locator(".grid a").tap()
    phone.shows_pictures()
    phone.screenshot("camera")
    phone.page.get_by_role("link", name="Back to all cameras").tap()
    phone.until("thumbnails() === 1", "the grid again")


def test_the_lease_of_another_client_disables_the_zoom_until_it_is_taken_over(phone, controller):
    controller.obeyed("lease", {"take": True, "client": "hall-tablet", "ttl_ms": 600_000})
    phone.until("$('.chips button').title === 'Only hall-tablet zooms.' && $('.chips button').disabled", "disabled chips")
    phone.button("Take the zoom").tap()
    phone.says("hall-tablet has taken the zoom for itself. Take it over?")
    phone.button("Take over").tap()
    controller.state("lease", lambda lease: lease and lease["client"] != "hall-tablet")
    phone.button("Release the zoom").tap()
    controller.state("lease", lambda lease: lease is None)
    phone.until("!$('.chips button').disabled", "chips that can be used")


def test_settings_and_privacy_of_the_camera(phone, controller):
    phone.button("Settings").tap()
    phone.page.get_by_label("Autofocus").tap()
    controller.state("controls", lambda controls: controls["values"]["autofocus"] is False)
    controller.obeyed("controls", {"autofocus": True})
    phone.until("$('[data-control=autofocus] input').checked && $('[data-control=focus] input').disabled", "the new values")
    phone.page.get_by_role("switch", name="Privacy").tap()
    phone.until("$('.view canvas').hidden && $('.message').textContent === 'The camera is private.'", "no picture")
    phone.page.get_by_role("switch", name="Privacy").tap()
    controller.state("privacy", lambda privacy: privacy["state"] == "OFF")
    phone.shows_pictures()
