"""Who may use the console: tokens, cookies, origins, hosts, roles and patterns, over real sockets."""

import http.client
import os
import re
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from broker import HOST
from console import PROGRAM, Console
from page_socket import PageSocket, Refused
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def console(broker, agent, tmp_path):
    """A console with tokens of its own."""
    with closing(Console(broker, tmp_path / "console")) as console:
        yield console


def cookie(console, name="tablet", *options) -> str:
    """The cookie of a new token. The console runs, and has tokens."""
    token = console.token(name, *options)
    console.logs("the tokens have changed") if console.process else None
    return console.sign_in(token)


def test_a_token_admits_its_device_by_a_cookie(console, broker, agent):
    token = console.token("tablet", "--role", "control")
    console.start()
    with PageSocket(console) as page:
        assert page.wait_for("sign_in") is True
    answer = console.request("POST", "session", {"token": token})
    assert answer.status == 204
    fields = answer.headers["set-cookie"].split("; ")
    assert set(fields[1:]) == {"HttpOnly", "SameSite=Strict", f"Max-Age={90 * 86400}"}
    with PageSocket(console, cookie=f"other=1; {fields[0]}") as page:
        hello = page.wait_for("hello")
        assert (hello["client"], hello["role"]) == ("tablet", "control")
        assert page.wait_for("cameras", lambda cameras: "porch/door" in cameras)
    # A wrong one, and one of another name.
    for forged in [fields[0][:-1] + ("A" if fields[0][-1] != "A" else "B"), f"x{fields[0]}"]:
        with PageSocket(console, cookie=forged) as page:
            assert page.wait_for("sign_in") is True
    assert "Max-Age=0" in console.request("DELETE", "session").headers["set-cookie"]
    # The cookie is valid after a restart.
    console.kill()
    console.start()
    with PageSocket(console, cookie=fields[0]) as page:
        page.wait_for("hello")


def test_other_sites_are_refused(console):
    token = console.token("tablet")
    console.start()
    signed = console.sign_in(token)
    for origin in ["http://evil.example", f"http://evil.example:{console.port}", f"http://{HOST}:{console.port + 1}", "null", None]:
        with pytest.raises(Refused) as refused:
            PageSocket(console, cookie=signed, Origin=origin)
        assert refused.value.status == 403, origin
        assert console.request("POST", "session", {"token": token}, Origin=origin).status == 403
        assert console.request("DELETE", "session", Origin=origin).status == 403


def test_without_tokens_only_addresses_and_localhost_are_hosts(console):
    console.start().has_read()
    for host, status in [(f"localhost:{console.port}", 200), (f"127.0.0.1:{console.port}", 200), (f"[::1]:{console.port}", 200),
                         (f"evil.example:{console.port}", 403), ("127.0.0.1.evil.example", 403)]:
        assert console.request("GET", "", Host=host).status == status, host
        page = dict(Host=host, Origin=f"http://{host}")
        if status == 200:
            PageSocket(console, **page).close()
        else:
            with pytest.raises(Refused):
                PageSocket(console, **page)
        assert console.request("GET", "snapshot/porch/nothing", Host=host).status == (404 if status == 200 else 403)
    # A request with two hosts is refused, and so is one without.
    connection = http.client.HTTPConnection(HOST, console.port, timeout=TIMEOUT)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Host", "localhost")
    connection.putheader("Host", "evil.example")
    connection.endheaders()
    assert connection.getresponse().status == 400
    assert console.request("GET", "", Host=None).status == 403


