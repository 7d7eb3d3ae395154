"""`schemas/` itself: whole, consistent, and in agreement with its own examples."""

import json
import re

import pytest
from jsonschema import Draft202012Validator

import command_cases
import contract
from contract import DOCUMENT, SCHEMAS

PROJECT = SCHEMAS.parent
FILES = sorted(path.name for path in SCHEMAS.glob("*.schema.json"))
ADDRESSES = [key for key, channel in DOCUMENT["channels"].items() if channel["address"]]
LISTED = json.loads((SCHEMAS / "camera.info.schema.json").read_text())["properties"]["nodes"]["items"]["enum"]
#: `refresh` takes requests and has no state.
NODES = [node for node in LISTED if node != "refresh"]


def references(value, at="") -> list[tuple[str, str]]:
    """Every `$ref` in a document, with its place."""
    if isinstance(value, list):
        return [found for n, item in enumerate(value) for found in references(item, f"{at}/{n}")]
    if not isinstance(value, dict):
        return []
    here = [(at, value["$ref"])] if isinstance(value.get("$ref"), str) else []
    return here + [found for key, item in value.items() for found in references(item, f"{at}/{key}")]


def schema(file: str) -> dict:
    return json.loads((SCHEMAS / file).read_text())


@pytest.mark.parametrize("file", FILES)
def test_each_file_is_a_schema_of_2020_12_with_a_title(file):
    assert schema(file)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema(file)["title"]
    Draft202012Validator.check_schema(schema(file))


@pytest.mark.parametrize("file", FILES)
def test_each_reference_resolves(file):
    resolver = contract.REGISTRY.resolver(file)
    for _, reference in references(schema(file)):
        assert resolver.lookup(reference).contents


@pytest.mark.parametrize("file", FILES)
def test_each_example_is_valid(file):
    for example in schema(file).get("examples", []):
        assert contract.objection(file, example) is None, example


def test_each_example_of_a_common_definition_is_valid():
    for name, piece in schema("common.schema.json")["$defs"].items():
        for example in piece.get("examples", []):
            assert contract.objection(f"common.schema.json#/$defs/{name}", example) is None, (name, example)


def test_the_document_is_asyncapi_3():
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert {"info", "servers", "channels", "operations", "components"} <= DOCUMENT.keys()


def test_each_reference_of_the_asyncapi_document_resolves():
    for at, reference in references(DOCUMENT):
        if reference.startswith("#/"):
            assert contract.resolve({"$ref": reference}), at
        else:
            assert reference in FILES, at


def test_each_schema_is_used():
    used = {reference for _, reference in references(DOCUMENT)}
    assert set(FILES) - used == {"common.schema.json"}


@pytest.mark.parametrize("key", ADDRESSES)
def test_each_channel_has_messages_and_describes_its_parameters(key):
    channel = DOCUMENT["channels"][key]
    in_address = {level[1:-1] for level in channel["address"].split("/") if level.startswith("{")}
    assert set(channel["parameters"]) == in_address
    assert channel["messages"]


def test_each_channel_is_used_by_an_operation():
    operations = DOCUMENT["operations"].values()
    used = {operation["channel"]["$ref"] for operation in operations}
    used |= {operation["reply"]["channel"]["$ref"] for operation in operations if "reply" in operation}
    assert used == {f"#/channels/{key}" for key in DOCUMENT["channels"]}


@pytest.mark.parametrize("key", ADDRESSES)
def test_only_set_takes_commands_and_none_but_desired_is_retained(key):
    channel = DOCUMENT["channels"][key]
    operations = [o for o in DOCUMENT["operations"].values() if o["channel"]["$ref"] == f"#/channels/{key}"]
    is_document = channel["address"] == "{base}/fleet/config"
    is_received = is_document or re.search(r"/set(/\{client\})?$", channel["address"])
    assert [o["action"] for o in operations] == (["receive"] if is_received else ["send"])
    if "/desired/" not in channel["address"] and not is_document:
        assert all(o["action"] == "send" or o["bindings"]["mqtt"]["retain"] is False for o in operations)


