"""Packages of another release of Debian than this machine's, from the archive that it uses. Nothing is
installed, and what apt knows of this machine does not change.
"""

import shutil
from pathlib import Path

import guest_image
import paths
from guest_image import Failed, Missing

_SOURCE = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {} {} main\n"
#: What apt knows of the archive of this machine's release.
_TARGETS = ("Created-By: Packages", "Component: main", "Label: Debian")


def _archive() -> str:
    """Where this machine's packages of Debian come from."""
    places = guest_image._output("apt-get", "indextargets", *_TARGETS, "--format", "$(REPO_URI)").split()
    if not places:
        raise Missing("apt has no sources of Debian")
    return places[0]


def download(package: str, release: str) -> Path:
    """The file of a package.

    Raises `Missing` if it can't be had.
    """
    folder = paths.BUILD / "releases" / release
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "cache/archives/partial").mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(_SOURCE.format(_archive(), release))
    options = [word for option in (
        f"Dir::Etc::sourcelist={folder}/sources.list", "Dir::Etc::sourceparts=-", f"Dir::State::lists={folder}/lists",
        f"Dir::State::status={folder}/status", f"Dir::Cache={folder}/cache", "APT::Sandbox::User=root") for word in ("-o", option)]
    try:
        guest_image._output("apt-get", "-qq", *options, "update")
        guest_image._output("apt-get", "-qq", *options, "download", package)
    except Failed as reason:
        raise Missing(f"{release} has no {package} for us: {reason}")
    file = next(paths.BUILD.glob(f"{package}_*.deb"))
    shutil.rmtree(folder)
    return file
