"""The package under a real systemd: a fresh Debian with a mosquitto of its own and a camera of the kernel's.

It goes from the installation to a photo over TLS, by the commands of deploy/README.md. The tests of this file
are steps of one machine, in this order.
"""

import io
import json
import re
import shlex
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from PIL import Image

import built
from console import Console
from documented import blocks, follow
from page_socket import PageSocket
from previous_release import PREVIOUS_RELEASE, program_of
from systemd_guest import SystemdGuest, image

pytestmark = [pytest.mark.deep, pytest.mark.timeout(3600)]

#: Seconds for a command in the guest, which an emulated processor runs, also beside other programs.
SLOW = 900
MAX_EXPOSURE = 2.0
AGENT = "/etc/v4l2mqtt"
PROXY = Path(__file__).parent / "support/breaking_proxy.py"
#: Seconds within which systemd starts a program again. `RestartSec=500ms` becomes up to 0.75 s, as its timers
#: may be late by a quarter; with 2 s this fails. The start itself is slower than on any real machine.
AT_ONCE = 1.5
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
    own = (packages.agent, packages.broker, packages.console)
    files = {file.name: file for file in own} | {f"earlier/{previous.name}": previous}
    needed = set().union(*map(built.needed_by, (*own, previous))) - {"v4l2mqtt"}
    # Emulation is slow: the libraries are there already, but not the broker.
    disk = image(folder, files, installed=needed, available=["mosquitto"])
    with closing(SystemdGuest(disk, folder / "guest")) as guest:
        yield guest


@pytest.fixture(autouse=True)
def journal_of_failures(machine, request):
    """What the services logged, in the report of a test that fails."""
    yield
    if getattr(request.node, "failed", False):
        print(machine.run("journalctl -u v4l2mqtt -u v4l2mqtt-console -u mosquitto --no-pager | tail -60", SLOW).output)


@pytest.fixture(scope="module")
def installed(machine, packages):
    machine.check("modprobe vivid && udevadm settle", SLOW)
    follow(machine, PATH, INSTALLATION, SLOW, has_agent="v4l2mqtt ctl list --json 2>&1 | grep -q '\"online\"'")
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


def test_upgrades_keep_what_was_acknowledged(installed, packages, previous):
    """By the command of deploy/README.md, which stops and starts the service. Before an upgrade, the program
    may have been killed: the earlier one has no journal.

    The broker has no accounts yet: the earlier program does not know them. Its `ctl` commands it, and the
    `ctl` of this release commands this one.
    """
    # The earlier program does not know the numbers that this release has given out.
    first = files_by_name(installed)
    last, kept, boot = None, first, 0
    earlier, current = f"/root/earlier/{previous.name}", f"/root/{packages.agent.name}"
    steps = (
        Step(earlier, 2.5, "stop"), Step(earlier, 1.5, "kill"), Step(current, 3.5, "stop"), Step(current, 2.0, "kill"),
        Step(current, 3.0, "stop"))
    for number, step in enumerate(steps):
        # The version that is there is installed again.
        again = "--reinstall " if number and steps[number - 1].package == step.package else ""
        installed.check(f"apt-get install -q {again}--allow-downgrades {step.package} </dev/null 2>&1", SLOW)
        zoom = of_a_new_run(installed, "zoom", boot)
        boot = zoom["boot"]
        installed.check("until v4l2mqtt ctl list | grep -q online; do sleep 1; done", SLOW)
        if last:
            assert zoom["factor"] == pytest.approx(last.factor)
            assert of_a_new_run(installed, "controls", boot - 1)["values"]["brightness"] == last.brightness
            listed = installed.check("v4l2mqtt ctl preset list", SLOW)
            assert [one.name for one in steps[:number] if one.name not in listed] == [], listed
        for command in step.commands():
            installed.check(f"{command} 2>&1", SLOW)
        found = files_by_name(installed)
        assert kept.items() <= found.items() and len(found) == len(kept) + 2
        for ending in (".jpg", ".mkv"):
            assert_numbers_rise([name for name in found if name.endswith(ending) and name not in first])
        kept, last = found, step
        if step.end == "kill":
            kill_for_good(installed)


