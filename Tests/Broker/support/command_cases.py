"""`Tests/Cases`: commands with what the decoder and the schemas make of them, written down once for Swift and
Python.

`<node>.json` has the cases of a node, `common.json` what holds for the fields that all commands share,
`malformed.json` what is no command at all. A case has its `payload` as JSON or its `text`, and is `valid` or
has the `error` and the `field` that the decoder (`Command(for:payload:)`) gives. The schema agrees with the
decoder, unless the case has `schema` and the `reason` for it. `agent` is the answer of an agent where another
part than the decoder refuses the command.
"""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "Cases"


@dataclass(frozen=True)
class CommandCase:
    node: str
    payload: bytes
    #: The code and the field of the decoder's error; None for a valid command.
    error: tuple[str, str | None] | None
    #: Whether the schema allows it.
    schema_allows: bool
    #: Why the schema differs from the decoder, where it does.
    reason: str | None
    #: As `error`, of the running agent.
    answer: tuple[str, str | None] | None

    def __str__(self):
        return f"{self.node}-{self.payload.decode()!r:.80}"


def of_nodes() -> list[CommandCase]:
    return [_case(node, row) for node in nodes() for row in _rows(f"{node}.json")]


def of_refresh() -> list[CommandCase]:
    """`refresh/set` is no node of a camera: an agent, a camera and a group have it."""
    return [_case("refresh", row) for row in _rows("refresh.json")]


def common() -> list[CommandCase]:
    """What is wrong in a field of all commands, in an otherwise valid command of each node."""
    file = _file("common.json")
    return [
        _case(node, {**row, "payload": {**command, **row["fields"]}})
        for node, command in file["commands"].items() for row in file["cases"] if node not in row.get("except", {})]


def exceptions() -> list[CommandCase]:
    """The cases of `common` that not the decoder refuses but the camera."""
    file = _file("common.json")
    return [
        _case(node, {**row, "payload": {**file["commands"][node], **row["fields"]}})
        for row in file["cases"] for node in row.get("except", {})]


def malformed() -> list[CommandCase]:
    return [_case(node, row) for node in _file("malformed.json")["nodes"] for row in _rows("malformed.json")]


def nodes() -> list[str]:
    return list(_file("common.json")["commands"])


def _file(name: str) -> dict:
    return json.loads((FOLDER / name).read_text())


def _rows(name: str) -> list[dict]:
    return _file(name)["cases"]


def _case(node: str, row: dict) -> CommandCase:
    payload = row["text"] if "text" in row else json.dumps(row["payload"])
    assert row.get("valid", False) != ("error" in row), f"{node} {payload}: a case is either valid or has an error"
    assert ("schema" in row) == ("reason" in row), f"{node} {payload}: a schema that differs has a reason"
    error = (row["error"], row.get("field")) if "error" in row else None
    allows = row["schema"] == "allows" if "schema" in row else error is None
    answer = (row["agent"]["error"], row["agent"]["field"]) if "agent" in row else error
    return CommandCase(node, payload.encode(), error, allows, row.get("reason"), answer)
