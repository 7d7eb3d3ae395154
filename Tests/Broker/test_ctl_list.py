"""The controller on the command line: the list of all cameras of a broker."""

import json

import pytest

from agent import Agent
from broker import Broker
from command_line import ctl, done, refused
from controller import Controller
from waiting import eventually

pytestmark = pytest.mark.needs("anonymous clients")


def test_list_shows_the_cameras_of_all_agents_with_their_state(bench):
    broker = bench.broker()
    porch = bench.agent(broker, cameras=[
        {"id": "door", "source": "simulated"}, {"id": "gate", "source": "simulated"}])
    hall = bench.agent(broker, name="hall")
    with Controller(broker, camera="gate") as gate:
        gate.zoom_to(4)
    hall.stop()
    place = ["--host", "127.0.0.1", "--port", str(broker.port)]
    lines = done("list", *place).splitlines()
    assert lines[0].split() == ["CAMERA", "STATE", "MODEL", "ZOOM", "RECORDING", "LAST", "ERROR"]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert set(rows) == {"hall/door", "porch/door", "porch/gate"}
    assert "online" in rows["porch/gate"] and "4×" in rows["porch/gate"] and "idle" in rows["porch/gate"]
    assert "stopped" in rows["hall/door"]
    printed = {(row["agent"], row["camera"]): row for row in json.loads(done("list", *place, "--json"))}
    assert printed["porch", "gate"]["zoom"] == 4 and printed["hall", "door"]["state"] == "stopped"
    assert porch.process.poll() is None
    only = json.loads(done("list", *place, "--agent", "porch", "--camera", "door", "--json"))
    assert [row["camera"] for row in only] == ["door"]


def test_list_shows_hundreds_of_cameras(tmp_path):
    # Without the recorder of the bench: it subscribes to everything with QoS 2, so the broker would drop
    # messages.
    broker = Broker(tmp_path / "broker").start()
    cameras = [{"id": f"cam{number:03}", "source": "simulated"} for number in range(300)]
    agent = Agent(broker, tmp_path / "agent", cameras=cameras).launch()

    def rows():
        return json.loads(done("list", "--port", str(broker.port), "--json"))

    try:
        eventually(lambda: [row["state"] for row in rows()] == ["online"] * 300, "all cameras")
        # The recordings' states were retained before the last camera was online.
        assert [row.get("recording") for row in rows()] == ["idle"] * 300
    finally:
        agent.stop()
        broker.stop()


def test_list_shows_no_recording_of_an_offline_agent(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    with Controller(broker) as controller:
        controller.obeyed("recording", {"on": True, "codec": "mjpeg"})

    def row():
        [row] = json.loads(done("list", "--port", str(broker.port), "--json"))
        return row

    assert row()["recording"] == "recording" and row()["path"]
    agent.kill()
    eventually(lambda: row()["state"] == "offline", "the broker to know")
    assert "recording" not in row() and "path" not in row()
    assert " recording" not in done("list", "--port", str(broker.port)).splitlines()[1]
    agent.start()


def test_list_has_agents_without_cameras(tmp_path):
    broker = Broker(tmp_path / "broker").start()
    at = ["--port", str(broker.port)]
    try:
        with Controller(broker, agent="barn") as barn:
            barn.publish("v4l2mqtt/barn/availability", b'{"state":"online","boot":1}', retain=True)
            info = {
                "agent": "barn", "version": "1", "protocol": 1, "host": "barn", "cameras": [],
                "started": "2026-01-02T03:04:05.000Z"}
            barn.publish("v4l2mqtt/barn/info", json.dumps(info).encode(), retain=True)
        assert done("list", *at).splitlines()[1].split()[:2] == ["barn/", "online"]
        assert json.loads(done("list", *at, "--json")) == [{"agent": "barn", "state": "online"}]
    finally:
        broker.stop()


def test_an_agent_of_which_nothing_else_has_come_is_an_error(tmp_path):
    """As if the broker had dropped all but the availability of `barn`, which does not answer."""
    incomplete = "Incomplete: not all retained messages of 1 agent have come. The broker may drop what it can't send at once.\n"
    # Without the recorder of the bench: an agent that does not answer breaks the contract.
    broker = Broker(tmp_path / "broker").start()
    agent = Agent(broker, tmp_path / "agent", camera={"groups": ["stage"]}).start()
    at = ["--port", str(broker.port)]
    zoom = ["zoom", *at, "--group", "stage", "2"]
    try:
        with Controller(broker) as porch, Controller(broker, agent="barn") as barn:
            porch.zoom_to(1)
            barn.publish("v4l2mqtt/barn/availability", b'{"state":"online","boot":1}', retain=True)
            listed = ctl("list", *at)
            assert (listed.returncode, listed.stderr) == (1, incomplete)
            assert [line.split()[:2] for line in listed.stdout.splitlines()[1:]] == [
                ["barn/", "online"], ["porch/door", "online"]]
            zoomed = ctl(*zoom)
            assert (zoomed.returncode, zoomed.stdout) == (1, "stage: 1 done, 0 refused, 0 silent\n")
            assert zoomed.stderr == f"Retained messages of barn have not come: cameras may be left out.\n{incomplete}"
            barn.stop_retaining("v4l2mqtt/barn/availability")
        assert done(*zoom) == zoomed.stdout
    finally:
        agent.stop()
        broker.stop()


def test_list_of_an_empty_broker(bench):
    broker = bench.broker()
    place = ["--host", "127.0.0.1", "--port", str(broker.port)]
    assert "There is no camera" in done("list", *place)
    assert json.loads(done("list", *place, "--json")) == []


def test_list_refuses_unknown_names_with_the_known_ones(bench):
    broker = bench.broker()
    for name in ("porch", "hall"):
        bench.agent(broker, name=name)
    at = ["--port", str(broker.port)]
    assert refused("list", *at, "--agent", "nope") == "There is no agent nope; there is hall, porch.\n"
    assert refused("list", *at, "--camera", "nope") == "There is no camera nope; there is hall/door, porch/door.\n"


def test_list_without_a_broker_ends_with_1():
    assert "127.0.0.1:1:" in refused("list", "--port", "1")
