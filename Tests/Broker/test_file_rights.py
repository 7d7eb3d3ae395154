"""Photos, recordings and state belong to the agent's user and group alone; the umask narrows that further."""

import os
import stat

import pytest


@pytest.mark.parametrize("umask, files, folders", [(0o000, 0o640, 0o750), (0o077, 0o600, 0o700)])
def test_other_users_may_not_read_what_the_agent_writes(bench, umask, files, folders):
    broker = bench.broker()
    agent = bench.agent(broker, start=False)
    made = agent.folder / "made"
    agent.configure({
        **agent.configuration, "state_file": str(made / "state" / "state.json"),
        "captures": {"directory": str(made / "captures")}, "recordings": {"directory": str(made / "recordings")}})
    before = os.umask(umask)  # The program inherits it.
    try:
        agent.start()
    finally:
        os.umask(before)
    controller = bench.controller(broker)
    controller.obeyed("capture", {"size": {"width": 160}})
    for codec in ("mjpeg", "h264"):
        controller.obeyed("recording", {"on": True, "codec": codec})
        controller.obeyed("recording", {"on": False})
    assert agent.stop() == 0
    modes = {path.relative_to(made): stat.S_IMODE(path.lstat().st_mode) for path in [made, *made.rglob("*")]}
    kinds = {path.suffix or path.name for path in modes}
    assert {".jpg", ".mp4", ".mkv", ".slots", "agent", "camera-door", ".lock"} <= kinds
    for path, mode in modes.items():
        expected = folders if (made / path).is_dir() else files
        assert mode == expected, f"{path} has {mode:o}"
