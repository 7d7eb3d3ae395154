"""The package of the agent in a fresh Debian: installed, removed, purged. The tests of this file are steps
of one installation, in this order."""

import re
import subprocess

import pytest

from built import version_of
from debian import ROOT, checked

MANUAL_PAGES = ("man1/v4l2mqtt.1.gz", "man1/v4l2mqtt-ctl.1.gz", "man5/v4l2mqtt-config.5.gz")
COMPLETIONS = (
    "usr/share/bash-completion/completions/v4l2mqtt", "usr/share/zsh/vendor-completions/_v4l2mqtt",
    "usr/share/fish/vendor_completions.d/v4l2mqtt.fish")
#: The files of the state, by deploy/operation.md.
STATE = [f"state.json{ending}" for ending in (".slots/agent", ".slots/camera-door", ".lock", ".faults", ".before-slots")]
STATE += ["fleet.json", "fleet.json.new"]
#: Of earlier versions.
EARLIER = [f"state.json{ending}" for ending in ("", ".journal", ".previous", ".new", ".damaged-20261122T120000Z")]
EARLIER += ["device.json", "device.json.new"]


@pytest.fixture(scope="module")
def installed(debian, packages):
    debian.install(packages.agent)
    return debian


def test_the_fresh_debian_has_no_build_tools(debian):
    for tool in ("swift", "gcc", "clang", "make", "python3", "git"):
        assert debian.run("sh", "-c", f"command -v {tool}").returncode != 0, tool


def test_check_accepts_the_configuration_of_the_package(installed):
    shown = installed.check("v4l2mqtt", "check", "--config", "/etc/v4l2mqtt/config.yaml")
    assert "state_file: /var/lib/v4l2mqtt/state.json  # default" in shown
    assert all(line.lstrip().startswith("#") or not line for line in installed.read("etc/v4l2mqtt/config.yaml").splitlines())


def test_each_key_of_the_configuration_can_be_switched_on(installed):
    """Without the "#" before its keys, the file is the sample, which `check` accepts."""
    text = installed.read("etc/v4l2mqtt/config.yaml")
    body = text.split("\n\n", 1)[1]
    keys = [line[1:] for line in body.splitlines() if re.match(r"#( *(- )?[a-z0-9_]+:)", line)]
    unset = re.compile(r" *[a-z0-9_]+:$")
    parents = {i for i, line in enumerate(keys[:-1])
               if unset.match(line) and len(keys[i + 1]) - len(keys[i + 1].lstrip()) > len(line) - len(line.lstrip())}
    lines = [line for i, line in enumerate(keys) if i in parents or not unset.match(line)]
    installed.write("root/sample.yaml", "\n".join(lines) + "\n")
    shown = installed.check("v4l2mqtt", "check", "--config", "/root/sample.yaml")
    assert "id: camera" in shown and len(lines) > 60


def test_the_service_has_a_user_in_video_and_audio(installed):
    assert set(installed.check("id", "-nG", "v4l2mqtt").split()) == {"v4l2mqtt", "video", "audio"}
    assert "nologin" in installed.check("getent", "passwd", "v4l2mqtt")


def test_the_service_is_enabled(installed):
    assert installed.exists("etc/systemd/system/multi-user.target.wants/v4l2mqtt.service")


@pytest.mark.parametrize("path", [*(f"usr/share/man/{page}" for page in MANUAL_PAGES), *COMPLETIONS,
                                  "usr/share/doc/v4l2mqtt/copyright", "usr/share/doc/v4l2mqtt/changelog.gz"])
def test_package_has(packages, path):
    assert f"./{path}\n" in checked("dpkg-deb", "-c", packages.agent)


def test_examples_of_the_manual_page_are_lines_of_their_own(packages, tmp_path):
    checked("dpkg-deb", "-x", packages.agent, tmp_path)
    page = checked("gzip", "-dc", tmp_path / "usr/share/man/man1/v4l2mqtt-ctl.1.gz")
    shown = checked("groff", "-man", "-Tutf8", "-P-c", "-rLL=200n", input=page)
    lines = [" ".join(line.split()) for line in re.sub(r".\x08", "", shown).splitlines()]
    assert "v4l2mqtt ctl zoom 2.5 immediately" in lines
    assert "v4l2mqtt ctl zoom 8 --rate 1 at one octave (a doubling) per second" in lines
    assert "v4l2mqtt ctl zoom <factor> [options]" in lines


def test_the_program_has_no_debug_information_but_dbgsym_has(packages):
    found = list(packages.agent.parent.glob("v4l2mqtt-dbgsym_*.deb"))
    assert len(found) == 1 and "/usr/lib/debug/.build-id/" in checked("dpkg-deb", "-c", found[0])


