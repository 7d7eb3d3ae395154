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

DIFFERENCES: list[Difference] = []

ENDS: list[End] = []
