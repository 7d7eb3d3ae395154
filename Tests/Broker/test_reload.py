"""SIGHUP: the agent loads its configuration by starting again as the same process, and loses nothing."""

import os
import shutil
import signal

import agent as agents
from recording_steps import begin, finished
from service_manager import Manager
from waiting import eventually

REFUSED = "the configuration can't be loaded; the agent goes on with the one that it has"
WAITS = "the agent restarts when no recording runs"


def availability(controller, since=0) -> list[str]:
    return [message.json["state"] for message in controller.inbox.all(f"{controller.agent_topic}/availability", since)]


def online(controller, since: int) -> dict:
    """The availability of the agent's next run."""
    return controller.inbox.wait_for(
        f"{controller.agent_topic}/availability",
        lambda message: not message.retained and message.json["state"] == "online", since=since).json


def changed(agent, **settings):
    """Overwrites keys of the agent's configuration file."""
    agent.configure({**agent.configuration, **settings})


def with_zoom(agent, most: float) -> list:
    """The cameras, with another range."""
    return [{**agent.configuration["cameras"][0], "zoom": {"max": most}}]


def test_sighup_loads_the_configuration_in_the_same_process(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    boot = controller.state("zoom")["boot"]
    controller.zoom_to(3)
    changed(agent, cameras=with_zoom(agent, 4))
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    assert online(controller, since)["boot"] == boot + 1
    assert agent.ending() is None
    assert controller.state("info", lambda info: info["zoom"]["max"] == 4, since=since)
    assert controller.state("zoom", lambda zoom: zoom["boot"] == boot + 1, since=since)["factor"] == 3
    # No more than one change there and back: the will would say `offline`.
    assert availability(controller, since) == ["stopped", "online"]
    assert controller.obeyed("zoom", 2)["factor"] == 2
    assert agent.stop() == 0


def test_several_reloads_leave_nothing_open(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)

    def descriptors() -> int:
        return len(os.listdir(f"/proc/{agent.process.pid}/fd"))

    controller.obeyed("zoom", 2)
    before = descriptors()
    for _ in range(3):
        since = controller.mark()
        agent.signal(signal.SIGHUP)
        online(controller, since)
        controller.obeyed("zoom", 2)
    eventually(lambda: descriptors() <= before, "the descriptors of the first run")


def test_many_signals_at_once_end_nothing(bench):
    """Also those that arrive while the program is executed."""
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    for _ in range(300):
        agent.signal(signal.SIGHUP)

    def obeys() -> bool:
        assert agent.ending() is None
        try:
            return controller.send("zoom", 2).result(timeout=1)["status"] == "done"
        except AssertionError:
            return False

    eventually(obeys, "an answer")


def test_configuration_with_errors_is_refused_with_file_and_line(bench, tmp_path):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    good = agent.configuration_file.read_text()
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("no certificate\n")
    picture = tmp_path / "picture.jpg"
    picture.write_text("no picture\n")
    lines = good.count("\n")
    for more, message in {
        "zoom: { max: 2 }\n": f":{lines + 1}: unknown key \"zoom.max\"",
        "log: [\n": f":{lines + 2}: ",
        "log:\n  level: loud\n": f":{lines + 2}: log.level: expected ",
        f"  image: {picture}\n": f":{lines + 1}: cameras.0.image: {picture} can't be used",
    }.items():
        agent.configuration_file.write_text(good + more)
        before = len(agent.log)
        agent.signal(signal.SIGHUP)
        agent.logs(f"{agent.configuration_file}{message}", since=before)
        agent.logs(REFUSED, since=before)
    tls = {**agent.configuration["mqtt"], "tls": {"ca_file": str(garbage)}}
    agent.configuration_file.write_text(good)
    changed(agent, mqtt=tls)
    agent.signal(signal.SIGHUP)
    agent.logs(f"mqtt.tls.ca_file: expected certificates in PEM form in {garbage}")
    assert controller.obeyed("zoom", 2)["factor"] == 2
    assert availability(controller) == ["online"]


def test_state_file_that_cannot_be_used_is_refused(bench, tmp_path):
    broker = bench.broker()
    agent, other = bench.agent(broker), bench.agent(broker, name="other")
    controller = bench.controller(broker)
    controller.zoom_to(2)
    (tmp_path / "file").touch()
    for unusable in (tmp_path / "file/state.json", other.configuration["state_file"]):
        before = len(agent.log)
        changed(agent, state_file=str(unusable))
        agent.signal(signal.SIGHUP)
        agent.logs(REFUSED, since=before)
        assert controller.obeyed("zoom", 2)["factor"] == 2
    # Another file that can be used is used.
    changed(agent, state_file=str(tmp_path / "new/state.json"))
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    online(controller, since)
    assert (tmp_path / "new/state.json.slots/agent").exists()
    assert (agent.stop(), other.stop()) == (0, 0)


def test_running_recording_is_finished_first_and_commands_go_on(bench):
    broker = bench.broker()
    agent = bench.agent(broker, recordings={"codec": "mjpeg"})
    controller = bench.controller(broker)
    begin(controller)
    changed(agent, cameras=with_zoom(agent, 4))
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    agent.logs(WAITS)
    assert controller.obeyed("zoom", 6)["factor"] == 6
    controller.obeyed("recording", {"on": False})
    online(controller, since)
    assert finished(controller, since)["reason"] == "stopped"
    assert controller.state("info", lambda info: info["zoom"]["max"] == 4, since=since)


def test_recording_longer_than_the_configured_duration_is_completed_by_the_reload(bench):
    broker = bench.broker()
    agent = bench.agent(broker, recordings={"codec": "mjpeg", "max_duration_s": 1})
    controller = bench.controller(broker)
    begin(controller, max_duration_s=600)
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    online(controller, since)
    recording = finished(controller, since)
    assert recording["reason"] == "agent_stopped" and "error" not in recording


def test_configuration_is_checked_again_after_the_wait(bench):
    broker = bench.broker()
    agent = bench.agent(broker, recordings={"codec": "mjpeg"})
    controller = bench.controller(broker)
    begin(controller)
    agent.signal(signal.SIGHUP)
    agent.logs(WAITS)
    agent.configuration_file.write_text("agent: [\n")
    controller.obeyed("recording", {"on": False})
    agent.logs(REFUSED)
    assert controller.obeyed("zoom", 2)["factor"] == 2
    assert availability(controller) == ["online"]


def test_acknowledged_changes_survive_reloads_under_load(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    sent = []
    for _ in range(3):
        since = controller.mark()
        for number in range(20):
            if number == 10:
                agent.signal(signal.SIGHUP)
            factor = 1 + (len(sent) + 1) / 16
            sent.append((factor, controller.send("zoom", {"factor": factor})))
            if number == 0:  # the others may all be on their way when the connection ends
                sent[-1][1].result()
        online(controller, since)
    controller.state("zoom", lambda zoom: zoom["boot"] == 4)
    controller.refused("zoom", {"factor": 0}, "bad_payload")  # answered after all others
    answers = {
        message.correlation: message.json["status"] for message in controller.inbox.all(controller.response_topic, 0)}
    done = [place for place, (_, pending) in enumerate(sent) if answers.get(pending.correlation) == "done"]
    # An answer may be lost with the connection, but never a change whose answer came.
    unanswered = [place for place, (_, pending) in enumerate(sent) if pending.correlation not in answers]
    possible = {sent[place][0] for place in [done[-1], *unanswered] if place >= done[-1]}
    assert controller.state("zoom")["factor"] in possible


def test_sigterm_during_a_reload_ends_the_agent_cleanly(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    agent.signal(signal.SIGHUP)
    agent.signal(signal.SIGTERM)
    assert agent.exit_code() == 0


def test_systemd_is_notified_of_a_reload_and_of_a_refused_one(bench, tmp_path, monkeypatch):
    broker = bench.broker()
    manager = Manager(str(tmp_path / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    agent = bench.agent(broker)
    assert manager.next() == ["READY=1"]
    agent.signal(signal.SIGHUP)
    reloading, since = manager.next()
    assert reloading == "RELOADING=1" and since.startswith("MONOTONIC_USEC=")
    assert manager.next() == ["READY=1"]
    agent.configuration_file.write_text("agent: [\n")
    agent.signal(signal.SIGHUP)
    assert manager.next()[0] == "RELOADING=1"
    assert manager.next() == ["READY=1"]
    agent.signal(signal.SIGTERM)
    assert manager.next() == ["STOPPING=1"]


def test_program_of_an_upgrade_is_started_or_the_running_one_if_it_is_gone(bench, tmp_path, monkeypatch):
    program = tmp_path / "v4l2mqtt"
    shutil.copy(agents.PROGRAM, program)
    monkeypatch.setattr(agents, "PROGRAM", program)
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    running = f"/proc/{agent.process.pid}/exe"
    program.unlink()
    shutil.copy(running, program)
    assert os.readlink(running).endswith(" (deleted)")
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    online(controller, since)
    assert os.readlink(running) == str(program)
    program.unlink()
    since = controller.mark()
    agent.signal(signal.SIGHUP)
    online(controller, since)
    assert os.readlink(running).endswith(" (deleted)")
