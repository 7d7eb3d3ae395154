"""What people set in their system: dark or light, less motion, colours of their own."""

import pytest

pytestmark = pytest.mark.deep

#: The least contrast of small text to its ground (WCAG 2.2, 1.4.3).
CONTRAST = 4.5
#: Texts on the ground of the page itself.
TEXTS = ["h1", "h1 small", ".names strong", ".names small"]
#: Colours as red, green, blue in 0…255.
COLOURS = """(selector) => ["color", "backgroundColor"].map((name) =>
    getComputedStyle(document.querySelector(selector))[name].match(/[\\d.]+/g).slice(0, 3).map(Number))"""
#: The elements that move: of each the selector, and how.
MOVING = """[...document.querySelectorAll("*")].flatMap((one) => [null, "::before", "::after"].map((part) => {
    const { transitionDuration, animationName } = getComputedStyle(one, part);
    const isStill = transitionDuration.split(", ").every((time) => time === "0s") && animationName === "none";
    return isStill ? null : `${one.tagName}.${one.className}${part ?? ""}: ${transitionDuration} ${animationName}`;
}).filter(Boolean))"""


def luminance(colour: list) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list, other: list) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_a_theme_and_its_contrast(phone_for, scheme):
    phone = phone_for(camera=None, color_scheme=scheme).open()
    phone.until("$('.grid li') !== null", "the grid")
    _, ground = phone.page.evaluate(COLOURS, "body")
    assert (luminance(ground) < 0.05) if scheme == "dark" else (luminance(ground) > 0.8)
    for selector in TEXTS:
        colour, _ = phone.page.evaluate(COLOURS, selector)
        assert contrast(colour, ground) >= CONTRAST, selector
    phone.screenshot(f"grid-{scheme}")
    phone.page.locator(".grid a").tap()
    phone.shows_pictures()
    phone.button("Settings").tap()
    _, sheet = phone.page.evaluate(COLOURS, "dialog")
    for selector in ("dialog h2", "dialog label", "dialog .reason", "dialog dt"):
        colour, _ = phone.page.evaluate(COLOURS, selector)
        assert contrast(colour, sheet) >= CONTRAST, selector
    phone.screenshot(f"settings-{scheme}")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_less_motion(phone_for, motion):
    phone = phone_for(reduced_motion=motion).open()
    phone.button("Settings").tap()
    phone.until("$('dialog[open] [role=switch]') !== null")
    moving = phone.run(MOVING)
    assert (moving == []) if motion == "reduce" else any(".shutter" in one or "SPAN" in one for one in moving), moving


def test_colours_of_the_person(phone_for, controller):
    phone = phone_for(forced_colors="active").open()
    assert phone.run("matchMedia('(forced-colors: active)').matches")
    phone.until("$('.chips [aria-pressed=true]') !== null", "the chip in effect")
    expected = phone.run("""["CanvasText", "Highlight"].map((name) => {
        const one = document.body.appendChild(document.createElement("i"));
        one.style.setProperty("forced-color-adjust", "none");
        one.style.setProperty("background", name);
        const colour = getComputedStyle(one).backgroundColor;
        one.remove();
        return colour;
    })""")
    shown = phone.run("['.needle', '.chips [aria-pressed=true]'].map((one) => getComputedStyle($(one)).backgroundColor)")
    assert shown == expected
    assert phone.run("""[...document.querySelectorAll("button")].filter((one) => one.checkVisibility())
        .filter((one) => getComputedStyle(one).borderStyle === "none").map((one) => one.className)""") == []
    phone.screenshot("forced-colours")
