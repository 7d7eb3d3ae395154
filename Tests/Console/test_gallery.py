"""Photos and recordings of a camera on the page."""

import pytest
from PIL import Image

pytestmark = pytest.mark.deep


def gallery(phone):
    phone.button("Photos and recordings").tap()
    phone.until("$('dialog[open] .media') !== null", "the gallery")


def count(phone, wanted: int):
    phone.until(f"document.querySelectorAll('.media li').length === {wanted}", f"{wanted} files")


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
