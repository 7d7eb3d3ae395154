"""Requests that no browser sends, and how many there may be."""

import re
import socket
import time
from contextlib import ExitStack, closing

import pytest

from broker import HOST
from console import Console
from page_socket import PageSocket, Refused
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture(scope="module")
def console(broker, agent, tmp_path_factory):
    """An open console for all the tests of the file."""
    with closing(Console(broker, tmp_path_factory.mktemp("console")).start()) as console:
        yield console


def raw(console, *parts: bytes, ends=False) -> bytes:
    """Everything that is answered to these bytes, until the console closes."""
    with socket.create_connection((HOST, console.port), timeout=TIMEOUT) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        except OSError:  # the console has closed while more was sent
            pass
        answer = b""
        try:
            while data := connection.recv(65536):
                answer += data
        except OSError:  # the console has closed while more was sent
            pass
        return answer


def head(method="GET", path="/", *lines: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


LAST = "Connection: close"


def test_the_page_is_served_with_its_rules(console):
    answer = console.request("GET", "")
    assert answer.status == 200 and b"<!doctype html>" in answer.body.lower()
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    tag = answer.headers["etag"]
    assert console.request("GET", "", If_None_Match=tag).status == 304
    for name, kind in [("main.js", "text/javascript"), ("console.css", "text/css"), ("icon.svg", "image/svg+xml")]:
        assert console.request("GET", name).headers["content-type"].startswith(kind)
    only_head = console.request("HEAD", "main.js")
    assert only_head.status == 200 and only_head.body == b""
    assert int(only_head.headers["content-length"]) == len(console.request("GET", "main.js").body)


@pytest.mark.parametrize(["method", "path", "status"], [
    ("GET", "nothing", 404), ("GET", "index.html", 404), ("GET", "../../etc/passwd", 404), ("GET", "%2e%2e/etc/passwd", 404),
    ("GET", "socket", 426), ("HEAD", "socket", 404), ("POST", "", 405), ("PUT", "session", 405), ("OPTIONS", "session", 405),
    ("GET", "session", 404), ("GET", "live/porch", 404), ("GET", "live/porch/door/x", 404), ("GET", "live/Porch/door", 404),
    ("GET", "live/porch/nothing", 404), ("HEAD", "live/porch/nothing", 404), ("GET", "snapshot/porch/nothing", 404),
    ("GET", "media/porch/nothing/a.jpg", 404), ("HEAD", "live/porch/door", 200), ("GET", "x" * 3000, 400),
    ("POST", "session", 400)])
def test_addresses_that_do_not_exist(console, method, path, status):
    if "/nothing" in path:
        console.has_read()
    assert console.request(method, path).status == status


@pytest.mark.parametrize("garbage", [
    b"\x00" * 1000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
    b"POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"a" * 200_000 + b"\r\n\r\n"],
    ids=["zeros", "TLS", "no path", "HTTP/9.9", "length", "zero in a field", "two lengths", "HTTP/2", "long field"])
def test_garbage_is_refused_or_the_connection_is_closed(console, garbage):
    answer = raw(console, garbage, ends=True)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), answer
    assert console.request("GET", "").status == 200


def test_a_large_body_is_refused(console):
    answer = raw(console, head("POST", "/session", "Origin: http://localhost", "Content-Length: 2000000"), b"x" * 10_000)
    assert answer.startswith(b"HTTP/1.1 413"), answer[:200]
    answer = raw(console, head("POST", "/session", "Origin: http://localhost", "Transfer-Encoding: chunked"), b"600\r\n" + b"x" * 0x600)
    assert answer.startswith(b"HTTP/1.1 413"), answer[:200]


def test_requests_in_a_row_are_answered_in_their_order(console):
    answer = raw(console, head(path="/nothing") + head(path="/icon.svg") + head("GET", "/socket", LAST))
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answer) == [b"404", b"200", b"426"]
    # While a stream goes on, the next request waits, and takes no memory however much is sent.
    with socket.create_connection((HOST, console.port), timeout=TIMEOUT) as connection:
        connection.sendall(head(path="/live/porch/door") + head(path="/nothing"))
        received = b""
        while received.count(b"--v4l2mqtt") < 3:
            received += connection.recv(65536)
        assert b"404" not in received.split(b"--v4l2mqtt")[0]


