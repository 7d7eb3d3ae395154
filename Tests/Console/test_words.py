"""The page's texts: each key in both languages, and each key that the page uses."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
PAGE = SOURCES / "Server/HTTP/Page"


def table(phone) -> dict:
    return phone.page.evaluate("async () => (await import(new URL('words.js', location.href))).words")


def test_each_key_has_both_languages_with_the_same_values(phone):
    for key, texts in table(phone).items():
        assert len(texts) == 2 and all(text.strip() for text in texts), key
        values = [sorted(re.findall(r"\{(\w+)\}", text)) for text in texts]
        assert values[0] == values[1], key


def test_each_key_that_the_page_uses_is_there(phone):
    words, used = table(phone), set()
    for file in PAGE.glob("*.js"):
        used |= set(re.findall(r"\bword\(\s*\"([^\"]+)\"", file.read_text()))
    assert len(used) > 40 and used <= set(words), used - set(words)


def test_no_key_is_left_over(phone):
    sources = "".join(file.read_text() for file in PAGE.glob("*.js") if file.name != "words.js")
    sources += (PAGE / "words.js").read_text().split("export const words")[0]
    for key in table(phone):
        group = key.split(".")[0]
        is_used = f'"{key}"' in sources or f"`{group}." in sources or re.search(rf"^ +{key}: ", sources, re.M)
        assert is_used, f"{key} is used nowhere"


def texts(phone) -> set[str]:
    """What the page says: its lines, and the names and titles of its elements."""
    return set(phone.run("""[...document.body.innerText.split("\\n"), ...[...document.querySelectorAll("*")]
        .flatMap((one) => ["aria-label", "aria-description", "title", "placeholder"].map((name) => one.getAttribute(name)))
        ].filter(Boolean).map((text) => text.trim())"""))


def assert_german(phone, english: set[str], where: str):
    found = english & texts(phone)
    assert not found, f"English in {where}: {found}"


def test_a_german_page_has_no_english(phone_for, controller):
    phone = phone_for(camera=None, locale="de-DE").open()
    english = {one for one, other in table(phone).values() if one != other}
    assert_german(phone, english, "the grid")
    controls = controller.state("info")["controls"]
    for control in controls:
        english |= {control["title"], control.get("reason", "")} | {option["title"] for option in control.get("options", [])}
    english -= {"", "50 Hz", "60 Hz", "Sepia"}  # the same in German
    assert {"Brightness", "Power Line Frequency", "Disabled"} < english
    phone.page.locator(".grid a").tap()
    phone.shows_pictures().until("$('.chips button') !== null")
    assert_german(phone, english, "the camera")
    for name in ("Einstellungen", "Ansichten sichern oder löschen", "Fotos und Aufnahmen"):
        phone.button(name).tap()
        phone.until("$('dialog[open]') !== null")
        if name == "Einstellungen":
            phone.until(f"document.querySelectorAll('[data-control]').length === {len(controls)}", "the controls")
            phone.says("Der Fokus ist automatisch. Schalte zuerst die Automatik aus.")
            phone.screenshot("settings-de")
        assert_german(phone, english, name)
        assert phone.run("document.querySelectorAll('[lang=en]').length") == 0
        phone.button("Fertig").tap()
        phone.until("$('dialog') === null")


def test_a_text_that_the_page_does_not_know_is_marked_as_english(phone_for):
    phone = phone_for(locale="de-DE").open()
    known, unknown = phone.page.evaluate("""async () => {
        const { cameraText } = await import(new URL("camera-words.js", location.href));
        return [cameraText("Exposure Time, Absolute"), cameraText("Warp Factor")];
    }""")
    assert known == {"text": "Belichtungszeit", "lang": None}
    assert unknown == {"text": "Warp Factor", "lang": "en"}


def codes_of_errors() -> set[str]:
    """The words for errors of the contract: each case is its own word, if it has no other one."""
    enumeration = (SOURCES / "Contract/CommandError.swift").read_text().split("enum Code")[1].split("\n    }")[0]
    return {word or name for name, word in re.findall(r'case `?(\w+)`?(?: = "(\w+)")?', enumeration)}


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_each_code_of_an_error_has_a_sentence_for_people(phone_for, locale):
    phone = phone_for(camera=None, locale=locale).open("")
    codes = codes_of_errors()
    assert {"bad_payload", "private", "internal", "device"} < codes and len(codes) > 15
    for code in codes:
        error = {"code": code, "message": "factor: at most 8", "field": "factor"}
        shown = phone.page.evaluate("async (error) => (await import(new URL('words.js', location.href))).errorText(error)", error)
        assert re.fullmatch(r"[A-ZÄÖÜ].+[.]", shown) and code not in shown.split() and "factor" not in shown, shown


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_each_reason_of_a_disabled_control_is_a_sentence(phone_for, locale):
    """In English too: drivers and agents write no sentences for people."""
    phone = phone_for(camera=None, locale=locale).open("")
    patterns = {"Cameras/V4L2/ControlMap.swift": r'return "((?:it|text|the) [^"]+)"',
                "Core/Nodes/InfoPublisher.swift": r'reasonWhilePrivate = "([^"]+)"',
                "Cameras/Simulated/SimulatedControls.swift": r'focusIsAutomatic =\s*"([^"]+)"'}
    reasons = [found for file, pattern in patterns.items() for found in re.findall(pattern, (SOURCES / file).read_text())]
    assert len(reasons) >= 9
    for reason in reasons:
        shown = phone.page.evaluate("""async (text) =>
            (await import(new URL('camera-words.js', location.href))).cameraText(text)""", reason)
        assert shown["lang"] is None and re.fullmatch(r"[A-ZÄÖÜ].+[.]", shown["text"]), shown


@pytest.mark.parametrize("name, text", [
    ("hd1920x1080", "Full HD"), ("hd4K3840x2160", "4K"), ("1280x720", "HD"), ("800x600", "800 × 600"), ("low", "Low")])
def test_qualities_for_people(phone_for, name, text):
    phone = phone_for(camera=None).open("")
    shown = phone.page.evaluate("async (name) => (await import(new URL('words.js', location.href))).qualityText(name)", name)
    assert shown == text


def test_a_german_browser_shows_german(phone_for, controller):
    phone = phone_for(locale="de-DE").open()
    assert phone.button("Foto aufnehmen").is_enabled()
    assert phone.run("document.documentElement.lang") == "de"
    controller.zoom_to(2)
    phone.until("$('.dial').getAttribute('aria-valuetext') === '2,0×'", "numbers as in German")
