"""Programs and player print what is recorded in `Tests/Record`, and `Record/compare` finds differences.

`TESTS_RECORD=write` writes `live.txt` and `sequences.txt` again. A change that is wanted changes them in its
own commit.
"""

import difflib
import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent import PROGRAM
from broker import HOST
from command_line import location
from console import Console
from home_assistant_client import HomeAssistantClient
from page_socket import PageSocket
from state_file import slots_of
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "Tests/Record"

#: Commands for the camera `door`, in this order, after `v4l2mqtt ctl`.
COMMANDS = """
list
zoom 2
zoom --json 3
zoom 50% --rate 8
zoom --by 2
zoom 99
zoom --stop
pinch 2
pinch 0.5 --json
capture
capture --json
capture --count 2
capture --quality 50 --width 64 --json
record on --max-duration 60 --json
record on
record off
record off
preset save gate
preset list
preset go gate
preset go nonsense
preset delete gate
preset list --json
controls
controls brightness=77 --json
controls brightness=999
controls nonsense=1
controls brightness=77 nonsense=1
controls --json
privacy on
capture
list
privacy off
media list
media list --json
media get nonsense.jpg
media delete nonsense.jpg
cancel nonsense
zoom 2 --in 500ms --any-clock --json
desired apply state.json --group outside --version 1
zoom 2 --group nonsense
zoom 2 --camera gate
zoom 0
zoom --by -1
preset go home
preset list
controls brightness=bright
controls autofocus off color_effects=Sepia exposure_bias -1
controls autofocus=on color_effects None exposure_bias=0 --json
record on --audio
record on --quality 30 --max-bit-rate 2000000 --key-frame-interval 0.5 --no-audio --json
record off --json
""".strip().splitlines()


#: What a page sends, in this order: a command to a node, and what the node's state has then.
PAGE = [
    ("zoom", {"factor": 2}, {"factor": 2}), ("zoom", {"factor": "far"}, None),
    ("zoom", {"by": 2, "rate": 8}, {"factor": 4, "ramping": False}), ("lease", {"take": True}, None),
    ("lease", {"release": True}, None), ("presets", {"save": "gate"}, {"current": "gate"}),
    ("presets", {"go": "nonsense"}, None), ("controls", {"nonsense": 1}, None), ("capture", {}, None),
    ("privacy", {"state": "ON"}, {"state": "ON"}), ("capture", {}, None),
    ("privacy", {"state": "OFF"}, {"state": "OFF"}), ("nonsense", {}, None),
]

#: What differs from run to run, and what stands for it.
MASKS = [(re.compile(pattern), word) for pattern, word in [
    (r"\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\d(\.\d+)?Z?", "TIME"),
    (r'("(?:rev|bytes|frame|frames|lost|numbers|free_bytes|error_ms)":)\d+', r"\1N"),
    (r"rev \d+", "rev N"),
    (r'("duration_s":)[\d.]+', r"\1N"),
    (r'"(run|instance|version|host|page|ident)":"[^"]*"', r'"\1":"…"'),
    (r"v4l2mqtt-ctl-[0-9a-f-]+", "CTL"),
    (r"[\d.]+ s, [\d.]+ k?M?B, stopped(, \d+ frames lost)?", "SECONDS, SIZE, stopped"),
    (r"(photo|recording)  +[\d.]+ k?M?B", r"\1  SIZE"),
    (r"; the broker has: .*", ""),
    (r"next attempt in [\d.]+ s", "next attempt in SECONDS"),
    (r"  +", "  "),
]]


def masked(text: str, words: dict[str, str]) -> str:
    for word in sorted(words, key=len, reverse=True):
        text = text.replace(word, words[word])
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text


def entry(title: str, *lines: str) -> str:
    """Members of objects have no order."""
    return "\n".join([f"$ {title}", *(text(json.loads(line)) if line[:1] in "{[" else line for line in lines if line), "", ""])


