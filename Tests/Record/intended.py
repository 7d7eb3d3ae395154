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
    """From this step on, a sequence is not compared: the trees have other rules for what follows."""

    name: str
    reason: str
    #: Whether the rules differ from here. A message of the agent ends the sequence before its step.
    begins: Callable[[str], bool]


def name_check(lines: Lines) -> Lines:
    request = re.compile(r"< v4l2mqtt/porch/refresh/set(/porch)? \(empty\)$")
    members = re.compile(r'"instance":"\*",|"numbers":\d+,')
    return [members.sub("", line) for line in lines if not request.match(line)]


def republication(lines: Lines) -> Lines:
    last: dict[tuple[str, bool], str] = {}
    kept = []
    for line in lines:
        topic = line.split(" ", 2)[1] if line.startswith("< ") else ""
        is_retained = " (retained)" in line
        if topic.endswith("/image") or topic and is_retained:
            if last.get((topic, is_retained)) == line:
                continue
            last[topic, is_retained] = line
        kept.append(line)
    return kept


def end_of_connection(lines: Lines) -> int:
    """The place of the first step that ends a connection."""
    return next((place for place, line in enumerate(lines) if line.startswith("* ") and ": lose" in line), len(lines))


def discovery(lines: Lines) -> Lines:
    """The last document of each camera, at the end."""
    last = {line.split(" ", 2)[1]: line for line in lines if line.startswith("< homeassistant/")}
    return [line for line in lines if not line.startswith("< homeassistant/")] + sorted(last.values())


def discovery_after_reconnect(lines: Lines) -> Lines:
    """Without documents, if a connection was lost."""
    is_lost = end_of_connection(lines) < len(lines)
    return [line for line in lines if not is_lost or not line.startswith("< homeassistant/")]


def newest(lines: Lines) -> Lines:
    """The last state of each topic, in a step with a new connection."""
    kept, step, is_lost = [], [], False
    for line in [*lines, ""]:
        if line.startswith("< "):
            step.append(line)
            continue
        if is_lost and any(re.match(r'< v4l2mqtt/porch/availability .*"state":"online"', line) for line in step):
            last = {line.split(" ", 2)[1]: place for place, line in enumerate(step)}
            step = [line for place, line in enumerate(step)
                    if " (retained)" not in line or last[line.split(" ", 2)[1]] == place]
            is_lost = False
        is_lost = is_lost or line.startswith("* ") and ": lose" in line
        kept += [*step, line]
        step = []
    return kept[:-1]


def restart_intervals(lines: Lines) -> Lines:
    """Without them, and without the info that only they have changed."""
    member = re.compile(r'"restart_interval":\d+,')
    return republication([member.sub("", line) for line in lines])


def room(lines: Lines) -> Lines:
    """Without pictures of previews, counts of frames, and times of files, after a connection was lost."""
    lost = end_of_connection(lines)
    kept = [line for line in lines[lost:] if "/preview/live (" not in line and '/preview {"boot"' not in line]
    times = re.compile(r'"ts":"t\d+"')
    kept = [times.sub("", line) if '"node":"media"' in line else line for line in kept]
    return lines[:lost] + [re.sub(r'"frames?":\d+|\(frame=\d+\)', "", line) for line in kept]


def stored(lines: Lines) -> Lines:
    """Without refusals of a command in steps that send none: the broker has delivered a stored one."""
    refusal = re.compile(r'"error":\{"code":"(stale|bad_payload|bad_topic|unproved)"')
    kept, sends = [], True
    for line in lines:
        if not line.startswith("< "):
            sends = line.startswith("> ")
        elif not sends and refusal.search(line):
            continue
        kept.append(line)
    return kept


def sticky_clamps(lines: Lines) -> Lines:
    """Answers of `session` without `clamped`."""
    return [line.replace('"clamped":true,', "") if '"node":"session"' in line else line for line in lines]


def order(lines: Lines) -> Lines:
    kept, step = [], []
    for line in [*lines, ""]:
        if line.startswith("< "):
            step.append(line)
            continue
        kept += sorted(step, key=lambda line: RANK.sub("R", line)) + [line]
        step = []
    return kept[:-1]


#: A rank of `rev`, `boot` or a time.
RANK = re.compile(r'(?<=[":=( ])([trb])(\d+)(?!\w|\.\d)')

DIFFERENCES = [
    Difference(
        "the name check", "1c4fb71f: info has instance and numbers; a request for everything at each connection",
        name_check),
    Difference(
        "the newest state after a reconnect", "1c4fb71f: states follow when the name is free, a moment after the "
        "connection is there; what has changed meanwhile is published as it is then", newest),
    Difference(
        "states once more", "eac76c3c: refresh publishes everything, not what a topic names; once in ten seconds, "
        "of which the name check takes the first", republication),
    Difference(
        "discovery at each connection", "f959235b, 2ffa1c60: documents are no longer compared, and no longer wait",
        discovery),
    Difference(
        "discovery after a reconnect", "the same; the documents of a new connection waited for the comparison with "
        "those at the broker, often beyond the end of a sequence", discovery_after_reconnect),
    Difference(
        "restart intervals", "formats of info have no restart_interval, and no frame changes info",
        restart_intervals),
    Difference(
        "room after a reconnect", "1c4fb71f: the name is free a moment after the connection is there; a preview that "
        "finds no room looks again after 100 ms, a file after 50 ms", room),
    Difference(
        "stored commands are answered", "0aafdbba: one subscription for commands and desired brings what the broker "
        "stores at each connection; besides desired it is refused", stored),
    Difference(
        "clamped of an earlier command", "a rate that a command of session keeps was clamped by the command that "
        "set it", sticky_clamps),
    Difference(
        "the order in a step", "1c4fb71f: timers that begin when the name is free, a turn of the loop later, fire "
        "after others of the same time; 01c497b0 is in d2f9a6be.patch", order),
]

ENDS = [
    End(
        "info of another agent", "1c4fb71f, ceb95572: the rule for a name that is taken",
        lambda line: re.match(r"> (\d+ times )?v4l2mqtt/porch/info ", line) is not None),
    End(
        "a client with the same identifier", "1c4fb71f: the agent that was taken over connects again at once",
        lambda line: line.startswith("* ") and line.endswith(": lose taken")),
    End(
        "a limit is reached", "dd92a4ae: limits without known names and separate totals",
        lambda line: line.startswith("< ") and '"rate_limited"' in line),
]
