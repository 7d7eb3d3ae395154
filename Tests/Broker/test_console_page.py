"""A page's commands and pictures, and what is left when it disappears, over a real broker and agent."""

import json
from contextlib import closing

import pytest

from console import Console
from page_socket import TEXT, PageSocket

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture(scope="module")
def console(broker, agent, tmp_path_factory):
    """An open console for all the tests of the file."""
    with closing(Console(broker, tmp_path_factory.mktemp("console")).start()) as console:
        yield console


@pytest.fixture
def page(console):
    """A page that knows the camera."""
    with PageSocket(console) as page:
        page.wait_for("cameras", lambda cameras: cameras.get("porch/door", {}).get("online"))
        yield page


def test_a_command_is_answered_and_its_state_comes(page, controller):
    page.send(open=["porch/door"])
    mark = controller.mark()
    assert page.command("zoom", {"factor": 2})["status"] == "done"
    state = page.wait_for("state", lambda state: state["node"] == "zoom" and state["payload"]["factor"] == 2)
    hello = page.wait_for("hello")
    name, client = hello["page"], hello["client"]
    command = controller.inbox.wait_for(controller.topic("zoom/set"), lambda m: m.json.get("client") == client, since=mark)
    assert command.json == {"factor": 2, "client": client, "id": f"{name}-1"}
    assert state["payload"]["origin"]["id"] == f"{name}-1"
    refused = page.command("zoom", {"factor": "far"})
    assert (refused["status"], refused["error"]["code"]) == ("error", "bad_payload")


def test_pictures_come_while_they_are_drawn(page):
    page.send(watch=[{"camera": "porch/door", "width": 320, "fps": 30}])
    header, file = page.picture(5)
    assert header["camera"] == "porch/door" and header["number"] == 5
    assert file.startswith(b"\xff\xd8") and file.endswith(b"\xff\xd9")
    page.send(watch=[])
    assert page.command("zoom", {"factor": 1})["status"] == "done"


def test_a_photo_comes_back_as_a_file(page):
    name = page.order("capture", {"reply": "image"})
    header, file = page.picture(draws=False)
    assert header == {"answer": name, "camera": "porch/door", "content_type": "image/jpeg"}
    assert file.startswith(b"\xff\xd8")


@pytest.mark.parametrize("how", ["closed", "lost"])
def test_what_a_page_holds_ends_with_it(console, controller, how):
    mark = controller.mark()
    with PageSocket(console) as page:
        page.wait_for("cameras", lambda cameras: "porch/door" in cameras)
        page.send(watch=[{"camera": "porch/door", "width": 320, "fps": 5}])
        page.picture()
        page.command("capture", {"phase": "began"})
        page.command("pinch", {"gesture": "g1", "phase": "began", "anchor": {"x": 0.5, "y": 0.5}})
        assert page.command("zoom", {"move": {"velocity": 0.1, "timeout_ms": 10000}})["status"] == "done"
        hello = page.wait_for("hello")
        name, client = hello["page"], hello["client"]
        if how == "closed":
            page.frame(8, b"\x03\xe9")
    since = controller.mark()

    def is_end(message, sender=client):
        return message.json.get("client") == sender

    button = controller.inbox.wait_for(controller.topic("capture/set"), lambda m: is_end(m) and m.json["phase"] == "cancelled", since=mark)
    assert button.json == {"phase": "cancelled", "button": "primary", "client": client}
    pinch = controller.inbox.wait_for(controller.topic("pinch/set"), lambda m: is_end(m) and m.json["phase"] == "cancelled", since=mark)
    assert pinch.json == {"phase": "cancelled", "gesture": f"{name}-g1", "client": client}
    controller.inbox.wait_for(controller.topic("zoom/set"), lambda m: is_end(m) and m.json.get("stop") is True, since=mark)
    controller.inbox.wait_for(controller.topic("preview/set"), lambda m: is_end(m, "console") and m.json.get("stop") is True, since=mark)
    controller.state("preview", lambda state: state is None, since=mark)
    assert since >= mark


# What no page sends.

@pytest.mark.parametrize(["name", "garbage", "code"], [
    ("binary", lambda page: page.frame(2, b"\x00\x01"), 1003),
    ("no JSON", lambda page: page.frame(TEXT, b"{"), 1007),
    ("not UTF-8", lambda page: page.frame(TEXT, b'{"token":"\xff"}'), 1007),
    ("of two fields", lambda page: page.send(open=[], watch=[]), 1007),
    ("unknown", lambda page: page.send(hello={}), 1007),
    ("nested deeply", lambda page: page.frame(TEXT, b'{"command":{"payload":' + b"[" * 60_000), 1007),
    ("an invented camera", lambda page: page.send(open=["porch/+"]), 1008),
    ("65 KiB", lambda page: page.frame(TEXT, b" " * 65 * 1024), 1009),
    ("a length of 2^62", lambda page: page.frame(TEXT, b"", length=1 << 62), 1009),
    ("65 KiB in parts", lambda page: [page.frame(TEXT if n == 0 else 0, b" " * 8192, end=False) for n in range(9)], 1009),
    ("a hundred parts", lambda page: [page.frame(TEXT if n == 0 else 0, b"", end=False) for n in range(100)], 1009),
    ("a part of nothing", lambda page: page.frame(0, b"{}"), 1002),
    ("a message within a message", lambda page: [page.frame(TEXT, b"{", end=False), page.frame(TEXT, b"{}")], 1002),
    ("too many", lambda page: page.write(b"".join(frame(b'{"drawn":1}') for _ in range(400))), 1013),
    ("a ping of 200 bytes", lambda page: page.frame(9, b"x" * 200), 1002),
])
def test_garbage_closes_the_socket(page, name, garbage, code):
    try:
        garbage(page)
    except ConnectionError:
        pass  # the console has closed while more was sent
    assert page.closing().code == code


def frame(data: bytes) -> bytes:
    """A text whose mask is zero."""
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


def test_a_message_in_parts_is_one(page):
    text = json.dumps({"command": {"id": "p1", "camera": "porch/door", "node": "zoom", "payload": {"factor": 1}}}).encode()
    page.frame(TEXT, text[:10], end=False)
    page.frame(9, b"between")
    page.frame(0, text[10:20], end=False)
    page.frame(0, text[20:])
    assert page.wait_for("answer", lambda answer: answer["id"] == "p1")["payload"]["status"] == "done"


def test_after_garbage_the_console_still_works(page):
    assert page.command("zoom", {"factor": 1})["status"] == "done"
