"""The agent with the kernel's own drivers, in a guest; `Tests/Hardware/measure.py` takes the figures."""
import json
import subprocess

from figures import Figure
from workshop import PROJECT, Unable

PYTHON = PROJECT / ".build" / "tests-venv" / "bin" / "python"


def figures(program):
    if not PYTHON.exists():
        raise Unable("the guest needs what the tests need: run Tests/run -k nothing, then deploy/prepare hardware")
    done = subprocess.run(
        [PYTHON, PROJECT / "Tests/Hardware/measure.py"], capture_output=True, text=True, timeout=900,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "V4L2MQTT": str(program)})
    if done.returncode != 0:
        raise Unable(f"Tests/Hardware/measure.py failed:\n{done.stderr[-2000:]}")
    rows = json.loads(done.stdout.splitlines()[-1])
    return [Figure(f"{name}, in the guest", ours, peer, unit, peer_name, note=note)
            for name, ours, peer, unit, peer_name, note in rows]
