"""The console as a process of its own."""

import http.client
import json
import os
import re
import signal
import subprocess
from pathlib import Path

from broker import HOST, free_port
from waiting import TIMEOUT, Logged, eventually

RELEASE = Path(__file__).resolve().parents[3] / ".build/release/v4l2mqtt-console"
#: Its name does not begin with V4L2MQTT_: an agent reads each such variable as a key of its configuration.
PROGRAM = Path(os.environ.get("CONSOLE_PROGRAM", RELEASE))


class Console(Logged):
    """One console, which keeps its port and its tokens over stop, kill and start.

    `options` are further ones of `v4l2mqtt-console serve`. Without an `address`, a console that has tokens
    when it starts listens on all addresses: on loopback alone, this machine would need none.
    """

    def __init__(self, broker, folder: Path, *options: str, address=None):
        self.folder, self.port, self._listen = folder, free_port(), address
        self.state = folder / "tokens"
        self._state = ["--state-dir", str(self.state)]
        self._options = ["--port", str(broker.port), *self._state, *options]
        self.process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def address(self, path="", *, host=HOST) -> str:
        return f"http://{host}:{self.port}/{path}"

    def start(self):
        """Starts the process, and waits until it serves the page and has found the broker."""
        before = len(self.log)
        with open(self.folder / "console.log", "ab") as log:
            self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(lambda: self._is_ready(before), "the console's address and its connection")
        return self

    def has_read(self, query=""):
        """Waits until it has read the cameras of the broker: until then one that is not known may exist."""
        eventually(lambda: self.request("HEAD", f"live/porch/nothing{query}").status == 404, "the list of the cameras")

    @property
    def _command(self) -> list:
        address = self._listen or ("0.0.0.0" if (self.state / "tokens.json").exists() else HOST)
        return [PROGRAM, "serve", "--listen", f"{address}:{self.port}", *self._options]

    def fails(self) -> tuple[int, str]:
        """The exit code and the messages of a start that must fail."""
        done = subprocess.run(self._command, capture_output=True, text=True, timeout=TIMEOUT)
        return done.returncode, done.stderr

    def _is_ready(self, before: int) -> bool:
        assert (code := self.process.poll()) is None, f"the console ended with {code}:\n{self.log}"
        log = self.log[before:]
        return f":{self.port}/" in log and "connected to the broker" in log

    @property
    def log(self) -> str:
        """What the process wrote, over all its starts."""
        file = self.folder / "console.log"
        return file.read_text(errors="replace") if file.exists() else ""

    @property
    def memory(self) -> int:
        """The resident memory of the process, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def token(self, name: str, *options: str) -> str:
        """Makes the token of a device. `options` are those of `v4l2mqtt-console token`."""
        printed = self._run("token", name, *options)
        return printed.split("#t=" if "#t=" in printed else "?token=")[1].split()[0]

    def remove_token(self, name: str):
        self.change_token(name, "--remove")

    def change_token(self, name: str, *options: str):
        """Removes the token of a device, or replaces it by one with other rights."""
        self._run("token", name, *options)

    def _run(self, *arguments: str) -> str:
        command = [PROGRAM, *arguments, *self._state]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout

    def request(self, method: str, path: str, body=None, **headers) -> "Response":
        """One request. `Origin` is the console's own unless the headers have another one; None leaves it
        out."""
        headers = {"Origin": f"http://{HOST}:{self.port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(HOST, self.port, timeout=TIMEOUT)
        try:
            connection.putrequest(method, f"/{path}", skip_host="Host" in headers)
            if isinstance(body, dict):
                body = json.dumps(body).encode()
            if body is not None:
                headers["Content-Length"] = str(len(body))
            for name, value in headers.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def sign_in(self, token: str, **headers) -> str:
        """The cookie for a token, as a browser sends it."""
        answer = self.request("POST", "session", {"token": token}, **headers)
        assert answer.status == 204, answer
        return answer.headers["set-cookie"].split(";")[0]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT)

    def kill(self):
        """Ends it as a power cut does."""
        self.process.kill()
        self.process.wait(TIMEOUT)

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()


class Response:
    def __init__(self, status: int, headers: dict, body: bytes):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:200]!r}"
