"""What shells and `man` know of the controller."""

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from agent import PROGRAM
from terminal import SHELL, Terminal
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")

MANUAL = Path(__file__).parents[2] / "deploy/v4l2mqtt.1"


@pytest.fixture
def at(controller, broker):
    """The options that name the broker."""
    return ["--host", "127.0.0.1", "--port", str(broker.port)]


def offered(subcommands: list[str], argument: str, words: list[str]) -> list[str]:
    """What is offered for the last of the words, by the request that the generated shell scripts make."""
    line = ["v4l2mqtt", *subcommands, *words]
    asked = [PROGRAM, "---completion", *subcommands, "--", argument, str(len(line) - 1), str(len(line[-1])), *line]
    ended = subprocess.run(asked, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.split("\n")[:-1]


def test_completion_offers_agents_and_cameras(at):
    assert offered(["ctl", "zoom"], "--agent", [*at, "--agent", ""]) == ["porch"]
    assert offered(["ctl", "zoom"], "--camera", [*at, "--camera", ""]) == ["door"]
    assert offered(["ctl", "preset", "go"], "--camera", [*at, "--agent", "hall", "--camera", ""]) == []


def test_completion_accepts_arguments_as_bash_splits_them(at):
    words = [part for option, value in zip(at[::2], at[1::2]) for part in (option, "=", value)]
    assert offered(["ctl", "record"], "--camera", [*words, "--camera", ""]) == ["door"]


#: How each shell is started without its user's files, and reads the script that was made for it.
SHELLS = {
    "bash": (SHELL, "PS1=; . {script}"),
    "zsh": (["zsh", "-f", "-i"], "PS1=; fpath+={script.parent}; autoload -U compinit; compinit -u -D"),
    "fish": (["fish", "--no-config", "--private", "-i"], "source {script}"),
}


def seen(shell: Terminal) -> str:
    """What stands in the line that is being written, without colours and moves. Some shells draw only what is
    new in it."""
    return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|\(B|\][^\x07]*\x07)", "", shell.written).rstrip("\r")


def started(name: str, tmp_path: Path) -> Terminal:
    """A shell that completes the program."""
    (tmp_path / "v4l2mqtt").symlink_to(PROGRAM)
    script = tmp_path / "scripts" / "_v4l2mqtt"
    script.parent.mkdir()
    script.write_bytes(
        subprocess.run([PROGRAM, "--generate-completion-script", name], capture_output=True, check=True).stdout)
    command, reading = SHELLS[name]
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    shell = Terminal(command, columns=200, **environment)
    shell.press(f"{reading.format(script=script)}; echo ready 4''2\n")
    eventually(lambda: "ready 42" in seen(shell), "the shell")
    return shell


@pytest.mark.parametrize("name", SHELLS)
def test_shell_completes_controls_that_can_be_set(controller, at, tmp_path, name):
    with closing(started(name, tmp_path)) as shell:
        line = f"v4l2mqtt ctl controls {' '.join(at)} "
        shell.press(line + "br\t")
        eventually(lambda: seen(shell).endswith(line + "brightness "), "the rest of the name")
        shell.press("77 autof\t")
        eventually(lambda: seen(shell).endswith(" autofocus "), "the rest of the name")
        shell.press("of\t")
        eventually(lambda: seen(shell).endswith(" off "), "the rest of the value")
        shell.press("\n")
        state = controller.state("controls", lambda state: state["values"]["brightness"] == 77)
        assert state["values"]["autofocus"] is False
    controller.obeyed("controls", {"brightness": 128, "autofocus": True})


@pytest.mark.parametrize("name", SHELLS)
def test_shell_completes_aliases_and_their_options(tmp_path, name):
    with closing(started(name, tmp_path)) as shell:
        shell.press("v4l2mqtt ctl pho\t")
        eventually(lambda: seen(shell).endswith("v4l2mqtt ctl photo "), "the rest of the alias")
        shell.press("--outp\t")
        eventually(lambda: seen(shell).endswith(" --output "), "the rest of the option")
        shell.press("\x15v4l2mqtt ctl presets sav\t")
        eventually(lambda: seen(shell).endswith("v4l2mqtt ctl presets save "), "the rest of the command")


