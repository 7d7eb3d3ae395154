#!/usr/bin/env python3
"""The corpus of a decoder is one text file, `corpus/NAME.txt`; libFuzzer wants a folder of files.

corpus.py unpack FILE FOLDER    each input as a file of its name
corpus.py pack FOLDER FILE      the reverse
corpus.py add FILE INPUT…       adds inputs under their checksums

A line is a name, a space, and the bytes: printable ASCII is itself, a line feed is `\\n`, all others, the
backslash, and a space at the end are `\\xNN`. `Tests/TestSupport/Files/Corpus.swift` reads the same.
Inputs with a descriptive name were written by hand.
"""

import hashlib
import re
import sys
from pathlib import Path


def written(data: bytes) -> str:
    text = "".join(
        "\\n" if byte == 10 else chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in data)
    return re.sub(" $", r"\\x20", text)


def read(text: str) -> bytes:
    return re.sub(
        r"\\n|\\x([0-9a-f]{2})", lambda escape: chr(int(escape[1] or "0a", 16)), text).encode("latin-1")


def inputs(file: Path) -> dict[str, bytes]:
    lines = (line.partition(" ") for line in file.read_text("ascii").splitlines())
    return {name: read(text) for name, _, text in lines}


def write(file: Path, found: dict[str, bytes]):
    file.write_text("".join(f"{name} {written(data)}\n" for name, data in sorted(found.items())), "ascii")


def main(how: str, *paths: str):
    first, *others = map(Path, paths)
    match how:
        case "unpack":
            others[0].mkdir(parents=True, exist_ok=True)
            for name, data in inputs(first).items():
                (others[0] / name).write_bytes(data)
        case "pack":
            write(others[0], {path.name: path.read_bytes() for path in first.iterdir()})
        case "add":
            data = [path.read_bytes() for path in others]
            write(first, inputs(first) | {hashlib.sha1(each).hexdigest(): each for each in data})


if __name__ == "__main__":
    main(*sys.argv[1:])
