"""QEMU's monitor protocol (QMP): commands to the emulator itself, not to what runs in it."""

import json
import socket
import time
from pathlib import Path


class Monitor:
    def __init__(self, path: Path, timeout: float):
        """`timeout`: seconds, of the connection and of each answer."""
        deadline = time.monotonic() + timeout
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        while self._socket.connect_ex(str(path)):
            assert time.monotonic() < deadline, f"QEMU does not listen at {path}"
            time.sleep(0.01)
        self._lines = self._socket.makefile("r")
        self.run("qmp_capabilities")

    def run(self, command: str, **arguments) -> dict:
        """Returns what the command returns. Fails if QEMU refuses it, or ends."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        for line in self._lines:
            answer = json.loads(line)
            assert "error" not in answer, f"{command}: {answer['error']['desc']}"
            if "return" in answer:
                return answer["return"]
        raise AssertionError(f"QEMU ended before it answered {command}")

    def wait_for(self, command: str, status: str, timeout: float):
        """Repeats a query until its `status` is this one."""
        deadline = time.monotonic() + timeout
        while (found := self.run(command).get("status")) != status:
            assert time.monotonic() < deadline and found != "failed", f"{command}: {found}, not {status}"
            time.sleep(0.02)

    def close(self):
        self._lines.close()
        self._socket.close()
