"""The program of an earlier release, built from its commit; and what it published, recorded."""

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path

from home_assistant_rules import commands_of
from unrecorded_agent import unrecorded_agent

ROOT = Path(__file__).resolve().parents[3]
#: The commit of the release before this one; CONTRIBUTING.md says when it moves. Its program has one
#: state file, without a journal.
PREVIOUS_RELEASE = "75a5c3cdf3704f007d0543271adf6e2bd9fb798a"
#: Entities of Home Assistant that the previous release has and this one removes on purpose: the change log
#: says what replaces them. They were disabled by default. It becomes empty with the next release.
REMOVED = {"zoom_factor", "frames", "photos", "agent_version"}
#: Messages of that release's agent with the configuration of `agent_of_either`.
RECORDED = ROOT / "Tests/Broker/fixtures/previous-release"


def recorded(name: str) -> dict:
    return json.loads((RECORDED / f"{name}.json").read_text())


def program_of(commit: str) -> Path:
    """Builds the program in `.build/previous`, unless it is there. This takes some minutes."""
    place = ROOT / ".build/previous" / commit[:12]
    program = place / ".build/release/v4l2mqtt"
    if not program.exists():
        if not (place / "Package.swift").exists():
            place.mkdir(parents=True, exist_ok=True)
            files = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
            subprocess.run(["tar", "x", "-C", place], input=files, check=True)
        subprocess.run(["deploy/prepare", "build"], cwd=place, check=True)  # it may need other libraries
        subprocess.run(["swift", "build", "-c", "release", "--product", "v4l2mqtt"], cwd=place, check=True)
    return program


@contextmanager
def agent_of_either(folders):
    """A broker and an agent that isn't started yet, whose program may be that of either release.

    An earlier release's messages are held against no schemas: those of this release have more fields.
    """
    with unrecorded_agent(folders) as (broker, agent):
        # A key that the earlier release does not know.
        del agent.configuration["limits"]
        agent.configure(agent.configuration)
        yield broker, agent

def understands(controller, name: str, component: dict) -> None:
    """Fails unless the agent carries out each command of the entity of Home Assistant."""
    for payload in commands_of(component):
        answer = controller.send(name, payload, topic=component["cmd_t"]).result()
        assert answer["status"] != "error", (name, payload, answer)
