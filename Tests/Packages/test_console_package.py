"""The package of the console in a fresh Debian: installed, removed, purged. The tests of this file are steps
of one installation, in this order."""

import pytest

from debian import checked

FILES = (
    "usr/bin/v4l2mqtt-console", "etc/default/v4l2mqtt-console", "usr/share/man/man1/v4l2mqtt-console.1.gz",
    "usr/share/bash-completion/completions/v4l2mqtt-console", "usr/share/doc/v4l2mqtt-console/README.md",
    "usr/share/doc/v4l2mqtt-console/examples/nginx.conf", "usr/share/doc/v4l2mqtt-console/examples/Caddyfile")


@pytest.fixture(scope="module")
def installed(debian, packages):
    debian.install(packages.console)
    return debian


@pytest.mark.parametrize("path", FILES)
def test_package_has(packages, path):
    assert f"./{path}\n" in checked("dpkg-deb", "-c", packages.console)


def test_the_program_starts_and_makes_a_token(installed):
    link = installed.check("v4l2mqtt-console", "token", "kitchen", "--url", "http://cameras.lan:8177/").strip()
    assert link.startswith("http://cameras.lan:8177/#t=")
    assert "kitchen" in installed.check("v4l2mqtt-console", "tokens")
    assert link.split("#t=")[1] not in installed.read("var/lib/v4l2mqtt-console/tokens.json")


def test_a_foreign_address_without_a_token_is_refused(installed):
    done = installed.run("v4l2mqtt-console", "--listen", "0.0.0.0:8177", "--state-dir", "/nowhere")
    assert done.returncode == 64 and "token" in done.stderr


def test_the_service_has_a_user_of_its_own_and_is_not_started(installed):
    assert installed.check("id", "-nG", "v4l2mqtt-console").split() == ["v4l2mqtt-console"]
    assert "nologin" in installed.check("getent", "passwd", "v4l2mqtt-console")
    assert not installed.exists("etc/systemd/system/multi-user.target.wants/v4l2mqtt-console.service")


def test_purge_deletes_the_tokens(installed):
    installed.write("var/lib/v4l2mqtt-console/faults", "x")
    installed.check("dpkg", "--purge", "v4l2mqtt-console")
    assert not installed.exists("var/lib/v4l2mqtt-console")