def test_tokens_of_addresses_show_pictures_and_nothing_else(console):
    page_token, look = console.token("tablet"), console.token("nvr", "--look-url")
    console.start()
    assert console.request("POST", "session", {"token": look}).status == 403
    for path, status in [("snapshot/porch/door", 401), (f"snapshot/porch/door?token={page_token}", 403), ("snapshot/porch/door?token=", 403)]:
        assert console.request("GET", path).status == status, path
    signed = console.sign_in(page_token)
    assert console.request("GET", "snapshot/porch/door", Cookie=signed).status == 401
    answer = console.request("GET", f"snapshot/porch/door?token={look}")
    assert answer.status == 200 and answer.headers["content-type"] == "image/jpeg"
    assert answer.body.startswith(b"\xff\xd8") and answer.body.endswith(b"\xff\xd9")
    # Dashboards of other sites may show it.
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert console.request("HEAD", f"snapshot/porch/door?token={look}").headers["content-type"] == "image/jpeg"
    console.has_read(f"?token={look}")
    for path in ["live", "snapshot"]:
        assert console.request("GET", f"{path}/porch/nothing?token={look}").status == 404, "at once"
    # Two snapshots over one connection, and pictures one after the other.
    connection = http.client.HTTPConnection(HOST, console.port, timeout=TIMEOUT)
    for _ in range(2):
        connection.request("GET", f"/snapshot/porch/door?token={look}")
        assert connection.getresponse().read().startswith(b"\xff\xd8")
    connection.request("GET", f"/live/porch/door?token={look}")
    live = connection.getresponse()
    assert live.headers["content-type"].startswith("multipart/x-mixed-replace")
    for _ in range(3):
        assert live.readline().rstrip() == b"--v4l2mqtt"
        assert live.readline().rstrip() == b"Content-Type: image/jpeg"
        length = int(live.readline().split(b":")[1])
        assert live.readline().rstrip() == b""
        assert live.read(length).startswith(b"\xff\xd8")
        assert live.readline().rstrip() == b""
    connection.close()


def test_a_removed_token_closes_its_pages(console):
    token, look = console.token("tablet"), console.token("nvr", "--look-url")
    console.token("phone")
    console.start()
    signed = console.sign_in(token)
    with PageSocket(console, cookie=signed) as page:
        page.wait_for("hello")
        live = http.client.HTTPConnection(HOST, console.port, timeout=TIMEOUT)
        live.request("GET", f"/live/porch/door?token={look}")
        stream = live.getresponse()
        assert stream.read(100)
        console.remove_token("tablet")
        console.remove_token("nvr")
        closed = page.closing()
        assert (closed.code, closed.reason) == (1008, "the token was removed")
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            while stream.read(1 << 16):
                pass
            raise ConnectionError("the connection was closed regularly")
    with PageSocket(console, cookie=signed) as page:
        page.wait_for("sign_in")


def test_a_removal_counts_at_once(console):
    token, look = console.token("tablet"), console.token("nvr", "--look-url")
    console.token("phone")
    console.start()
    signed = console.sign_in(token)
    for name in ("tablet", "nvr"):
        console.remove_token(name)
    assert console.request("GET", "media/porch/door/a.jpg", Cookie=signed).status == 401
    assert console.request("GET", f"snapshot/porch/door?token={look}").status == 403


def test_a_token_file_with_an_error_changes_nothing(console):
    token = console.token("tablet")
    console.start()
    signed = console.sign_in(token)
    (console.state / "tokens.json").write_text("[{")
    console.logs("the tokens stay as they are")
    with PageSocket(console, cookie=signed) as page:
        page.wait_for("hello")
    console.stop()
    code, messages = console.fails()
    assert code == 74 and "tokens.json" in messages


def test_a_folder_that_cannot_be_written_is_said(broker, tmp_path):
    (tmp_path / "file").write_text("")
    console = Console(broker, tmp_path, "--state-dir", str(tmp_path / "file" / "tokens"))
    code, messages = console.fails()
    assert code == 74 and "tokens.json: Not a directory" in messages


def test_tokens_that_are_made_at_once_are_all_kept(console):
    names = [f"device-{number}" for number in range(8)]
    made = [subprocess.Popen([PROGRAM, "token", name, "--state-dir", console.state], stdout=subprocess.DEVNULL) for name in names]
    assert [process.wait(TIMEOUT) for process in made] == [0] * 8
    listed = subprocess.run([PROGRAM, "tokens", "--state-dir", console.state], capture_output=True, text=True, timeout=TIMEOUT).stdout
    assert sorted(line.split()[0] for line in listed.splitlines()) == names


def test_the_rights_of_files_and_folders(console):
    console.token("tablet")
    console.start()
    assert [oct(os.stat(path).st_mode & 0o777) for path in [console.state, console.state / "tokens.json"]] == ["0o700", "0o600"]
    # A folder that was there keeps its rights.
    os.chmod(console.state, 0o755)
    console.token("phone")
    assert oct(os.stat(console.state).st_mode & 0o777) == "0o755"


