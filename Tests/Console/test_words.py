"""The page's texts: each key in both languages, and each key that the page uses."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "Sources/ConsoleServer/Page"


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


def test_a_german_browser_shows_german(phone_for, controller):
    phone = phone_for(locale="de-DE").open()
    assert phone.button("Foto aufnehmen").is_enabled()
    assert phone.run("document.documentElement.lang") == "de"
    controller.zoom_to(2)
    phone.until("$('.dial').getAttribute('aria-valuetext') === '2,0×'", "numbers as in German")