def test_the_packages_have_the_version_of_their_programs(packages, tmp_path):
    for name in ("agent", "console"):
        package = getattr(packages, name)
        checked("dpkg-deb", "-x", package, tmp_path)
        program = tmp_path / "usr/bin" / checked("dpkg-deb", "-f", package, "Package").strip()
        assert checked(program, "--version").strip() == version_of(package)
    assert version_of(packages.broker) == packages.version


def test_libraries_of_recordings_are_recommended(packages):
    recommended = checked("dpkg-deb", "-f", packages.agent, "Recommends")
    required = checked("dpkg-deb", "-f", packages.agent, "Depends")
    for library in ("libavformat", "libavcodec", "libasound"):
        assert library in recommended and library not in required


def test_the_copyright_names_what_is_linked_in(installed):
    text = installed.read("usr/share/doc/v4l2mqtt/copyright")
    packages = re.findall(r'apple/([a-z-]+)", exact: ', (ROOT / "Package.swift").read_text())
    assert "swift-nio" in packages and [name for name in packages if f"linked-in/{name}" not in text] == []


def test_each_dependency_has_an_exact_version():
    """Otherwise two builds of the same sources may have other packages linked in."""
    dependencies = re.findall(r"\.package\((.*?)\)", (ROOT / "Package.swift").read_text(), re.DOTALL)
    assert dependencies and all("exact:" in one for one in dependencies), dependencies


def test_links_of_the_documents_lead_to_files_of_the_package(packages, tmp_path):
    checked("dpkg-deb", "-x", packages.agent, tmp_path)
    folder = tmp_path / "usr/share/doc/v4l2mqtt"
    documents = list(folder.glob("*.md"))
    links = [(document.name, target) for document in documents
             for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()) if "://" not in target]
    expected = {"README.md", "operation.md", "contract.md", "home-assistant.md", "installation.md", "broker.md", "cameras.md"}
    assert expected <= {document.name for document in documents}
    assert ("installation.md", "examples/compose.yaml") in links and ("operation.md", "contract.md") in links
    assert [link for link in links if not (folder / link[1]).exists()] == []


def test_lintian_has_no_complaint(packages):
    """Exceptions are in deploy/debian/v4l2mqtt.lintian-overrides, each with its reason."""
    done = subprocess.run(
        ["lintian", "--pedantic", "--display-info", "--fail-on", "error,warning,info,pedantic", packages.changes],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_files_of_the_state_are_those_of_the_documentation():
    text = (ROOT / "deploy/operation.md").read_text().split("### Files\n")[1].split("\n### ")[0]
    documented = set(re.findall(r"^- `([a-z.-]+)", text, re.MULTILINE))
    ours = {name.removeprefix("state.json").split("/")[0] for name in STATE}
    assert documented | {"fleet.json.new"} == ours


def test_removal_keeps_the_configuration_and_the_state(installed):
    installed.check("mkdir", "-p", "/var/lib/v4l2mqtt/captures")
    installed.check("mkdir", "-p", "/var/lib/v4l2mqtt/state.json.slots")
    installed.write("var/lib/v4l2mqtt/state.json.slots/agent", "{}")
    installed.write("var/lib/v4l2mqtt/captures/camera-1.jpg", "a photo")
    installed.check("apt-get", "remove", "-y", "-q", "v4l2mqtt")
    assert not installed.exists("usr/bin/v4l2mqtt")
    assert installed.exists("etc/v4l2mqtt/config.yaml") and installed.exists("var/lib/v4l2mqtt/state.json.slots/agent")


def test_purge_deletes_the_state_and_keeps_photos(installed):
    for name in STATE + EARLIER:
        installed.write(f"var/lib/v4l2mqtt/{name}", "{}")
    installed.write("var/lib/v4l2mqtt/notes.txt", "not made by the agent")
    installed.check("apt-get", "purge", "-y", "-q", "v4l2mqtt")
    assert not installed.exists("etc/v4l2mqtt") and not installed.exists("var/lib/v4l2mqtt/state.json.slots")
    assert installed.read("var/lib/v4l2mqtt/captures/camera-1.jpg") == "a photo"
    assert sorted(installed.check("ls", "/var/lib/v4l2mqtt").split()) == ["captures", "notes.txt"]


def test_purge_without_photos_leaves_no_folder(installed, packages):
    installed.check("rm", "-r", "/var/lib/v4l2mqtt")
    installed.install(packages.agent)
    for folder in ("captures/camera", "state.json.slots"):
        installed.check("mkdir", "-p", f"/var/lib/v4l2mqtt/{folder}")
    for name in STATE + EARLIER:
        installed.write(f"var/lib/v4l2mqtt/{name}", "{}")
    installed.check("apt-get", "purge", "-y", "-q", "v4l2mqtt")
    assert not installed.exists("var/lib/v4l2mqtt")
