"""The files of photos and recordings: listed, read in parts, and deleted."""

import hashlib
import os
from pathlib import Path

import pytest

from command_line import begun, done, failed, location
from movie_file import SMALL
from waiting import eventually

PART = 131_072


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=SMALL)


@pytest.fixture
def photo(controller) -> Path:
    """The file of a new photo."""
    (photo,) = controller.obeyed("capture", {"size": {"width": 64}})["photos"]
    return Path(photo["path"])


@pytest.fixture
def long(agent) -> Path:
    """A file with the name of a recording, which has several parts."""
    folder = agent.recordings / "door"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "door-20261121T090538.958Z-000042.mp4"
    file.write_bytes(os.urandom(3 * PART + 17))
    yield file
    file.unlink(missing_ok=True)


def part(controller, name, **fields):
    """The message that answers `get`: bytes with user properties."""
    pending = controller.send("media", {"get": name, **fields})
    return pending.message()


def names(controller, **fields) -> list[str]:
    return [file["name"] for file in controller.obeyed("media", {"list": fields})["media"]]


def test_a_photo_is_listed_described_read_and_deleted(controller, photo):
    assert names(controller, limit=1, kind="photo") == [photo.name]
    controller.state("media", lambda state: state.get("newest") == photo.name)
    since = controller.mark()
    pending = controller.send("media", {"describe": photo.name})
    accepted, described = pending.answer(), pending.answer()
    content = photo.read_bytes()
    assert accepted["status"] == "accepted" and "sha256" not in accepted["file"]
    file = described["file"]
    assert (file["bytes"], file["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    message = part(controller, photo.name, version=file["version"], id="read-1")
    assert (message.payload, message.content_type) == (content, "image/jpeg")
    assert dict(message.user_properties) == {
        "name": photo.name, "offset": "0", "total": str(len(content)), "version": file["version"], "id": "read-1"}
    controller.obeyed("media", {"delete": photo.name})
    assert not photo.exists() and photo.name not in names(controller)
    controller.refused("media", {"get": photo.name}, "bad_payload", "get")
    controller.state("media", lambda state: state.get("newest") != photo.name, since=since)
    controller.state("capture", lambda state: state["last"] is None)


def test_a_file_comes_in_parts(controller, long):
    content, version = long.read_bytes(), None
    received = b""
    while True:
        message = part(controller, long.name, offset=len(received), **({"version": version} if version else {}))
        properties = dict(message.user_properties)
        assert (message.content_type, properties["offset"]) == ("video/mp4", str(len(received)))
        received, version = received + message.payload, properties["version"]
        if len(received) == int(properties["total"]):
            break
    assert received == content
    long.write_bytes(content)
    controller.refused("media", {"get": long.name, "version": version}, "conflict", "version")


def test_names_lead_nowhere_else(controller, agent, photo):
    secret = agent.captures / "door-20261121T090538.958Z-000042.jpg"
    secret.write_bytes(b"secret")
    link = photo.with_name("door-20261121T090538.958Z-000043.jpg")
    link.symlink_to(secret)
    try:
        for name in (f"../{secret.name}", str(secret), secret.name, link.name, "..", "state.json", f"{photo.name}/"):
            for command in ("get", "describe", "delete"):
                controller.refused("media", {command: name}, "bad_payload")
        assert link.name not in names(controller, limit=100)
        assert secret.read_bytes() == b"secret"
    finally:
        link.unlink()
        secret.unlink()


# The controller on the command line


@pytest.fixture
def place(controller, broker):
    return location(broker)


@pytest.mark.needs("anonymous clients")
def test_ctl_lists_copies_and_deletes(controller, place, photo, tmp_path):
    listed = done("media", "list", *place, "--kind", "photo")
    assert photo.name in listed and listed.startswith("NAME")
    copy = tmp_path / "here.jpg"
    assert done("media", "get", *place, photo.name, "--output", str(copy)) == f"{copy}, {photo.stat().st_size / 1000:.0f} kB\n"
    assert copy.read_bytes() == photo.read_bytes()
    code, message = failed("media", "get", *place, photo.name, "--output", str(copy))
    assert code == "conflict" and "--force" in message
    assert done("media", "get", *place, photo.name, "--output", str(copy), "--force")
    assert done("media", "delete", *place, photo.name).startswith("done")
    assert not photo.exists() and [file.name for file in tmp_path.iterdir()] == ["here.jpg"]
    code, message = failed("media", "get", *place, photo.name, "--output", str(tmp_path / "other.jpg"))
    assert code == "bad_payload" and photo.name in message


@pytest.mark.needs("anonymous clients")
def test_ctl_goes_on_after_a_kill(controller, place, long, tmp_path):
    copy, unfinished = tmp_path / "here.mp4", tmp_path / "here.mp4.part"
    long.write_bytes(os.urandom(200 * PART + 1))
    begun_copy = begun("media", "get", *place, long.name, "--output", str(copy))
    eventually(lambda: unfinished.exists() and unfinished.stat().st_size > 0, "a part of the copy")
    begun_copy.kill()
    begun_copy.communicate()
    if unfinished.exists():
        size = unfinished.stat().st_size
        since = controller.mark()
        done("media", "get", *place, long.name, "--output", str(copy))
        requests = [message.json for message in controller.inbox.all(controller.topic("media/set"), since)]
        # The last requests of the killed program may have come since. Each copy begins with a description.
        described = max(number for number, request in enumerate(requests) if "describe" in request)
        assert [request for request in requests[described:] if "get" in request][0]["offset"] == size
    assert copy.read_bytes() == long.read_bytes() and not unfinished.exists()
