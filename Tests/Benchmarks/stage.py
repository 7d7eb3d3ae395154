"""The processes of one benchmark: a broker of its own, the agents and the C peers, all ended when it is
over."""
import contextlib
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import workshop
from workshop import Unable

AGENT = "bench"
PAHO_AGENT = "paho"

BROKER = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
# Nothing is thrown away for a slow subscriber, at QoS 0 neither.
max_queued_messages 0
max_queued_bytes 0
sys_interval 1
log_type error
log_type warning
"""

#: Beyond what any benchmark sends, but for those that call `limit_as_installed()`.
LIMITS = """\
limits:
  commands_per_second: 1000000
  photos_per_minute: 1000000
  total_commands_per_second: 10000000
"""

#: All but the cameras.
SETTINGS = """\
agent: {agent}
mqtt:
  host: 127.0.0.1
  port: {port}
state_file: {folder}/state.json
captures:
  directory: {folder}/captures
""" + LIMITS + """\
cameras:
"""
CONFIGURATION = SETTINGS + """\
  - id: door
    source: simulated
    zoom: {{ min: 1, max: 8 }}
"""


class Process:
    """A child whose standard output is read line by line, with its standard error in a file."""

    def __init__(self, command, folder, name):
        self.name, self.errors = name, folder / f"{name}.log"
        with open(self.errors, "ab") as errors:
            self.started = time.monotonic_ns()
            self._child = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        self.pid = self._child.pid
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._child.stdout:
            self._lines.put(line.decode(errors="replace").rstrip("\n"))
        self._lines.put(None)

    def line(self, wanted=lambda line: True, within=10.0):
        """The next line that is wanted; those before it are dropped."""
        deadline = time.monotonic() + within
        while True:
            try:
                line = self._lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise Unable(f"{self.name}: no such line within {within:g} s\n{self.log_tail()}") from None
            if line is None:
                raise Unable(f"{self.name} ended early\n{self.log_tail()}")
            if wanted(line):
                return line

    def rest(self, within=10.0, codes=(0,)):
        """Waits for its end, with one of the exit codes, and returns all lines that were not read before."""
        try:
            code = self._child.wait(timeout=within)
        except subprocess.TimeoutExpired:
            raise Unable(f"{self.name} did not end within {within:g} s\n{self.log_tail()}") from None
        lines = list(iter(lambda: self._lines.get(timeout=10), None))
        if code not in codes:
            raise Unable(f"{self.name} failed with {code}\n{self.log_tail()}")
        return lines

    def end(self, within=5.0, codes=(0,)):
        """Ends it with SIGTERM, and returns the rest of its output."""
        self._child.send_signal(signal.SIGTERM)
        return self.rest(within, codes)

    def kill(self):
        """Ends it whatever it does; for the way out."""
        if self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(timeout=3)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
        self._child.stdout.close()

    def log_tail(self):
        """The last lines of its standard error."""
        return "\n".join(self.errors.read_text(errors="replace").splitlines()[-10:])


class Stage(contextlib.ExitStack):
    """A folder on the disk of the build, with a broker on a free loopback port."""

    def __init__(self, program, apart=False):
        """`apart`: broker and driver have one processor core, what is measured has another. Otherwise the
        kernel decides anew in each run who shares a core with whom, and that decides more than what is
        measured."""
        super().__init__()
        self._program = program
        cores = sorted(os.sched_getaffinity(0))
        self._cores = {"broker": cores[0], "roundtrip": cores[0], None: cores[1]} if apart and len(cores) > 1 else {}

    def __enter__(self):
        workshop.FOLDER.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=workshop.FOLDER))
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = self.folder / "mosquitto.conf"
        settings.write_text(BROKER.format(port=self.port))
        try:
            broker = self.run("broker", workshop.mosquitto(), "-c", settings)
            self._wait_for(broker)
        except BaseException:
            self.close()
            raise
        return self

    def _wait_for(self, broker):
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise Unable(f"the broker does not listen\n{broker.errors.read_text()}")

    def run(self, name, *command):
        if self._cores:
            command = ("taskset", "--cpu-list", self._cores.get(name, self._cores[None]), *command)
        process = Process(command, self.folder, name)
        self.callback(process.kill)
        return process

    def peer(self, name, *arguments):
        return self.run(name, workshop.peer(name), *arguments)

    def tap(self, counted, *topics):
        """A subscriber that reports what it received, and when; it is subscribed when this returns."""
        tap = self.peer("tap", self.port, counted or "-", *topics)
        tap.line(lambda line: line == "ready")
        return tap

    def limit_as_installed(self):
        """Gives the agent that `agent()` starts, with one camera, the limits of an agent without settings."""
        text = CONFIGURATION.replace(LIMITS, "")
        (self.folder / "agent.yaml").write_text(text.format(agent=AGENT, port=self.port, folder=self.folder))

    def configure_cameras(self, count, folder=None):
        """Writes the configuration of an agent with so many simulated cameras, `c0` and on, for `agent()`.
        Returns its file. The state is kept in `folder`, or in that of the stage."""
        settings = SETTINGS.format(agent=AGENT, port=self.port, folder=folder or self.folder)
        settings += "".join(
            f"  - {{ id: c{number}, source: simulated, zoom: {{ min: 1, max: 8 }} }}\n" for number in range(count))
        file = self.folder / "agent.yaml"
        file.write_text(settings)
        return file

    def agent(self, *under):
        """Starts the agent under test, run by another command if one is given; a Python file as a stand-in
        for it, with the arguments of `paho_agent.py`."""
        if self._program.suffix == ".py":
            return self.run("agent", workshop.python_with_paho(), self._program, self.port, AGENT)
        file = self.folder / "agent.yaml"
        if not file.exists():
            file.write_text(CONFIGURATION.format(agent=AGENT, port=self.port, folder=self.folder))
        return self.run("agent", *under, self._program, "run", "--config", file)

    def paho_agent(self):
        script = workshop.HERE / "peers" / "paho_agent.py"
        return self.run("paho", workshop.python_with_paho(), script, self.port, PAHO_AGENT)


def online(tap, agent, process, within=10.0):
    """Waits until the tap sees the agent, run by the process, come online, and returns when, in
    nanoseconds."""
    topic = re.compile(rf"(\d+) 0 v4l2mqtt/{agent}/availability .*\"online\"")
    try:
        return int(topic.match(tap.line(topic.match, within))[1])
    except Unable:
        raise Unable(f"{agent} did not come online within {within:g} s\n{process.log_tail()}") from None


def memory(pid):
    """What is resident, its high-water mark and the proportional share, in bytes: VmRSS, VmHWM and PSS."""
    status = _kilobytes(f"/proc/{pid}/status")
    share = _kilobytes(f"/proc/{pid}/smaps_rollup")["Pss"]
    return {"VmRSS": status["VmRSS"], "VmHWM": status["VmHWM"], "Pss": share}


def resident(pid):
    return _kilobytes(f"/proc/{pid}/status")["VmRSS"]


def _kilobytes(path):
    found = re.findall(r"^(\w+):\s+(\d+) kB$", pathlib.Path(path).read_text(), re.MULTILINE)
    return {name: int(value) * 1024 for name, value in found}


def forget_high_water_mark(pid):
    """Makes VmHWM begin anew at what is resident now (proc(5), clear_refs)."""
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")


def processor_seconds(pid):
    """User and system time of all its threads, to the kernel's hundredth of a second."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