class Step(NamedTuple):
    """A package that is installed, what is commanded then, and how its program ends."""

    package: str
    factor: float
    end: str

    @property
    def name(self) -> str:
        return f"at-{self.factor}".replace(".", "-")

    @property
    def brightness(self) -> int:
        return round(self.factor * 40)

    def commands(self) -> list[str]:
        return [
            f"v4l2mqtt ctl zoom {self.factor}", f"v4l2mqtt ctl preset save {self.name}",
            f"v4l2mqtt ctl controls brightness={self.brightness}", "v4l2mqtt ctl capture",
            "v4l2mqtt ctl record on --codec mjpeg", "v4l2mqtt ctl record off"]


def of_a_new_run(guest, node: str, boot: int) -> dict:
    """The state of the camera that a run after that of `boot` has published, at a broker without accounts:
    the retained one may be that of the run before."""
    while True:
        found = json.loads(guest.check(f"mosquitto_sub -t v4l2mqtt/porch/vivid/{node} -C 1 -W 60", SLOW))
        if found["boot"] > boot:
            return found


def files_by_name(guest) -> dict[str, str]:
    """The checksums of photos and recordings."""
    lines = guest.check("cd /var/lib/v4l2mqtt && find . -name '*.jpg' -o -name '*.mkv' | xargs -r md5sum", SLOW).splitlines()
    return {line.split()[1]: line.split()[0] for line in lines}


def assert_numbers_rise(names: list[str]) -> None:
    """A name ends in the time and the number. No number is used twice."""
    numbers = [int(re.search(r"-(\d+)\.\w+$", name)[1]) for name in sorted(names)]
    assert numbers == sorted(set(numbers)), names


def kill_for_good(guest) -> None:
    """Kills the agent with SIGKILL, and systemd does not start it again before the next installation."""
    folder = "/run/systemd/system/v4l2mqtt.service.d"
    guest.check(f"mkdir -p {folder} && printf '[Service]\\nRestart=no\\n' > {folder}/test.conf && systemctl daemon-reload", SLOW)
    guest.check("systemctl kill -s KILL v4l2mqtt; while systemctl is-active -q v4l2mqtt; do sleep 1; done", SLOW)
    guest.check(f"rm -r {folder} && systemctl daemon-reload", SLOW)
    assert guest.run("pgrep -x v4l2mqtt").status == 1


# A broker that breaks the protocol


class BreakingBroker:
    """The broker of the guest behind a proxy on port 1884, which breaks the protocol after the first final
    answer `done`. libmosquitto then ends the process by an assertion."""

    PORT = 1884
    _LOG, _UNIT = "/run/proxy.log", "breaking-proxy"

    def __init__(self, guest):
        self._guest = guest
        guest.write("/run/breaking_proxy.py", PROXY.read_text())
        guest.check(
            f"systemd-run --unit={self._UNIT} -p StandardOutput=file:{self._LOG} "
            f"python3 /run/breaking_proxy.py {self.PORT} 1883 '\"done\"'", SLOW)

    def wait(self, event: str, count: int) -> None:
        """Until something has happened so often."""
        self._guest.check(f"until [ $(grep -c {event} {self._LOG}) -ge {count} ]; do sleep 0.1; done", SLOW)

    def wait_for_restart(self, unit: str) -> float:
        """Waits until the service of a unit has connected again. Returns the seconds from the packet that
        breaks the protocol to the start of the new process, by the guest's clock."""
        self.wait("broken", 1)
        self.wait("connected", 2)
        events = [line.split() for line in self._guest.check(f"cat {self._LOG}").splitlines()]
        assert [event for event, _ in events] == ["connected", "broken", "connected"]
        started = self._guest.check(f"systemctl show -p ExecMainStartTimestampMonotonic --value {unit}", SLOW)
        return int(started) / 1e6 - float(events[1][1])

    def close(self):
        self._guest.check(f"systemctl stop {self._UNIT}; rm {self._LOG}", SLOW)


@pytest.fixture
def breaking(installed):
    with closing(BreakingBroker(installed)) as broker:
        yield broker


def aborts(guest, unit: str) -> int:
    """How many runs of a service an assertion has ended."""
    return int(guest.check(f"journalctl -u {unit} --no-pager | grep -c 'status=6/ABRT' || true", SLOW))


