"""The fresh Debian as a virtual machine with its own systemd, mosquitto, and a camera of the kernel's `vivid`
driver."""

import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import guest_image
import paths
from debian import BUILD, INSTALLATION, Debian, as_root, checked
from guest import Guest

#: What an installed Debian has, and the client of the tests.
SYSTEM = ("systemd", "systemd-sysv", "udev", "dbus", "kmod", "sudo", "mosquitto-clients", "openssl", "python3")
#: The size of the disk. It is sparse.
DISK = "3G"
#: The first program of the machine: mounts the disk, and leaves everything else to systemd.
INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in virtio_pci virtio_blk crc32c_generic ext4; do modprobe $module; done
until [ -e /dev/vda ]; do usleep 10000; done
mount -t ext4 /dev/vda /programs
umount /proc /sys
exec switch_root /programs /sbin/init
"""
#: The command server of the tests (Tests/Hardware/inside/channel.c).
CHANNEL = """\
[Unit]
After=systemd-networkd.service
[Service]
ExecStart=/usr/local/sbin/channel 7000
StandardOutput=tty
TTYPath=/dev/ttyS0
[Install]
WantedBy=multi-user.target
"""
NETWORK = "[Match]\nName=e*\n[Network]\nAddress=10.0.2.15/24\n"
#: A camera that crops by itself, and streams 1280×720.
VIVID = "options vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x3 num_outputs=0 ccs_cap_mode=7\n"


def image(folder: Path, files: dict[str, Path], *, installed=(), available=()) -> Path:
    """A disk with a fresh Debian.

    - `files`: what lies in /root, by name.
    - `installed`: packages of Debian that are there beside those of `SYSTEM`.
    - `available`: packages that apt can install, with what they need: the guest has no network, but apt has
      them in its cache.
    """
    guest_image.prepare()
    with closing(Debian(folder / "root", *sorted({*installed, *SYSTEM} - {*available}))) as debian:
        for name, file in files.items():
            checked(*as_root("install", "-D", "-m", "644", file, debian.root / "root" / name))
        debian.check("apt-get", "update", "-q", timeout=INSTALLATION)
        debian.check("apt-get", "install", "-q", "-y", "--download-only", *available, timeout=INSTALLATION)
        # An operator answers by the return key.
        debian.write("etc/apt/apt.conf.d/90tests", 'APT::Get::Assume-Yes "true";\n')
        checked(*as_root("rm", debian.root / "usr/sbin/policy-rc.d"))
        checked(*as_root("cp", paths.BUILD / "root/bin/channel", debian.root / "usr/local/sbin"))
        checked(*as_root("cp", "-r", paths.BUILD / "root/lib/modules", debian.root / "usr/lib"))
        debian.write("etc/systemd/system/channel.service", CHANNEL)
        debian.write("etc/systemd/network/tests.network", NETWORK)
        debian.write("etc/modprobe.d/vivid.conf", VIVID)
        debian.write("etc/hostname", "porch\n")
        debian.write("etc/hosts", "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 porch\n")
        debian.check("systemctl", "enable", "channel", "systemd-networkd")
        # Emulation is slow; services that wait for what is not there would make it slower.
        debian.check("systemctl", "mask", "getty@tty1", "serial-getty@ttyS0", "systemd-networkd-wait-online",
                     "apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "fstrim.timer")
        checked(*as_root("umount", debian.root / "proc"))
        disk = folder / "disk.img"
        checked(*as_root("mke2fs", "-q", "-t", "ext4", "-d", debian.root, disk, DISK))
        checked(*as_root("mount", "-t", "proc", "proc", debian.root / "proc"))
    checked(*as_root("chmod", "a+rw", disk))
    return disk


def initramfs() -> Path:
    """That of the other guests, with another first program: of two files the kernel takes the later one."""
    base = guest_image.prepare().initramfs
    made = BUILD / "initramfs"
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "init"
        first.write_text(INIT)
        first.chmod(0o755)
        archive = subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"], input=b"init", cwd=folder, capture_output=True,
            check=True).stdout
    content = base.read_bytes()
    # An archive begins at a multiple of four bytes.
    made.write_bytes(content + bytes(-len(content) % 4) + archive)
    return made


class SystemdGuest(Guest):
    """A machine that starts from a disk, which stays as it is. It has no folders of the host."""

    boot_time = 400.0
    #: What a machine knows of its disk is wrong for any other one.
    is_kept = False
    #: The page of the console.
    forwarded = (8177,)

    def __init__(self, disk: Path, folder: Path):
        self._disk = disk
        made = guest_image.prepare()
        super().__init__(guest_image.Made(made.kernel, initramfs(), made.programs), folder, memory=1024)

    def _with_disk(self, disk):
        yield from ("-drive", f"file={self._disk},format=raw,if=virtio,snapshot=on")
