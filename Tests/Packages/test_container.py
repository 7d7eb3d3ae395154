"""The container of deploy/README.md, in a fresh Debian with a broker and a camera of the kernel's."""

import io
import shlex
from contextlib import closing

import pytest
from PIL import Image

from debian import ROOT, as_root, checked
from documented import blocks, follow
from systemd_guest import SystemdGuest, image

pytestmark = [pytest.mark.deep, pytest.mark.timeout(3600)]

#: The kernel of the guests has no overlay file system.
STORAGE = """\
[storage]
driver = "vfs"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
"""
#: Seconds for a command in the guest, which an emulated processor runs; podman's installation is the longest.
SLOW = 1500
PATH = "In a container"


@pytest.fixture(scope="module")
def machine(packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("machine")
    checked(*as_root(ROOT / "deploy/image"))
    disk = image(folder, {"v4l2mqtt.tar": ROOT / ".build/image/v4l2mqtt.tar"}, available=["mosquitto", "podman"])
    with closing(SystemdGuest(disk, folder / "guest")) as guest:
        guest.check("modprobe vivid && udevadm settle", SLOW)
        guest.check(f"mkdir -p /etc/containers && echo {shlex.quote(STORAGE)} > /etc/containers/storage.conf")
        yield guest


def test_the_documented_commands_end_with_a_photo(machine):
    _, commands = blocks(PATH)
    follow(machine, PATH, commands, SLOW)
    with Image.open(io.BytesIO(machine.read("/root/photo.jpg"))) as photo:
        assert photo.format == "JPEG"
    assert "vivid" in machine.check("mosquitto_sub -t v4l2mqtt/+/+/info -C 1 -W 60", SLOW)


def test_the_agent_is_confined(machine):
    """Its process is not root, and has no capabilities."""
    status = machine.check("cat /proc/$(podman inspect --latest --format {{.State.Pid}})/status", SLOW)
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Uid"].split() == ["10101"] * 4 and int(fields["CapEff"], 16) == 0
    assert "44" in fields["Groups"].split()


def test_the_container_keeps_its_state(machine):
    machine.check("podman stop --latest", SLOW)
    machine.check("test -s $(podman volume inspect --format {{.Mountpoint}} v4l2mqtt)/state.json.slots/agent", SLOW)