def test_an_agent_is_back_at_once_after_the_protocol_was_broken(installed, breaking):
    """It is broken behind the answer to a command, and what was answered is kept."""
    earlier = of_a_new_run(installed, "zoom", 0)["boot"]
    installed.check(f"cp {AGENT}/config.yaml /root && echo 'mqtt: {{ port: {breaking.PORT} }}' >> {AGENT}/config.yaml")
    installed.check("systemctl restart v4l2mqtt", SLOW)
    breaking.wait("connected", 1)
    boot = of_a_new_run(installed, "zoom", earlier)["boot"]
    installed.check("until v4l2mqtt ctl list | grep -q online; do sleep 1; done", SLOW)
    installed.check("v4l2mqtt ctl zoom 2.25 2>&1", SLOW)
    away = breaking.wait_for_restart("v4l2mqtt")
    zoom = of_a_new_run(installed, "zoom", boot)
    installed.check(f"cp /root/config.yaml {AGENT} && systemctl restart v4l2mqtt", SLOW)
    assert (zoom["factor"], zoom["boot"]) == (pytest.approx(2.25), boot + 1)
    assert away < AT_ONCE and aborts(installed, "v4l2mqtt") == 1
    of_a_new_run(installed, "zoom", boot + 1)
    installed.check("until v4l2mqtt ctl list | grep -q online; do sleep 1; done", SLOW)


def test_the_exposure_of_the_service_is_small(installed):
    judged = installed.run(f"systemd-analyze security --no-pager --threshold={MAX_EXPOSURE * 10:.0f} v4l2mqtt", SLOW)
    assert judged.status == 0, judged.output


# The console


class GuestConsole(Console):
    """The console in the guest, at a port of the host."""

    def __init__(self, port: int):
        self.port = port


@pytest.fixture(scope="module")
def console(installed, packages):
    """The service of the console, as it is installed and started. The broker has no accounts yet."""
    installed.check(f"apt-get install -q /root/{packages.console.name} </dev/null 2>&1", SLOW)
    assert installed.run("systemctl is-enabled v4l2mqtt-console").output.strip() == "disabled"
    assert installed.run("pgrep -f /usr/bin/v4l2mqtt-consol[e]").status == 1, "it is not started"
    installed.check("systemctl start v4l2mqtt-console", SLOW)
    return GuestConsole(installed.ports[8177])


def inside(guest, path: str, body="None") -> int:
    """The status of a request that comes from the guest itself, once the console listens. `body` is an
    expression of Python."""
    program = f"""
import http.client, json, time
while True:
    try:
        console = http.client.HTTPConnection('localhost', 8177, timeout={SLOW})
        console.request('POST' if {body} else 'GET', '/{path}', {body}, {{'Origin': 'http://localhost:8177'}})
        break
    except ConnectionRefusedError:
        time.sleep(0.1)
print(console.getresponse().status)
"""
    return int(guest.check(f"python3 -c {shlex.quote(program)}", SLOW))


def token_of_the_service(guest, name: str, *options: str) -> str:
    return guest.check(shlex.join(["v4l2mqtt-console", "token", name, *options]), SLOW).strip().split("#t=")[1]


def test_the_service_of_the_console_serves_the_page(installed, console):
    """With the file of options as the package has it: for this machine only, without tokens."""
    assert inside(installed, "") == 200
    assert installed.check("ps -o user= -C v4l2mqtt-console").strip() in ("v4l2mqtt-console", "v4l2mqt+")
    judged = installed.run(f"systemd-analyze security --no-pager --threshold={MAX_EXPOSURE * 10:.0f} v4l2mqtt-console", SLOW)
    assert judged.status == 0, judged.output


def test_the_console_takes_over_a_token_that_root_has_made(installed, console):
    token = token_of_the_service(installed, "kitchen-tablet")
    assert installed.check("stat -c '%U %a' /var/lib/v4l2mqtt-console/tokens.json").split() == ["v4l2mqtt-console", "600"]
    installed.check("until journalctl -u v4l2mqtt-console | grep -q 'the tokens have changed'; do sleep 1; done", SLOW)
    assert inside(installed, "session", f"json.dumps({{'token': '{token}'}})") == 204
    assert inside(installed, "session", "json.dumps({'token': 'x' * 22})") == 403
    assert installed.check("v4l2mqtt-console tokens", SLOW) == "kitchen-tablet  control  pages  *\n"


