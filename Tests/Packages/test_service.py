"""The package under a real systemd: a fresh Debian with a mosquitto of its own and a camera of the kernel's.

It goes from the installation to a photo over TLS, by the commands of deploy/README.md. The tests of this file
are steps of one machine, in this order.
"""

import io
import json
import shlex
from contextlib import closing

import pytest
from PIL import Image

import built
from documented import blocks, follow
from previous_release import PREVIOUS_RELEASE, program_of
from systemd_guest import SystemdGuest, image

pytestmark = [pytest.mark.deep, pytest.mark.timeout(3600)]

#: Seconds for a command in the guest, which an emulated processor runs.
SLOW = 240
MAX_EXPOSURE = 2.0
AGENT = "/etc/v4l2mqtt"
#: What the operator types: the installation, and the set-up of a broker with TLS. `kitchen` is the
#: controller.
PATH = "On a Debian machine"
INSTALLATION, SET_UP = blocks(PATH)
CLIENT = "/etc/mosquitto/v4l2mqtt/private/clients/kitchen"


@pytest.fixture(scope="module")
def previous(packages, tmp_path_factory):
    """The program of an earlier release, as a package."""
    return built.with_program(packages.agent, program_of(PREVIOUS_RELEASE), "0.0.9", tmp_path_factory.mktemp("previous"))


@pytest.fixture(scope="module")
def machine(packages, previous, tmp_path_factory):
    folder = tmp_path_factory.mktemp("machine")
    files = {file.name: file for file in (packages.agent, packages.broker)} | {f"earlier/{previous.name}": previous}
    needed = {*built.needed_by(packages.agent), *built.needed_by(packages.broker)} - {"v4l2mqtt"}
    # Emulation is slow: the libraries are there already, but not the broker.
    disk = image(folder, files, installed=needed, available=["mosquitto"])
    with closing(SystemdGuest(disk, folder / "guest")) as guest:
        yield guest


@pytest.fixture(autouse=True)
def journal_of_failures(machine, request):
    """What the services logged, in the report of a test that fails."""
    yield
    if getattr(request.node, "failed", False):
        print(machine.run("journalctl -u v4l2mqtt -u mosquitto --no-pager | tail -60", SLOW).output)


@pytest.fixture(scope="module")
def installed(machine, packages):
    machine.check("modprobe vivid && udevadm settle", SLOW)
    follow(machine, PATH, INSTALLATION, SLOW)
    return machine


@pytest.fixture(scope="module")
def set_up(installed) -> dict[str, str]:
    """What each command of the set-up of a broker with TLS prints, by the command."""
    return dict(zip(SET_UP, follow(installed, f"{PATH}, TLS", SET_UP, SLOW)))


@pytest.fixture(scope="module")
def served(installed, set_up):
    """The agent with the set-up of the broker, over TLS."""
    online(installed)
    return installed


def command(*words) -> str:
    """A command of the controller, over TLS."""
    account = ("--ca-file", f"{CLIENT}/ca.crt", "--username", "kitchen", "--password-file", f"{CLIENT}/password")
    return shlex.join(["v4l2mqtt", "ctl", *words, "--host", "localhost", *account]) + " 2>&1"


def ctl(guest, *words) -> str:
    """The output of a command that succeeds."""
    return guest.check(command(*words), SLOW)


def online(guest) -> None:
    guest.check("until systemctl is-active -q v4l2mqtt; do sleep 1; done", SLOW)
    guest.check(f"until {command('list', '--json')} | grep -q '\"online\"'; do sleep 1; done", SLOW)


def photo(guest, name: str) -> Image.Image:
    """A picture that a documented command has stored."""
    return Image.open(io.BytesIO(guest.read(f"/root/{name}")))


def main_process(guest) -> int:
    return int(guest.check("systemctl show -p MainPID --value v4l2mqtt"))


def states(guest) -> dict:
    """The retained states of the camera, by node."""
    account = f"-h localhost -p 8883 --cafile {CLIENT}/ca.crt -u kitchen -P $(cat {CLIENT}/password)"
    lines = guest.check(
        f"mosquitto_sub {account} -t v4l2mqtt/porch/door/+ --retained-only -F '%t %p' -W 10 || true", SLOW).splitlines()
    return {line.split(" ", 1)[0].rsplit("/", 1)[1]: json.loads(line.split(" ", 1)[1]) for line in lines if "{" in line}


def test_a_fresh_machine_serves_the_camera_that_is_plugged_in(installed):
    """After the documented commands, without any other: the service runs, and finds the camera and the
    broker."""
    assert "vivid" in installed.check("v4l2mqtt ctl list --json", SLOW)
    with photo(installed, "photo.jpg") as made:
        assert made.format == "JPEG"


