"""What the documents tell a user to enter: each block can be pasted as it stands.

A block of the language `sh` is meant to be entered; output is in blocks without a language. The walkthrough
of `deploy/operation.md` is run in a copy of the tree.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from account_broker import AccountBroker
from agent import PROGRAM
from test_documents import DOCUMENTS, PROJECT

BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
#: Languages of blocks that shells read: there is one word for it.
SHELLS = {"sh", "bash", "shell", "console", "shell-session", "zsh"}
PROMPT = re.compile(r"^\s*([$>#]|\w+@\w+:\S*[$#])( |$)")
NEW_FOLDER = re.compile(r'^cd "?\$\(mktemp -d\)"?$', re.MULTILINE)


def blocks(text: str) -> list[tuple[str, str]]:
    """The language and the text of each block."""
    return [(language, textwrap.dedent(body)) for _, language, body in BLOCK.findall(text)]


def without_here_documents(block: str) -> str:
    return re.sub(r"(<<-?'?(\w+)'?.*?\n).*?^\2$", r"\1", block, flags=re.DOTALL | re.MULTILINE)


def written_files(block: str) -> list[str]:
    """The targets of redirections and of `tee`."""
    words = shlex.shlex(without_here_documents(block), posix=False, punctuation_chars="<>|&;()")
    words.whitespace_split, words.commenters = True, "#"
    found, before = [], ""
    for word in words:
        if before in (">", ">>", "&>") or (before == "tee" and not word.startswith("-")):
            found.append(word)
        before = before if before == "tee" and word.startswith("-") else word
    return found


def objections(block: str) -> list[str]:
    """Why a block cannot be pasted into a shell whose folder is a clone of the repository."""
    checked = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True)
    found = [checked.stderr] if checked.returncode else []
    lines = without_here_documents(block).splitlines()
    found += [f"{line!r} begins with a prompt, or is a comment" for line in lines if PROMPT.match(line)]
    if not found and not NEW_FOLDER.search(block):
        outside = ("/", "~", "$")
        found += [f"it writes into the repository: {file}" for file in written_files(block)
                  if not file.strip("\"'").startswith(outside)]
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(PROJECT)))
def test_each_block_can_be_entered(document):
    for language, block in blocks(document.read_text()):
        assert language not in SHELLS - {"sh"}, f"{language}: blocks that are entered are `sh`\n{block}"
        if language == "sh":
            assert objections(block) == [], block
        else:
            assert not re.search(r"^\$ ", block, re.MULTILINE), f"what is entered is in a block of its own, `sh`\n{block}"


@pytest.mark.parametrize("block, objection", [
    ("$ deploy/demo\n", "prompt"), ("# deploy/broker init\n", "prompt"), ("for a in 1; do\n> echo\ndone\n", "prompt"),
    ("for a in 1; do\n", "syntax error"), ("echo > porch.yaml\n", "porch.yaml"), ("echo a | sudo tee -a porch.yaml\n", "porch.yaml"),
    ("a 2> log\n", "log")])
def test_what_is_no_block_to_enter(block, objection):
    assert any(objection in one for one in objections(block))


@pytest.mark.parametrize("block", [
    "deploy/demo   # builds > this\n", "echo '>' 2>&1 > ~/a\n", "cat > /tmp/a <<'END'\n$ b > c\nEND\n",
    'cd "$(mktemp -d)"\necho > a\n', "x | sudo tee -a /etc/a\n"])
def test_what_is_a_block_to_enter(block):
    assert objections(block) == []


def chapter_of(title: str) -> str:
    """A chapter of `deploy/operation.md`."""
    return (PROJECT / "deploy/operation.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]


def sums(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): hashlib.md5(file.read_bytes()).hexdigest()
            for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts}


def test_the_walkthrough_of_the_operator_does_what_it_says(tmp_path):
    """As an operator pastes it, on other ports; nothing in the clone changes."""
    clone = tmp_path / "clone"
    shutil.copytree(PROJECT, clone, symlinks=True, ignore=shutil.ignore_patterns(".build", ".git", "__pycache__", ".pytest_cache"))
    before = sums(clone)
    (clone / ".build").mkdir()
    (clone / ".build/release").symlink_to(Path(PROGRAM).parent)
    chapter = chapter_of("Try it on one machine")
    pasted = "".join(block for language, block in blocks(chapter) if language == "sh")
    port = AccountBroker.free_ports()
    for number in range(4):
        pasted = pasted.replace(str(28883 + number), str(port + number))
    # A shell that ends early leaves its agents and its broker to this one.
    pasted = 'trap \'{ kill $(jobs -p) "$(cat broker.pid)" || true; } 2> /dev/null\' EXIT\n' + pasted
    done = subprocess.run(
        ["bash", "-eo", "pipefail"], input=pasted, cwd=clone, capture_output=True, text=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("online") == 4 and done.stdout.count("outside: 4 done, 0 refused, 0 silent") == 2, done.stdout
    (clone / ".build/release").unlink()
    assert sums(clone) == before


#: What other machines and the system would do: `ssh` stays here, packages are installed, services restart.
STUBS = {
    "sudo": 'exec "$@"', "ssh": 'shift; exec sh -c "$*"', "scp": "", "systemctl": "", "apt-get": "",
    "v4l2mqtt-broker": f'exec {PROJECT}/deploy/broker "$@"'}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts a folder")


def entered(tmp_path: Path, place: str, steps: list[str]) -> str:
    """What blocks print, as they stand, where another folder is mounted at a place of the system."""
    stubs, home, folder = tmp_path / "stubs", tmp_path / "home", tmp_path / "mounted"
    for made in (stubs, home, folder):
        made.mkdir()
    for name, script in STUBS.items():
        (stubs / name).write_text(f"#!/bin/sh\n{script}\n")
        (stubs / name).chmod(0o755)
    steps = [f"set -eo pipefail; cp -a /etc/. {folder}" if place == "/etc" else "set -eo pipefail", f"mount --bind {folder} {place}", *steps]
    done = subprocess.run(
        ["unshare", "--mount", "bash"], input="\n".join(steps), cwd=home, capture_output=True, text=True,
        env=os.environ | {"HOME": str(home), "PATH": f"{stubs}:{os.environ['PATH']}:/usr/sbin"}, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shell_blocks(title: str) -> list[str]:
    return [block for language, block in blocks(chapter_of(title)) if language == "sh"]


@needs_root
def test_certificates_are_renewed_and_the_brokers_folder_comes_back(tmp_path):
    """By the blocks of the chapter, as they stand, in a copy of /etc."""
    alert, renewal, backup, comeback = shell_blocks("Certificates and backup")
    printed = entered(tmp_path, "/etc", [
        "mkdir -p /etc/mosquitto/conf.d /etc/v4l2mqtt /etc/credstore",
        "v4l2mqtt-broker init --name localhost --address 127.0.0.1",
        "for name in cam-01 cam-02; do v4l2mqtt-broker add $name --role agent --cameras door --certificate; done",
        "v4l2mqtt-broker add manager --role fleet", "before=$(v4l2mqtt-broker config cam-02)",
        alert, renewal, backup, "rm -r /etc/mosquitto/v4l2mqtt /etc/mosquitto/conf.d/v4l2mqtt.conf", comeback,
        'test "$(v4l2mqtt-broker config cam-02)" = "$before"', "ls -L /etc/mosquitto/conf.d/v4l2mqtt.conf",
        "cmp /etc/v4l2mqtt/client.crt /etc/mosquitto/v4l2mqtt/private/clients/cam-02/client.crt",
        "sed -n 's|^0 6 \\* \\* \\* root ||p' /etc/cron.d/v4l2mqtt-broker | sh | grep -c '' || true",
        "openssl crl -in /etc/mosquitto/v4l2mqtt/revoked.crl -noout -text | grep -c Serial"])
    assert "0 went wrong" in printed and printed.splitlines()[-2:] == ["0", "2"], printed
    assert (tmp_path / "home/v4l2mqtt-broker.tar").stat().st_mode & 0o077 == 0


@needs_root
def test_the_way_back_of_an_upgrade_has_the_state_before_it(tmp_path):
    """Also of a second upgrade. Without the file `agent`, `rev` continues above all earlier ones."""
    upgrade, _, way_back = shell_blocks("Upgrade")
    slots = "/var/lib/v4l2mqtt/state.json.slots"
    printed = entered(tmp_path, "/var/lib", [
        f"mkdir -p {slots}", f"echo first > {slots}/camera-door", f"echo 1 > {slots}/agent", upgrade,
        f"echo second > {slots}/camera-door", upgrade, f"echo third > {slots}/camera-door", way_back,
        f"cat {slots}/camera-door; ls {slots} /var/lib/v4l2mqtt"])
    assert printed.split() == ["second", "/var/lib/v4l2mqtt:", "state.json.slots", f"{slots}:", "camera-door"], printed
