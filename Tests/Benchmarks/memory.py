"""What is resident: many agents, many cameras, and one agent a minute after photos, previews and a
recording."""
import collections
import json
import pathlib
import re
import subprocess
import time

import workshop
from figures import Figure, median
from stage import AGENT, CONFIGURATION, SETTINGS, Stage, memory, online

MEGABYTE = 1e6
AGENTS = 50
CAMERAS = 1000
#: How long an agent has nothing to do before it is measured, in seconds.
IDLE = 60
CAMERA = """\
  - id: door
    source: simulated
    zoom: {{ min: 1, max: 8 }}
    simulated: {{ width: 1920, height: 1080, optical_max: 1, fps: 30 }}
"""
RECORDINGS = "recordings:\n  directory: {folder}/recordings\n"
WORK = {"photos": 6, "a preview": 6, "a recording": 25}
REMAINS_NOTE = (
    "1920×1080 at 30 frames a second, simulated: five photos at 2×, a preview of 640 pixels for ten seconds, a recording of ten "
    "seconds, each with an agent of its own; one minute later, less what was resident before. What remains, in MB: ")


def figures(program, idle=IDLE):
    found = [_size(program), *_agents(program), _cameras(program)]
    remains = {work: _remains(program, work, idle) for work in WORK}
    note = REMAINS_NOTE + ". ".join(f"After {work}: {_list(growth)}" for work, growth in remains.items()) + "."
    for work, growth in remains.items():
        value = sum(growth.values()) / MEGABYTE
        found.append(Figure(f"one minute after {work}: memory over idle", value, None, "MB", "", most_ours=WORK[work], note=note))
    return found


def _size(program):
    stripped = workshop.FOLDER / "v4l2mqtt-stripped"
    workshop.FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run(["strip", "-o", stripped, program], check=True)
    header = subprocess.check_output(["readelf", "--file-header", stripped], text=True)
    if "Position-Independent Executable" not in header:
        raise workshop.Unable(f"{program} is not position-independent")
    return Figure("the program, stripped", stripped.stat().st_size / MEGABYTE, None, "MB", "", most_ours=21)


def _agents(program):
    """The proportional share of each of many agents, with a camera each, two seconds after the last is
    online, and its threads."""
    with Stage(program) as stage:
        tap = stage.tap(None, "v4l2mqtt/+/availability")
        agents = []
        for number in range(AGENTS):
            name, file = f"{AGENT}{number}", stage.folder / f"agent{number}.yaml"
            settings = CONFIGURATION.format(agent=name, port=stage.port, folder=stage.folder / name)
            file.write_text(settings)
            agents.append(stage.run(name, program, "run", "--config", file))
            online(tap, name, agents[-1])
        time.sleep(2)
        shares = [memory(agent.pid)["Pss"] for agent in agents]
        threads = [len(list(pathlib.Path(f"/proc/{agent.pid}/task").iterdir())) for agent in agents]
    note = f"Median of {AGENTS} agents with a simulated camera each; the shared libraries are also used by the broker and other processes."
    return [
        Figure(f"{AGENTS} agents: proportional share (PSS) of each", median(shares) / MEGABYTE, None, "MB", "", most_ours=2.5, note=note),
        Figure("threads of an idle agent", median(threads), None, "", "", most_ours=3),
    ]


def _cameras(program):
    with Stage(program) as stage:
        stage.configure_cameras(CAMERAS)
        tap = stage.tap(None, f"v4l2mqtt/{AGENT}/availability")
        agent = stage.agent()
        online(tap, AGENT, agent, within=60)
        time.sleep(10)
        resident = memory(agent.pid)["VmRSS"]
    note = "Simulated cameras in one agent, ten seconds after `online`; after a load, see `scale`."
    return Figure(f"{CAMERAS:,} cameras: memory", resident / MEGABYTE, None, "MB", "", most_ours=60, note=note)


def _remains(program, work, idle):
    """The growth of resident memory in bytes, by file; memory without a file as `heap and stacks`."""
    with Stage(program) as stage:
        settings = SETTINGS.replace("limits:", RECORDINGS + "limits:") + CAMERA
        (stage.folder / "agent.yaml").write_text(settings.format(agent=AGENT, port=stage.port, folder=stage.folder))
        tap = stage.tap(None, "v4l2mqtt/+/availability")
        agent = stage.agent()
        online(tap, AGENT, agent)
        answers = stage.tap(None, f"v4l2mqtt/{AGENT}/door/+/reply")
        time.sleep(2)
        before = _by_file(agent.pid)

        def request(node, **body):
            topic = f"v4l2mqtt/{AGENT}/door/{node}/set"
            subprocess.run(["mosquitto_pub", "-p", str(stage.port), "-t", topic, "-m", json.dumps(body)], check=True)
            answers.line(lambda line: f"/{node}/reply" in line and '"done"' in line, within=30)

        if work == "photos":
            request("zoom", factor=2)
            for _ in range(5):
                request("capture")
        elif work == "a preview":
            request("preview", width=640, seconds=10)
            time.sleep(10)
        else:
            request("recording", on=True)
            time.sleep(10)
            request("recording", on=False)
        time.sleep(idle)
        after = _by_file(agent.pid)
    return {file: after[file] - before[file] for file in after.keys() | before.keys()}


def _by_file(pid):
    found, name = collections.Counter(), None
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if mapping := re.match(r"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+\s*(.*)$", line):
            path = mapping[1]
            name = pathlib.Path(path).name if path.startswith("/") else "heap and stacks"
        elif size := re.match(r"^Rss:\s+(\d+) kB", line):
            found[name] += int(size[1]) * 1024
    return found


def _list(growth):
    """What grew by at least 0.3 MB, the largest first, and the sum of the others."""
    large = sorted((item for item in growth.items() if item[1] >= 3e5), key=lambda item: -item[1])
    rest = sum(growth.values()) - sum(size for _, size in large)
    return ", ".join([f"{name} {size / MEGABYTE:.1f}" for name, size in large] + [f"others {rest / MEGABYTE:.1f}"])
