"""What the tests share: the packages, and a fresh Debian for the tests of a file."""

from contextlib import closing

import pytest

import built
import documented
from debian import Debian


@pytest.fixture(scope="session")
def packages() -> built.Packages:
    return built.build()


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    with closing(Debian(tmp_path_factory.mktemp("machine"))) as debian:
        yield debian


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report


def pytest_terminal_summary(terminalreporter):
    if documented.followed:
        terminalreporter.section("paths of deploy/README.md that were followed")
    for name, commands, seconds in documented.followed:
        terminalreporter.line(f"{name}: {commands} commands, {seconds / 60:.1f} minutes")
