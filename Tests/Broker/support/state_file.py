"""The state file and its journal, read by an independent decoder."""

import json
import re
import zlib
from pathlib import Path

_ENVELOPE = re.compile(rb'\{"version":1,"checksum":"([0-9a-f]{8})","state":(\{.*\})\}\n', re.DOTALL)
_LINE = re.compile(rb"([0-9a-f]{8})( (\d+) (\d+) (\{.*\}))\n")
#: Of the journal, which has two of them.
AREA = 1 << 19


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


def lines_in(file: Path, mark: dict) -> list[tuple[int, int, dict]]:
    """The lines of the journal that follow a snapshot with this mark: where each begins and ends, and its
    patch."""
    journal = journal_of(file)
    data = journal.read_bytes() if journal.exists() else b""
    chain, found = mark["chain"].encode(), []
    for generation in (mark["generation"], mark["generation"] + 1):
        begin = at = generation % 2 * AREA
        for number in range(1, AREA):
            line = _LINE.match(data[:begin + AREA], at)
            checksum = b"%08x" % zlib.crc32(line[2], zlib.crc32(chain)) if line else None
            if not line or (line[1], int(line[3]), int(line[4])) != (checksum, generation, number):
                break
            found.append((at, line.end(), json.loads(line[5])))
            at, chain = line.end(), checksum
    return found


def state_in(file: Path) -> dict:
    """The state that a restart finds: the snapshot with the lines of the journal that follow it."""
    while True:
        before = file.read_bytes()
        state = snapshot_in(file)
        mark = state.pop("journal", None)
        lines = lines_in(file, mark) if mark else []
        # Otherwise a new snapshot was written meanwhile.
        if file.read_bytes() == before:
            for _, _, patch in lines:
                _merge(state, patch)
            return state


def _merge(state: dict, patch: dict):
    """As RFC 7386 has it."""
    for name, value in patch.items():
        if value is None:
            state.pop(name, None)
        elif isinstance(value, dict):
            if not isinstance(state.get(name), dict):
                state[name] = {}
            _merge(state[name], value)
        else:
            state[name] = value


def put(file: Path, state: dict):
    """Makes it the file's state, as an agent without a journal would: with a checksum that is right."""
    document = json.dumps(state, separators=(",", ":")).encode()
    file.write_bytes(b'{"version":1,"checksum":"%08x","state":%s}\n' % (zlib.crc32(document), document))
