"""Placeholders in the configuration: properties of the device as they are now."""

import socket
import subprocess
import uuid

import yaml

from agent import PROGRAM
from waiting import TIMEOUT

APPLICATION = "8f215c0bd36e4a97b25d71e409c63af8"


def check(folder, configuration, *, host=None):
    """The outcome of `check`; `host`: under this host name."""
    file = folder / "porch.yaml"
    file.write_text(yaml.safe_dump({"state_file": str(folder / "state.json"), **configuration}))
    command = [PROGRAM, "check", "--config", file]
    if host:
        command = ["unshare", "--uts", "sh", "-c", f'hostname {host}; exec "$@"', "sh", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)


def test_the_agent_has_the_name_of_its_host(bench, broker):
    host = socket.gethostname().lower()
    agent = bench.agent(broker, start=False)
    agent.rename("cam-{hostname}")
    agent.name = f"cam-{''.join(c if c.isalnum() or c in '-_' else '-' for c in host)}"
    # What earlier versions kept has no meaning.
    (agent.state_file.parent / "device.json").write_text('{"hostname": "Earlier.lan"}')
    assert agent.start().stop() == 0


def test_check_shows_the_value(tmp_path):
    shown = check(tmp_path, {"agent": "a-{hostname}", "mqtt": {"client_id": "{hostname}"}}, host="Pi-7.lan")
    assert shown.returncode == 0, shown.stderr
    assert yaml.safe_load(shown.stdout)["agent"] == "a-pi-7-lan"
    assert yaml.safe_load(shown.stdout)["mqtt"]["client_id"] == "Pi-7.lan"


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
