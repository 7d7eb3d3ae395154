"""A machine with the kernel's real camera drivers, under QEMU's emulation; no hardware and no rights are
needed for it."""

import fcntl
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from broker import HOST, free_port
from guest_image import Made
from qemu_monitor import Monitor
from virtual_disk import VirtualDisk
from waiting import TIMEOUT

_CHANNEL, _MQTT = 7000, 1883
_KERNEL_WORDS = " ".join((
    "console=ttyS0 rdinit=/init loglevel=6 random.trust_cpu=on",
    "panic=-1 oops=panic",  # with -no-reboot: QEMU ends
    # on a busy host it would measure its clocks wrong
    "tsc=unstable clocksource=hpet lpj=4000000 no_timer_check",
    "mitigations=off audit=0 cryptomgr.notests 8250.nr_uarts=1"))  # a faster boot


class GuestDied(AssertionError):
    """The guest panicked, hung or never started; has the end of its console."""


@dataclass(frozen=True)
class Result:
    status: int
    raw: bytes

    @property
    def output(self) -> str:
        return self.raw.decode(errors="replace")


class Guest:
    """One guest. Its folder `share` is the guest's `/share`; both see what the other writes there
    immediately.

    Its ports are of the host's loopback: `mqtt_port` leads to port 1883 of the guest. A `disk` is its
    `/dev/vda`.
    """

    #: Seconds from the start of QEMU until the guest takes commands, at most.
    boot_time = 120.0
    #: Whether the next guest of the kind begins where the first one has booted.
    is_kept = True
    #: Further ports of the guest that ports of the host lead to: see `ports`.
    forwarded: tuple[int, ...] = ()

    def __init__(self, made: Made, folder: Path, *, memory=384, processors=1, disk: VirtualDisk | None = None):
        # In memory: synchronized writes of the agent return immediately, however busy the host's disk is.
        self._memory = tempfile.TemporaryDirectory(prefix="v4l2mqtt-guest-", dir="/dev/shm")
        self.share, self._monitor_path = Path(self._memory.name, "share"), Path(self._memory.name, "monitor")
        self.share.mkdir()
        self.console_file = folder / "console.log"
        folder.mkdir(parents=True, exist_ok=True)
        self.mqtt_port, self._channel_port = free_port(), free_port()
        #: The ports of the host, by the port of the guest.
        self.ports = {port: free_port() for port in self.forwarded}
        self._console = open(self.console_file, "wb")
        machine = f"{memory}-{processors}{'-disk' if disk else ''}"
        command = [*self._command(made, memory, processors), *self._with_disk(disk)]
        if self.is_kept:
            self._begin(command, made.booted(machine))
            self.check(f"date -s @{time.time():.0f} && mount_folders")
        else:
            self._boot(command)

    def _boot(self, command: list[str]):
        self._qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._console, stderr=subprocess.STDOUT)
        try:
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise

    def _begin(self, command: list[str], booted: Path):
        """Boots, and keeps the machine as it is then in the file `booted`; the next one begins there."""
        with open(booted.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            is_kept = booted.exists()
            incoming = ["-incoming", f"exec:cat {shlex.quote(str(booted))}"] if is_kept else []
            self._qemu = subprocess.Popen(
                [*command, *incoming], stdin=subprocess.DEVNULL, stdout=self._console, stderr=subprocess.STDOUT)
            try:
                with closing(Monitor(self._monitor_path, self.boot_time)) as monitor:
                    if not is_kept:
                        self._wait_until_ready()
                        self._keep(booted, monitor)
                    monitor.wait_for("query-status", "running", self.boot_time)
            except BaseException:
                self.close()
                raise

    def _keep(self, booted: Path, monitor: Monitor):
        partial = booted.with_suffix(".partial")
        monitor.run("migrate", uri=f"exec:cat >{shlex.quote(str(partial))}")
        monitor.wait_for("query-migrate", "completed", self.boot_time)
        partial.rename(booted)
        monitor.run("cont")

    def _command(self, made: Made, memory: int, processors: int):
        ports = ((self._channel_port, _CHANNEL), (self.mqtt_port, _MQTT), *((here, there) for there, here in self.ports.items()))
        forwards = "".join(f",hostfwd=tcp:{HOST}:{here}-10.0.2.15:{there}" for here, there in ports)
        yield from ("setpriv", "--pdeathsig", "KILL")  # no guest outlives its test, even when that is killed
        # TCG by name: /dev/kvm may answer and still not boot a stock kernel.
        yield from ("qemu-system-x86_64", "-M", "pc", "-accel", "tcg,thread=single", "-cpu", "max")
        # The guest's clock is the number of its instructions, 8 ns each, and that of the host only while the
        # guest waits: on a busy host the guest's time goes slower, so that no program in it is late for its
        # own timers.
        yield from ("-icount", "shift=3,sleep=on,align=off")
        yield from ("-m", str(memory), "-smp", str(processors), "-nodefaults", "-no-user-config", "-display", "none")
        yield from ("-no-reboot", "-serial", "stdio")
        yield from ("-kernel", made.kernel, "-initrd", made.initramfs, "-append", _KERNEL_WORDS)
        yield from ("-qmp", f"unix:{self._monitor_path},server=on,wait=off")
        yield from ("-netdev", f"user,id=net,restrict=on,ipv6=off{forwards}")
        yield from ("-device", "virtio-net-pci,netdev=net,romfile=")
        for tag, path, mode in (("share", self.share, ""), ("programs", made.programs, ",readonly=on")):
            yield from ("-virtfs", f"local,path={path},mount_tag={tag},security_model=none,multidevs=remap{mode}")

    def _with_disk(self, disk: VirtualDisk | None):
        if disk:
            yield from ("-blockdev", f"driver=nbd,node-name=disk,server.type=unix,server.path={disk.path}")
            yield from ("-device", "virtio-blk-pci,drive=disk")

    def _wait_until_ready(self):
        deadline = time.monotonic() + self.boot_time
        while b"channel: ready" not in self.console_file.read_bytes():
            self._assert_running()
            if time.monotonic() > deadline:
                raise GuestDied(f"the guest was not ready after {self.boot_time:g} s{self._tail()}")
            time.sleep(0.02)

    def close(self):
        if self._qemu.poll() is None:
            self._qemu.kill()
        self._qemu.wait(10)
        self._console.close()
        self._memory.cleanup()

    # What goes wrong

    @property
    def console(self) -> str:
        return self.console_file.read_text(errors="replace")

    def _tail(self) -> str:
        return f"; the end of its console:\n{self.console[-6000:]}"

    def _assert_running(self, timeout=0.0):
        """`timeout`: seconds for a guest that is just about to end."""
        try:
            code = self._qemu.wait(timeout)
        except subprocess.TimeoutExpired:
            return
        raise GuestDied(f"the guest ended: QEMU's exit code is {code}{self._tail()}")

    def log_tails(self) -> str:
        """The ends of all logs that can still be read, for the report of a failed test."""
        command = "cd /run; tail -n 40 job/*.log camera/*.log; dmesg | tail -n 60"
        logs = self._request(command, 5) if self._qemu.poll() is None else None
        return (logs.output if logs else "") + self._tail()

    # Commands

    def run(self, command: str, timeout=TIMEOUT) -> Result:
        """Runs a shell command to its end, with both its streams as the output.

        After `timeout` seconds the command is killed and the test fails; with the console, if the guest
        answers nothing.
        """
        self._assert_running()
        answer = self._request(command, timeout)
        if answer is None:
            self._assert_running(timeout=1)
            if self._request("true", TIMEOUT) is None:
                raise GuestDied(f"the guest hangs{self._tail()}")
            raise AssertionError(f"the guest is well, but this has no end after {timeout:g} s: {command}")
        return answer

    def _request(self, command: str, timeout: float) -> Result | None:
        deadline = time.monotonic() + timeout
        parts = []
        try:
            with socket.create_connection((HOST, self._channel_port), timeout) as connection:
                connection.sendall(command.encode() + b"\0")
                while part := connection.recv(1 << 16):
                    parts.append(part)
                    connection.settimeout(max(deadline - time.monotonic(), 0.001))
        except OSError:
            return None
        output, end, status = b"".join(parts).rpartition(b"\0")
        return Result(int(status), output) if end and status else None

    def check(self, command: str, timeout=TIMEOUT) -> str:
        """What the command prints; the test fails when it fails."""
        result = self.run(command, timeout)
        assert result.status == 0, f"{command} ended with {result.status}:\n{result.output}"
        return result.output

    def sleep(self, seconds: float):
        """By the guest's clock, which goes slower than the host's when that is busy."""
        self.check(f"usleep {seconds * 1e6:.0f}", seconds + 4 * TIMEOUT)

    # Processes that stay

    def start(self, name: str, *argv):
        """Starts a process in the background; its log goes on over all its starts."""
        self.check(f"background {shlex.quote(name)} {shlex.join(map(str, argv))}")

    def kill(self, name: str, number=signal.SIGKILL):
        self.check(f"kill -{int(number)} $(cat /run/job/{name}.pid)")

    def ending(self, name: str) -> int | None:
        """The exit status of a process that is over (128 and the signal's number, if one ended it); None
        while it runs."""
        text = self.run(f"cat /run/job/{name}.status 2>/dev/null").output
        return int(text) if text else None

    def ended(self, name: str, timeout=TIMEOUT) -> int:
        """Waits for its end, and returns the exit status."""
        self.wait_for(f"/run/job/{name}.status", timeout=timeout)
        return self.ending(name)

    def log(self, name: str) -> str:
        return self.run(f"cat /run/job/{name}.log").output

    # Devices and files

    def load(self, module: str, **parameters):
        words = " ".join(f"{name}={value}" for name, value in parameters.items())
        self.check(f"modprobe {module} {words}")

    def wait_for(self, path: str, *, there=True, timeout=TIMEOUT):
        """Waits until there is such a file, or until there isn't any more."""
        negation = "!" if there else ""
        self.check(f"while [ {negation} -e {path} ]; do usleep 10000; done", timeout)

    def read(self, path: str) -> bytes:
        result = self.run(f"cat {path}")
        assert result.status == 0, result.output
        return result.raw

    def write(self, path: str, content: str):
        self.check(f"printf %s {shlex.quote(content)} >{path}")

    def clock(self) -> int:
        """The guest's CLOCK_MONOTONIC in nanoseconds: the clock of V4L2's buffers and of the cameras'
        logs."""
        return int(self.check("grep -m 1 'now at' /proc/timer_list").split()[2])

    def wall_time(self, clock: int) -> datetime:
        """The time of a message that an agent in the guest would have written at this moment of `clock()`."""
        # Index 1 is CLOCK_REALTIME; the offset is that to CLOCK_MONOTONIC.
        found = re.search(r"\.index: +1\n(?:.*\n)*? +\.offset: +(\d+) nsecs", self.check("cat /proc/timer_list"))
        return datetime.fromtimestamp((clock + int(found[1])) / 1e9, timezone.utc)

    def seconds_until(self, message: dict, clock: int) -> float:
        """From a moment of `clock()` to the time at which an agent in the guest wrote a message, both by the
        guest's clock: what the host was busy with after that doesn't count."""
        return (datetime.fromisoformat(message["ts"]) - self.wall_time(clock)).total_seconds()

    def video_nodes(self) -> dict[str, str]:
        """The names of all video nodes, by path."""
        lines = self.run("cd /sys/class/video4linux 2>/dev/null && grep -H . */name").output.splitlines()
        return {f"/dev/{line.split('/')[0]}": line.split(":", 1)[1] for line in lines}
