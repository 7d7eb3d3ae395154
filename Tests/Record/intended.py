"""What the tree may do otherwise than the reference of `compare`: each difference has a name, its reason, and
what it does to the lines of a sequence. The differences are applied to both sides, one after the other, until
they are equal. What is equal after none of them is a fault.

A change of behaviour that is wanted is named here in its commit. When `reference` moves, the list is empty
again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

Lines = list[str]


@dataclass
class Difference:
    name: str
    #: The commit, and the rule.
    reason: str
    #: The lines of a sequence without it. `<` begins what the agent publishes, all others are steps.
    without: Callable[[Lines], Lines]


@dataclass
class End:
    """From this step on, a sequence that differs is not compared: the trees have other rules from there."""

    name: str
    reason: str
    #: Whether the rules differ from here. A message of the agent ends the sequence before its step.
    begins: Callable[[str], bool]


#: A rank of `rev`, `boot` or a time.
RANK = re.compile(r'(?<=[":=( ])([trb])(\d+)(?!\w|\.\d)')

#: A state of a camera.
STATE = re.compile(r"< (v4l2mqtt/[^/ ]+/[^/ ]+/\w+) (.*) \(retained\)$")
REV = re.compile(r',?"rev":r\d+| \(rev=r\d+\)')
#: What belongs to the last change of a state, and is not compared.
STAMP = re.compile(r',?"(rev|ts)":"?\w+"?|,?"origin":\{[^}]*\}')


def changes(lines: Lines) -> Lines:
    """Without states that repeat the one before, revisions, and the stamps of states.

    A state that repeats the one before had a newer stamp, which came alone after a reconnect.
    """
    shown: dict[str, str] = {}
    kept = []
    for line in lines:
        if state := STATE.match(line):
            value = STAMP.sub("", state[2])
            if shown.get(state[1]) == value:
                continue
            shown[state[1]] = value
            line = STAMP.sub("", line)
        kept.append(REV.sub("", line))
    return kept


def without_the_way(lines: Lines) -> Lines:
    """Without what is published while the zoom is on its way."""
    way = re.compile(r'< v4l2mqtt/[^/ ]+/[^/ ]+/(zoom/live |viewport |zoom .*"ramping":true)')
    return [line for line in lines if not way.match(line)]


def without_device_error(lines: Lines) -> Lines:
    return [re.sub(r'(/availability \{)"error":"[^"]*",', r"\1", line) for line in lines]


def by_topic(lines: Lines) -> Lines:
    """With the messages of a step by topic and camera. Those of one topic and camera keep their order."""
    def place_of(line: str) -> list[str]:
        return [line.split(" ", 2)[1], *re.findall(r'"camera":"(\w+)"', line)]

    kept: Lines = []
    begin = 0
    for place, line in enumerate([*lines, ""]):
        if not line.startswith("< "):
            kept += sorted(lines[begin:place], key=place_of)
            kept += lines[place:place + 1]
            begin = place + 1
    return kept


def with_sorted_properties(lines: Lines) -> Lines:
    """With the user properties of a message by name."""
    def by_name(match: re.Match) -> str:
        return "".join(sorted(re.findall(r" \([^)]*\)", match[0])))
    return [re.sub(r"(?: \([\w.]+=[^)]*\))+", by_name, line) for line in lines]


DIFFERENCES: list[Difference] = [
    Difference("properties of a photo come in the order of its form",
               "Saved states are forms: Codable and its coders are gone", with_sorted_properties),
    Difference("only changes of a state are published and have a rev",
               "Core: `rev` grows exactly when a value that a state shows has changed", changes),
    Difference("the silent end of a gesture is no state of a ramp, so its samples come at other times",
               "Core: `rev` grows exactly when a value that a state shows has changed", without_the_way),
    Difference("error of a device",
               "Devices and folders say what is wrong; names for people", without_device_error),
    Difference("an answer that waits for the disk comes sooner or later within its instant",
               "The state is slots: a file for each camera, without reserves of numbers", by_topic),
]

ENDS: list[End] = [
    End("a lease is taken", "Lease: what others have under way on the zoom ends when the lease passes",
        re.compile(r"< v4l2mqtt/[^/ ]+/[^/ ]+/lease \{").match),
    End("a rev that a client knows is another one",
        "Core: `rev` grows exactly when a value that a state shows has changed", re.compile(r'> .*"if_rev"').match),
]
