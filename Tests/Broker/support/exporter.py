"""The metrics of `v4l2mqtt-console metrics`, a process without a page."""

import re
import signal
import subprocess
import urllib.request
from pathlib import Path

from broker import HOST, free_port
from console import PROGRAM
from waiting import TIMEOUT, eventually


class Exporter:
    """One exporter, which keeps its port over stop and start."""

    def __init__(self, broker, folder: Path, *options: str):
        self._log, self.port = folder / "exporter.log", free_port()
        self._command = [
            PROGRAM, "metrics", "--listen", f"{HOST}:{self.port}", "--port", str(broker.port), *options]
        self.process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/metrics"

    def start(self):
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(lambda: f"{self.address}\n" in self.log, "the exporter's address")
        return self

    @property
    def log(self) -> str:
        """What the process wrote, over all its starts."""
        return self._log.read_text()

    def stop(self, by=signal.SIGTERM) -> int:
        self.process.send_signal(by)
        return self.process.wait(TIMEOUT)

    def text(self) -> str:
        with urllib.request.urlopen(self.address, timeout=TIMEOUT) as response:
            assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            return response.read().decode()

    def samples(self) -> dict[str, float]:
        """The values by metric and labels, as they are written."""
        lines = (line for line in self.text().splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in (re.fullmatch(r"(.*) (\S+)", line).groups() for line in lines)}

    def eventually(self, sample: str, value: float):
        eventually(lambda: self.samples().get(sample) == value, f"{sample} {value}")
