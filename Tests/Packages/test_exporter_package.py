"""The package of the exporter in a fresh Debian: installed and removed."""

import pytest

from debian import checked

FILES = (
    "usr/bin/v4l2mqtt-exporter", "etc/default/v4l2mqtt-exporter", "usr/share/man/man1/v4l2mqtt-exporter.1.gz",
    "usr/share/bash-completion/completions/v4l2mqtt-exporter", "usr/share/doc/v4l2mqtt-exporter/README.md",
    "usr/share/doc/v4l2mqtt-exporter/examples/alerts.yml",
    "usr/share/doc/v4l2mqtt-exporter/examples/dashboard.json", "lib/systemd/system/v4l2mqtt-exporter.service")


@pytest.fixture(scope="module")
def installed(debian, packages):
    debian.install(packages.exporter)
    return debian


def test_package_has_its_files(packages):
    listing = checked("dpkg-deb", "-c", packages.exporter)
    assert [path for path in FILES if f"./{path}\n" not in listing] == []


def test_the_program_starts(installed):
    assert "USAGE: v4l2mqtt-exporter" in installed.check("v4l2mqtt-exporter", "--help")
    assert installed.run("v4l2mqtt-exporter", "--listen", "nowhere").returncode == 64


def test_the_service_is_not_started(installed):
    assert not installed.exists("etc/systemd/system/multi-user.target.wants/v4l2mqtt-exporter.service")


def test_purge_leaves_nothing(installed):
    installed.check("dpkg", "--purge", "v4l2mqtt-exporter")
    assert not installed.exists("etc/default/v4l2mqtt-exporter")