def text(value) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def run(*command, folder: Path) -> list[str]:
    """The lines of a program's output, of its errors, and its exit status."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=environment)
    return [*done.stdout.splitlines(), *(f"! {line}" for line in done.stderr.splitlines()), f"= {done.returncode}"]


def of_ctl(broker, folder: Path):
    (folder / "state.json").write_text('{"controls": {"brightness": 60}}')
    for line in COMMANDS:
        options = location(broker)[:4] if line == "list" else [*location(broker)[:4], "--client", "tester"]
        if "--camera" not in line and "--group" not in line and line != "list":
            options += location(broker)[4:]
        yield entry(f"v4l2mqtt ctl {line}", *run(PROGRAM, "ctl", *line.split(), *options, folder=folder))


def of_page(console):
    """Each answer, and the state that it tells of."""
    with PageSocket(console, path="/socket?page=k3m09xyz") as page:
        cameras = page.wait_for("cameras", lambda cameras: cameras.get("porch/door", {}).get("online"))
        hello = page.wait_for("hello")
        yield entry("page: hello", text(hello).replace(hello["page"], "PAGE"), text(cameras))
        page.send(open=["porch/door"])
        for node, payload, expected in PAGE:
            lines = [text(page.command(node, payload))]
            if expected:
                lines.append(text(page.wait_for("state", lambda state: state["node"] == node and expected.items() <= (state["payload"] or {}).items())))
            yield entry(f"page: {node} {text(payload)}", *(line.replace(hello["page"], "PAGE") for line in lines))
        page.send(nonsense=1)
        closed = page.closing()
        yield entry("page: an unknown message", f"{closed.code} {closed.reason}")


def of_home_assistant(broker):
    with HomeAssistantClient(broker) as home:
        home.device()
        (topic, document), = home.documents.items()
    components = document.pop("cmps")
    yield entry(f"discovery: {topic}", text(document), *(text({name: components[name]}) for name in sorted(components)))


#: Why an agent can't do its work: what differs in its configuration, and the end of what it logs;
#: None: it ends itself.
FAULTS = {
    "no broker": ({"mqtt": {"port": 1}}, "refuses"),
    "a wrong password": ({"mqtt": {"username": "porch", "password_file": "wrong"}}, "Not authorized"),
    "no device": ({"camera": {"source": {"v4l2": "/dev/video99"}}}, "not found"),
    "a damaged state": ({}, "connected to"),
    "automatic protocol": ({"mqtt": {"protocol": "auto"}}, "connected to"),
    "wrong values": ({"camera": {"id": "Door"}, "nonsense": 1}, None),
}


def of_log(bench, words):
    brokers = {False: bench.broker(), True: bench.broker(password="right")}
    for title, (settings, end) in FAULTS.items():
        broker = brokers["password" in title]
        agent = bench.agent(broker, start=False, **settings)
        words |= {str(agent.folder): "AGENT", f"{HOST}:{broker.port}": "BROKER"}
        if "password" in title:
            account = agent.folder / "password"
            account.write_text("wrong\n")
            agent.configure(agent.configuration | {"mqtt": agent.configuration["mqtt"] | {"password_file": str(account)}})
        if "state" in title:
            damaged = slots_of(agent.state_file) / "agent"
            damaged.parent.mkdir()
            damaged.write_text("damaged")
        agent.launch()
        eventually(lambda: end and end in agent.log or agent.process.poll() is not None, f"“{end}” in the log: {title}")
        status = agent.process.poll()
        agent.kill()
        # An attempt that fails is repeated; connections and cameras come in either order.
        lines = dict.fromkeys(masked(line, words) for line in agent.log.splitlines() if " info: " not in line)
        yield entry(f"log: {title}", *lines, "" if status is None else f"= {status}")


def recording(bench, folder: Path) -> str:
    broker = bench.broker()
    agent = bench.agent(broker, camera={"groups": ["outside"]})
    words = {str(folder): "FOLDER", str(agent.folder): "AGENT", f"{HOST}:{broker.port}": "BROKER"}
    entries = [*of_home_assistant(broker), *of_ctl(broker, folder)]
    with closing(Console(broker, folder / "console").start()) as console:
        entries += of_page(console)
    entries += of_log(bench, words)
    return "".join(masked(entry, words) for entry in entries)


def is_recorded(file: Path, found: str):
    if os.environ.get("TESTS_RECORD") == "write":
        file.write_text(found)
    lines = difflib.unified_diff(file.read_text().splitlines(), found.splitlines(), "recorded", "now", n=1, lineterm="")
    assert not (different := [line[:400] for line in lines]), "\n".join(different)


def test_ctl_the_page_home_assistant_and_the_log_print_what_is_recorded(bench, tmp_path):
    is_recorded(RECORD / "programs/live.txt", recording(bench, tmp_path))


def test_an_agent_in_virtual_time_publishes_what_is_recorded():
    """Long sequences of commands, device effects and times through every node, and each message that the
    agent publishes: states, answers, errors, events, discovery."""
    file = RECORD / "sequences.txt"
    player = ROOT / ".build/release/Player"
    # As in `Record/compare`.
    environment = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}
    seeds = re.findall(r"^seed (\d+)$", file.read_text(), re.MULTILINE)
    assert len(seeds) == 3
    is_recorded(file, "".join(
        subprocess.run([player, "play", seed, seed], capture_output=True, text=True, check=True, env=environment).stdout
        for seed in seeds))


def test_help_usage_and_check_print_what_is_recorded():
    done = subprocess.run([RECORD / "programs_record"], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout


#: What a player prints for each seed.
SEQUENCE = """seed {seed}
= agent: porch
start
< v4l2mqtt/porch/info {{"started":"t1"}} (retained)
> v4l2mqtt/porch/door/zoom/set {{"factor": 2}}
< v4l2mqtt/porch/door/zoom {{"factor":2,"rev":r1,"ts":"t2"}} (retained)
< v4l2mqtt/porch/door/zoom/reply {{"rev":r1,"status":"done","ts":"t2"}}
"""


def player(file: Path, before="", after="") -> str:
    """A program in a player's place. It plays the seed 2 with a part replaced."""
    texts = {seed: SEQUENCE.format(seed=seed) for seed in range(1, 4)}
    texts[2] = texts[2].replace(before, after)
    file.write_text(f"""#!{sys.executable}
import sys
for seed, text in {texts}.items():
    print(f"{{seed}} {{text.encode().hex()}}" if sys.argv[1] == "hashes" else text)
""")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize("before, after, status", [
    ('"factor":2,', '"factor":3,', 1), ("zoom/reply {", "zoom/live {", 1), (SEQUENCE.splitlines()[-1].format() + "\n", "", 1), ("", "", 0),
])
def test_compare_finds_a_message_that_is_changed_or_missing(tmp_path, before, after, status):
    environment = os.environ | {
        "REFERENCE_PLAYER": player(tmp_path / "before"), "PLAYER": player(tmp_path / "after", before, after)}
    done = subprocess.run([RECORD / "compare", "--seeds", "1..3", "--jobs", "1"], capture_output=True, text=True, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    assert f"{status} of 3 sequences differ" in done.stdout