def test_a_page_sees_and_zooms_the_camera_of_the_guest(installed, console):
    """With options in the one line of the file, and a password that systemd hands over. The page is on
    another machine: the host of the guest."""
    token = token_of_the_service(installed, "kitchen-tablet")
    options = "--listen 0.0.0.0:8177 --username console --password-file /run/credentials/v4l2mqtt-console.service/password"
    installed.write("/root/console.password", "secret\n")
    installed.check("install -D -m 600 /root/console.password /etc/credstore/v4l2mqtt-console.password")
    installed.check(f"sed -i 's|^OPTIONS=.*|OPTIONS=\"{options}\"|' /etc/default/v4l2mqtt-console")
    installed.check("systemctl restart v4l2mqtt-console", SLOW)
    assert inside(installed, "") == 200
    with PageSocket(console, cookie=console.sign_in(token)) as page:
        page.wait_for("cameras", lambda cameras: (cameras.get("porch/vivid") or {}).get("online"))
        page.send(open=["porch/vivid"])
        assert page.command("zoom", {"factor": 2}, camera="porch/vivid")["status"] == "done"
        page.send(watch=[{"camera": "porch/vivid", "width": 320, "fps": 2}])
        assert page.picture()[1].startswith(b"\xff\xd8")


def test_a_console_is_back_at_once_after_the_protocol_was_broken(installed, console, breaking):
    """It is broken behind the answer to a page's command. The devices stay signed in."""
    token = token_of_the_service(installed, "kitchen-tablet")
    options = f"--listen 0.0.0.0:8177 --port {breaking.PORT}"
    installed.check(f"cp /etc/default/v4l2mqtt-console /root/options && echo 'OPTIONS=\"{options}\"' >> /etc/default/v4l2mqtt-console")
    installed.check("systemctl restart v4l2mqtt-console", SLOW)
    breaking.wait("connected", 1)
    assert inside(installed, "") == 200
    cookie = console.sign_in(token)
    with PageSocket(console, cookie=cookie) as page:
        page.wait_for("cameras", lambda cameras: (cameras.get("porch/vivid") or {}).get("online"))
        page.send(open=["porch/vivid"])
        page.order("zoom", {"factor": 2}, camera="porch/vivid")
        away = breaking.wait_for_restart("v4l2mqtt-console")
    assert inside(installed, "") == 200
    with PageSocket(console, cookie=cookie) as page:
        page.wait_for("cameras", lambda cameras: (cameras.get("porch/vivid") or {}).get("online"))
        page.send(open=["porch/vivid"])
        assert page.command("zoom", {"factor": 3}, camera="porch/vivid")["status"] == "done"
    installed.check("cp /root/options /etc/default/v4l2mqtt-console && systemctl restart v4l2mqtt-console", SLOW)
    assert inside(installed, "") == 200
    assert away < AT_ONCE and aborts(installed, "v4l2mqtt-console") == 1


def test_wrong_options_end_the_service_for_good(installed, console):
    """With exit code 64; an address that can't be used (69) is tried again."""
    file = "/etc/default/v4l2mqtt-console"
    installed.check(f"cp {file} /root/options && echo 'OPTIONS=\"--listen nowhere\"' >> {file}")
    installed.check("systemctl restart v4l2mqtt-console; while systemctl is-active -q v4l2mqtt-console; do sleep 1; done", SLOW)
    installed.check("until systemctl is-failed -q v4l2mqtt-console; do sleep 1; done", SLOW)
    assert installed.check("systemctl show -p ExecMainStatus --value v4l2mqtt-console").strip() == "64"
    installed.check(f"cp /root/options {file} && echo 'OPTIONS=\"--listen 192.0.2.1:8177\"' >> {file}")
    installed.check("systemctl restart v4l2mqtt-console", SLOW)
    installed.check("until [ $(journalctl -u v4l2mqtt-console | grep -c status=69) -ge 2 ]; do sleep 1; done", SLOW)
    installed.check(f"cp /root/options {file} && systemctl restart v4l2mqtt-console", SLOW)
    assert inside(installed, "") == 200


def test_the_sandbox_of_the_console_refused_nothing(installed, console):
    log = installed.check("journalctl -u v4l2mqtt-console --no-pager", SLOW)
    refusals = [line for line in log.splitlines() if "not permitted" in line.lower() or "permission denied" in line.lower()]
    assert refusals == [] and "connected to the broker" in log


def test_removal_stops_the_console(installed, console):
    installed.check("dpkg -r v4l2mqtt-console 2>&1", SLOW)
    assert installed.run("pgrep -f /usr/bin/v4l2mqtt-consol[e]").status == 1


# With TLS


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
    assert refusals == [] and "serving" in log


def test_removal_stops_the_service(served):
    served.check("dpkg -r v4l2mqtt 2>&1", SLOW)
    assert served.run("systemctl is-active v4l2mqtt").output.strip() != "active"
    assert served.run("pgrep -x v4l2mqtt").status == 1
