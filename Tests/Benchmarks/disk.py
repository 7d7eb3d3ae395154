"""What a pinch costs the disk: one camera is pinched in one gesture, the only one of its agent and one of a
thousand.

The state file is on an ext4 file system of its own in a loop device, whose counters say what was written to
it: by the agent and, for it, by the file system. Needs root.
"""
import dataclasses
import os
import pathlib
import subprocess
import time

import workshop
from figures import Figure
from stage import AGENT, Stage, online
from workshop import Unable

CAMERAS = (1, 1000)
#: Samples a second. Not 60: the peer's pinch has a period of 40 samples, and would show the same zoom every
#: two seconds.
RATE = 61
SECONDS = 60
#: Bytes of the file system. The file under it has only those blocks that were written.
SIZE = 2 << 30
SECTOR = 512


@dataclasses.dataclass
class Cost:
    """Calls that wait for the disk, bytes at the device, and the device's flushes, during the gesture."""

    syncs: int
    written: int
    flushes: int


def figures(program, seconds=SECONDS, other=None):
    found = []
    for cameras in CAMERAS:
        cost = _cost(program, cameras, seconds)
        peer = _cost(other, cameras, seconds) if other else None
        name = f"pinch of one of {cameras:,}" if cameras > 1 else "pinch of the only camera"
        note = (
            f"One gesture of {seconds} s with {RATE} samples a second, none of which is answered; the agent has {cameras:,} simulated "
            f"camera{'s' * (cameras > 1)}. Calls of fsync, fdatasync, syncfs and sync_file_range by the agent; bytes at a loop device "
            f"with ext4 and its default options, which include the file system's own journal, after a sync at the end. The device was "
            f"flushed {cost.flushes} times.")
        share = seconds / SECONDS
        for what, ours, theirs, unit, most in (
                ("syncs", cost.syncs, peer and peer.syncs, "", 60),
                ("written", cost.written / 1e3, peer and peer.written / 1e3, "kB", 300)):
            found.append(Figure(
                f"{name}, {seconds} s: {what}", ours, theirs, unit, f"{other.name}, another build" if other else "",
                most_ours=most * share, note=note))
    return found


def _cost(program, cameras, seconds):
    if os.geteuid() != 0:
        raise Unable("disk: only root may mount a file system")
    with Stage(program) as stage:
        disk, device = _mount(stage)
        configuration, counter = stage.configure_cameras(cameras, folder=disk), stage.folder / "syncs"
        tap = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        agent = stage.run(
            "agent", "env", f"LD_PRELOAD={workshop.preload('syncs')}", f"SYNCS={counter}", program, "run", "--config", configuration)
        online(tap, AGENT, agent, within=60)
        _wait_until_quiet(counter, device)
        peer = stage.peer("scale", stage.port, seconds, RATE, f"v4l2mqtt/{AGENT}", 1)
        peer.line(lambda line: line == "began", within=60)
        before = _counted(counter, disk, device)
        peer.line(lambda line: line.startswith("sent "), within=seconds + 60)
        after = _counted(counter, disk, device)
        return Cost(*(late - early for late, early in zip(after, before)))


def _mount(stage):
    """Makes a file system. Returns where it is mounted, and the statistics of its device."""
    image, disk = stage.folder / "disk.img", stage.folder / "disk"
    with open(image, "wb") as file:
        file.truncate(SIZE)
    disk.mkdir()
    # Without the initialization that the kernel would do in the background, and would be counted.
    _do("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
    device = _do("losetup", "--find", "--show", image).strip()
    stage.callback(subprocess.run, ["losetup", "--detach", device], check=False)
    _do("mount", device, disk)
    stage.callback(subprocess.run, ["umount", "--lazy", disk], check=False)
    return disk, pathlib.Path("/sys/block") / pathlib.Path(device).name / "stat"


def _wait_until_quiet(counter, device):
    """Waits until the start has written everything: the topics of a thousand cameras take a while."""
    deadline, before = time.monotonic() + 180, None
    while (now := (counter.read_bytes(), device.read_text().split()[6])) != before:
        if time.monotonic() > deadline:
            raise Unable("the disk is still written three minutes after the start")
        before = now
        time.sleep(8)  # the file system writes its own journal every five seconds


def _counted(counter, disk, device):
    """Calls, bytes and flushes so far (Documentation/block/stat.rst)."""
    calls = int.from_bytes(counter.read_bytes(), "little")
    _do("sync", "--file-system", disk)
    fields = [int(field) for field in device.read_text().split()]
    return calls, fields[6] * SECTOR, fields[15]


def _do(*command):
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except FileNotFoundError:
        raise Unable(f"{command[0]} is missing") from None
    if done.returncode != 0:
        raise Unable(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout
