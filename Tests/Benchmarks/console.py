"""What the console costs beside the broker: the additional hop of a command, pictures for many viewers, a
viewer that does not read, a slow network, and memory."""
import collections
import contextlib
import datetime
import os
import pathlib
import selectors
import socket
import statistics
import threading
import time

import workshop
from figures import Figure, median
from page_socket import PageSocket
from stage import AGENT, SETTINGS, Stage, memory, online

CAMERA = """\
  - id: door
    source: simulated
    zoom: {{ min: 1, max: 8 }}
    simulated: {{ width: 1280, height: 720, fps: 30 }}
"""
NAME = f"{AGENT}/door"
VIEWERS = 32
RATE = 30
SAMPLES = 400
#: In seconds, between two commands: a page sends at most 300 messages a second.
PAUSE = 0.01
#: Of the slow network: bytes in a second, and seconds that are measured.
LINK = 3_000_000 // 8
LINK_SECONDS = 12
NOTE = (
    "The console with a simulated camera of 1280×720 at 30 frames a second; pages are sockets without a browser on the same "
    "machine, which report each picture as drawn when it has come. ")


def figures(program, console):
    with Stage(program) as stage:
        (stage.folder / "agent.yaml").write_text(
            (SETTINGS + CAMERA).format(agent=AGENT, port=stage.port, folder=stage.folder))
        tap = stage.tap(None, "v4l2mqtt/+/availability")
        online(tap, AGENT, stage.agent())
        port = free_port()
        served = stage.run(
            "console", console, "serve", "--listen", f"127.0.0.1:{port}", "--port", str(stage.port), "--state-dir",
            stage.folder / "console")
        served.line(lambda line: line.startswith("http"))
        time.sleep(3)
        found = [Figure("console: memory, idle", memory(served.pid)["VmRSS"] / 1e6, None, "MB", "", most_ours=18, note=NOTE)]
        found.append(hop(stage, port))
        found += viewers(stage, port, served)
        found.append(stalled(port, served))
        found.append(slow_link(port))
    return found


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def page(port, **options):
    """A page that is admitted and knows the camera."""
    made = PageSocket(port, **options)
    while NAME not in made.next().get("cameras", {}):
        pass
    return made


def hop(stage, port):
    """From a command to the new state: by the console, and by the broker alone; in turns."""
    ours = page(port)
    ours.send({"open": [NAME]})
    direct = Direct(stage.port)
    times = {"console": [], "broker": []}
    for number in range(SAMPLES):
        factor = 1 + number % 700 / 100
        # A command that follows another one at once finds all processors awake and their caches filled.
        time.sleep(PAUSE)
        command = {"id": str(number), "camera": NAME, "node": "zoom", "payload": {"factor": factor}}
        times["console"].append(ours.time_until(b'"factor":%.6g,' % factor, {"command": command}))
        factor += 0.005
        time.sleep(PAUSE)
        times["broker"].append(direct.zoom(factor))
    ours.close()
    direct.close()
    rest = max(0, (median(times["console"]) - median(times["broker"])) / 1e6)
    note = NOTE + (
        f"{SAMPLES} commands each, in turns: {median(times['console']) / 1e6:.2f} ms by the console and "
        f"{median(times['broker']) / 1e6:.2f} ms by a client of the broker. Both clients only search the bytes that come.")
    return Figure("console: the additional hop, command → state, median", rest, None, "ms", "", most_ours=0.4, note=note)


class Direct:
    """A client of the broker that does the least: MQTT 3.1.1 on a socket."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        name = b"direct"
        self._socket.sendall(bytes([0x10, 12 + len(name), 0, 4]) + b"MQTT\x04\x02\x00\x3c" + bytes([0, len(name)]) + name)
        topic = f"v4l2mqtt/{NAME}/zoom".encode()
        self._socket.sendall(bytes([0x82, 5 + len(topic), 0, 1, 0, len(topic)]) + topic + b"\x00")
        time.sleep(0.5)
        self._socket.recv(1 << 16)

    def zoom(self, factor):
        """Nanoseconds from a command to its state."""
        topic, payload = f"v4l2mqtt/{NAME}/zoom/set".encode(), b'{"factor": %.6g}' % factor
        before = time.monotonic_ns()
        rest = b"\x00" + bytes([len(topic)]) + topic + payload
        self._socket.sendall(bytes([0x30, len(rest)]) + rest)
        data = b""
        while b'"factor":%.6g,' % factor not in data:
            data += self._socket.recv(1 << 16)
        return time.monotonic_ns() - before

    def close(self):
        self._socket.close()


def watch(made, rate=RATE, width=640):
    made.send({"watch": [{"camera": NAME, "width": width, "fps": rate}]})


def viewers(stage, port, served, seconds=10):
    """Processor time for many viewers, and that of a C program that only writes the frames."""
    # One address has fewer pages than that; addresses of loopback are many.
    pages = [Viewer(page_from(port, f"127.0.0.{number // 8 + 2}")) for number in range(VIEWERS)]
    for viewer in pages:
        watch(viewer.page)
    with Readers(pages):
        time.sleep(3)
        before, counts = processor_time(served.pid), [viewer.count for viewer in pages]
        time.sleep(seconds)
        ours = processor_time(served.pid) - before
        frames = sum(viewer.count for viewer in pages) - sum(counts)
    # The lease stays for the peer as long as a page watches.
    for viewer in pages[1:]:
        viewer.page.close()
    peer_port = free_port()
    peer = stage.run("viewers", workshop.peer("viewers"), stage.port, peer_port, f"v4l2mqtt/{NAME}/preview/live")
    peer.line(lambda line: line == "ready")
    sinks = [socket.create_connection(("127.0.0.1", peer_port)) for _ in range(VIEWERS)]
    with Readers([pages[0]] + [Sink(sink) for sink in sinks]):
        time.sleep(2)
        before = processor_time(peer.pid)
        time.sleep(seconds)
        theirs = processor_time(peer.pid) - before
    peer.end()
    pages[0].page.close()
    rate = frames / seconds / VIEWERS
    note = NOTE + (
        f"{rate:.1f} pictures a second for each of {VIEWERS} viewers, 640 pixels wide. The peer writes the same frames "
        "to as many sockets, and reads nothing from them.")
    return [
        Figure(
            f"console: {VIEWERS} viewers at {RATE} fps, processor time", ours / seconds * 100, theirs / seconds * 100,
            "% of a core", "C, libmosquitto and writev", most_ours=5, note=note)]


def page_from(port, address):
    """A page whose connection comes from an address of loopback."""
    plain = socket.create_connection
    socket.create_connection = lambda where, timeout: plain(where, timeout, (address, 0))
    try:
        return page(port)
    finally:
        socket.create_connection = plain


def processor_time(pid):
    """In seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Viewer:
    def __init__(self, made):
        self.page, self.count = made, 0

    def fileno(self):
        return self.page.fileno()

    def read(self):
        self.count += sum("number" in message for message in self.page.take())


class Sink:
    def __init__(self, connection):
        self._connection = connection

    def fileno(self):
        return self._connection.fileno()

    def read(self):
        self._connection.recv(1 << 20)


class Readers:
    """A thread that reads everything that comes, until its block ends."""

    def __init__(self, sources):
        self._selector, self._ends = selectors.DefaultSelector(), False
        for source in sources:
            self._selector.register(source, selectors.EVENT_READ, source)
        self._thread = threading.Thread(target=self._read)

    def _read(self):
        while not self._ends:
            for key, _ in self._selector.select(0.1):
                key.data.read()

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._ends = True
        self._thread.join()


def stalled(port, served, early=2, late=15):
    """What a viewer that stops reading costs between the second and the fifteenth second."""
    made = page(port, acknowledges=False)
    watch(made, width=1280)
    time.sleep(early)
    before = memory(served.pid)["VmRSS"]
    time.sleep(late - early)
    growth = memory(served.pid)["VmRSS"] - before
    made.close()
    return Figure("console: a viewer that does not read, memory", max(0, growth) / 1e6, None, "MB", "", most_ours=1, note=NOTE)


class SlowLink:
    """A proxy that sends to the page at a rate, and takes everything from the console: a deep buffer."""

    def __init__(self, port):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._buffer, self._changed = collections.deque(), threading.Condition()
        threading.Thread(target=self._run, args=(port,), daemon=True).start()

    def _run(self, port):
        browser, _ = self._listener.accept()
        console = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=self._copy, args=(browser, console), daemon=True).start()
        threading.Thread(target=self._drain, args=(browser,), daemon=True).start()
        while data := console.recv(1 << 16):
            with self._changed:
                self._buffer.append(data)
                self._changed.notify()

    @staticmethod
    def _copy(source, sink):
        while data := source.recv(1 << 16):
            sink.sendall(data)

    def _drain(self, browser):
        with contextlib.suppress(OSError):  # the page is closed
            self._send(browser)

    def _send(self, browser):
        piece = 4096
        due = time.monotonic()
        while True:
            with self._changed:
                while not self._buffer:
                    self._changed.wait()
                data = self._buffer.popleft()
            for start in range(0, len(data), piece):
                part = data[start:start + piece]
                due = max(due, time.monotonic()) + len(part) / LINK
                time.sleep(max(0, due - time.monotonic()))
                browser.sendall(part)


def slow_link(port):
    """The age of pictures that come over a slow network, in milliseconds."""
    made = page(port, through=SlowLink(port).port)
    watch(made, width=960)
    ages, end = [], time.monotonic() + LINK_SECONDS
    while time.monotonic() < end:
        header = made.next()
        if "exposed_at" in header:
            exposed = datetime.datetime.fromisoformat(header["exposed_at"])
            ages.append((datetime.datetime.now(datetime.timezone.utc) - exposed).total_seconds() * 1000)
    made.close()
    ages = ages[len(ages) // 4:]
    note = NOTE + (
        f"960 pixels wide over 3 Mbit/s with a buffer of any size: {len(ages)} pictures in {LINK_SECONDS * 3 / 4:.0f} s; "
        f"90 % are younger than {statistics.quantiles(ages, n=10)[-1]:.0f} ms.")
    return Figure("console: age of a picture over 3 Mbit/s, median", median(ages), None, "ms", "", most_ours=300, note=note)
