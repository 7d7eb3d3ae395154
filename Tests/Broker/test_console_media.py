"""Photos and recordings over the console, as a browser gets them."""

import http.client
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from broker import HOST
from console import Console
from page_socket import PageSocket
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture(scope="module")
def console(broker, agent, tmp_path_factory):
    """A console with a token of each role."""
    with closing(Console(broker, tmp_path_factory.mktemp("console"))) as console:
        console.tokens = {role: console.token(role, "--role", role) for role in ["look", "control", "manage"]}
        yield console.start()


@pytest.fixture
def cookies(console):
    return {role: console.sign_in(token) for role, token in console.tokens.items()}


@pytest.fixture
def photo(agent, controller):
    """A photo in the folder of the camera."""
    if controller.command("media", {"list": {}}).get("error", {}).get("code") == "bad_topic":
        pytest.skip("the agent has no media")
    name = controller.obeyed("capture", {})["photos"][0]["path"].split("/")[-1]
    return name, (agent.captures / name).read_bytes() if (agent.captures / name).exists() else next(agent.captures.rglob(name)).read_bytes()


def test_a_photo_is_downloaded_in_parts(console, cookies, photo):
    name, file = photo
    whole = console.request("GET", f"media/porch/door/{name}", Cookie=cookies["control"])
    assert (whole.status, whole.body) == (200, file)
    assert whole.headers["content-type"] == "image/jpeg" and whole.headers["accept-ranges"] == "bytes"
    for asked, start, end in [("bytes=10-99", 10, 100), ("bytes=-5", len(file) - 5, len(file)),
                              (f"bytes={len(file) - 1}-", len(file) - 1, len(file)),
                              ("bytes=0-9223372036854775807", 0, len(file))]:
        part = console.request("GET", f"media/porch/door/{name}", Cookie=cookies["control"], Range=asked)
        assert (part.status, part.body) == (206, file[start:end])
        assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{len(file)}"
    beyond = console.request("GET", f"media/porch/door/{name}", Cookie=cookies["control"], Range=f"bytes={len(file)}-")
    assert (beyond.status, beyond.headers["content-range"]) == (416, f"bytes */{len(file)}")
    only_head = console.request("HEAD", f"media/porch/door/{name}", Cookie=cookies["control"])
    assert (only_head.status, only_head.body, only_head.headers["content-length"]) == (200, b"", str(len(file)))


@pytest.fixture
def photos(agent):
    """24 files in the folder of the camera, each as large as a photo."""
    folder = agent.captures / "door"
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"door-20260101T0000{n:02}.000Z-{n:06}.jpg": os.urandom(530_000) for n in range(24)}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    yield files
    for name in files:
        (folder / name).unlink(missing_ok=True)


def test_a_browser_loads_many_photos_over_its_six_connections(console, cookies, controller, photos):
    def load(name: str):
        return console.request("GET", f"media/porch/door/{name}", Cookie=cookies["control"])

    with ThreadPoolExecutor(6) as connections:
        answers = list(connections.map(load, photos))
    assert [answer.status for answer in answers] == [200] * len(photos)
    assert [answer.body for answer in answers] == list(photos.values())


@pytest.fixture
def recording(agent):
    """A recording in the folder of the camera, larger than what waits in a network."""
    folder = agent.recordings / "door"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "door-20260101T000000.000Z-000001.mp4"
    file.write_bytes(bytes(32 << 20))
    yield file
    file.unlink()


def replace(recording, content: bytes):
    """Puts another file in the place of a recording, as the agent does at its end."""
    other = recording.with_suffix(".new")
    other.write_bytes(content)
    other.replace(recording)


def test_a_file_that_is_replaced_ends_its_download(console, cookies, controller, recording):
    connection = http.client.HTTPConnection(HOST, console.port, timeout=TIMEOUT)
    with closing(connection):
        connection.request("GET", f"/media/porch/door/{recording.name}", headers={"Cookie": cookies["control"]})
        answer = connection.getresponse()
        assert (answer.status, answer.read(1000)) == (200, bytes(1000))
        replace(recording, b"x" * (32 << 20))
        with pytest.raises(http.client.IncompleteRead) as cut:
            answer.read()
        assert b"x" not in cut.value.partial


@pytest.mark.parametrize("change", [["--role", "look"], ["--role", "control", "--cameras", "yard/*"], ["--remove"]])
def test_a_token_that_is_changed_ends_its_downloads(broker, controller, recording, tmp_path, change):
    address = f"media/porch/door/{recording.name}"
    with closing(Console(broker, tmp_path)) as console:
        token, _ = console.token("guest", "--role", "control"), console.token("other")
        cookie = console.start().sign_in(token)
        eventually(lambda: console.request("HEAD", address, Cookie=cookie).status == 200, "the camera")
        connection = http.client.HTTPConnection(HOST, console.port, timeout=TIMEOUT)
        with closing(connection):
            connection.request("GET", f"/{address}", headers={"Cookie": cookie})
            answer = connection.getresponse()
            assert (answer.status, answer.read(1000)) == (200, bytes(1000))
            console.change_token("guest", *change)
            eventually(lambda: console.request("HEAD", address, Cookie=cookie).status in (401, 403, 404), "the change")
            with pytest.raises(http.client.IncompleteRead):
                answer.read()


def test_files_are_for_those_who_may_get_them(console, cookies, photo):
    name, _ = photo
    assert console.request("GET", f"media/porch/door/{name}").status == 401
    assert console.request("GET", f"media/porch/door/{name}", Cookie=cookies["look"]).status == 403
    for missing in ["nothing.jpg", "..", "..%2f..", "%2e%2e", ".hidden", "a" * 300]:
        assert console.request("GET", f"media/porch/door/{missing}", Cookie=cookies["control"]).status == 404


def bearer(console, name: str, token: str, method="GET", **headers):
    return console.request(method, f"media/porch/door/{name}", Authorization=f"Bearer {token}", Origin=None, **headers)


def test_a_page_in_a_foreign_frame_gets_files_with_its_token(console, photo):
    name, file = photo
    own = f"http://{HOST}:{console.port}"
    whole = bearer(console, name, console.tokens["control"])
    assert (whole.status, whole.body) == (200, file)
    part = bearer(console, name, console.tokens["control"], Range="bytes=10-99")
    assert (part.status, part.body) == (206, file[10:100])
    assert bearer(console, name, console.tokens["control"], "HEAD").status == 200
    assert bearer(console, name, console.tokens["look"]).status == 403
    look_url = console.token("nvr", "--look-url")
    console.logs("the tokens have changed")
    assert bearer(console, name, look_url).status == 403, "a token for addresses"
    # Other sites get nothing, and are not told that they may ask.
    request = {"path": f"media/porch/door/{name}", "Authorization": f"Bearer {console.tokens['control']}"}
    assert console.request("GET", **request, Origin=own).status == 200
    assert console.request("GET", **request, Origin="http://evil.example").status == 403
    asked = console.request("OPTIONS", request["path"], Origin="http://evil.example", Access_Control_Request_Method="GET",
                            Access_Control_Request_Headers="authorization")
    assert asked.status == 405 and not [name for name in asked.headers if name.startswith("access-control")]
    # The token is for files only.
    assert console.request("DELETE", "session", Authorization=request["Authorization"], Origin=None).status == 403
    assert console.request("POST", request["path"], Authorization=request["Authorization"]).status == 405
    with PageSocket(console, Authorization=request["Authorization"]) as page:
        assert page.wait_for("sign_in") is True