def test_a_file_that_cannot_be_read_opens_nothing(console):
    # Also for root, who reads all files: a link to itself.
    console.state.mkdir(parents=True)
    (console.state / "tokens.json").symlink_to("tokens.json")
    code, messages = console.fails()
    assert code == 74, messages
    assert "tokens.json: Too many levels of symbolic links" in messages


def test_this_machine_needs_no_token(broker, agent, tmp_path):
    """Whether there are tokens makes no difference, also of those that are removed while it runs."""
    with closing(Console(broker, tmp_path / "console", address=HOST)) as console:
        console.token("tablet")
        look = console.token("nvr", "--look-url")
        console.start().has_read()
        for _ in range(2):
            with PageSocket(console) as page:
                assert page.wait_for("hello")["role"] == "manage"
            assert console.request("GET", "snapshot/porch/nothing").status == 404
            for refused in [{"X-Forwarded-For": HOST}, {"Host": "192.168.1.20"}, {"Sec-Fetch-Site": "cross-site"}]:
                assert console.request("GET", "snapshot/porch/nothing", **refused).status == 401, refused
            assert console.request("GET", f"snapshot/porch/nothing?token={look}", Sec_Fetch_Site="cross-site").status == 404
            assert console.request("GET", "snapshot/porch/nothing?token=x").status == 403
            console.remove_token("tablet")
            console.logs("the tokens have changed")
            console.token("tablet")


def test_a_console_for_others_asks_this_machine_too(broker, tmp_path):
    with closing(Console(broker, tmp_path / "console", address="0.0.0.0")) as console:
        console.token("tablet")
        console.start()
        with PageSocket(console) as page:
            page.wait_for("sign_in")
    with closing(Console(broker, tmp_path / "open", "--open-localhost", address="0.0.0.0").start()) as console:
        with PageSocket(console) as page:
            page.wait_for("hello")
        with PageSocket(console, Host="192.168.1.20", Origin="http://192.168.1.20") as page:
            page.wait_for("sign_in")


def test_pages_without_tokens_take_no_places_of_others(console):
    """Eight in all, four of an address."""
    token = console.token("tablet")
    console.start()
    signed = console.sign_in(token)
    with ExitStack() as strangers:
        for _ in range(4):
            strangers.enter_context(PageSocket(console)).wait_for("sign_in")
        with pytest.raises(Refused) as refused:
            PageSocket(console)
        assert refused.value.status == 503
        for _ in range(8):
            strangers.enter_context(PageSocket(console, cookie=signed)).wait_for("hello")


def test_a_stranger_sends_its_token_and_nothing_else(console):
    console.token("tablet")
    console.start()
    # What is longer is not parsed: otherwise it would be no JSON, 1007.
    for message in ['{"token": "x"}', "x" * 600, '{"open": []}']:
        with PageSocket(console) as page:
            page.wait_for("sign_in")
            page.frame(1, message.encode())
            assert page.closing().code == 1008


def test_the_metrics_have_a_role_of_their_own(console, broker, agent):
    tablet = console.token("tablet", "--role", "manage")
    printed = subprocess.run(
        [PROGRAM, "token", "prometheus", "--role", "metrics", "--url", "http://cam.lan/", "--state-dir", console.state],
        capture_output=True, text=True, timeout=TIMEOUT).stdout.splitlines()
    assert printed[0] == "http://cam.lan/metrics" and printed[1].startswith("Authorization: Bearer ")
    secret = printed[1].split()[-1]
    console.start()
    assert console.request("GET", "metrics").status == 401
    assert console.request("GET", "metrics", Cookie=console.sign_in(tablet)).status == 401
    assert console.request("GET", "metrics", Authorization=f"Bearer {tablet}").status == 403
    assert console.request("POST", "session", {"token": secret}).status == 403
    metrics = {"Authorization": f"Bearer {secret}"}
    eventually(lambda: b'v4l2mqtt_agent_up{agent="porch"} 1' in console.request("GET", "metrics", **metrics).body, "the agent")
    assert console.request("HEAD", "metrics", **metrics).body == b""
    console.remove_token("prometheus")
    console.logs("the tokens have changed")
    assert console.request("GET", "metrics", **metrics).status == 403


