"""The controller on the command line, `v4l2mqtt ctl`, as a process of a test."""

import json
import subprocess

from agent import PROGRAM
from waiting import TIMEOUT


def location(broker) -> list[str]:
    """The options that name the camera `door` of the agent `porch`."""
    return ["--host", "127.0.0.1", "--port", str(broker.port), "--agent", "porch", "--camera", "door"]


def ctl(*arguments) -> subprocess.CompletedProcess:
    """Runs a command to its end."""
    return subprocess.run(
        [PROGRAM, "ctl", *arguments], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)


def begun(*arguments, **options) -> subprocess.Popen:
    """Starts a command. Its output and errors are for `communicate`."""
    return subprocess.Popen(
        [PROGRAM, "ctl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
        **options)


def done(*arguments) -> str:
    """The output of a command that succeeds and prints no error."""
    ended = ctl(*arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def refused(*arguments) -> str:
    """The error message of a command that fails and prints nothing else."""
    ended = ctl(*arguments)
    assert ended.returncode == 1 and ended.stdout == ""
    return ended.stderr


def failed(*arguments, status=1) -> tuple[str, str]:
    """The code and the message of the error that `--json` prints; standard error has the message too."""
    ended = ctl(*arguments, "--json")
    printed = json.loads(ended.stdout)
    assert (ended.returncode, printed["status"]) == (status, "error")
    assert printed["error"]["message"] in ended.stderr
    return printed["error"]["code"], printed["error"]["message"]