def test_a_connection_of_a_proxy_is_used_for_requests_and_then_for_a_socket(console):
    with PageSocket(console, before=head() + head(path="/nothing")) as page:
        page.wait_for("hello")
    # After a request for another protocol the connection is closed, and the answer says so.
    for fields in [("Upgrade: websocket", "Origin: http://evil.example"), ("Upgrade: h2c",)]:
        answer = raw(console, head("GET", "/socket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                                   "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", *fields))
        assert answer.startswith(b"HTTP/1.1 403") and b"Connection: close" in answer


def test_a_program_with_http_1_0_gets_pictures(console):
    answer = raw(console, b"GET /snapshot/porch/door HTTP/1.0\r\nHost: localhost\r\n\r\n")
    fields, body = answer.split(b"\r\n\r\n", 1)
    assert fields.startswith(b"HTTP/1.0 200") and b"chunked" not in fields.lower()
    assert body.startswith(b"\xff\xd8") and body.endswith(b"\xff\xd9")
    with socket.create_connection((HOST, console.port), timeout=TIMEOUT) as connection:
        connection.sendall(b"GET /live/porch/door HTTP/1.0\r\nHost: localhost\r\n\r\n")
        received = b""
        while received.count(b"--v4l2mqtt") < 2:
            received += connection.recv(65536)
        assert b"chunked" not in received.split(b"--v4l2mqtt")[0].lower()


def connect(console, address=HOST):
    """A connection from one of the addresses of this machine."""
    return socket.create_connection((HOST, console.port), timeout=TIMEOUT, source_address=(address, 0))


def test_an_address_has_so_many_connections_and_a_proxy_any_number(broker, agent, tmp_path):
    options = ["--connections-per-address", "2"]

    def ask(connection, *fields: str) -> int:
        connection.sendall(head("HEAD", "/icon.svg", *fields))
        return int(connection.recv(65536).split()[1])

    with closing(Console(broker, tmp_path / "console", *options).start()) as console, ExitStack() as connections:
        three = [connections.enter_context(connect(console)) for _ in range(3)]
        assert [ask(one) for one in three[:2]] == [200, 200]
        assert three[2].recv(65536).startswith(b"HTTP/1.1 503")
    options += ["--trusted-proxies", HOST, "--proxy-only"]
    with closing(Console(broker, tmp_path / "proxy", *options).start()) as console, ExitStack() as connections:
        four = [connections.enter_context(connect(console)) for _ in range(4)]
        assert [ask(one, "X-Forwarded-For: 10.1.1.1") for one in four] == [200] * 4


def test_more_than_256_connections_are_closed(console):
    with ExitStack() as connections:
        for number in range(256):
            connections.enter_context(connect(console, f"127.0.0.{10 + number // 64}"))
        with connect(console) as beyond:
            try:
                assert beyond.recv(1) == b""
            except ConnectionError:
                pass
    eventually(lambda: answers(console), "an answer after the others are closed")


def answers(console) -> bool:
    try:
        return console.request("GET", "").status == 200
    except (ConnectionError, OSError):
        return False


@pytest.mark.deep
@pytest.mark.parametrize("part", [b"", b"GET / HT", head("POST", "/session", "Content-Length: 10") + b"x"], ids=["nothing", "head", "body"])
def test_slow_requests_are_closed(console, part):
    began = time.monotonic()
    answer = raw(console, part)
    assert answer == b"" and time.monotonic() - began > 5


@pytest.mark.deep
def test_a_page_that_reads_nothing_is_closed_and_costs_little(console):
    with PageSocket(console) as other:
        other.wait_for("hello")
        before = console.memory
        with PageSocket(console) as page:
            page.wait_for("cameras", lambda cameras: "porch/door" in cameras)
            page.send(open=["porch/door"])
            page.send(watch=[{"camera": "porch/door", "width": 1280, "fps": 30}])
            page._socket.settimeout(0.2)
            most = 0
            try:
                for _ in range(2_000):
                    page.frame(9, b"x" * 125)
            except (TimeoutError, ConnectionError):
                pass
            deadline = time.monotonic() + TIMEOUT
            while time.monotonic() < deadline and not is_closed(page):
                most = max(most, console.memory - before)
                time.sleep(0.1)
            assert is_closed(page), "the page is still open"
        assert most < 4 << 20, f"{most >> 10} KiB"


def is_closed(page) -> bool:
    """Whether the other end has closed, without reading."""
    try:
        page.frame(9, b"")
        return False
    except TimeoutError:
        return False
    except ConnectionError:
        return True
