"""Fixtures with a bench, for the `conftest.py` of each folder of tests that needs brokers and agents."""

import subprocess
from contextlib import closing

import pytest

from bench import Bench, contract_checked


@pytest.fixture
def bench(tmp_path_factory):
    """For tests that need brokers or agents of their own."""
    with closing(Bench(tmp_path_factory)) as bench, contract_checked(bench):
        yield bench


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One broker and what is made on it, for all the tests of a file."""
    with closing(Bench(tmp_path_factory)) as bench:
        yield bench


@pytest.fixture(scope="module")
def broker(shared):
    return shared.broker()


@pytest.fixture
def mounted():
    """Mounts: `mounted("-t", "tmpfs", "none", folder)`. Takes everything away again. Needs root."""
    folders = []

    def mount(*arguments):
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"this machine mounts nothing: {done.stderr.strip()}")
        if "remount" not in str(arguments):
            folders.append(arguments[-1])

    yield mount
    for folder in reversed(folders):
        subprocess.run(["umount", "--lazy", folder], check=True)
