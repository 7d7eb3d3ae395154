"""The console that the agent's program starts: `v4l2mqtt console`, and the page of the demo."""

import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

import pytest

from agent import PROGRAM
from broker import HOST, free_port
from console import PROGRAM as CONSOLE
from terminal import Terminal
from waiting import TIMEOUT, eventually

#: An address of the phone's network, on the loopback interface of a network namespace.
NETWORK_ADDRESS = "192.168.77.1"
IN_A_NETWORK = f"ip link set lo up && ip address add {NETWORK_ADDRESS}/32 dev lo && ip route add default dev lo"
WITHOUT_NETWORK = "ip link set lo up"
#: Prints the status of a request, with a body as POST; 0: nothing listens there yet.
REQUEST = """
import sys, urllib.error, urllib.request
address, body = sys.argv[1], sys.argv[2:] and sys.argv[2].encode() or None
request = urllib.request.Request(address, body, {"Content-Type": "application/json", "Origin": address.rsplit("/", 1)[0]})
try:
    print(urllib.request.urlopen(request, timeout=120).status)
except urllib.error.HTTPError as error:
    print(error.code)
except urllib.error.URLError:
    print(0)
"""


def run(*arguments: str, program=PROGRAM, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=TIMEOUT, env={**os.environ, **environment})


# v4l2mqtt console


def test_help_is_that_of_the_console():
    shown = run("console", "--help")
    assert shown.returncode == 0, shown.stderr
    assert "USAGE: v4l2mqtt-console <subcommand>" in shown.stdout and "tokens" in shown.stdout


def test_arguments_are_passed_on(tmp_path):
    made = run("console", "token", "hall", "--role", "look", "--url", "http://cam.lan/x", "--state-dir", str(tmp_path))
    assert made.returncode == 0 and re.fullmatch(r"http://cam\.lan/x/#t=\S{22}\n", made.stdout), made
    assert run("console", "tokens", "--state-dir", str(tmp_path)).stdout == "hall  look  pages  *\n"


