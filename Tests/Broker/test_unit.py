"""The systemd unit: how exposed it leaves the system, and whether the agent can work as it confines it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import confined
from agent import PROGRAM

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNIT = DEPLOY / "v4l2mqtt.service"
CONSOLE, EXPORTER = DEPLOY / "v4l2mqtt-console.service", DEPLOY / "v4l2mqtt-exporter.service"
UNITS = [UNIT, CONSOLE, EXPORTER]
MAX_EXPOSURE = 2.0
LAYER = Path("/usr/lib/x86_64-linux-gnu/v4l2-compat.so")

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")


def analyzed(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_exposes_little(unit):
    command = ["security", "--offline=true", f"--threshold={MAX_EXPOSURE * 10:.0f}", "--no-pager"]
    judged = analyzed(*command, unit)
    assert judged.returncode == 0, judged.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_has_no_unknown_settings(tmp_path, unit):
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"/usr/bin/v4l2mqtt\S*", "/bin/true", unit.read_text()))
    judged = analyzed("verify", "--man=no", copy)
    assert (judged.returncode, judged.stderr) == (0, "")


@pytest.mark.parametrize("key, values", [
    ("ProtectClock", []),  # its list of devices would take the cameras away
    ("LoadCredential", ["v4l2mqtt.password", "v4l2mqtt.key"]),
    ("LimitCORE", ["0"]),
    ("UMask", ["0027"]),
    ("CapabilityBoundingSet", [""]),
    ("MemoryMax", ["50%"]),
    ("TasksMax", ["1024"]),
    ("ExecReload", ["/bin/kill -HUP $MAINPID"]),
    ("WatchdogSec", ["30"]),
])
def test_unit_has(key, values):
    assert confined.settings(UNIT).get(key, []) == values


@pytest.mark.parametrize("key, value", [
    ("Restart", "on-failure"), ("RestartSec", "500ms"), ("StartLimitIntervalSec", "0")])
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_restarts_within_a_second_and_without_limit(unit, key, value):
    """A broker that breaks the protocol ends the program (`test_hostile_broker`)."""
    assert confined.settings(unit).get(key, []) == [value]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_is_not_restarted_after_what_a_restart_cannot_mend(unit):
    """A wrong configuration; for the agent also a state that an earlier version has to read."""
    statuses = "64 78" if unit == UNIT else "64"
    assert confined.settings(unit).get("RestartPreventExitStatus", []) == [statuses]


def in_the_units_confinement(statement: str) -> str:
    command = [sys.executable, confined.__file__, UNIT, sys.executable, "-c", statement]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("statement", [
    "import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)",
    "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)",
    "import os, tempfile; os.chown(tempfile.mkdtemp(), os.getuid(), -1)",
    "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); "
    "libc.ptrace(0, 0, 0, 0) == 0 or (_ for _ in ()).throw(OSError(ctypes.get_errno(), 'ptrace'))",
])
def test_the_confinement_of_these_tests_refuses(statement):
    if subprocess.run([sys.executable, "-c", statement], capture_output=True).returncode != 0:
        pytest.skip("only root may do it unconfined")
    assert "refused" in in_the_units_confinement(f"try:\n exec({statement!r})\nexcept OSError: print('refused')")


def test_agent_works_as_the_unit_confines_it(bench, tmp_path, monkeypatch):
    program = tmp_path / "confined"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {confined.__file__} {UNIT} {PROGRAM} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("agent.PROGRAM", program)
    broker = bench.broker(tls=True)
    # With a V4L2 device among its sources the agent watches for devices by udev.
    agent = bench.agent(broker, camera={"source": [{"v4l2": "/dev/video63"}, "simulated"]})
    controller = bench.controller(broker)
    assert controller.settled(controller.obeyed("zoom", {"factor": 4, "rate": 20}))["factor"] == 4
    assert controller.obeyed("capture", {"zoom": {"factor": 3}})["photos"]
    controller.obeyed("preview", {"fps": 10, "width": 320})
    controller.inbox.wait_for(controller.topic("preview/live"))
    for codec in ("h264", "mjpeg"):
        controller.obeyed("recording", {"on": True, "codec": codec})
        controller.state("recording", lambda state: state["state"] == "recording" and "path" in state)
        assert controller.obeyed("recording", {"on": False})["recording"]["reason"] == "stopped"
    agent.stop()
    agent.start()
    assert controller.state("zoom", lambda state: state["boot"] == 2, since=0)["factor"] == 3
    assert "not permitted" not in agent.log, agent.log


@pytest.mark.skipif(not LAYER.exists(), reason="needs libcamera-v4l2: deploy/prepare hardware")
def test_the_layer_of_libcamera_is_loaded_as_the_unit_confines_the_agent(bench, tmp_path, monkeypatch):
    program = tmp_path / "confined"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {confined.__file__} {UNIT} {PROGRAM} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("agent.PROGRAM", program)
    agent = bench.agent(bench.broker(), libcamera=True, camera={"source": [{"v4l2": "/dev/video63"}, "simulated"]})
    assert str(LAYER) in Path(f"/proc/{agent.process.pid}/maps").read_text()
    assert agent.stop() == 0
    assert "ERROR" not in agent.log, agent.log
