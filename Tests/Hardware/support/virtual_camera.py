"""A virtual USB camera in the guest. `camera/options.c` has its options, `camera/commands.h` its commands."""

import shlex
from dataclasses import dataclass

from guest import Guest
from waiting import TIMEOUT, eventually


#: Seconds from the pull of a cable to its publication, by the guest's clock: less than the driver (5) or a
#: stream that stands still (3) would take to fail.
PUBLICATION_LIMIT = 2.5


@dataclass(frozen=True)
class Entry:
    """One line of the camera's own log: what reached it, and when by the guest's clock, in nanoseconds."""

    time: int
    text: str


class Camera:
    """One camera, plugged in from the start; its options are those of the program.

    `Camera(guest, "front", motor=200, without=["focus", "autofocus"], auto_update="zoom")`. Each camera of a
    guest has a `name` and a `port` (0 to 7) of its own; `serial` is the name unless given; `zoom` is min,
    max, step and where it is.
    """

    def __init__(self, guest: Guest, name: str, *, port=0, serial=None, zoom=(100, 500, 1, 100), plugged=True, **options):
        self.guest, self.name, self.port, self.serial = guest, name, port, serial or name
        options |= {"port": port, "serial": self.serial, "zoom": ":".join(map(str, zoom))}
        guest.load("uvcvideo")
        guest.load("vhci-hcd")
        guest.start(f"camera-{name}", "camera", name, *_words(options))
        guest.wait_for(f"/run/camera/{name}.socket")
        if plugged:
            self.plug()

    # Commands

    def command(self, *words) -> str:
        """Sends one command, such as `command("stall", "zoom")` or `command("hang", 5)`; returns the answer
        after "ok"."""
        return self.guest.check(f"camerectl {self.name} {shlex.join(map(str, words))}").removeprefix("ok").strip()

    def plug(self):
        """Returns when the driver has made the video node."""
        self.command("plug")
        # The other node, for metadata, has the index 1. All in one command: each costs some 20 ms.
        self.node = self.guest.check(
            f"until at=$(grep -lx 0 {self._indexes} 2>/dev/null) && node=${{at%/index}} && [ -e /dev/${{node##*/}} ]; "
            "do usleep 10000; done; echo -n /dev/${node##*/}")

    def map_key_frame(self):
        """Makes the control of the camera's extension unit one of V4L2, until the camera is unplugged."""
        self.guest.check(f"map_key_frame {self.node}")

    @property
    def h264_position(self) -> tuple[int, int]:
        """How many frames of H.264 the camera has sent, and the place of the next one in its file."""
        sent, place = self.command("h264-position").split()
        return int(sent), int(place)

    def unplug(self):
        """Returns when the node is gone."""
        self.command("unplug")
        self.guest.check(f"while ls {self._indexes} 2>/dev/null; do usleep 10000; done")

    def button(self, control: str, *values: int):
        """The user turns or presses something at the camera, and it reports that to the host."""
        self.command("button", control, *values)

    def lens(self) -> int:
        """Where the lens really is, without asking over USB."""
        return int(self.command("read", "zoom"))

    def close(self):
        """Pulls the cable and ends the program: the name and the port are free again."""
        self.unplug()
        self.guest.kill(f"camera-{self.name}")
        self.guest.check(f"rm -f /run/camera/{self.name}.*")

    @property
    def _indexes(self) -> str:
        return f"/sys/devices/platform/vhci_hcd.0/usb*/*-{self.port + 1}/*/video4linux/*/index"

    # Its log

    def log(self, since=0) -> list[Entry]:
        """What reached the camera, from the entry with this number on."""
        lines = self.guest.check(f"cat /run/camera/{self.name}.log").splitlines()
        return [Entry(int(time), text) for time, text in (line.split(" ", 1) for line in lines[since:])]

    def mark(self) -> int:
        return len(self.log())

    def unplugged_at(self) -> int:
        """The newest pull of the cable, by the guest's clock."""
        return max(entry.time for entry in self.log() if entry.text == "unplug")

    def settings(self, control="zoom", since=0) -> list[str]:
        """The values that the host set, in order, as far as the camera took them."""
        start = f"SET_CUR {control} "
        return [entry.text.removeprefix(start) for entry in self.log(since)
                if entry.text.startswith(start) and len(entry.text.split()) == 3]

    def logged(self, text: str, since=0, timeout=TIMEOUT) -> Entry:
        """Waits for a line that is exactly this."""
        return eventually(lambda: next((entry for entry in self.log(since) if entry.text == text), None),
                          f"{text!r} in the log of {self.name}", timeout)


def _words(options: dict):
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, (list, tuple)):
            yield from (word for each in value for word in (flag, each))
        elif value is True:
            yield flag
        else:
            yield from (flag, value)
