#!/usr/bin/env python3
"""Holds the messages that the unit tests wrote down against `schemas/`: judge_files.py FOLDER

Each line of each `*.jsonl` file is `{"topic": …, "payload": …}`: a topic of the bus with the base v4l2mqtt,
and the payload as JSON. The Swift tests write them to the folder in `TESTS_MESSAGES_DIR`. The exit status is
1 if a line is invalid, or if there is none.
"""

import json
import sys
from pathlib import Path

import contract
from inbox import Message
from judge import Judge


def objections(folder: Path) -> tuple[int, list[str]]:
    """The number of lines, and what is wrong with them. Of equal lines the first is judged."""
    count, found, judged = 0, [], set()
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_bytes().splitlines(), 1):
            count += 1
            if line in judged:
                continue
            judged.add(line)
            found += [f"{file.name}:{number}: {objection}" for objection in _of_line(line)]
    return count, found


def _of_line(line: bytes) -> list[str]:
    try:
        match contract.strict_json(line):
            case {"topic": str(topic), "payload": payload, **others} if not others:
                pass
            case _:
                return [f"not a topic and a payload: {line[:200]!r}"]
    except ValueError as error:
        return [f"{error}: {line[:200]!r}"]
    if topic.endswith("/set"):
        return [f"{topic}: a command; only what an agent publishes is judged here"]
    judge = Judge()  # of this line alone: ids of different tests are the same
    message = Message(topic, json.dumps(payload).encode(), retained=None, qos=None)
    if topic.startswith("replies/"):
        judge.response(message)
    else:
        judge.publication(message)
    return judge.objections


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    count, found = objections(Path(sys.argv[1]))
    print("\n".join(found) or f"{count} messages keep the contract")
    if not count:
        print(f"no message was written to {sys.argv[1]}")
    sys.exit(1 if found or not count else 0)


if __name__ == "__main__":
    main()
