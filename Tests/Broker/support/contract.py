"""`schemas/` as Python sees it, with a validator that is not the agent's."""

import re
from functools import cache
from pathlib import Path

import jsonschema_rs
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from inbox import strict_json

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"
DOCUMENT = yaml.safe_load((SCHEMAS / "asyncapi.yaml").read_text())


#: Each schema under its file name, which is what the others call it by.
_TEXTS = {path.name: strict_json(path.read_bytes()) for path in SCHEMAS.glob("*.schema.json")}
REGISTRY = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in _TEXTS.items())
_FAST_REGISTRY = jsonschema_rs.Registry([(f"contract:/{name}", schema) for name, schema in _TEXTS.items()])


@cache
def _fast_validator(schema: str):
    """For a file of `schemas/`, such as `zoom.set.schema.json`. It only says whether a value is valid."""
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"contract:/{schema}"}, registry=_FAST_REGISTRY, validate_formats=True)


@cache
def _validator(schema: str) -> Draft202012Validator:
    """The same in Python, fifty times slower: it names the best reason."""
    return Draft202012Validator({"$ref": schema}, registry=REGISTRY, format_checker=FormatChecker())


def objection(schema: str, value) -> str | None:
    """Why the value breaks the schema; None if it doesn't."""
    if _fast_validator(schema).is_valid(value):
        return None
    error = best_match(_validator(schema).iter_errors(value))
    return f"{error.json_path}: {error.message}" if error else f"{schema}: refused by one of two validators"


def resolve(reference: dict) -> dict:
    """What a `$ref` within the document stands for."""
    found = DOCUMENT
    for key in reference["$ref"].removeprefix("#/").split("/"):
        found = found[key]
    return found


class Channel:
    """One channel of the document: which topics it is, which schemas its messages have, how they are sent."""

    def __init__(self, key: str, base: str):
        channel = DOCUMENT["channels"][key]
        self.key, self.messages = key, [resolve(message) for message in channel["messages"].values()]
        # `groups` is no agent's name.
        levels = {"base": base, "agent": "(?!groups/)[^/]*"}
        for name, parameter in channel.get("parameters", {}).items():
            if words := resolve(parameter).get("enum"):
                levels[name] = f"({'|'.join(words)})"
        address = re.sub(r"\{(\w+)\}", lambda m: levels.get(m[1], "[^/]*"), channel["address"] or r"\0")
        self._address = re.compile(address)
        sending = [
            operation for operation in DOCUMENT["operations"].values()
            if operation["action"] == "send" and operation["channel"]["$ref"] == f"#/channels/{key}"]
        self.binding = sending[0]["bindings"]["mqtt"] if sending else {}

    def has(self, topic: str) -> bool:
        return self._address.fullmatch(topic) is not None

    def objection(self, payload: bytes, user_properties=()) -> str | None:
        """Why this payload is none of the channel's messages; None if it is one."""
        objections = [_objection(message, payload, dict(user_properties)) for message in self.messages]
        return None if None in objections else " / ".join(objections)


@cache
def channels(base="v4l2mqtt") -> dict[str, Channel]:
    return {key: Channel(key, base) for key in DOCUMENT["channels"]}


def _objection(message: dict, payload: bytes, properties: dict) -> str | None:
    if message.get("contentType") == "image/jpeg":
        if not (payload.startswith(b"\xff\xd8") and payload.endswith(b"\xff\xd9")):
            return "it is not a JPEG"
        return objection(message["headers"]["schema"]["$ref"], properties) if properties else None
    if message.get("contentType") == "application/octet-stream":
        return objection(message["headers"]["schema"]["$ref"], properties)
    if "payload" not in message:
        return "it is not empty" if payload.strip() else None
    schema = message["payload"]["schema"]
    if message.get("contentType") == "text/plain":
        error = best_match(Draft202012Validator(schema).iter_errors(payload.decode(errors="replace")))
        return error and error.message
    try:
        return objection(schema["$ref"], strict_json(payload))
    except ValueError as error:
        return str(error)
