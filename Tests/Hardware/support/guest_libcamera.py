"""What a guest needs for libcamera's cameras: the kernel's virtual camera with a media controller (`vimc`),
which Debian's kernel lacks and which is built here from Debian's source, and libcamera with its V4L2 layer.

All is in the folder `libcamera` of the guest's `/programs`; `install` gives it its usual places.
"""

import fcntl
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import paths
from guest import Guest
from guest_image import Made, Missing, _libraries, _output

#: Where Debian 12 has the layer, and where the guest has it.
LAYER = "/usr/lib/x86_64-linux-gnu/v4l2-compat.so"
#: libcamera loads these itself.
_MODULES, _DATA = Path("/usr/lib/x86_64-linux-gnu/libcamera"), Path("/usr/share/libcamera")
_SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")
_VIMC = "drivers/media/test-drivers/vimc"


def prepare(made: Made):
    """Adds what is missing to the folder that guests see as `/programs`.

    Raises `Missing` if this machine lacks a package.
    """
    for file in (LAYER, _MODULES, _DATA, _SOURCE):
        if not Path(file).exists():
            raise Missing(f"{file} is not there: deploy/prepare hardware")
    with open(paths.BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = made.programs / "libcamera"
        folder.mkdir(exist_ok=True)
        _take_libraries(made, folder)
        _build_vimc(folder)


def _take_libraries(made: Made, folder: Path):
    """libcamera beside the libraries that the guest has anyway: it has one folder for all."""
    target = folder / "libraries"
    wanted = sorted({LAYER, *_libraries(LAYER), *(library for module in _MODULES.glob("*.so") for library in _libraries(str(module)))})
    stamp, state = folder / "libraries.stamp", "\n".join(f"{path} {os.stat(path).st_mtime_ns}" for path in wanted)
    if stamp.exists() and stamp.read_text() == state:
        return
    for old in (target, folder / "share"):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(made.programs / "libraries", target)
    for library in wanted:
        shutil.copy(library, target)
    # Of the modules and data, those of vimc are enough.
    (target / "libcamera").mkdir()
    for module in _MODULES.glob("*vimc*"):
        shutil.copy(module, target / "libcamera")
    (folder / "share").mkdir()
    shutil.copytree(_DATA, folder / "share/libcamera")
    stamp.write_text(state)


def _build_vimc(folder: Path):
    """The module for the guest's kernel, by the headers of the same version."""
    version = next((paths.BUILD / "kernel/lib/modules").iterdir()).name
    built = folder / f"vimc-{version}.ko"
    if built.exists():
        return
    headers = Path("/usr/src") / f"linux-headers-{version}"
    if not headers.exists():
        raise Missing(f"the guest's kernel is {version}, and {headers} is not there: deploy/prepare hardware, "
                      f"or delete {paths.BUILD} for a newer kernel")
    source = paths.BUILD / "vimc"
    shutil.rmtree(source, ignore_errors=True)
    with tarfile.open(_SOURCE, "r|xz") as archive:
        found = False
        for member in archive:
            inside = member.name.partition("/")[2].startswith(_VIMC + "/")
            if inside and member.isfile():
                member.name = Path(member.name).name
                archive.extract(member, source)
            if found and not inside:
                break  # the rest need not be unpacked
            found = inside
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(
        ["make", "-C", headers, f"M={source}", "CONFIG_VIDEO_VIMC=m", "modules"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _output("strip", "--strip-debug", str(source / "vimc.ko"))
    shutil.copy(source / "vimc.ko", folder / "partial.ko")
    (folder / "partial.ko").rename(built)


def install(guest: Guest):
    """Gives the guest libcamera, and udev's database, without which libcamera finds no device."""
    guest.check("rm /usr/lib/x86_64-linux-gnu && ln -s /programs/libcamera/libraries /usr/lib/x86_64-linux-gnu")
    guest.check("ln -sfn /programs/libcamera/share/libcamera /usr/share/libcamera")


def load_vimc(guest: Guest):
    """Loads vimc, and does what udev does when a device has come."""
    guest.check("modprobe -a v4l2-tpg videobuf2-vmalloc videobuf2-dma-contig videobuf2-v4l2 && insmod /programs/libcamera/vimc-*.ko")
    note_in_udev(guest)


def note_in_udev(guest: Guest):
    """An entry of udev's database for each device: libcamera skips devices that have none."""
    guest.check("mkdir -p /run/udev/data; cd /sys/dev/char; "
                "for node in */; do case $(readlink -f $node/subsystem) in */media|*/video4linux) : >/run/udev/data/c${node%/};; esac; done")
