"""Placeholders in the configuration: properties of the device, which stay as they were at their first use."""

import json
import socket
import subprocess
import uuid

import pytest
import yaml

from agent import PROGRAM
from waiting import TIMEOUT, eventually

APPLICATION = "8f215c0bd36e4a97b25d71e409c63af8"


def check(folder, configuration, *, host=None):
    """The outcome of `check`; `host`: under this host name."""
    file = folder / "porch.yaml"
    file.write_text(yaml.safe_dump({"state_file": str(folder / "state.json"), **configuration}))
    command = [PROGRAM, "check", "--config", file]
    if host:
        command = ["unshare", "--uts", "sh", "-c", f'hostname {host}; exec "$@"', "sh", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)


def test_the_name_of_the_first_start_stays(bench, broker, tmp_path):
    host = socket.gethostname().lower()
    agent = bench.agent(broker, start=False)
    agent.rename("cam-{hostname}")
    agent.name = f"cam-{''.join(c if c.isalnum() or c in '-_' else '-' for c in host)}"
    assert agent.start().stop() == 0
    kept = agent.state_file.parent / "device.json"
    assert json.loads(kept.read_text()) == {"hostname": socket.gethostname()}
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text(json.dumps({"hostname": "Earlier.lan"}))
    agent.name = "cam-earlier-lan"
    assert agent.start().stop() == 0


def test_check_shows_the_value_and_keeps_nothing(tmp_path):
    shown = check(tmp_path, {"agent": "a-{hostname}", "mqtt": {"client_id": "{hostname}"}}, host="Pi-7.lan")
    assert shown.returncode == 0, shown.stderr
    assert yaml.safe_load(shown.stdout)["agent"] == "a-pi-7-lan"
    assert yaml.safe_load(shown.stdout)["mqtt"]["client_id"] == "Pi-7.lan"
    assert not (tmp_path / "device.json").exists()
    (tmp_path / "device.json").write_text('{"hostname": "first"}')
    assert yaml.safe_load(check(tmp_path, {"agent": "{hostname}"}, host="second").stdout)["agent"] == "first"


def test_the_machine_identifier_is_that_of_systemd(tmp_path):
    expected = subprocess.run(
        ["systemd-id128", "machine-id", f"--app-specific={APPLICATION}"], capture_output=True, text=True, timeout=TIMEOUT)
    shown = check(tmp_path, {"agent": "{machine_id}"})
    if expected.returncode != 0:
        assert shown.returncode == 64 and "this device has no machine identifier" in shown.stderr
    else:
        assert yaml.safe_load(shown.stdout)["agent"] == uuid.UUID(expected.stdout.strip()).hex


def test_the_common_name_is_that_of_the_certificate(tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
         "/O=Example/CN=Porch 7", "-keyout", tmp_path / "a.key", "-out", tmp_path / "a.crt"],
        check=True, capture_output=True, timeout=TIMEOUT)
    tls = {"cert_file": str(tmp_path / "a.crt"), "key_file": str(tmp_path / "a.key")}
    shown = check(tmp_path, {"agent": "{cn}", "mqtt": {"username": "{cn}", "tls": tls}})
    assert shown.returncode == 0, shown.stderr
    assert yaml.safe_load(shown.stdout)["agent"] == "porch-7"
    assert yaml.safe_load(shown.stdout)["mqtt"]["username"] == "Porch-7"


@pytest.mark.parametrize("content", ["no JSON", "[]", '{"hostname": 7}'])
def test_a_damaged_file_of_properties_is_an_error(tmp_path, content):
    (tmp_path / "device.json").write_text(content)
    shown = check(tmp_path, {"agent": "{hostname}"})
    assert shown.returncode == 64 and "device.json, which keeps the properties of this device, is damaged" in shown.stderr


def test_the_folder_of_the_properties_is_made(bench):
    """As that of the state file is."""
    agent = bench.agent(bench.broker(), start=False)
    agent.configure({**agent.configuration, "agent": "cam-{hostname}", "state_file": str(agent.folder / "a/b/state.json")})
    agent.launch()
    eventually(lambda: "serving door as cam-" in agent.log, "the agent")
    assert (agent.folder / "a/b/device.json").exists()


def test_where_the_properties_cannot_be_kept_the_agent_does_not_start(tmp_path):
    (tmp_path / "file").touch()
    file = tmp_path / "porch.yaml"
    file.write_text(yaml.safe_dump({"agent": "{hostname}", "state_file": str(tmp_path / "file" / "state.json")}))
    ended = subprocess.run([PROGRAM, "run", "--config", file], capture_output=True, text=True, timeout=TIMEOUT)
    reason = f"{{hostname}}: {tmp_path}/file/device.json, which keeps the properties of this device, can't be"
    assert ended.returncode == 64 and reason in ended.stderr