def test_only_the_proxy_reaches_the_console(broker, agent, tmp_path):
    options = ["--trusted-proxies", "127.0.0.1", "--user-header", "Remote-User"]
    with closing(Console(broker, tmp_path / "console", *options)) as console:
        console.token("tablet", "--role", "look")
        console.start()
        with PageSocket(console, Remote_User="tablet") as page:
            assert page.wait_for("hello")["role"] == "look"
        token = console.token("phone")
        console.logs("the tokens have changed")
        # Also with the token of another device, by its cookie or sent later.
        cookie = console.sign_in(token)
        for user in ["other", ""]:
            with PageSocket(console, cookie=cookie, Remote_User=user) as page:
                closed = page.closing()
                assert (closed.code, closed.reason) == (1008, "the user that the proxy names has no token")
            assert console.request("POST", "session", {"token": token}, Remote_User=user).status == 403
            assert console.request("GET", "media/porch/door/a.jpg", Cookie=cookie, Remote_User=user).status == 403
        answer = console.request("POST", "session", {"token": token}, X_Forwarded_Proto="https")
        assert "; Secure" in answer.headers["set-cookie"]
    options = ["--trusted-proxies", "127.0.0.2", "--proxy-only"]
    with closing(Console(broker, tmp_path / "closed", *options, address="0.0.0.0").start()) as console:
        assert console.request("GET", "").status == 403
        with pytest.raises(Refused) as refused:
            PageSocket(console)
        assert refused.value.status == 403


#: The rights of the agent.
AGENT = """
user porch
topic readwrite v4l2mqtt/porch/#
topic read v4l2mqtt/groups/#
topic write replies/#

"""
DOCUMENT = Path(__file__).resolve().parents[2] / "deploy/console/README.md"


def documented_rights() -> str:
    """The ACL of the console that its document has."""
    return re.search(r"^```\n(user console\n.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)[1]


@pytest.fixture
def console_with(bench, tmp_path):
    """Makes a broker with the documented rights, an agent, and the console with its account."""
    with ExitStack() as stack:

        def make(**settings) -> Console:
            broker = bench.broker(rules=AGENT + documented_rights())
            bench.agent(broker, **settings)
            (tmp_path / "password").write_text("console\n")
            options = ["--username", "console", "--password-file", str(tmp_path / "password")]
            return stack.enter_context(closing(Console(broker, tmp_path / "console", *options)))

        yield make


def test_with_other_agents_the_console_names_its_pages(console_with):
    """The documented rights also permit the topics that do not end with the account."""
    console = console_with().start()
    with PageSocket(console) as page:
        page.wait_for("cameras", lambda cameras: (cameras.get("porch/door") or {}).get("agent_online"))
        page.send(open=["porch/door"])
        assert page.command("zoom", {"factor": 1.5, "rate": 4})["status"] == "done"
        origin = page.wait_for("state", lambda state: state["node"] == "zoom" and state["payload"]["factor"] == 1.5)["payload"]["origin"]
        assert origin["client"] == page.wait_for("hello")["client"] and not origin.get("proved")
        for node in ("info", "availability", "diagnostics", "zoom/live"):
            page.wait_for("state", lambda state: state["node"] == node)
        page.send(watch=[{"camera": "porch/door", "width": 320, "fps": 5}])
        assert page.picture()[1].startswith(b"\xff\xd8")


def test_with_proved_clients_the_console_speaks_for_its_pages(console_with):
    """With the documented rights."""
    console = console_with(clients={"mode": "proved", "delegates": ["console"]})
    token = console.token("kitchen-tablet")
    console.start()
    with PageSocket(console, cookie=console.sign_in(token)) as page:
        page.wait_for("cameras", lambda cameras: (cameras.get("porch/door") or {}).get("agent_online"))
        page.send(open=["porch/door"])
        assert page.command("zoom", {"factor": 1.5})["status"] == "done"
        origin = page.wait_for("state", lambda state: state["node"] == "zoom" and state["payload"]["factor"] == 1.5)["payload"]["origin"]
        assert (origin["client"], origin["proved"]) == ("console/kitchen-tablet", True)
        page.send(watch=[{"camera": "porch/door", "width": 320, "fps": 5}])
        assert page.picture()[1].startswith(b"\xff\xd8")
