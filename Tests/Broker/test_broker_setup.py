"""`deploy/broker`: each account may do what its role says, the check finds what is wrong, and agents work."""

import json
import re
import stat
import subprocess
import sys
import time
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from account_broker import AccountBroker, Client, run, served
from broker import HOST
from waiting import TIMEOUT, eventually

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "deploy"))

from broker_setup import acl  # noqa: E402

ACCOUNTS = [
    ("porch", "--role", "agent", "--cameras", "door", "--read", "zigbee2mqtt/hall_remote"),
    ("garden", "--role", "agent", "--certificate"),
    ("kitchen", "--role", "controller"),
    ("phone", "--role", "controller", "--certificate", "--cameras", "porch/+"),
    ("wall", "--role", "viewer"),
    ("home", "--role", "home-assistant"),
    ("manager", "--role", "fleet"),
    ("hall", "--role", "console"),
    ("cleaner", "--role", "forget"),
    ("zigbee", "--role", "device", "--write", "zigbee2mqtt/#"),
]


def set_up(folder, *options) -> AccountBroker:
    broker = AccountBroker(folder, *options)
    for account in ACCOUNTS:
        broker.do("add", *account)
    return broker


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A set-up with an account of each role; the tests leave it as it is."""
    return set_up(tmp_path_factory.mktemp("made"))


@pytest.fixture
def copy(made, tmp_path):
    """A copy of the set-up's folder, to be damaged."""
    subprocess.run(["cp", "-a", made.folder, tmp_path / "copy"], check=True)
    # The configuration has the paths of the folder.
    text = (tmp_path / "copy/mosquitto.conf").read_text()
    (tmp_path / "copy/mosquitto.conf").write_text(text.replace(str(made.folder), str(tmp_path / "copy")))
    return tmp_path / "copy"


@pytest.fixture
def running(tmp_path):
    """A broker with the accounts `kitchen` (password) and `phone` (certificate)."""
    broker = AccountBroker(tmp_path)
    broker.do("add", "kitchen", "--role", "controller")
    broker.do("add", "phone", "--role", "controller", "--certificate")
    with broker:
        yield broker


# The check


def checked(folder, *options) -> tuple[int, str]:
    done = run("--check", "--folder", folder, *options)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_check_passes_with_accounts_of_all_roles(made):
    status, output = checked(made.folder)
    assert (status, "WRONG" in output) == (0, False), output
    attempts, kinds = map(int, re.search(r"(\d+) hostile attempts of (\d+) kinds", output).groups())
    assert attempts >= 25 and kinds >= 25
    for role in ("agent", "viewer", "controller", "home-assistant", "fleet", "console", "forget"):
        assert role in output.splitlines()[0]


@pytest.mark.deep
def test_check_passes_where_plain_commands_are_permitted(tmp_path):
    broker = set_up(tmp_path, "--open", "--base", "house/cameras", "--discovery", "ha")
    status, output = checked(broker.folder)
    assert status == 0, output
    unproved = next(line for line in output.splitlines() if "without a proved name" in line)
    assert "yes" in unproved


WALL, KITCHEN, PHONE, PORCH, CLEANER, HALL = (
    "wall (viewer) ", "kitchen (controller) ", "phone (controller) ", "porch (agent) ", "cleaner (forget) ",
    "hall (console) ")
