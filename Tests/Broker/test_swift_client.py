"""The library for Swift programs, as its example in `schemas/README.md` uses it."""

import os
import subprocess
from pathlib import Path

import pytest

from test_document_blocks import blocks
from waiting import TIMEOUT

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE = PROJECT / "Tests/Client"
EXAMPLE = Path(os.environ.get("CLIENT_EXAMPLE", PROJECT / ".build/release/ClientExample"))


def test_the_document_has_the_example():
    block, = [text for language, text in blocks((PROJECT / "schemas/README.md").read_text()) if language == "swift"]
    assert block == (PACKAGE / "Sources/main.swift").read_text()


def try_the_example(program, broker):
    ended = subprocess.run([program, f"127.0.0.1:{broker.port}"], capture_output=True, text=True, timeout=TIMEOUT)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[-1] == "porch/door 2.0 false"
    bytes, = [int(line.split()[3]) for line in lines if line.startswith("a photo of ")]
    assert bytes > 10_000


def test_the_example(broker, controller):
    try_the_example(EXAMPLE, broker)
    assert controller.state("zoom")["factor"] == pytest.approx(2, rel=0.01)


@pytest.mark.deep
def test_a_package_that_depends_on_a_clone(broker, controller, tmp_path):
    build = ["swift", "build", "--package-path", PACKAGE, "--scratch-path", tmp_path / "build"]
    subprocess.run(build, check=True)
    try_the_example(tmp_path / "build/debug/client", broker)