def test_exit_codes_are_those_of_the_console(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with socket.create_server((HOST, 0)) as taken:
        address = f"{HOST}:{taken.getsockname()[1]}"
        for code, arguments in [
            (64, ["--listen", "127.0.0.1"]), (64, ["token", "hall", "--remove", "--state-dir", str(tmp_path)]),
            (69, ["--listen", address, "--state-dir", str(tmp_path)]),
            (74, ["token", "hall", "--state-dir", str(file)]),
        ]:
            ended = run("console", *arguments)
            assert ended.returncode == code, ended


def test_a_signal_reaches_the_console(tmp_path):
    """It runs in the place of the agent's program: same process, same exit code."""
    command = [PROGRAM, "console", "--listen", f"{HOST}:{free_port()}", "--port", str(free_port()), "--state-dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout.readline().startswith("http://")
        assert os.readlink(f"/proc/{process.pid}/exe").endswith("/v4l2mqtt-console")
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 0
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def alone(tmp_path):
    """The agent's program in a folder without the console."""
    folder = tmp_path / "alone"
    folder.mkdir()
    return shutil.copy(PROGRAM, folder)


def test_a_console_elsewhere_is_found_by_its_name(alone, tmp_path):
    console = tmp_path / "v4l2mqtt-console"
    console.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    console.chmod(0o755)
    ended = run("console", "serve", "--name", "hall", program=alone, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (ended.returncode, ended.stdout) == (7, "serve --name hall\n"), ended


def test_without_a_console_the_program_says_so(alone):
    ended = run("console", program=alone, PATH="/nowhere")
    assert ended.returncode == 69, ended
    assert ended.stderr == "v4l2mqtt-console is not installed; the Debian package v4l2mqtt-console has it\n"


def test_a_link_has_the_address_of_this_machine():
    """As a phone reaches it; in a network namespace of its own."""
    for network, host in [(IN_A_NETWORK, NETWORK_ADDRESS), (WITHOUT_NETWORK, "localhost")]:
        script = f'{network} && exec "$0" token hall --state-dir "$(mktemp -d)"'
        command = ["unshare", "--map-root-user", "--net", "sh", "-c", script, CONSOLE]
        made = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        assert re.fullmatch(rf"http://{host}:8177/#t=\S{{22}}\n", made.stdout), made


@pytest.mark.parametrize("words", [["serve", "--state-dir", "tokens"], ["metrics"]])
def test_a_taken_port_is_said(words, tmp_path):
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [CONSOLE, *words, "--listen", f"{HOST}:{port}"], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 69, ended
    assert ended.stderr.startswith(f"--listen: another program listens on port {port}; choose another one, such as "), ended


@pytest.mark.parametrize("words", [["serve", "--state-dir", "tokens"], ["metrics"]])
def test_a_broker_without_mqtt_5_ends_it(words, tmp_path):
    def refuse(listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(b"\x20\x02\x00\x01")  # CONNACK: unacceptable protocol version

    with socket.create_server((HOST, 0)) as listener:
        threading.Thread(target=refuse, args=[listener], daemon=True).start()
        command = [CONSOLE, *words, "--listen", f"{HOST}:{free_port()}", "--port", str(listener.getsockname()[1])]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 69, ended
    assert "supports only MQTT 3.1.1" in ended.stderr and "has to be" not in ended.stderr
    assert ended.stderr.endswith("v4l2mqtt-console needs a broker with MQTT 5, such as mosquitto 1.6 or newer\n")


# The page of the demo


def is_closed(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == errno.ECONNREFUSED


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_the_page_of_the_demo_ends_with_it(tmp_path, end):
    with open(tmp_path / "output", "wb") as output:
        process = subprocess.Popen([PROGRAM, "demo"], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        shown = eventually(
            lambda: re.search(r"^The page to pinch: (http://localhost:(\d+)/)$", (tmp_path / "output").read_text(), re.MULTILINE),
            "the address of the page")
        eventually(lambda: not is_closed(int(shown[2])), "the page, which another process serves")
        with urllib.request.urlopen(shown[1], timeout=TIMEOUT) as answer:
            assert answer.status == 200 and b"<!doctype html>" in answer.read().lower()
        process.send_signal(end)
        assert process.wait(TIMEOUT) == (0 if end == signal.SIGINT else -signal.SIGKILL)
        eventually(lambda: is_closed(int(shown[2])), "the end of the demo's console")
    finally:
        process.kill()
        process.wait()


def test_a_demo_without_the_console_says_what_has_it(alone, tmp_path):
    output = tmp_path / "output"
    with open(output, "wb") as file:
        process = subprocess.Popen([alone, "demo"], stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        eventually(
            lambda: "there is no page: v4l2mqtt-console is not installed; the Debian package" in output.read_text(),
            "the warning")
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 0
    finally:
        process.kill()
        process.wait()


def demo_for_a_phone(network: str) -> list[str]:
    """The command of a demo in a network namespace of its own."""
    return ["unshare", "--map-root-user", "--net", "sh", "-c", f'{network} && exec "$0" demo --phone', str(PROGRAM)]


def test_a_phone_gets_a_link_with_a_token(tmp_path):
    """As text and as a QR code. On this address the console admits nothing else."""
    encoder = tmp_path / "qrencode"
    encoder.write_text(f"#!/bin/sh\ncat > {tmp_path}/link\n")
    encoder.chmod(0o755)
    demo = Terminal(demo_for_a_phone(IN_A_NETWORK), PATH=f"{tmp_path}:{os.environ['PATH']}")
    try:
        link, page, token = eventually(
            lambda: re.search(rf"((http://{NETWORK_ADDRESS}:\d+/)#t=(\S{{22}}))\s", demo.written), "the link").groups()
        eventually(lambda: "mosquitto_pub" in demo.written, "the end of the start")
        assert (tmp_path / "link").read_text() == link
        assert "localhost" not in demo.written

        def status(path: str, *body: str) -> int:
            inside = ["nsenter", "--preserve-credentials", "--user", "--net", "--target", str(demo.process.pid)]
            words = [*inside, sys.executable, "-c", REQUEST, page + path, *body]
            return int(subprocess.run(words, check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout)

        eventually(lambda: status("") == 200, "the page")
        assert status("session", json.dumps({"token": token})) == 204
        assert status("session", json.dumps({"token": "x" * 22})) == 403
        assert status("media/demo/camera/x.jpg") in (401, 403)
        demo.process.send_signal(signal.SIGINT)
        assert demo.process.wait(TIMEOUT) == 0
    finally:
        demo.close()


def test_a_phone_needs_a_network():
    ended = subprocess.run(demo_for_a_phone(WITHOUT_NETWORK), capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 69 and "this machine has no address in a network" in ended.stderr, ended