def test_completion_offers_cameras_behind_an_alias(at):
    assert offered(["ctl", "photo"], "--camera", [*at, "--camera", ""]) == ["door"]


def test_completion_without_a_broker_is_empty():
    assert offered(["ctl", "zoom"], "--camera", ["--port", "1", "--camera", ""]) == []


def test_completion_does_not_wait_for_a_broker_without_answers():
    with socket.create_server(("127.0.0.1", 0)) as server:
        def take():
            connection, _ = server.accept()
            connection.recv(1000)
            connection.send(b"\x20\x03\x00\x00\x00")  # CONNACK (MQTT 5, 3.2)
            while connection.recv(1000):
                pass

        threading.Thread(target=take, daemon=True).start()
        port, began = str(server.getsockname()[1]), time.monotonic()
        assert offered(["ctl", "zoom"], "--camera", ["--port", port, "--camera", ""]) == []
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_generated_completion_script_is_valid(shell):
    made = subprocess.run([PROGRAM, "--generate-completion-script", shell], capture_output=True, text=True, timeout=TIMEOUT)
    assert made.returncode == 0 and "---completion" in made.stdout
    read = subprocess.run([shell, "-n"], input=made.stdout, capture_output=True, text=True, timeout=TIMEOUT)
    assert (read.returncode, read.stderr) == (0, "")


def commands(command: dict, path: tuple = ()):
    """A command of the program, and all below it, with their paths."""
    yield path, command
    for inner in command.get("subcommands", []):
        if inner["commandName"] != "help":
            yield from commands(inner, (*path, inner["commandName"]))


@pytest.fixture(scope="module")
def known() -> dict:
    """The description of the commands by the program, by path."""
    dump = subprocess.run(
        [PROGRAM, "--experimental-dump-help"], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    return dict(commands(json.loads(dump)["command"]))


def test_flags_of_ctl_take_no_following_number_as_their_value(known):
    flags = [
        (path, f"--{name['name']}")
        for path, command in known.items() if path[:1] == ("ctl",)
        for argument in command.get("arguments", []) if argument["kind"] == "flag"
        for name in argument["names"] if name["kind"] == "long"]
    assert (("ctl", "zoom"), "--stop") in flags
    for path, flag in flags:
        # Port 1 has no broker: a command that the parser accepts fails immediately.
        ended = subprocess.run(
            [PROGRAM, *path, flag, "-1", "--port", "1"], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        assert "does not take any value" not in ended.stderr, (path, flag)


@pytest.fixture(scope="module")
def manual() -> str:
    """Without its fonts and escapes: the text that a person reads."""
    return re.sub(r"\\f[A-Z]|^\.BR? ", "", MANUAL.read_text(), flags=re.M).replace("\\-", "-")


def options(command: dict) -> set[str]:
    return {
        f"--{name['name']}" for argument in command.get("arguments", []) for name in argument.get("names", [])
        if name["kind"] == "long"}


def test_the_manual_has_every_command_and_every_option_of_the_controller(known, manual):
    assert ("ctl", "watch") in known
    for path, command in known.items():
        assert " ".join(path) in manual
        if path[:1] == ("ctl",):
            for option in options(command) - {"--help", "--version"}:
                assert re.search(rf"{option}\b", manual), f"the manual has no {option} of {path}"


def test_the_manual_has_no_option_that_its_command_does_not_have(known, manual):
    # A part begins with its commands, as in the synopsis and the examples, or is about all.
    for part in re.split(r"(?:\n\.(?:TP|SH.*))+\n(?:v4l2mqtt )?|\nv4l2mqtt ", manual):
        head = part.partition("\n")[0]
        named = [path for path in known if path and re.search(rf"(^|\"){' '.join(path)}\b", head)]
        permitted = set().union(*(options(known[path]) for path in named or known))
        assert set(re.findall(r"--[a-z][a-z-]*", part)) <= permitted, head


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
def test_manual_page_has_no_formatting_errors():
    read = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", MANUAL], capture_output=True, text=True, timeout=TIMEOUT)
    assert (read.returncode, read.stderr) == (0, "")
    assert "ctl record" in read.stdout
