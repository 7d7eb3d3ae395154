"""The metrics of the package v4l2mqtt-console, and the empty package that they had before."""

import pytest

from debian import checked


@pytest.fixture(scope="module")
def installed(debian, packages):
    debian.install(packages.console, packages.exporter)
    return debian


def test_the_earlier_package_is_empty_and_needs_the_console(packages):
    listing = checked("dpkg-deb", "-c", packages.exporter)
    files = [line.split()[-1] for line in listing.splitlines() if not line.endswith("/")]
    assert [file for file in files if not file.startswith("./usr/share/doc/v4l2mqtt-exporter/")] == []
    assert "v4l2mqtt-console" in checked("dpkg-deb", "-f", packages.exporter, "Depends")


def test_the_program_starts(installed):
    assert "USAGE: v4l2mqtt-console metrics" in installed.check("v4l2mqtt-console", "metrics", "--help")
    assert installed.run("v4l2mqtt-console", "metrics", "--listen", "nowhere").returncode == 64


def test_the_service_has_its_files_and_is_not_started(installed):
    for file in ("lib/systemd/system/v4l2mqtt-exporter.service", "etc/default/v4l2mqtt-exporter",
                 "usr/share/doc/v4l2mqtt-console/operation.md", "usr/share/doc/v4l2mqtt-console/examples/alerts.yml"):
        assert installed.exists(file), file
    assert not installed.exists("etc/systemd/system/multi-user.target.wants/v4l2mqtt-exporter.service")


def test_purge_leaves_nothing(installed):
    installed.check("dpkg", "--purge", "v4l2mqtt-exporter", "v4l2mqtt-console")
    assert not installed.exists("etc/default/v4l2mqtt-exporter")
