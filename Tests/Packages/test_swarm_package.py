"""The package of the load of a broker in a fresh Debian: installed and removed."""

import pytest

from built import bill_of_materials
from debian import checked

FILES = (
    "usr/bin/v4l2mqtt-swarm", "usr/share/man/man1/v4l2mqtt-swarm.1.gz",
    "usr/share/bash-completion/completions/v4l2mqtt-swarm", "usr/share/doc/v4l2mqtt-swarm/README.md",
    "usr/share/doc/v4l2mqtt-swarm/cluster.md",
    "usr/share/doc/v4l2mqtt-swarm/sbom.cdx.json.gz")


@pytest.fixture(scope="module")
def installed(debian, packages):
    debian.install(packages.swarm)
    return debian


def test_package_has_its_files_and_no_service(packages):
    listing = checked("dpkg-deb", "-c", packages.swarm)
    assert [path for path in FILES if f"./{path}\n" not in listing] == []
    assert ".service" not in listing


def test_the_program_starts(installed):
    assert "USAGE: v4l2mqtt-swarm" in installed.check("v4l2mqtt-swarm", "--help")
    assert installed.run("v4l2mqtt-swarm", "--agents", "0").returncode == 64


def test_no_library_of_devices_is_needed(packages):
    needed = checked("dpkg-deb", "-f", packages.swarm, "Depends")
    assert "libjansson4" in needed and "libudev" not in needed and "libv4l" not in needed


def test_bill_of_materials_names_the_client(packages, tmp_path):
    document = bill_of_materials(packages.swarm, tmp_path)
    assert document["metadata"]["component"]["name"] == "v4l2mqtt-swarm"
    assert "libmosquitto1" in {part["name"] for part in document["components"]}


def test_purge_leaves_nothing(installed):
    installed.check("dpkg", "--purge", "v4l2mqtt-swarm")
    assert not installed.exists("usr/bin/v4l2mqtt-swarm")
