"""The rig itself: the guest, vivid, and the bus; what the other tests of this folder take for granted."""

import itertools
import signal
from contextlib import closing

import pytest

from controller import Controller
from guest import Guest, GuestDied
from guest_agent import GuestAgent
from state_file import state_in
from v4l2ctl import photo, v4l2
from waiting import eventually

pytestmark = pytest.mark.deep  # the guest itself; every other guest test needs it too


def test_a_command_gives_its_output_and_its_status(guest):
    result = guest.run("echo out; echo err >&2; printf 'a\\0b'; exit 3")
    assert (result.status, result.raw) == (3, b"out\nerr\na\0b")


def test_a_command_that_takes_too_long_is_killed_and_the_guest_lives_on(guest):
    with pytest.raises(AssertionError, match="no end after 1 s"):
        guest.run("sleep 1234", timeout=1)
    guest.check("while ps | grep -q '[s]leep 1234'; do usleep 10000; done")


def test_a_process_in_the_background_is_followed(guest):
    guest.start("count", "sh", "-c", "echo one; sleep 1000")
    eventually(lambda: guest.log("count") == "one\n", "the process's output")
    assert guest.ending("count") is None
    guest.kill("count", signal.SIGKILL)
    assert guest.ended("count") == 128 + 9


def test_shared_folder_is_visible_at_both_ends_immediately(guest):
    (guest.share / "here").write_text("from the host")
    assert guest.check("cat /share/here") == "from the host"
    guest.write("/share/here", "it's $HOME")
    assert (guest.share / "here").read_text() == "it's $HOME"


def test_a_panic_fails_the_test_with_the_console(made, tmp_path):
    with closing(Guest(made, tmp_path)) as guest, pytest.raises(GuestDied, match="Kernel panic"):
        guest.run("echo c >/proc/sysrq-trigger")


def test_stalled_guest_fails_the_test(made, tmp_path, monkeypatch):
    monkeypatch.setattr("guest.TIMEOUT", 1)
    with closing(Guest(made, tmp_path)) as guest:
        guest.suspend()
        with pytest.raises(GuestDied, match="hangs"):
            guest.run("true", timeout=1)


# vivid


def test_vivid_zooms_by_its_crop(guest):
    def bars() -> int:
        line = photo(guest, node, "YUYV", 1280, 720)[300 * 2560:301 * 2560:2]
        return sum(1 for _ in itertools.groupby(line[i] // 4 for i in range(20, 1280, 40)))

    guest.load("vivid", n_devs=1, node_types=1, num_inputs=2, input_types="0xd", num_outputs=0, ccs_cap_mode=5)
    node = next(path for path, name in guest.video_nodes().items() if name.startswith("vivid"))
    v4l2(guest, node, "-i 1")  # HDMI: the other can't crop
    assert bars() == 8
    v4l2(guest, node, "--set-selection=target=crop,left=320,top=180,width=640,height=360")
    assert bars() == 4
    guest.unload("vivid")


# The bus


def test_a_controller_on_the_host_talks_to_the_broker_in_the_guest(guest, broker):
    with Controller(broker) as controller:
        for n in range(50):
            controller.publish("v4l2mqtt/porch/availability", b'{"state":"online","boot":%d}' % (n + 1), retain=True)
        controller.inbox.wait_for("v4l2mqtt/porch/availability", lambda message: message.json["boot"] == 50)


def saved_factor(agent: GuestAgent) -> float | None:
    return state_in(agent.state_file)["cameras"]["door"]["factor"] if agent.state_file.exists() else None


def test_the_agent_runs_in_the_guest_and_is_killed_and_started_there(guest, broker):
    agent = GuestAgent(guest, broker, cameras=[{"id": "door", "source": "simulated"}]).start()
    with Controller(broker) as controller:
        assert controller.zoom_to(4)["factor"] == 4
        eventually(lambda: saved_factor(agent) == 4, "the state on the disk")
        agent.kill()
        agent.start()
        assert controller.state("zoom", lambda state: state["boot"] == 2)["factor"] == 4
    assert agent.stop() == 0