#: A file, what is replaced in it (nothing: the line is added), by what, and what the check has to report.
PLANTED = [
    ("acl", None, "user wall\ntopic write v4l2mqtt/+/+/+/set/wall\n", WALL + "publishes a command in its own name"),
]
DEEP = [
    ("acl", None, "user kitchen\ntopic write v4l2mqtt/+/+/+/set/+\n",
     KITCHEN + "publishes a command in another client's name"),
    ("acl", None, "pattern write v4l2mqtt/+/+/+/set/%u\n", WALL + "publishes a command in its own name"),
    ("acl", "topic deny v4l2mqtt/groups/+/zoom/set/kitchen\n", "", KITCHEN + "publishes a command to a group"),
    ("acl", None, "user kitchen\ntopic write v4l2mqtt/+/+/desired/set/kitchen\n",
     KITCHEN + "publishes a desired version in its own name"),
    ("acl", None, "user kitchen\ntopic deny v4l2mqtt/groups/+/+/set/kitchen\n",
     KITCHEN + "publishes a request for what a group retains"),
    ("acl", "topic write v4l2mqtt/porch/refresh/set/phone\n", "",
     PHONE + "publishes a request for what an agent retains"),
    ("acl", "topic read replies/wall/#\n", "", WALL + "reads an agent's answer to its own request"),
    ("acl", None, "user wall\ntopic write v4l2mqtt/fleet/config\n", WALL + "publishes the configuration of all agents"),
    ("acl", "topic read replies/kitchen/#", "topic read replies/#", KITCHEN + "reads answers to another client"),
    ("acl", "topic read replies/kitchen/#\n", "", KITCHEN + "reads answers to itself"),
    ("acl", None, "user cleaner\ntopic write v4l2mqtt/+/+/+/+\n", CLEANER + "publishes a command without a proved name"),
    ("acl", None, "user hall\ntopic write v4l2mqtt/+/+/+\n", HALL + "publishes a state of a camera"),
    ("acl", "topic read v4l2mqtt/porch/+/#", "topic read v4l2mqtt/#", PHONE + "reads states of a camera beyond --cameras"),
    ("acl", "topic readwrite v4l2mqtt/porch/#", "topic readwrite v4l2mqtt/#", PORCH + "publishes a state of a camera"),
    ("acl", "/device/v4l2mqtt_door_AT_porch/", "/device/+/",
     PORCH + "publishes a discovery document of another agent's camera"),
    ("acl", None, "user wall\ntopic read $SYS/#\n", WALL + "reads topics of the broker"),
    ("mosquitto.conf", "allow_anonymous false", "allow_anonymous true", "stranger connects without an account"),
    ("mosquitto.conf", "use_username_as_clientid true", "", "takes an agent's identifier"),
    ("mosquitto.conf", "require_certificate true", "require_certificate false", "garden (agent) connects"),
    ("mosquitto.conf", "use_identity_as_username true", "", PHONE + "connects"),
    ("mosquitto.conf", "tls_version tlsv1.2", "tls_version tlsv1.1\nciphers ALL:@SECLEVEL=0",
     "stranger connects with TLS 1.1"),
    ("mosquitto.conf", re.compile("crlfile .*"), "", "removed account connects again by its certificate"),
]


@pytest.mark.parametrize("file, before, after, report", [
    *PLANTED, *(pytest.param(*fault, marks=pytest.mark.deep) for fault in DEEP)])
def test_check_finds_what_is_wrong(copy, file, before, after, report):
    text = (copy / file).read_text()
    changed = text + after if before is None else re.sub(
        before if isinstance(before, re.Pattern) else re.escape(before), after.replace("\\", "\\\\"), text)
    assert changed != text
    (copy / file).write_text(changed)
    status, output = checked(copy, "--quiet")
    assert status == 1
    assert any(line.startswith("WRONG: ") and report in line for line in output.splitlines()), output


def test_check_finds_a_key_that_others_can_read_and_a_file_that_opens_the_broker(tmp_path):
    included = tmp_path / "conf.d"
    included.mkdir()
    broker = AccountBroker(tmp_path, "--include-folder", included)
    (broker.folder / "broker.key").chmod(0o644)
    (included / "local.conf").write_text("listener 1883\nallow_anonymous true\n")
    status, output = checked(broker.folder, "--quiet")
    assert status == 1
    assert re.search(r"WRONG: files .*broker\.key has 0644", output)
    assert re.search(r"WRONG: files .*local\.conf has allow_anonymous, listener", output)
    assert len(re.findall("^WRONG", output, re.MULTILINE)) == 2


def test_rights_name_the_nodes_of_the_contract():
    """An account may send commands to no node that is not in the list, and to groups by no node of it."""
    schema = json.loads((REPOSITORY / "schemas/camera.info.schema.json").read_text())
    known = set(schema["properties"]["nodes"]["items"]["enum"])
    assert known == {*acl.NODES, acl.REFRESH}


# Accounts and files


def test_secrets_are_readable_for_root_and_the_broker_only(made):
    def mode(name: str) -> int:
        return stat.S_IMODE((made.folder / name).stat().st_mode)

    assert {name: oct(mode(name)) for name in ("private/ca.key", "accounts.json", "private/clients/garden/client.key")} == {
        name: "0o600" for name in ("private/ca.key", "accounts.json", "private/clients/garden/client.key")}
    assert {oct(mode(name)) for name in ("acl", "passwords", "broker.key", "mosquitto.conf")} == {"0o640"}
    password = (made.client_folder("kitchen") / "password").read_text().strip()
    stored = [file for file in made.folder.rglob("*") if file.is_file() and password in file.read_text()]
    assert stored == [made.client_folder("kitchen") / "password"]


def test_list_has_all_accounts(made):
    lines = made.do("list").splitlines()
    assert [line.split()[0] for line in lines] == ["NAME", *sorted(name for name, *_ in ACCOUNTS)]
    assert re.search(r"porch +agent +password +porch\.[0-9a-f]{16} ", made.do("list"))


