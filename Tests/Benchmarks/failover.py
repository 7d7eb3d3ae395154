"""How long an agent is away when its node of a cluster is killed: from the kill to `online` at the other one.

Two ejabberd nodes (`Tests/Fleet/cluster`); the agent is at the first one, its clients and the subscriber at
the second one. Between both, the agent's list of hosts has one that refuses connections, drops packets, or
accepts and never answers.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import workshop
from figures import Figure, median
from stage import LIMITS, Process

ROUNDS = 5
#: `mqtt.connect_timeout_s`, and what may be added to it, in seconds.
CONNECT_TIMEOUT, MARGIN = 2, 1
#: Delays between attempts grow after connections that were shorter than 5 s.
STABLE = 6
COMMANDS_A_SECOND = 100
NAME, HOST, USER = "failover", "127.0.0.1", "porch"
SUBSCRIBER = "%U %r %t %p"
NOTE = (
    f"{{rounds}} kills (SIGKILL) of the agent's ejabberd node, while {COMMANDS_A_SECOND} commands a second come from a client of "
    "the other node; `mqtt.spread_s` is 0. From the kill to `online` at a subscriber of the other node, all on this machine: "
    "the network adds its own times, and a node whose machine loses its power is only noticed after up to twice "
    "`mqtt.keepalive_s`.")

SETTINGS = """\
agent: {name}
mqtt:
  hosts: [{hosts}]
  connect_timeout_s: {timeout}
  username: {user}
  password_file: {folder}/password
state_file: {folder}/state.json
captures: {{ directory: {folder}/captures }}
""" + LIMITS.replace("{", "{{").replace("}", "}}") + """\
cameras:
  - {{ id: door, source: simulated }}
"""


def figures(program, rounds=ROUNDS):
    workshop.FOLDER.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as opened:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="failover-", dir=workshop.FOLDER))
        opened.callback(shutil.rmtree, folder, ignore_errors=True)
        (folder / "password").write_text("any\n")
        (folder / "password").chmod(0o600)
        cluster = opened.enter_context(contextlib.closing(Cluster(folder)))
        note = NOTE.format(rounds=rounds)
        return [
            figure
            for name, obstacle, limit in (
                ("refuses connections", _refusing, MARGIN),
                ("drops packets", _dropping, CONNECT_TIMEOUT + MARGIN),
                ("accepts and never answers", _silent, CONNECT_TIMEOUT + MARGIN))
            for figure in _figures(name, [_round(program, cluster, folder, obstacle) for _ in range(rounds)], limit, note)]


def _figures(name, times, limit, note):
    title = f"node killed, the next host {name}"
    yield Figure(f"{title}: online at the other node, median", median(times), None, "ms", "", note=note)
    yield Figure(f"{title}: online at the other node, most", max(times), None, "ms", "", most_ours=limit * 1000, note=note)


class Cluster:
    """Two nodes, run by `Tests/Fleet/cluster`."""

    def __init__(self, folder):
        script = workshop.PROJECT / "Tests/Fleet/cluster"
        with open(folder / "cluster.log", "wb") as errors:
            self._child = subprocess.Popen(
                [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self._errors = folder / "cluster.log"
        self.ports, self.processes = {}, {}
        for _ in range(2):
            self._report()

    def _report(self):
        line = self._child.stdout.readline()
        if not line:
            raise workshop.Unable(
                f"the cluster does not start: {self._errors.read_text()[-500:]}\nsudo apt-get install ejabberd")
        number, place, *rest = line.split()
        self.ports[int(number)] = int(place.rpartition(":")[2])
        self.processes[int(number)] = int(rest[1]) if rest[0] == "pid" else None

    def kill(self, number) -> float:
        """Kills a node. Returns the time of that, in seconds since 1970."""
        when = time.time()
        os.kill(self.processes[number], signal.SIGKILL)
        return when

    def start(self, number):
        """Starts a node that was killed."""
        for act in ("kill", "start"):
            self._child.stdin.write(f"{act} {number}\n")
            self._child.stdin.flush()
            self._report()

    def close(self):
        self._child.terminate()
        self._child.wait(30)


def _round(program, cluster, folder, obstacle):
    """The time from the kill to `online`, in ms."""
    client = ["-u", USER, "-P", "any", "-p", str(cluster.ports[2]), "-V", "5"]
    with contextlib.ExitStack() as opened:
        port = opened.enter_context(obstacle())
        hosts = ", ".join(f'"{HOST}:{each}"' for each in (cluster.ports[1], port, cluster.ports[2]))
        file = folder / "agent.yaml"
        file.write_text(SETTINGS.format(name=NAME, hosts=hosts, timeout=CONNECT_TIMEOUT, user=USER, folder=folder))
        subscriber = _process(
            opened, folder, "subscriber", workshop.needed("mosquitto_sub", "sudo apt-get install mosquitto-clients"), *client,
            "-t", f"v4l2mqtt/{NAME}/availability", "-t", f"v4l2mqtt/{NAME}/door/zoom/reply", "-F", SUBSCRIBER)
        agent = _process(opened, folder, "agent", program, "run", "--config", file)
        # An earlier agent's message may be retained.
        _online(subscriber)
        opened.enter_context(_load(client))
        subscriber.line(lambda line: "/reply" in line, within=60)
        time.sleep(STABLE)
        killed = cluster.kill(1)
        time_online = _online(subscriber, after=killed)
        subscriber.line(lambda line: "/reply" in line, within=60)
        agent.kill()
    cluster.start(1)
    return (time_online - killed) * 1000


def _process(opened, folder, name, *command):
    process = Process(command, folder, name)
    opened.callback(process.kill)
    return process


def _online(subscriber, after=0.0):
    """When the agent was online for the subscriber, in seconds since 1970."""
    def wanted(line):
        when, retained, topic, payload = line.split(" ", 3)
        return topic.endswith("availability") and '"online"' in payload and retained == "0" and float(when) > after
    return float(subscriber.line(wanted, within=60).split()[0])


@contextlib.contextmanager
def _load(client):
    """Commands that flow. A new connection for each second: when a node ends, ejabberd also disconnects
    clients of other nodes that publish to it, and `mosquitto_pub` does not return."""
    command = ["mosquitto_pub", *client, "-t", f"v4l2mqtt/{NAME}/door/zoom/set", "-l"]
    ended = threading.Event()

    def send():
        while not ended.is_set():
            with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as sender:
                with contextlib.suppress(BrokenPipeError):
                    for number in range(COMMANDS_A_SECOND):
                        if not ended.wait(1 / COMMANDS_A_SECOND):
                            sender.stdin.write(f"{1 + number % 64 / 64}\n")
                            sender.stdin.flush()
                sender.kill()

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def _refusing():
    with socket.socket() as found:
        # Bound and not listening: nobody else can have the port.
        found.bind((HOST, 0))
        yield found.getsockname()[1]


@contextlib.contextmanager
def _silent():
    with socket.create_server((HOST, 0)) as listener:
        yield listener.getsockname()[1]


@contextlib.contextmanager
def _dropping():
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        listener.listen(0)
        # One connection fills the queue: the kernel drops all packets of further ones.
        with socket.create_connection(listener.getsockname()):
            yield listener.getsockname()[1]
