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
    """From this step on, a sequence that differs is not compared: the trees have other rules for what follows."""

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


DIFFERENCES: list[Difference] = [
    Difference("only changes of a state are published and have a rev",
               "Core: `rev` grows exactly when a value that a state shows has changed", changes),
    Difference("the silent end of a gesture is no state of a ramp, so its samples come at other times",
               "Core: `rev` grows exactly when a value that a state shows has changed", without_the_way),
    Difference("error of a device",
               "Devices and folders say what is wrong; names for people", without_device_error),
]

ENDS: list[End] = [
    End("a lease is taken", "Lease: what others have under way on the zoom ends when the lease passes",
        re.compile(r"< v4l2mqtt/[^/ ]+/[^/ ]+/lease \{").match),
    End("a rev that a client knows is another one",
        "Core: `rev` grows exactly when a value that a state shows has changed", re.compile(r'> .*"if_rev"').match),
]
