"""A fresh Debian without any of the project's build tools, in a folder: `debootstrap` makes it once, and
each test works in a copy."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from waiting import TIMEOUT

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / ".build/packages"
RELEASE = "bookworm"
#: Seconds that apt may take for a package with all that it needs.
INSTALLATION = 300


def as_root(*command) -> list[str]:
    """A command for the users of this machine: debootstrap and chroot need root."""
    return [*(() if os.geteuid() == 0 else ("sudo", "-n")), *map(str, command)]


def checked(*command, **options) -> str:
    """The output of a command that succeeds."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextlib.contextmanager
def locked(name: str):
    """Only one process at a time makes the file that others share."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def archive(*packages: str) -> Path:
    """An archive of a fresh Debian with some packages of its archive; made if it is not there yet."""
    digest = hashlib.sha256(" ".join(sorted(packages)).encode()).hexdigest()[:12]
    name = f"debian-{RELEASE}-{digest}" if packages else f"debian-{RELEASE}"
    made = BUILD / f"{name}.tar"
    with locked(name):
        if not made.exists():
            partial = made.with_suffix(".partial")
            more = [f"--include={','.join(packages)}"] if packages else []
            checked(*as_root(
                "debootstrap", "--variant=minbase", *more, RELEASE, BUILD / f"{name}.root"))
            checked(*as_root("tar", "c", "-C", BUILD / f"{name}.root", "-f", partial, "."))
            checked(*as_root("rm", "-rf", BUILD / f"{name}.root"))
            partial.rename(made)
    return made


class Debian:
    """A copy of the fresh Debian. Commands in it share the network of this machine."""

    def __init__(self, folder: Path, *packages: str):
        self.root = folder / "debian"
        self.root.mkdir(parents=True)
        checked(*as_root("tar", "x", "-C", self.root, "-f", archive(*packages)))
        # Services are not started by an installation, as there is no init in a folder.
        self.write("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
        checked(*as_root("cp", "-L", "/etc/resolv.conf", self.root / "etc/resolv.conf"))
        # The Swift runtime reads the arguments of a program from /proc.
        checked(*as_root("mount", "-t", "proc", "proc", self.root / "proc"))
        # What leads apt of this machine to its archive leads that one, too.
        for file in Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            checked(*as_root("cp", file, self.root / "etc/apt/apt.conf.d"))

    def command(self, *words) -> list[str]:
        return as_root("chroot", self.root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                       "DEBIAN_FRONTEND=noninteractive", *words)

    def run(self, *words, timeout=TIMEOUT) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=timeout)

    def check(self, *words, timeout=TIMEOUT) -> str:
        """The output of a command that succeeds in the fresh Debian."""
        return checked(*self.command(*words), timeout=timeout)

    def write(self, path: str, text: str, mode=0o644) -> None:
        checked(*as_root("tee", self.root / path), input=text)
        checked(*as_root("chmod", f"{mode:o}", self.root / path))

    def install(self, *packages: Path | str, options=("--no-install-recommends",)) -> str:
        """Installs packages: files of this machine, or names that apt knows."""
        words = []
        for package in packages:
            if isinstance(package, Path):
                checked(*as_root("cp", package, self.root / "root"))
                words.append(f"/root/{package.name}")
            else:
                words.append(package)
        self.check("apt-get", "update", "-q", timeout=INSTALLATION)
        return self.check(
            "apt-get", "install", "-y", "-q", "--allow-downgrades", *options, *words, timeout=INSTALLATION)

    def read(self, path: str) -> str:
        return checked(*as_root("cat", self.root / path))

    def exists(self, path: str) -> bool:
        return subprocess.run(self.command("test", "-e", f"/{path}")).returncode == 0

    def close(self) -> None:
        checked(*as_root("umount", "--recursive", self.root / "proc"))
        checked(*as_root("rm", "-rf", "--one-file-system", self.root))
        shutil.rmtree(self.root.parent, ignore_errors=True)
