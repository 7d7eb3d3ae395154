"""Home Assistant's part: its rules for documents (`home_assistant_rules.yaml`), and its templates, rendered
as it renders them."""

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import urlparse

import jinja2
import jinja2.sandbox
import yaml

RULES = yaml.safe_load((Path(__file__).resolve().parent / "home_assistant_rules.yaml").read_text())
GOLDEN = Path(__file__).resolve().parents[2] / "HomeAssistantTests" / "golden"
TEMPLATES = ("val_tpl", "cmd_tpl", "json_attr_tpl")

# Home Assistant's sandbox. What isn't there is an error here; there it is a line in the log, each time.
_JINJA = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)


@cache
def _compiled(template: str):
    return _JINJA.from_string(template)


def rendered(template: str | None, payload: bytes) -> str:
    """What an entity makes of a message."""
    text = payload.decode()
    if template is None:
        return text
    variables = {"value": text}
    try:
        variables["value_json"] = json.loads(text)
    except ValueError:
        pass
    return _compiled(template).render(variables).strip()


def commanded(component: dict, value) -> bytes:
    """The command that an entity sends for a value. A whole number is an integer, as in Home Assistant."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    template = component.get("cmd_tpl")
    return (_compiled(template).render({"value": value}).strip() if template else str(value)).encode()


def turned(switch: dict, word: str) -> bytes:
    """The command of a switch that is turned `on` or `off`."""
    return commanded(switch, switch.get(f"pl_{word}", word.upper()))


def commands_of(component: dict) -> list[bytes]:
    """Commands that an entity can send: those of its buttons, or for each option, or for the ends of its
    range and values between, or for texts. Empty for an entity that sends none."""
    if "cmd_t" not in component or is_removal(component):
        return []
    if component["p"] == "button":
        return [component["pl_prs"].encode()]
    if component["p"] == "switch":
        return [turned(component, "on"), turned(component, "off")]
    if component["p"] == "number":
        least, most = component["min"], component["max"]
        values = [least, most, float(least) + 3 * component["step"], most - 0.3000000000000004]
    else:
        values = component.get("ops") or ["x", "it's \"so\" \\ {{ 1 }}"]
    return [commanded(component, value) for value in values]


def merged(document: dict) -> dict:
    """The document with what its components inherit, and with the entity ids that follow from names, as Home
    Assistant understands it. It ignores what a platform does not know."""
    shared = {key: document[key] for key in RULES["shared"] if key in document}
    components = {}
    for name, component in document.get("cmps", {}).items():
        known = RULES["component"]["known"] + RULES["platforms"].get(component.get("p"), {}).get("known", [])
        inherited = {key: value for key, value in shared.items() if key in known}
        if is_removal(component):
            components[name] = component
        else:
            entity_id = f"{component.get('p')}.{_object_id(document, component)}"
            components[name] = {**inherited, "def_ent_id": entity_id, **component}
    return {**document, "cmps": components}


def availability(document: dict, component: dict) -> list[dict]:
    return component.get("avty", document.get("avty", []))


def is_removal(component: dict) -> bool:
    return set(component) == {"p"}


def objections(topic: str, payload: bytes) -> list[str]:
    """Why Home Assistant, or a user, would not have the document; empty if all is well."""
    found = [] if re.fullmatch(RULES["topic"], topic) else [f"{topic}: not a topic for a device"]
    if len(payload) > RULES["most_bytes"]:
        found.append(f"{len(payload)} bytes")
    document = json.loads(payload)
    found += _named("top", RULES["top"], document)
    device, origin = document.get("dev", {}), document.get("o", {})
    found += _named("dev", RULES["device"], device) + _named("o", RULES["origin"], origin)
    found += [f"dev.{key}: null" for key, value in device.items() if value is None]
    for where, part, rules in (("dev", device, RULES["device"]), ("o", origin, RULES["origin"])):
        found += [f"{where}.{key}: no URL" for key in rules["urls"] if key in part and not urlparse(part[key]).netloc]
    found += _availability("top", document)
    document = merged(document)
    for name, component in document.get("cmps", {}).items():
        found += [f"{name}: {words}" for words in _component(name, component)]
    return found + _together(document)


def _named(where: str, rules: dict, part: dict) -> list[str]:
    found = [f"{where}: no {key}" for key in rules.get("required", []) if not part.get(key)]
    if "one_of" in rules and sum(bool(part.get(key)) for key in rules["one_of"]) != 1:
        found.append(f"{where}: not exactly one of {rules['one_of']}")
    return found + [f"{where}: {key} is unknown" for key in part if key not in rules["known"]]


def _availability(where: str, part: dict) -> list[str]:
    found = [f"{where}: both avty and avty_t"] if "avty" in part and "avty_t" in part else []
    if "avty_mode" in part and part["avty_mode"] not in RULES["availability"]["modes"]:
        found.append(f"{where}: avty_mode")
    for one in part.get("avty", []):
        found += _named(f"{where}.avty", RULES["availability"], one)
        found += _template(f"{where}.avty", one.get("val_tpl"))
        found += _topic(f"{where}.avty", one.get("t"))
    return found


def _template(where: str, template) -> list[str]:
    try:
        if template is not None:
            _compiled(template)
        return []
    except jinja2.TemplateError as error:
        return [f"{where}: {error}: {template}"]


def _topic(where: str, topic) -> list[str]:
    wrong = not topic or any(letter in topic for letter in "+#\0") or topic.startswith("~") or topic.endswith("~")
    return [f"{where}: {topic} is no topic"] if wrong else []


def _component(name: str, component: dict) -> list[str]:
    if not re.fullmatch(RULES["component_id"], name):
        yield "the name of the component"
    platform = RULES["platforms"].get(component.get("p"))
    if platform is None:
        yield f"no platform {component.get('p')}"
        return
    if is_removal(component):
        return
    every = RULES["component"]
    yield from _named("it", {"required": every["required"] + every["ours"] + platform.get("required", []),
                             "known": every["known"] + platform["known"], **({"one_of": platform["one_of"]} if "one_of" in platform else {})}, component)
    if "ic" in component and not re.fullmatch(every["icon"], component["ic"]):
        yield f"icon {component['ic']}"
    if component.get("ent_cat") not in [None, *platform.get("categories", every["categories"])]:
        yield f"category {component['ent_cat']}"
    is_lost_with_its_message = component["p"] in every["own_qos"] or "cmd_t" in component
    if is_lost_with_its_message and component.get("qos") not in (1, 2):
        yield "no QoS of its own"
    if not re.fullmatch(rf"{component['p']}\.[a-z0-9_]+", component["def_ent_id"]):
        yield f"entity id {component['def_ent_id']}"
    if platform.get("state") and platform["state"] not in component:
        yield "it would be optimistic: no state"
    yield from _availability("it", component)
    for key in TEMPLATES:
        yield from _template(key, component.get(key))
    for key in ("cmd_t", "stat_t", "t", "img_t", "json_attr_t"):
        if key in component:
            yield from _topic(key, component[key])
    yield from _values(component)


def _values(component: dict):
    """What belongs to a platform alone."""
    if component["p"] == "number":
        if not component["min"] < component["max"]:
            yield "min isn't below max"
        if component["step"] < RULES["least_step"]:
            yield "the step is too small"
        if component["mode"] not in RULES["number_modes"]:
            yield f"mode {component['mode']}"
    if component["p"] == "text" and component.get("max", 255) > RULES["text_max"]:
        yield "a text that is too long"
    if component["p"] == "switch" and any(f"pl_{word}" in component and f"stat_{word}" not in component for word in ("on", "off")):
        yield "its states would be its commands"
    if "ops" in component:
        options = component["ops"]
        if len(set(options)) < len(options):
            yield "an option is there twice"
        yield from (f"option {o!r}" for o in options if o != o.strip() or not o or o.lower() == "none" or "\n" in o)
    if component["p"] == "sensor" and "ops" in component and component.get("dev_cla") != "enum":
        yield "options of what is no enum"
    if kind := component.get("dev_cla"):
        if kind not in RULES["device_classes"].get(component["p"], []):
            yield f"device class {kind}"
        if kind in RULES["units"] and component.get("unit_of_meas") not in RULES["units"][kind]:
            yield f"unit {component.get('unit_of_meas')}"
    if "stat_cla" in component and component["stat_cla"] not in RULES["state_classes"]:
        yield f"state class {component['stat_cla']}"


def _together(document: dict) -> list[str]:
    there = [component for component in document.get("cmps", {}).values() if not is_removal(component)]
    found = []
    for key in ("uniq_id", "def_ent_id"):
        values = [component[key] for component in there if key in component]
        found += [f"{key} {value} is there twice" for value in set(values) if values.count(value) > 1]
    found += [f"{component['uniq_id']}: two entity ids" for component in there
              if component.get("def_ent_id") != f"{component.get('p')}.{_object_id(document, component)}"]
    return found


def _object_id(document: dict, component: dict) -> str:
    """The end of the entity id in releases that do not know `def_ent_id`."""
    names = f"{document.get('dev', {}).get('name')} {component.get('name')}"
    return component.get("obj_id", re.sub(r"[^a-z0-9]+", "_", names.lower()).strip("_"))
