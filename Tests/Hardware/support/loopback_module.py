"""Builds v4l2loopback for the guest's kernel, from Debian's packages of its source. Nothing is installed."""

import fcntl
import shutil
from pathlib import Path

import debian_release
import guest_image
import paths
from guest_image import Failed, Made, Missing

_SOURCE = "v4l2loopback-dkms"


def build(made: Made, release: str | None = None) -> str:
    """Makes the module unless it is there, and returns its path in the guest.

    `release` is the release of Debian whose v4l2loopback it is, by default that of this machine.
    """
    target = made.programs / (f"v4l2loopback-{release}.ko" if release else "v4l2loopback.ko")
    with open(paths.BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _build(target, release)
    return f"/programs/{target.name}"


def _build(target: Path, release: str | None):
    version = next((paths.BUILD / "kernel/lib/modules").iterdir()).name
    folder = paths.BUILD / "loopback"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    headers = f"linux-headers-{version}"
    for package in (headers, *_needed(headers)):
        _unpack(_download(package), folder)
    _unpack(debian_release.download(_SOURCE, release) if release else _download(_SOURCE), folder)
    # The package of the headers names where it is installed.
    makefile = folder / "usr/src" / headers / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{folder}/usr/src/"))
    source = next((folder / "usr/src").glob("v4l2loopback-*"))
    guest_image._output("make", "-C", str(makefile.parent), f"M={source}", "v4l2loopback.ko", "modules")
    partial = target.with_suffix(".partial")
    shutil.copy(source / "v4l2loopback.ko", partial)
    partial.rename(target)
    shutil.rmtree(folder)


def _needed(headers: str) -> list[str]:
    """The packages with the rest of the headers and with the kernel's build scripts."""
    words = guest_image._output("apt-cache", "depends", headers).split()
    needed = [word for word in words if word.startswith(("linux-headers-", "linux-kbuild-")) and word != headers]
    if not needed:
        raise Missing(f"apt has no {headers} (apt-get update?)")
    return needed


def _download(package: str) -> Path:
    try:
        guest_image._output("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package)
    except Failed as reason:
        raise Missing(f"apt has no {package} (apt-get update?): {reason}")
    return next(paths.BUILD.glob(f"{package}_*.deb"))


def _unpack(file: Path, folder: Path):
    guest_image._output("dpkg-deb", "-x", str(file), str(folder))
    file.unlink()
