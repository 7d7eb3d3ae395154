"""Builds v4l2loopback for the guest's kernel, from Debian's package of its source. Nothing is installed."""

import fcntl
import shutil
from pathlib import Path

import guest_image
import paths
from guest_image import Failed, Made, Missing

_SOURCE = "v4l2loopback-dkms"
#: Where the guest sees the module.
MODULE = "/programs/v4l2loopback.ko"


def build(made: Made) -> str:
    """Makes the module unless it is there, and returns its path in the guest."""
    target = made.programs / "v4l2loopback.ko"
    with open(paths.BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _build(target)
    return MODULE


def _build(target: Path):
    version = next((paths.BUILD / "kernel/lib/modules").iterdir()).name
    folder = paths.BUILD / "loopback"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    headers = f"linux-headers-{version}"
    for package in (headers, *_needed(headers), _SOURCE):
        _unpack(package, folder)
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


def _unpack(package: str, folder: Path):
    try:
        guest_image._output("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package)
    except Failed as reason:
        raise Missing(f"apt has no {package} (apt-get update?): {reason}")
    file = next(paths.BUILD.glob(f"{package}_*.deb"))
    guest_image._output("dpkg-deb", "-x", str(file), str(folder))
    file.unlink()
