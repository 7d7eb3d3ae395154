"""The files of the state, read by an independent decoder, and the state file of versions with a journal."""

import json
import re
import zlib
from pathlib import Path

_ENVELOPE = re.compile(rb'\{"version":1,"checksum":"([0-9a-f]{8})","state":(\{.*\})\}\n', re.DOTALL)
_LINE = re.compile(rb"(\d+) ([0-9a-f]{8}) (\{.*\})")
#: Of a file.
SLOTS = 4


def slots_of(file: Path) -> Path:
    """The folder with the files of the state."""
    return file.with_name(file.name + ".slots")


def lines_in(file: Path) -> list[tuple[int, int, dict]]:
    """The whole lines of a file with slots, the newest first: generation, where it begins, document."""
    data, found = file.read_bytes(), []
    assert len(data) % SLOTS == 0, f"{file} has {len(data)} bytes"
    size = len(data) // SLOTS
    for begin in range(0, len(data), size):
        # Behind a line that was cut off, there may be the end of an earlier one.
        line = _LINE.fullmatch(data[begin:begin + size].split(b"\n", 1)[0])
        if line and int(line[2], 16) == zlib.crc32(line[1] + b" " + line[3]):
            document = json.loads(line[3])
            assert document["version"] == 2
            found.append((int(line[1]), begin, document["state"]))
    return sorted(found, key=lambda line: line[0], reverse=True)


def document_in(file: Path) -> dict:
    """The newest state in a file."""
    while True:
        if lines := lines_in(file):
            return lines[0][2]
        # Otherwise it was being replaced.
        assert file.read_bytes().strip(b"\n"), f"{file} has no line"


def state_in(file: Path) -> dict:
    """The state that a restart finds: that of the agent, with those of its cameras as `cameras`."""
    folder = slots_of(file)
    cameras = {path.name.removeprefix("camera-"): document_in(path) for path in folder.glob("camera-*") if "." not in path.name}
    return document_in(folder / "agent") | {"cameras": cameras}


def put(file: Path, state: dict):
    """Makes it the state, with checksums that are right. The agent is stopped."""
    folder = slots_of(file)
    _put(folder / "agent", {name: value for name, value in state.items() if name != "cameras"})
    for camera, saved in state["cameras"].items():
        _put(folder / f"camera-{camera}", saved)


def _put(file: Path, state: dict):
    lines, size = lines_in(file), file.stat().st_size // SLOTS
    document = json.dumps({"version": 2, "state": state}, separators=(",", ":")).encode()
    generation = str(lines[0][0] + 1).encode()
    line = generation + b" %08x " % zlib.crc32(generation + b" " + document) + document
    assert len(line) < size
    free = min(set(range(0, SLOTS * size, size)) - {begin for _, begin, _ in lines[:3]})
    with open(file, "r+b") as opened:
        opened.seek(free)
        opened.write(line.ljust(size, b"\n"))


# Versions with a journal


def journal_of(file: Path) -> Path:
    return file.with_name(file.name + ".journal")


def snapshot_in(file: Path) -> dict:
    """The document of the file; fails if one byte of it is not as it was written."""
    data = file.read_bytes()
    envelope = _ENVELOPE.fullmatch(data)
    assert envelope, f"{file} is damaged: {data!r}"
    checksum, state = envelope.groups()
    assert int(checksum, 16) == zlib.crc32(state), f"{file} is damaged: {data!r}"
    return json.loads(state)