def test_an_upgrade_and_a_downgrade_keep_what_was_acknowledged(installed, packages, previous):
    """dpkg stops and starts the service; the earlier program reads the state of this one, and the other way
    round.

    The broker has no accounts yet: the earlier program does not know them. Its `ctl` commands itself, and the
    `ctl` of this release commands it.
    """
    last = None
    earlier, current = f"/root/earlier/{previous.name}", f"/root/{packages.agent.name}"
    for package, factor in ((earlier, 2.5), (current, 3.5), (earlier, 1.5), (current, None)):
        installed.check(f"dpkg -i --force-confold {package} 2>&1", SLOW)
        installed.check("until v4l2mqtt ctl list | grep -q online; do sleep 1; done", SLOW)
        if last:
            found = json.loads(installed.check(state("vivid", "zoom"), SLOW))
            assert found["factor"] == pytest.approx(last)
            assert name_of(last) in installed.check("v4l2mqtt ctl preset list", SLOW)
        if factor:
            installed.check(f"v4l2mqtt ctl zoom {factor} && v4l2mqtt ctl preset save {name_of(factor)}", SLOW)
            last = factor


def name_of(factor: float) -> str:
    return f"at-{factor}".replace(".", "-")


def state(camera: str, node: str) -> str:
    """A command that prints a retained state of a broker without accounts."""
    return f"mosquitto_sub -t v4l2mqtt/porch/{camera}/{node} -C 1 -W 60"


def test_the_exposure_of_the_service_is_small(installed):
    judged = installed.run(f"systemd-analyze security --no-pager --threshold={MAX_EXPOSURE * 10:.0f} v4l2mqtt", SLOW)
    assert judged.status == 0, judged.output


def test_check_outside_of_the_service_warns_of_its_password_only(set_up):
    [shown] = [output for command, output in set_up.items() if command.startswith("v4l2mqtt check")]
    warnings = [line for line in shown.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1 and "v4l2mqtt.password for v4l2mqtt.service only" in warnings[0]
    assert "id: door" in shown


def test_a_photo_comes_over_tls(served):
    """That of the last documented command."""
    assert "--ca-file" in SET_UP[-1] and "--output door.jpg" in SET_UP[-1]
    with photo(served, "door.jpg") as made:
        assert made.format == "JPEG" and made.size[0] >= 640
    assert "8884" in served.check(f"grep port {AGENT}/config.yaml")


def test_the_zoom_crops_over_tls(served):
    ctl(served, "zoom", "2")
    assert states(served)["zoom"]["factor"] == pytest.approx(2)


@pytest.mark.parametrize("codec, ending", [("mjpeg", ".mkv"), ("h264", ".mp4")])
def test_a_recording_is_made_in_the_sandbox(served, codec, ending):
    ctl(served, "record", "on", "--codec", codec)
    ctl(served, "record", "off")
    last = states(served)["recording"]["last"]
    assert last["reason"] == "stopped" and last["path"].endswith(ending)
    assert int(served.check(f"stat -c %s {last['path']}")) > 1000
    assert served.check(f"stat -c '%U %a' {last['path']}").split() == ["v4l2mqtt", "640"]


def test_a_killed_agent_starts_again_with_its_state(served):
    ctl(served, "zoom", "3")
    before = main_process(served)
    served.check("systemctl kill -s KILL v4l2mqtt")
    served.check(f"until [ $(systemctl show -p MainPID --value v4l2mqtt) -gt 0 -a "
                 f"$(systemctl show -p MainPID --value v4l2mqtt) -ne {before} ]; do sleep 1; done", SLOW)
    online(served)
    assert states(served)["zoom"]["factor"] == pytest.approx(3)


def test_a_hanging_agent_is_started_again_by_the_watchdog(served):
    before = main_process(served)
    served.check(f"kill -STOP {before}")
    served.check(f"while [ $(systemctl show -p MainPID --value v4l2mqtt) -eq {before} ]; do sleep 1; done", 2 * SLOW)
    online(served)
    assert "watchdog" in served.check("systemctl show -p Result v4l2mqtt; journalctl -u v4l2mqtt | grep -i watchdog")


def test_a_reload_takes_the_new_configuration_in_the_same_process(served):
    before = main_process(served)
    served.check(f"sed -i 's/id: door,/id: door, position: front,/' {AGENT}/config.yaml")
    served.check("systemctl reload v4l2mqtt")
    served.check("until journalctl -u v4l2mqtt | grep -q SIGHUP; do sleep 1; done", SLOW)
    online(served)
    assert main_process(served) == before
    assert states(served)["info"]["position"] == "front"


def test_a_full_disk_refuses_photos_and_ends_nothing(served):
    before = main_process(served)
    served.check("fallocate -l $(df --output=avail -B1 /var/lib/v4l2mqtt | tail -1) /root/ballast || "
                 "dd if=/dev/zero of=/root/ballast bs=1M status=none || true", SLOW)
    refused = served.run(command("capture"), SLOW)
    assert refused.status == 1 and "storage" in refused.output, refused.output
    served.check("rm /root/ballast")
    ctl(served, "capture")
    assert main_process(served) == before


def test_the_sandbox_refused_nothing(served):
    log = served.check("journalctl -u v4l2mqtt --no-pager", SLOW)
    refusals = [line for line in log.splitlines() if "not permitted" in line.lower() or "permission denied" in line.lower()]
    assert refusals == [] and "SIGSYS" not in log


def test_removal_stops_the_service(served):
    served.check("dpkg -r v4l2mqtt 2>&1", SLOW)
    assert served.run("systemctl is-active v4l2mqtt").output.strip() != "active"
    assert served.run("pgrep -x v4l2mqtt").status == 1
