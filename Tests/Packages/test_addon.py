"""The add-on of Home Assistant and the compose file: their forms, and that they name what there is."""

import json
import re

import jsonschema
import pytest
import yaml

from debian import ROOT

ADDON = ROOT / "deploy/home-assistant/addon"
CONSOLE = ROOT / "deploy/home-assistant/console-addon"

each_addon = pytest.mark.parametrize("addon", [ADDON, CONSOLE], ids=["agent", "console"])


def version() -> str:
    return re.search(r'= "(.+)"', (ROOT / "Sources/BrokerOptions/ProgramVersion.swift").read_text())[1]


@each_addon
def test_the_addon_is_valid(addon):
    schema = json.loads((ROOT / "Tests/Packages/addon.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load((addon / "config.yaml").read_text()), schema)


def test_the_schema_refuses_what_the_supervisor_does_not_know():
    schema = json.loads((ROOT / "Tests/Packages/addon.schema.json").read_text())
    addon = yaml.safe_load((ADDON / "config.yaml").read_text())
    for change in ({"timeout": 5}, {"map": ["everything:rw"]}, {"services": ["mqtt"]}, {"vidoe": True}, {"arch": []}):
        assert list(jsonschema.Draft202012Validator(schema).iter_errors({**addon, **change})), change


@each_addon
def test_the_addon_asks_no_registry_for_an_image(addon):
    """The Supervisor builds with `--pull`: the base of an image would come from a registry, whatever images
    the machine has. build.yaml is deprecated."""
    assert re.findall(r"^FROM (.*)$", (addon / "Dockerfile").read_text(), re.MULTILINE) == ["scratch"]
    assert list(addon.glob("build.*")) == []


@each_addon
def test_the_addon_has_the_version_of_the_programs(addon):
    assert yaml.safe_load((addon / "config.yaml").read_text())["version"] == version()


@each_addon
def test_the_addon_goes_on_after_a_fault(addon):
    """The program is the first process, which executes itself again (`test_hostile_broker`). The Supervisor
    starts an add-on again only if its user wants that."""
    assert yaml.safe_load((addon / "config.yaml").read_text())["init"] is False
    assert re.search("^5. Switch on \\*Watchdog\\*", (addon / "README.md").read_text(), re.MULTILINE)


def test_the_addon_reads_the_configuration_that_its_readme_describes():
    """The Supervisor mounts the folder of the add-on as /config. The agent only reads it."""
    addon = yaml.safe_load((ADDON / "config.yaml").read_text())
    assert "addon_config:ro" in addon["map"]
    assert '"--config", "/config/agent.yaml"' in (ADDON / "Dockerfile").read_text()
    assert "Write `agent.yaml` into the folder `/addon_configs/local_v4l2mqtt`" in (ADDON / "README.md").read_text()


def test_the_console_is_in_the_ingress_of_home_assistant_only():
    addon = yaml.safe_load((CONSOLE / "config.yaml").read_text())
    command = (CONSOLE / "Dockerfile").read_text()
    assert addon["ingress"] and f'"0.0.0.0:{addon["ingress_port"]}"' in command
    assert '"--proxy-only", "--trusted-proxies", "172.30.32.2"' in command and "ports" not in addon


def test_the_console_permits_the_frame_of_home_assistant():
    """The panel is a frame of the same origin. `Console/test_frames.py` has it in a browser."""
    assert '"--frame-ancestor", "self"' in (CONSOLE / "Dockerfile").read_text()


def test_the_compose_file_has_an_agent_a_console_and_a_broker():
    file = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text())
    services = file["services"]
    assert set(services) == {"agent", "console", "broker"}
    for name in ("agent", "console"):
        assert services[name]["image"] == f"localhost/v4l2mqtt:{version()}"
        assert services[name]["cap_drop"] == ["ALL"] and services[name]["read_only"]
        # The first process goes on after a fault (`test_hostile_broker`); other ends are for the runtime.
        assert services[name]["restart"] == "unless-stopped" and not {"init", "pid"} & set(services[name])
    # Without tokens the page is for this machine only.
    assert "--listen 127.0.0.1:8177" in services["console"]["command"]
    assert set(file["volumes"]) == {"state", "console"}


def test_the_version_stands_once_in_the_sources():
    """deploy/package gives it to the packages; test_installation.py compares them."""
    files = [file.name for file in (ROOT / "Sources").rglob("*.swift") if f'"{version()}"' in file.read_text()]
    assert files == ["ProgramVersion.swift"]
