"""The commands of deploy/README.md, as an operator types them."""

import re
import subprocess
import time

from debian import ROOT

#: What was followed, for the summary of pytest: the name, the number of commands, seconds.
followed: list[tuple[str, int, float]] = []


def blocks(heading: str, document: str = "deploy/README.md") -> list[list[str]]:
    """The commands below a heading, up to the next one: a list for each block that is meant to be entered."""
    text = (ROOT / document).read_text()
    chapter = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    return [commands(block) for block in re.findall(r"^```sh\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)]


def commands(block: str) -> list[str]:
    """A command ends with the line that completes it for a shell."""
    found, command = [], ""
    for line in block.splitlines():
        command += line
        if line.endswith("\\") or subprocess.run(["bash", "-n"], input=command, text=True, capture_output=True).returncode:
            command += "\n"
        else:
            found, command = [*found, command], ""
    return found


def follow(guest, name: str, commands: list[str], timeout: float, has_agent: str | None = None) -> list[str]:
    """Runs each command in the folder /root of a guest, and returns what each of them prints.

    `has_agent` is a command that succeeds when the agent is online. It is repeated before the first command
    of the controller: an emulated machine may need longer for the start than a person for the next command.
    """
    began, outputs = time.monotonic(), []
    for command in commands:
        if has_agent and command.startswith("v4l2mqtt ctl"):
            guest.check(f"until {has_agent}; do sleep 1; done", timeout)
            has_agent = None
        outputs.append(guest.check(f"exec 2>&1; export HOME=/root; cd\n{command}\n", timeout))
    followed.append((name, len(commands), time.monotonic() - began))
    return outputs
