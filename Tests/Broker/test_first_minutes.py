"""The first ten minutes: an ordinary user, a configuration, and no options."""

import grp
import os
import stat
import subprocess

import pytest

from agent import PROGRAM
from command_line import done
from waiting import TIMEOUT

USER = 65_534


@pytest.fixture
def user(bench, tmp_path_factory, request):
    """An agent of an ordinary user with a home, whose configuration names no folder."""
    broker = bench.broker()
    agent = bench.agent(broker, start=False)
    agent.home = agent.folder / "home"
    agent.home.mkdir()
    for place in (agent.folder, agent.home):
        os.chown(place, USER, USER)
    for place in agent.folder.parents:
        if not place.stat().st_mode & 0o001:
            place.chmod(place.stat().st_mode | 0o011)
    agent.configure({
        key: value for key, value in agent.configuration.items() if key not in ("state_file", "captures", "recordings")})
    agent.environment = {"PATH": os.environ["PATH"], "HOME": str(agent.home)}
    agent.prefix = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
    return agent


def check(agent, *arguments):
    return subprocess.run(
        [*agent.prefix, PROGRAM, "check", "--config", agent.configuration_file, *arguments], env=agent.environment,
        cwd=agent.folder, capture_output=True, text=True, timeout=TIMEOUT)


def test_an_ordinary_user_needs_no_option(bench, user):
    user.start()
    place = user.home / ".local/state/v4l2mqtt"
    assert f"state: {place}/state.json, photos: {place}/captures, recordings: {place}/recordings" in user.log
    photo = bench.controller(user.broker).obeyed("capture", {"size": {"width": 160}})["photos"][0]
    assert photo["path"].startswith(f"{place}/captures/door/")
    assert user.stop() == 0
    assert (place / "state.json.slots/agent").exists()


def test_check_sees_the_problems_of_the_run(user):
    good = check(user)
    assert good.stderr == "" and good.stdout.endswith("\n# valid\n")
    closed = user.folder / "closed"
    closed.mkdir(mode=0o700)
    os.chown(closed, 0, 0)
    shown = check(user, "--set", f"state_file={closed}/state.json", "--set", f"captures.directory={closed}")
    assert shown.returncode == 0
    assert shown.stdout.startswith("# These keys differ from the defaults:\n#   agent: porch  (")
    assert shown.stderr.splitlines() == [
        f"warning: --set state_file: can't read and write {closed}/state.json: Permission denied",
        f"warning: --set captures.directory: can't use the folder {closed}: Permission denied",
        f"warning: fleet/config is not applied: {closed}/fleet.json, which keeps it, can't be read: Permission denied"]
    assert shown.stdout.endswith("\n# valid, 3 warnings\n")
    user.launch("--set", f"state_file={closed}/state.json")
    assert user.exit_code() == 74
    assert f"critical: state_file: can't create {closed}/state.json.lock: Permission denied" in user.log


def test_published_paths_are_absolute(bench, user, monkeypatch):
    monkeypatch.chdir(user.folder)
    user.start("--set", "captures.directory=photos")
    photo = bench.controller(user.broker).obeyed("capture", {"size": {"width": 160}})["photos"][0]
    assert photo["path"].startswith(f"{user.folder}/photos/door/")


def test_a_device_says_what_is_wrong(bench, user):
    node = user.folder / "video0"
    os.mknod(node, stat.S_IFCHR | 0o660, os.makedev(81, 0))
    os.chmod(node, 0o660)
    os.chown(node, 0, grp.getgrnam("video").gr_gid)
    paths = {"door": "/dev/null", "yard": str(node), "hall": "/dev/video77"}
    words = {
        "door": "/dev/null is no camera", "yard": f"no permission for {node}: add the user to the group video",
        "hall": "/dev/video77 does not exist"}
    cameras = [{"id": name, "source": {"v4l2": path}} for name, path in paths.items()]
    user.configure({**user.configuration, "cameras": cameras})
    warnings = check(user).stderr.splitlines()
    for (name, text), warning in zip(words.items(), warnings, strict=True):
        assert warning.startswith(f"warning: {user.configuration_file}:") and warning.endswith(f".source: {name}: {text}")
    user.start()
    for name, text in words.items():
        controller = bench.controller(user.broker, camera=name)
        shown = controller.state("availability", lambda state: "error" in state, since=0)
        assert shown == {"state": "offline", "reason": "not_found", "error": text}
        assert controller.refused("capture", {}, "unavailable")["message"] == f"The camera was not found: {text}."


def test_info_says_what_is_wrong_with_the_agent(bench, user):
    user.start("--set", "captures.directory=/root/photos")
    controller = bench.controller(user.broker)
    info = controller.inbox.wait_for(f"{controller.agent_topic}/info", lambda info: "problem" in info.json, since=0).json
    problem = "captures.directory: can't use the folder /root/photos: Permission denied"
    assert info["problem"] == problem and f"warning: {problem}" in user.log
    answer = controller.refused("capture", {}, "device")
    assert answer["message"].endswith("(captures.directory)")


def test_names_for_people(bench, user):
    door = {**user.configuration["cameras"][0], "name": "Haustür"}
    user.configure({**user.configuration, "agent_name": "Am See", "cameras": [door]})
    user.start()
    controller = bench.controller(user.broker)
    assert controller.state("info", since=0)["name"] == "Haustür"
    assert controller.inbox.wait_for(f"{controller.agent_topic}/info", since=0).json["name"] == "Am See"
    discovery = bench.controller(user.broker, base="homeassistant", agent="device")
    document = discovery.inbox.wait_for("homeassistant/device/v4l2mqtt_door_AT_porch/config", since=0).json
    assert document["dev"]["name"] == "Haustür"
    zoom = next(part for part in document["cmps"].values() if part.get("name") == "Zoom")
    assert zoom["def_ent_id"] == "number.door_zoom"
    header, row, *_ = done("list", "--port", str(user.broker.port)).splitlines()
    assert header.split()[:3] == ["CAMERA", "NAME", "STATE"] and row.split()[:3] == ["porch/door", "Haustür", "online"]
