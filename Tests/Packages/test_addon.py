"""The add-on of Home Assistant and the compose file: their forms, and that they name what there is."""

import json
import re

import jsonschema
import yaml

from debian import ROOT

ADDON = ROOT / "deploy/home-assistant/addon"


def version() -> str:
    return re.match(r"v4l2mqtt \(([^)]+)\)", (ROOT / "deploy/debian/changelog").read_text())[1]


def test_the_addon_is_valid():
    schema = json.loads((ROOT / "Tests/Packages/addon.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load((ADDON / "config.yaml").read_text()), schema)


def test_the_schema_refuses_what_the_supervisor_does_not_know():
    schema = json.loads((ROOT / "Tests/Packages/addon.schema.json").read_text())
    addon = yaml.safe_load((ADDON / "config.yaml").read_text())
    for change in ({"timeout": 5}, {"map": ["everything:rw"]}, {"services": ["mqtt"]}, {"vidoe": True}, {"arch": []}):
        assert list(jsonschema.Draft202012Validator(schema).iter_errors({**addon, **change})), change


def test_the_addon_asks_no_registry_for_an_image():
    """The Supervisor builds with `--pull`: the base of an image would come from a registry, whatever images
    the machine has. build.yaml is deprecated."""
    assert re.findall(r"^FROM (.*)$", (ADDON / "Dockerfile").read_text(), re.MULTILINE) == ["scratch"]
    assert list(ADDON.glob("build.*")) == []


def test_the_addon_has_the_version_of_the_packages():
    assert yaml.safe_load((ADDON / "config.yaml").read_text())["version"] == version()


def test_the_addon_reads_the_configuration_that_its_readme_describes():
    """The Supervisor mounts the folder of the add-on as /config. The agent only reads it."""
    addon = yaml.safe_load((ADDON / "config.yaml").read_text())
    assert "addon_config:ro" in addon["map"]
    assert '"--config", "/config/agent.yaml"' in (ADDON / "Dockerfile").read_text()
    assert "Write `agent.yaml` into the folder `/addon_configs/local_v4l2mqtt`" in (ADDON / "README.md").read_text()


def test_the_ingress_is_reserved_for_the_console():
    addon = yaml.safe_load((ADDON / "config.yaml").read_text())
    assert (addon["ingress"], addon["ingress_port"]) == (False, 8099)


def test_the_compose_file_has_an_agent_and_a_broker():
    services = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text())["services"]
    assert set(services) == {"agent", "broker"}
    assert services["agent"]["image"] == f"localhost/v4l2mqtt:{version()}"
    assert services["agent"]["cap_drop"] == ["ALL"] and services["agent"]["read_only"]


def test_the_packages_have_the_version_of_the_program():
    program = (ROOT / "Sources/v4l2mqtt/Program.swift").read_text()
    assert re.search(r'static let version = "([^"]+)"', program)[1] == version()
