"""The page's texts: each key in both languages, and each key that the page uses."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "Sources/Server/HTTP/Page"


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
    assert_german(phone, english | {"high"}, "the camera")
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


@pytest.mark.parametrize("locale, text", [
    ("en-GB", "The camera does not accept this. factor: at most 8"),
    ("de-DE", "Die Kamera nimmt das nicht an. (factor)")])
def test_the_sentence_of_the_agent_is_for_english_pages(phone_for, locale, text):
    phone = phone_for(camera=None, locale=locale).open("")
    error = {"code": "bad_payload", "message": "factor: at most 8", "field": "factor"}
    shown = phone.page.evaluate("async (error) => (await import(new URL('words.js', location.href))).errorText(error)", error)
    assert shown == text


def test_a_german_browser_shows_german(phone_for, controller):
    phone = phone_for(locale="de-DE").open()
    assert phone.button("Foto aufnehmen").is_enabled()
    assert phone.run("document.documentElement.lang") == "de"
    controller.zoom_to(2)
    phone.until("$('.dial').getAttribute('aria-valuetext') === '2,0×'", "numbers as in German")
