#!/usr/bin/env python3
"""Gets what the guest is made of: Debian's kernel, and a root file system in memory with the few programs
that tests use.

    Tests/Hardware/support/guest_image.py makes what is missing or out of date, and prints its path

Everything is kept in `.build/hardware`. The kernel stays the one that was fetched first: delete the folder
for a newer one.
"""

import fcntl
import hashlib
import lzma
import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import paths

#: Programs of Debian's that the guest has, with their libraries.
PROGRAMS = ("/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub", "/usr/bin/v4l2-ctl")
#: Libraries that the agent loads when a recording begins: too many for the root file system, so they lie
#: beside the agent.
LOADED = ("libavformat", "libavcodec", "libavutil", "libasound")
#: Modules that the guest has, with what they need.
MODULES = (
    "virtio_pci", "virtio_net", "9pnet_virtio", "9p", "virtio_blk", "ext4", "vivid", "uvcvideo", "vhci-hcd", "snd-aloop")
COMPILE = ("gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


class Missing(Exception):
    """Why the guest can't be had on this machine."""


class Failed(Exception):
    """A command that ought to work did not."""


@dataclass(frozen=True)
class Made:
    kernel: Path
    initramfs: Path
    programs: Path  # a folder that the guest sees as /programs

    def booted(self, machine: str) -> Path:
        """A file with such a machine as it is after its boot, once one has booted."""
        return self.initramfs.with_name(f"booted-{machine}")


def prepare() -> Made:
    paths.BUILD.mkdir(parents=True, exist_ok=True)
    with open(paths.BUILD / "lock", "w") as lock:  # others may want the same at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _prepare()


def _prepare() -> Made:
    for program in ("qemu-system-x86_64", "busybox", "cpio", "modprobe", "v4l2-ctl", "gcc"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise Missing(f"{program} is not installed: deploy/prepare hardware")
    made = Made(paths.BUILD / "vmlinux", paths.BUILD / "initramfs", paths.BUILD / "programs")
    packages = _kernel_package()
    if not made.kernel.exists():
        _write(made.kernel, _uncompressed(next(packages.glob("boot/vmlinuz-*")).read_bytes()))
    _make_initramfs(packages, made.initramfs)
    _take_agent(made.programs)
    _take_libraries(made.programs)
    return made


def _kernel_package() -> Path:
    """The folder that the package of Debian's current kernel is unpacked in; it is never installed."""
    folder = paths.BUILD / "kernel"
    if folder.exists():
        return folder
    package = _download_kernel()
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    _output("dpkg-deb", "-x", str(package), str(partial))
    package.unlink()
    version = next((partial / "lib/modules").iterdir()).name
    _output("depmod", "-b", str(partial), version)
    partial.rename(folder)
    return folder


def _download_kernel() -> Path:
    for old in paths.BUILD.glob("*.deb"):
        old.unlink()
    try:
        depends = _output("apt-cache", "depends", "linux-image-amd64")
        name = next(line.split()[1] for line in depends.splitlines() if "Depends: linux-image-" in line)
        _output("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", name)
    except (Failed, StopIteration) as reason:
        raise Missing(f"apt has no kernel for us (apt-get update?): {reason}")
    return next(paths.BUILD.glob("*.deb"))


def _uncompressed(image: bytes) -> bytes:
    """The kernel proper, out of the bzImage (Documentation/x86/boot.rst): unpacking it takes the guest three
    seconds."""
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(image[start:start + length])


def _make_initramfs(packages: Path, made: Path):
    agent = [str(paths.AGENT)] if paths.AGENT.exists() else []
    libraries = sorted({library for program in (*PROGRAMS, *agent) for library in _libraries(program)})
    sources = sorted(path for folder in ("inside", "camera") for path in (paths.HERE / folder).glob("*"))
    # The last two: what the boot of a machine depends on, whose state is kept.
    inputs = [
        __file__, "/bin/busybox", *PROGRAMS, *libraries, *sources, paths.HERE / "support/guest.py",
        shutil.which("qemu-system-x86_64")]
    stamp = made.with_suffix(".stamp")
    state = _digest(inputs)
    if made.exists() and stamp.exists() and stamp.read_text() == state:
        return
    for booted in paths.BUILD.glob("booted-*"):
        booted.unlink()
    root = paths.BUILD / "root"
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("bin", "dev", "proc", "sys", "tmp", "run", "etc/modprobe.d", "share", "programs", "usr/lib", "usr/share"):
        (root / folder).mkdir(parents=True)
    (root / "usr/lib/x86_64-linux-gnu").symlink_to("/programs/libraries")
    (root / "usr/share/alsa").symlink_to("/programs/alsa")
    for file in ("/bin/busybox", *PROGRAMS, paths.HERE / "inside/background", paths.HERE / "inside/mount_folders"):
        shutil.copy(file, root / "bin")
    shutil.copy(paths.HERE / "inside/init", root)
    for library in libraries:
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    _compile(root)
    _copy_modules(packages, root)
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nmosquitto:x:1:1::/:/bin/false\n")
    (root / "etc/group").write_text("root:x:0:\nmosquitto:x:1:\n")
    # The virtual host controller can't really suspend: now and then a camera is lost when another one on its
    # hub is pulled.
    (root / "etc/modprobe.d/usbcore.conf").write_text("options usbcore autosuspend=-1\n")
    archive = subprocess.run(
        "find . | cpio --quiet -o -H newc -R 0:0", shell=True, cwd=root, check=True, stdout=subprocess.PIPE).stdout
    _write(made, archive)  # not compressed: under emulation, unpacking costs more than reading
    stamp.write_text(state)


def _compile(root: Path):
    camera = sorted((paths.HERE / "camera").glob("*.c"))
    control = paths.HERE / "camera/camerectl.c"
    for program, sources in (
            ("channel", [paths.HERE / "inside/channel.c"]), ("camerectl", [control]),
            ("map_key_frame", [paths.HERE / "inside/map_key_frame.c"]),
            ("camera", [source for source in camera if source != control])):
        _output(*COMPILE, *map(str, sources), "-o", str(root / "bin" / program), "-lm", "-static")
    _output(*COMPILE, str(paths.HERE / "inside/beeper.c"), "-o", str(root / "bin/beeper"), "-lasound", "-lm")
    _output(*COMPILE, "-shared", "-fPIC", str(paths.HERE / "inside/faulty_driver.c"), "-o", str(root / "usr/lib/faulty_driver.so"))


def _copy_modules(packages: Path, root: Path):
    version = next((packages / "lib/modules").iterdir()).name
    for module in MODULES:
        shown = _output("modprobe", "-d", str(packages), "-S", version, "--show-depends", module)
        for line in shown.splitlines():
            source = Path(line.split()[1])
            target = root / source.relative_to(packages)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for file in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(packages / "lib/modules" / version / file, root / "lib/modules" / version)
    _output("depmod", "-b", str(root), version)


def _take_agent(programs: Path):
    """A copy: a build may replace the agent while a guest runs it."""
    programs.mkdir(exist_ok=True)
    if not paths.AGENT.exists():
        return
    taken = programs / "v4l2mqtt"
    if not taken.exists() or _state(taken) != _state(paths.AGENT):
        partial = taken.with_suffix(".partial")
        shutil.copy2(paths.AGENT, partial)
        partial.rename(taken)


def _take_libraries(programs: Path):
    """Those of `LOADED` with all that they need, in one folder; and what ALSA has to know of cards."""
    target, stamp = programs / "libraries", programs / "libraries.stamp"
    named = dict(re.findall(r"^\s*(\w+)\.so\.\d+ \(libc6,x86-64\) => (\S+)$", _output("ldconfig", "-p"), re.MULTILINE))
    if missing := [name for name in LOADED if name not in named]:
        raise Missing(f"{', '.join(missing)}: not installed: deploy/prepare build")
    wanted = sorted({path for name in LOADED for path in (named[name], *_libraries(named[name]))})
    state = _digest(wanted)
    if stamp.exists() and stamp.read_text() == state:
        return
    partial = target.with_suffix(".partial")
    for folder in (partial, target, programs / "alsa"):
        shutil.rmtree(folder, ignore_errors=True)
    partial.mkdir()
    for library in wanted:
        shutil.copy(library, partial)
    partial.rename(target)
    shutil.copytree("/usr/share/alsa", programs / "alsa", ignore=shutil.ignore_patterns("ucm*", "topology"))
    stamp.write_text(state)


def _state(file: Path) -> tuple[int, int]:
    return file.stat().st_size, file.stat().st_mtime_ns


def _libraries(program: str) -> list[str]:
    words = _output("ldd", program).split()
    return [word for word in words if word.startswith("/")]


def _digest(files) -> str:
    """Of the contents of our own files, of size and time of the system's."""
    digest = hashlib.sha256()
    for file in map(Path, files):
        if file.is_file():
            ours = paths.HERE in file.resolve().parents
            digest.update(f"{file} {file.stat().st_mode}\n".encode())
            digest.update(file.read_bytes() if ours else str(_state(file)).encode())
    return digest.hexdigest()


def _write(file: Path, content: bytes):
    partial = file.with_suffix(".partial")
    partial.write_bytes(content)
    partial.rename(file)


def _output(*command: str) -> str:
    environment = os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "LC_ALL": "C"}
    done = subprocess.run(command, cwd=paths.BUILD, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    print(prepare())
