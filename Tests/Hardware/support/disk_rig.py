"""An agent in the guest whose state is on a disk that can hang, and that loses its cache in a power cut."""

import copy
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from agent import Agent
from loaded_agent import CAMERAS, LoadedAgent
from broker import Broker
from controller import Controller
from cut_judge import Judge, version_in
from guest import Guest
from guest_agent import GuestAgent
from guest_broker import GuestBroker
from movie_file import SMALL
from power_cuts import Cut
from promises import is_same
from state_file import state_in
from virtual_disk import Timeline, VirtualDisk

#: Bytes of the disk.
SIZE = 12 << 20


class Machine:
    """A guest with a disk, `/disk`; the state's folder is `/disk/state`."""

    def __init__(self, made, folder: Path):
        self.timeline = Timeline()
        self.disk = VirtualDisk(_formatted(folder), folder / "disk", self.timeline)
        self.guest = Guest(made, folder, disk=self.disk)
        # The file system looks for the checksum's module only as an alias, which busybox doesn't know.
        self.guest.check("modprobe virtio_blk && modprobe crc32c_generic && modprobe ext4 && mkdir /disk")
        self.guest.wait_for("/dev/vda")
        self.mount()
        self.guest.check("mkdir /disk/state")
        self.unmount()
        self.empty = self.disk.contents

    def close(self):
        self.guest.close()
        self.disk.close()

    def mount(self, *, is_written_back=False):
        """Without `is_written_back`, the kernel leaves it to the agent what is synced, and when."""
        delay = 1 if is_written_back else 30_000
        self.guest.check(
            f"cd /proc/sys/vm && echo {delay} >dirty_expire_centisecs && "
            f"echo {1 if is_written_back else 0} >dirty_writeback_centisecs && "
            f"mount -t ext4 -o commit={1 if is_written_back else 300} /dev/vda /disk")

    def unmount(self):
        self.guest.check("umount /disk")

    def folder_on(self, contents: bytes, name: str) -> Path:
        """The state's folder on a disk with these contents: the kernel replays the file system's journal."""
        self.disk.power_on(contents)
        self.guest.check(
            f"dmesg -c >/dev/null; mount -t ext4 /dev/vda /disk && cp -r /disk/state /share/{name} && umount /disk && "
            "! dmesg | grep 'EXT4-fs error'")
        return self.guest.share / name


def _formatted(folder: Path) -> bytes:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "formatted"
    with open(file, "wb") as disk:
        disk.truncate(SIZE)
    subprocess.run(
        ["mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", file], check=True,
        env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})
    return file.read_bytes()


class AgentOnDisk(GuestAgent):
    """Its state is on the machine's disk."""

    _asked = 0.0
    is_launched = False

    def launch(self, *arguments: str):
        self.is_launched = True
        return super().launch(*arguments)

    def ending(self):
        """Asked at most once a second: the load asks with each answer, and each time costs the guest a
        process."""
        if time.monotonic() - self._asked < 1:
            return None
        self._asked = time.monotonic()
        return super().ending()

    def cut_power(self, disk: VirtualDisk):
        """Returns when. The disk answers nothing after the cut, so the agent can't take its writes for
        done."""
        disk.hang()
        moment = disk.cut()
        self.signal(signal.SIGKILL)
        # The kernel keeps the process until its writes return.
        disk.recover()
        self.exit_code()
        return moment


class Rig:
    """A machine with an empty disk that is mounted, an agent, and a load of controllers."""

    def __init__(self, machine: Machine, seed: int):
        self.machine, self.disk, self.guest = machine, machine.disk, machine.guest
        shutil.rmtree(self.guest.share / "porch", ignore_errors=True)
        self.disk.power_on(machine.empty)
        self.judge = Judge(machine.timeline)
        self.broker = GuestBroker(self.guest).start()
        self.agent = AgentOnDisk(
            self.guest, self.broker, cameras=[camera(name) for name in CAMERAS],
            state_file="/disk/state/state.json", limits={"commands_per_second": 1_000_000, "photos_per_minute": 100_000},
            zoom={"gesture_timeout_ms": 60_000})  # no gesture ends because the machine is busy
        self.loaded = LoadedAgent(
            self.broker, self.agent, random.Random(seed), ledger=self.judge.ledger, seen=self.judge.seen)
        self._runs = 0

    def close(self):
        self.loaded.close()
        self.disk.recover()
        if self.agent.is_launched and self.guest.ending("agent-porch") is None:
            self.guest.kill("agent-porch")
            self.guest.ended("agent-porch")
        self.broker.stop()
        self.guest.run("umount /disk")

    def launch(self, is_synced: bool):
        self._runs += 1
        self.loaded.configure(f"run-{self._runs}", is_synced=is_synced)
        self.judge.begins(is_synced)
        self.agent.launch()

    def start(self, is_synced: bool) -> int:
        """Returns the boot, after what was restored was compared with what was answered."""
        before = self.judge.boots.until(self.machine.timeline.next())
        self.launch(is_synced)
        boot = self.loaded.restarted(f"run-{self._runs}")
        assert boot > before
        return boot


def camera(name: str) -> dict:
    simulated = {"optical_max": 2, "lens_speed": 0, **SMALL["simulated"]}
    return copy.deepcopy({"id": name, "source": "simulated", "simulated": simulated})


class Restarts:
    """Starts an agent on what a cut left, outside of the guest."""

    def __init__(self, folder: Path, judge: Judge):
        self._judge, self.count = judge, 0
        self._broker = Broker(folder / "broker").start()
        self._agent = Agent(self._broker, folder / "restarts")
        self._agent.configure({**self._agent.configuration, "cameras": [camera(name) for name in CAMERAS]})
        self._watcher = Controller(self._broker)

    def close(self):
        self._watcher.close()
        self._broker.stop()

    def check(self, folder: Path, cut: Cut, state: dict):
        """The agent takes the state as it is, and continues its numbers."""
        self.count += 1
        self._agent.configure({**self._agent.configuration, "state_file": str(folder / "state.json")})
        since = self._watcher.mark()
        self._agent.launch()
        try:
            for name in CAMERAS:
                self._check_camera(name, cut, state, since)
        finally:
            self._agent.kill()
        # All that it has sent comes before its will, and not during the next check.
        self._watcher.inbox.wait_for(
            "v4l2mqtt/porch/availability", lambda message: message.json["state"] == "offline", since=since)
        assert "damaged" not in self._agent.log, self._agent.log
        state_in(folder / "state.json")

    def _check_camera(self, name: str, cut: Cut, state: dict, since: int):
        def published(node: str, wanted=lambda state: True):
            return self._watcher.inbox.wait_for(
                f"v4l2mqtt/porch/{name}/{node}", lambda message: wanted(message.json), since=since,
                give_up=self._agent.ending).json

        published("availability", lambda availability: availability["state"] == "online")
        zoom, saved = published("zoom"), state["cameras"].get(name, {})
        # A slot that is torn may have been the start of a run.
        assert zoom["boot"] - state["boot"] in (1, 2) and zoom["boot"] > self._judge.boots.until(cut.at)
        assert zoom["rev"] > self._judge.revs[name].until(cut.at)
        assert is_same(zoom["factor"], saved.get("factor", 1.0)), (zoom, saved)
        presets = published("presets")
        assert presets["presets"].keys() == saved.get("presets", {}).keys(), (presets, zoom)
        controls, wanted = published("controls"), saved.get("controls", {})
        assert {name: controls["values"][name] for name in wanted} == wanted, (controls, zoom)
        if name == "hall" and version_in(state):
            assert published("desired")["version"] == version_in(state)
