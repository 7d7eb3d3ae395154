"""The state file, read by an independent decoder."""

import json
import re
import zlib
from pathlib import Path

_ENVELOPE = re.compile(rb'\{"version":1,"checksum":"([0-9a-f]{8})","state":(\{.*\})\}\n', re.DOTALL)


def state_in(file: Path) -> dict:
    """The document of the file; fails if one byte of it is not as it was written."""
    data = file.read_bytes()
    envelope = _ENVELOPE.fullmatch(data)
    assert envelope, f"{file} is damaged: {data!r}"
    checksum, state = envelope.groups()
    assert int(checksum, 16) == zlib.crc32(state), f"{file} is damaged: {data!r}"
    return json.loads(state)


def put(file: Path, state: dict):
    """Makes it the file's state, as an agent would: with a checksum that is right."""
    document = json.dumps(state, separators=(",", ":")).encode()
    file.write_bytes(b'{"version":1,"checksum":"%08x","state":%s}\n' % (zlib.crc32(document), document))