def test_metrics_have_the_ends_of_all_certificates(made):
    lines = made.do("metrics").splitlines()
    ends = dict(re.findall(r'^v4l2mqtt_certificate_end_timestamp_seconds\{of="(.*?)"\} (\d+)$', "\n".join(lines), re.M))
    listed = re.findall(r"^(\S+) .*certificate until (\S+)", made.do("list"), re.M)
    assert listed and list(ends) == ["the authority", "the broker", *(name for name, _ in listed)]
    assert len(lines) == len(ends) + 2
    for name, day in listed:
        assert time.strftime("%Y-%m-%d", time.gmtime(int(ends[name]))) == day


@pytest.mark.parametrize("account, message", [
    (["Kitchen", "--role", "viewer"], "a name has 1 to 64 of a-z"),
    (["groups", "--role", "agent"], "groups"),
    (["kitchen", "--role", "viewer"], "there is an account kitchen already"),
    (["check-x", "--role", "viewer"], "--check"),
    (["x", "--role", "guest"], "invalid choice"),
    (["x", "--role", "viewer", "--cameras", "porch"], "agent/camera"),
    (["x", "--role", "controller", "--cameras", "groups/+"], "agent/camera"),
    (["x", "--role", "viewer", "--cameras", "fleet/+"], "agent/camera"),
    (["fleet", "--role", "agent"], "fleet"),
    (["x", "--role", "agent", "--earlier", "fleet"], "fleet"),
    (["x", "--role", "device"], "--read or --write"),
    (["x", "--role", "device", "--write", "v4l2mqtt/porch/#"], "granted by roles only"),
    (["x", "--role", "device", "--write", "replies/kitchen/x"], "granted by roles only"),
    (["x", "--role", "device", "--write", "$SYS/broker"], "granted by roles only"),
    (["x", "--role", "device", "--read", "#"], "may not be a wildcard"),
    (["x", "--role", "device", "--read", "a/b#"], "no topic filter"),
    (["x", "--role", "device", "--read", "a\nuser kitchen"], "no topic filter"),
    (["x", "--role", "viewer", "--earlier", "y"], "--earlier is for agents"),
    (["x", "--role", "agent", "--earlier", "kitchen"], "the name of another account"),
])
def test_accounts_that_cannot_be_are_refused(made, account, message):
    before = (made.folder / "accounts.json").read_text()
    assert message in made.refuses("add", *account)
    assert (made.folder / "accounts.json").read_text() == before


def test_a_short_password_is_refused(made, tmp_path):
    (tmp_path / "password").write_text("short\n")
    assert "12 to 256" in made.refuses("add", "x", "--role", "viewer", "--password-file", tmp_path / "password")


def test_passwords_need_no_key_of_the_authority(tmp_path):
    broker = AccountBroker(tmp_path)
    (broker.folder / "private/ca.key").rename(tmp_path / "ca.key")
    broker.do("add", "kitchen", "--role", "controller")
    broker.do("rotate", "kitchen")
    broker.do("remove", "kitchen")
    assert "openssl" in broker.refuses("add", "phone", "--role", "controller", "--certificate")
    assert "phone" not in broker.do("list")
    assert checked(broker.folder, "--quiet")[0] == 0


# A broker that runs


class Connection:
    """A connection of an account, which notes whether it was accepted and when it ends."""

    def __init__(self, broker: AccountBroker, client: Client):
        self.code, self.ended = None, False
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, f"test-{time.monotonic_ns()}", protocol=paho.MQTTv5)
        self._client.on_connect = lambda client, data, flags, code, properties: setattr(self, "code", code)
        self._client.on_disconnect = lambda *_: setattr(self, "ended", True)
        self._client.reconnect_delay_set(min_delay=1000, max_delay=1000)
        client.admit(self._client)
        try:
            self._client.connect(HOST, client.port)
        except OSError:
            self.ended = True
            return
        self._client.loop_start()
        eventually(lambda: self.ended or self.code is not None, "an answer to the connection")

    @property
    def accepted(self) -> bool:
        return self.code is not None and not self.code.is_failure

    def publish(self, topic: str, size: int) -> paho.MQTTMessageInfo:
        """Publishes a message whose packet has `size` bytes."""
        # The fixed header has five bytes, of the rest the lengths of topic and properties and the identifier.
        return self._client.publish(topic, b"x" * (size - 5 - 2 - len(topic) - 1 - 2), qos=1)

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()


def is_accepted(broker: AccountBroker, client: Client) -> bool:
    connection = Connection(broker, client)
    connection.close()
    return connection.accepted


