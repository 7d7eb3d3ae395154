"""A program on a terminal of its own."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

from waiting import TIMEOUT


class Terminal:
    """Runs a command, which has the terminal as its own, and keeps what it writes there."""

    def __init__(self, command: list[str], columns=100, rows=24, **environment):
        self._ours, self.terminal = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.terminal)
        self._written, self._changed = "", threading.Condition()
        self.process = subprocess.Popen(
            command, stdin=self.terminal, stdout=self.terminal, stderr=self.terminal,
            env={**os.environ, "TERM": "xterm-256color", **environment}, preexec_fn=self._start_session)
        threading.Thread(target=self._listen, daemon=True).start()

    @staticmethod
    def _start_session():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def _listen(self):
        pending = b""
        while True:
            try:
                pending += os.read(self._ours, 65536)
            except OSError:
                return
            with self._changed:
                self._written += pending.decode(errors="replace")
                pending = b""
                self._changed.notify_all()

    @property
    def written(self) -> str:
        with self._changed:
            return self._written

    def press(self, keys: str):
        os.write(self._ours, keys.encode())

    def resize(self, columns: int, rows: int):
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(TIMEOUT)
        os.close(self.terminal)


#: A shell that reads no files of its user's.
SHELL = ["bash", "--norc", "--noprofile", "-i"]