def test_a_topic_belongs_to_one_channel():
    for key in ADDRESSES:
        levels = {"base": "v4l2mqtt", "agent": "porch", "camera": "door", "node": "zoom", "group": "outside", "client": "kitchen"}
        topic = DOCUMENT["channels"][key]["address"].format(**levels)
        assert [name for name, channel in contract.channels().items() if channel.has(topic)] == [key]


def schemas_of(keys: list[str]) -> set[str]:
    """The files of `schemas/` that the messages of these channels have."""
    messages = [message for key in keys for message in contract.channels()[key].messages]
    return {reference for _, reference in references(messages) if reference in FILES}


def channel_of(address: str) -> list[str]:
    return [key for key in ADDRESSES if DOCUMENT["channels"][key]["address"] == address]


def test_the_schemas_have_the_nodes_of_the_program():
    text = (PROJECT / "Sources/Contract/Node.swift").read_text()
    assert re.findall(r"\w+", re.search(r"allCases = \[(.*?)\]", text, re.S)[1]) == NODES
    assert LISTED == [*NODES, "refresh"]


@pytest.mark.parametrize("node", NODES)
def test_each_node_has_a_channel_for_its_state_and_one_for_its_commands(node):
    assert schemas_of(channel_of(f"{{base}}/{{agent}}/{{camera}}/{node}")) == {f"{node}.state.schema.json"}
    assert schemas_of(channel_of(f"{{base}}/{{agent}}/{{camera}}/{node}/set")) == {f"{node}.set.schema.json"}


def test_the_channels_of_groups_and_of_proved_clients_take_the_commands_of_each_node():
    """Without `desired` of a proved client, which has a channel of its own because it can be retained."""
    def messages(key: str) -> set[str]:
        return set(DOCUMENT["channels"][key]["messages"])

    commands = {node: messages(f"{node}Set") for node in NODES}
    every = set().union(*commands.values())
    assert messages("groupSet") == messages("groupClientSet") == every
    assert messages("desiredClientSet") == commands["desired"]
    assert messages("clientSet") == every - commands["desired"]
    parameters = DOCUMENT["components"]["parameters"]
    assert parameters["node"]["examples"] == NODES
    assert parameters["commandNode"]["enum"] == [node for node in NODES if node != "desired"]


@pytest.mark.parametrize("case", [case for case in command_cases.of_nodes() if case.answer is None], ids=str)
def test_the_channel_of_a_node_takes_each_valid_command(case):
    """Also the short forms that are not JSON, which the node's schema cannot describe."""
    for key in (f"{case.node}Set", "groupSet"):
        assert contract.channels()[key].objection(case.payload) is None


def objects(value) -> list[dict]:
    """Every object in a schema that lists its properties."""
    if isinstance(value, list):
        return [found for item in value for found in objects(item)]
    if not isinstance(value, dict):
        return []
    here = [value] if isinstance(value.get("properties"), dict) else []
    return here + [found for key, item in value.items() if key != "examples" for found in objects(item)]


@pytest.mark.parametrize("file", [file for file in FILES if not file.endswith(".set.schema.json") and file != "reply.schema.json"])
def test_what_names_a_client_says_whether_the_name_is_proved(file):
    """Answers do not: they go to the client itself. `command` is what a client sends."""
    identity = {"common.schema.json#/$defs/identity", "#/$defs/identity"}
    for part in objects(schema(file)):
        named = {name for name, value in part["properties"].items() if value is not False and identity & set(_refs(value))}
        for name in named:
            proof = {"client": "proved", "holder": "holder_proved", "clients": "proved_clients", "proved_clients": "proved_clients"}[name]
            assert proof in part["properties"], name
            assert proof in part.get("required", []) or part["dependentRequired"][name] == [proof]


def _refs(value) -> list[str]:
    """Without those of the fields of objects inside."""
    def own(value):
        if isinstance(value, list):
            return [own(item) for item in value]
        return {key: own(item) for key, item in value.items() if key != "properties"} if isinstance(value, dict) else value
    return [reference for _, reference in references(own(value))]