@pytest.mark.parametrize("name", ["kitchen", "phone"])
def test_rotation_and_removal_take_effect_in_a_running_broker(running, tmp_path, name):
    old = Client(running, name)
    kept = tmp_path / "old"
    subprocess.run(["cp", "-r", old.files, kept], check=True)
    assert is_accepted(running, old)
    assert "reads the change now" in running.do("rotate", name)
    eventually(lambda: running.log.count("Reloading config") == 1, "the broker to read its files")
    assert is_accepted(running, Client(running, name))
    old.files = kept
    assert not is_accepted(running, old)
    current = Client(running, name)
    subprocess.run(["cp", "-r", current.files, tmp_path / "current"], check=True)
    current.files = tmp_path / "current"
    connection = Connection(running, current)
    assert connection.accepted
    running.do("remove", name)
    if name == "kitchen":
        eventually(lambda: connection.ended, "the end of the connection")
    eventually(lambda: running.log.count("Reloading config") == 2, "the broker to read its files")
    assert not is_accepted(running, current)
    connection.close()


def test_the_broker_takes_no_message_above_16_mib(running):
    """Photos pass. More would fill the memory of each receiver that does not announce a limit of its own."""
    limit, topic = 16 << 20, "v4l2mqtt/porch/door/zoom/set/kitchen"
    connection = Connection(running, Client(running, "kitchen"))
    connection.publish(topic, limit).wait_for_publish(TIMEOUT)
    assert not connection.ended
    # mosquitto counts one byte of the fixed header.
    connection.publish(topic, limit + 5)
    eventually(lambda: connection.ended, "the end of the connection")
    connection.close()


def test_renewed_certificate_of_the_broker_is_used_without_a_restart(running):
    def serial() -> str:
        shown = subprocess.run(
            f"openssl s_client -connect {HOST}:{running.port} </dev/null 2>/dev/null | openssl x509 -noout -serial",
            shell=True, capture_output=True, text=True)
        return shown.stdout

    before = serial()
    assert before
    running.do("renew")
    eventually(lambda: serial() not in ("", before), "the new certificate")
    assert is_accepted(running, Client(running, "kitchen"))


# Agents


@pytest.mark.parametrize("permission", ["proved", "open"])
@pytest.mark.parametrize("name, controller", [("porch", "kitchen"), ("garden", "phone")])
def test_agent_answers_a_controller_over_tls(tmp_path, permission, name, controller):
    broker = AccountBroker(tmp_path, *(["--open"] if permission == "open" else []))
    certificate = ["--certificate"] if name == "garden" else []
    broker.do("add", controller, "--role", "controller", *certificate)
    broker.do("add", name, "--role", "agent", "--cameras", "door", *certificate)
    broker.do("add", "home", "--role", "home-assistant")
    with broker, served(broker, name, tmp_path / "agent") as agent:
        with Client(broker, controller).controller(agent=name) as phone, Client(broker, "home").controller(agent=name) as home:
            phone.inbox.wait_for(
                f"{phone.agent_topic}/availability", lambda message: message.json["state"] == "online", since=0,
                give_up=agent.ending)
            topic = phone.topic("zoom/set") if permission == "open" else None
            assert phone.obeyed("zoom", {"factor": 2}, topic=topic)["factor"] == 2
            assert phone.state("zoom", lambda state: state["factor"] == 2, since=0)
            assert home.state("zoom", lambda state: state["factor"] == 2, since=0)
            if permission == "proved":
                client = home.state("zoom", lambda state: state["factor"] == 2, since=0)["origin"]["client"]
                assert client == controller
        eventually(lambda: f"_AT_{name}/config', ..." in broker.log, "the discovery document")
        assert "Denied" not in broker.log, broker.log
        assert agent.stop() == 0


@pytest.mark.deep
def test_renamed_agent_empties_the_topics_of_its_earlier_name(tmp_path):
    broker = AccountBroker(tmp_path)
    broker.do("add", "wall", "--role", "viewer")
    broker.do("add", "porch", "--role", "agent", "--cameras", "door")
    with broker, Client(broker, "wall").controller() as viewer:
        with served(broker, "porch", tmp_path / "agent") as agent:
            viewer.state("zoom", since=0, give_up=agent.ending)
            eventually(lambda: "_AT_porch/config', ..." in broker.log, "the discovery document")
            assert agent.stop() == 0
        broker.do("remove", "porch")
        broker.do("add", "front", "--role", "agent", "--cameras", "door", "--earlier", "porch")
        with served(broker, "front", tmp_path / "agent") as agent:
            for topic in ("homeassistant/device/v4l2mqtt_door_AT_porch/config", "v4l2mqtt/porch/door/zoom"):
                emptied = f"Received PUBLISH from front.*'{topic}', ... \\(0 bytes\\)"
                eventually(lambda: re.search(emptied, broker.log), f"{topic} to be emptied")
            viewer.inbox.wait_for(
                viewer.topic("zoom"), lambda message: message.payload == b"", since=0, give_up=agent.ending)
        assert "Denied" not in broker.log, broker.log
