"""What the tests share: the packages, and a fresh Debian for the tests of a file."""

from contextlib import closing

import pytest

import built
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
