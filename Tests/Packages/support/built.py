"""The packages as `deploy/package` builds them."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from debian import ROOT, checked


@dataclass(frozen=True)
class Packages:
    agent: Path
    broker: Path
    console: Path
    exporter: Path
    changes: Path
    version: str


def build() -> Packages:
    """Runs `deploy/package`, unless the packages are known to be built. They are compressed as released only
    with `--deep`: that takes half of the time."""
    folder = ROOT / ".build/package"
    if "TESTS_DEEP" not in os.environ:
        os.environ.setdefault("DPKG_DEB_COMPRESSOR_LEVEL", "1")
    if "PACKAGES_ARE_BUILT" not in os.environ:
        checked(ROOT / "deploy/package")
    agent = next(folder.glob("v4l2mqtt_*.deb"))
    return Packages(
        agent, next(folder.glob("v4l2mqtt-broker_*.deb")), next(folder.glob("v4l2mqtt-console_*.deb")),
        next(folder.glob("v4l2mqtt-exporter_*.deb")), next(folder.glob("*.changes")), version_of(agent))


def version_of(package: Path) -> str:
    return checked("dpkg-deb", "-f", package, "Version").strip()


def needed_by(package: Path) -> list[str]:
    """The packages that a package depends on or recommends, by name; the first where there is a choice."""
    relations = checked("dpkg-deb", "-f", package, "Depends", "Recommends")
    found = re.findall(r"(?:^\w+:|,) ([a-z0-9.+-]+)", relations, re.MULTILINE)
    return sorted(set(found))


def libraries_of(program: Path) -> list[str]:
    """The packages of the libraries that a program is linked with."""
    names = re.findall(r"NEEDED.*\[(.*)\]", checked("readelf", "-d", program))
    found = checked("dpkg", "-S", *(f"*/{name}" for name in names)).splitlines()
    return sorted({line.split(":")[0] for line in found})


def with_program(package: Path, program: Path, version: str, folder: Path) -> Path:
    """The same package with another program and version: no earlier release had packages, so its program is
    put into one of today."""
    tree = folder / "tree"
    checked("dpkg-deb", "-R", package, tree)
    target = tree / "usr/bin/v4l2mqtt"
    checked("strip", "-o", target, program)
    digest = hashlib.md5(target.read_bytes()).hexdigest()
    sums, control = tree / "DEBIAN/md5sums", tree / "DEBIAN/control"
    sums.write_text(re.sub(r"^\S+(?=  usr/bin/v4l2mqtt$)", digest, sums.read_text(), flags=re.MULTILINE))
    fields = re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.MULTILINE)
    libraries = ", ".join(libraries_of(program))
    control.write_text(re.sub(r"^Depends: ", f"Depends: {libraries}, ", fields, flags=re.MULTILINE))
    made = folder / f"v4l2mqtt_{version}.deb"
    checked("dpkg-deb", "--root-owner-group", "-b", tree, made)
    return made
