"""The documents agree with the schemas, the program's keys, and each other."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import contract
from agent import PROGRAM

PROJECT = Path(__file__).parents[2]
#: Folders with a dot are not looked into: the tests of the packages make and remove a Debian in `.build`.
DOCUMENTS = sorted(
    path for pattern in ("*.md", "[!.]*/**/*.md") for path in PROJECT.glob(pattern)
    if not any(part.startswith(".") for part in path.relative_to(PROJECT).parts))
CONTRACT = (PROJECT / "schemas" / "README.md").read_text()
COMMON = {"id", "client", "ts", "ttl_ms", "if_rev", "rev", "boot"}


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub makes of a document's headings."""
    titles = re.findall(r"^#+ (.+)$", without_code(document.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def section(title: str) -> str:
    """A part of the contract, from its heading to the next one."""
    return re.split(r"^#+ ", CONTRACT.split(f"\n{title}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def fields(schema, shared=frozenset()) -> set[str]:
    """The names of all properties in a schema file, also of nested objects; without those of other files, and
    without those of the objects under a shared name."""
    if isinstance(schema, list):
        return set().union(*(fields(value, shared) for value in schema))
    if not isinstance(schema, dict):
        return set()
    own = {name for name, value in schema.get("properties", {}).items() if value is not False}
    return own.union(*(fields(value, shared) for key, value in schema.items() if key not in {"examples", *shared}))


def named(text: str) -> set[str]:
    """The words in code type: of `touches[].id` both, of `zoom.min` both."""
    return {word for code in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", code)}


def rows(title: str) -> set[str]:
    """What the rows of a section's table begin with."""
    return set(re.findall(r"^\|`(\w+)`\|", section(title), re.M))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(PROJECT)))
def test_each_link_within_the_repository_resolves(document):
    text = without_code(document.read_text())
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img src="([^"]+)"', text)
    for link in links:
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_has_at_most_8_kb():
    assert len((PROJECT / "README.md").read_bytes()) <= 8_000


@pytest.mark.parametrize("node", sorted(path.name.split(".")[0] for path in contract.SCHEMAS.glob("*.set.schema.json")))
def test_the_contract_names_each_field_of_a_command(node):
    schema = json.loads((contract.SCHEMAS / f"{node}.set.schema.json").read_text())
    # These are described where they are shared.
    own = fields(schema, {"zoom", "anchor", "center"}) - COMMON - {"at", "at_any_clock", "cancel"}
    assert own <= named(section(f"### `{node}/set`"))


@pytest.mark.parametrize("node", sorted(path.name.split(".")[0] for path in contract.SCHEMAS.glob("*.state.schema.json")))
def test_the_contract_names_each_field_of_a_state(node):
    schema = json.loads((contract.SCHEMAS / f"{node}.state.schema.json").read_text())
    title = "### `pinch` and `touch`" if node in ("pinch", "touch") else f"### `{node}`"
    assert fields(schema) - (COMMON - {"client"}) <= named(section(title))


def test_the_contract_names_each_field_of_topics_beside_the_nodes():
    for file, title in (
            ("agent.availability", "### `availability` and `info` of the agent"), ("agent.info", "### `availability` and `info` of the agent"),
            ("camera.availability", "### `availability` of a camera"), ("camera.info", "### `info` of a camera"),
            ("reply", "## Answers"), ("event", "## Events")):
        schema = json.loads((contract.SCHEMAS / f"{file}.schema.json").read_text())
        # The schema of the answer has the fields of each error code; `error` itself is a shared object.
        assert fields(schema) - COMMON - {"code"} <= named(section(title)), file


def test_the_contract_names_each_error_and_each_event():
    codes = json.loads((contract.SCHEMAS / "common.schema.json").read_text())["$defs"]["error"]["properties"]["code"]["enum"]
    assert rows("## Errors") - {"code"} == set(codes)
    kinds = json.loads((contract.SCHEMAS / "event.schema.json").read_text())["properties"]["event"]["enum"]
    assert rows("## Events") - {"event"} == set(kinds)


def test_the_table_of_keys_is_generated_and_names_each_key_that_check_prints():
    bare = {name: value for name, value in os.environ.items() if not name.startswith("V4L2MQTT_")}
    shown = subprocess.run([PROGRAM, "check"], env=bare, capture_output=True, text=True, check=True).stdout
    groups, keys = [], set()
    for line in shown.splitlines()[1:-1]:
        margin, dash, name, value = re.fullmatch(r"( *)(- )?(?:# )?(\w+):(.*)", line).groups()
        # An element of the list `cameras` is one level deeper than its keys' path.
        del groups[(len(margin) + len(dash or "")) // 2 - (margin != "" and groups[:1] == ["cameras"]):]
        groups.append(name)
        if value:
            keys.add(".".join(groups))
    assert len(keys) > 50
    table = (PROJECT / "deploy" / "keys.md").read_text()
    generated = subprocess.run([PROGRAM, "check", "--table"], env=bare, capture_output=True, text=True, check=True).stdout
    assert table == generated
    # Beside a key stands its short form, if it has one.
    listed = set(re.findall(r"^\|`([\w.\[\]]+)`", table, re.M))
    assert {key.replace("cameras.", "cameras[].") for key in keys} == listed


