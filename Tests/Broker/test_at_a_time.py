"""Commands at a time: what only processes and a broker show.

The rules are in `Tests/CameraCoreTests/WaitingCommandsTests.swift`, in virtual time and without a broker.
"""

import ctypes
import struct
from datetime import datetime, timedelta, timezone

import pytest

from command_line import ctl, location

GROUP = "v4l2mqtt/groups/stage"
#: Seconds until a command is carried out: enough for it to arrive on a busy machine.
SOON = 3


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, cameras=[
        {"id": name, "source": "simulated", "groups": ["stage"], "simulated": {"width": 64, "height": 36, "fps": 30}}
        for name in ("door", "yard")])


def after(seconds: float) -> str:
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def test_the_cameras_of_a_group_take_their_photos_at_the_time(agent, connect):
    controller = connect(camera="door")
    at = after(SOON)
    pending = controller.send(
        "capture", {"at": at, "at_any_clock": True, "size": {"width": 32}}, topic=f"{GROUP}/capture/set")
    answers = [pending.answer() for _ in range(6)]
    for camera in ("door", "yard"):
        own = [answer for answer in answers if answer["camera"] == camera]
        assert [answer["status"] for answer in own] == ["accepted", "accepted", "done"]
        photo = own[-1]["photos"][0]
        assert photo["at_offset_ms"] >= 0, photo
        # Its time is cut off to milliseconds, and the thread can be interrupted between two clocks.
        exposed = datetime.fromisoformat(photo["exposed_at"])
        offset = (exposed - datetime.fromisoformat(at)) / timedelta(milliseconds=1)
        assert abs(offset - photo["at_offset_ms"]) <= 500, photo


def test_a_command_is_cancelled_and_an_agent_that_stops_answers(bench):
    broker = bench.broker()
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    first = controller.send("zoom", {"factor": 2, "at": after(600), "at_any_clock": True, "client": "a"})
    second = controller.send("zoom", {"factor": 3, "at": after(600), "at_any_clock": True, "client": "a"})
    assert [first.answer()["status"], second.answer()["status"]] == ["accepted", "accepted"]
    assert controller.obeyed("zoom", {"cancel": first.identity, "client": "a"})
    assert first.answer()["error"]["code"] == "cancelled"
    agent.stop()
    assert second.answer()["error"]["code"] == "unavailable"


def test_what_waited_is_not_carried_out_after_a_kill(bench):
    agent = bench.agent(bench.broker())
    controller = bench.controller(agent.broker)
    lost = controller.send("zoom", {"factor": 2, "at": after(SOON), "at_any_clock": True, "client": "a"})
    assert lost.answer()["status"] == "accepted"
    agent.kill()
    since = controller.mark()
    agent.start()
    # This one has a later time: when it is carried out, the time of the first one has passed.
    later = controller.send("capture", {"at": after(SOON), "at_any_clock": True, "client": "a"})
    assert later.result()["status"] == "done"
    assert controller.state("zoom")["factor"] == 1
    answers = [message.json for message in controller.inbox.all(controller.response_topic, since)]
    assert lost.identity not in [answer.get("id") for answer in answers]
    # It was not carried out, so its id is free.
    assert controller.obeyed("zoom", {"factor": 2, "client": "a", "id": lost.identity})["factor"] == 2


def kernel_clock() -> float | None:
    """The largest error of the machine's clock in milliseconds; None: it isn't synchronised."""
    state = ctypes.create_string_buffer(256)
    assert ctypes.CDLL(None).adjtimex(state) >= 0
    (error,) = struct.unpack_from("q", state, 24)
    return error / 1000 if error < 16_000_000 else None


def test_the_clock_decides_what_may_wait(agent, connect):
    controller = connect(camera="door")
    clock = controller.inbox.wait_for("v4l2mqtt/porch/info").json["clock"]
    known = kernel_clock()
    assert clock["synchronized"] == (known is not None) == ("error_ms" in clock)
    command = {"factor": 2, "at": after(600), "client": "clock"}
    if known is None:
        error = controller.refused("zoom", command, "unavailable", "at")
        assert "at_any_clock" in error["message"]
        command["at_any_clock"] = True
    waiting = controller.send("zoom", command)
    assert waiting.answer()["status"] == "accepted"
    assert controller.obeyed("zoom", {"cancel": waiting.identity, "client": "clock"})


@pytest.mark.needs("anonymous clients")
def test_ctl_has_a_command_carried_out_later(agent, broker, connect):
    place = [*location(broker)[:4], "--camera", "yard"]
    started = datetime.now(timezone.utc)
    ended = ctl("zoom", *place, "3", "--in", f"{SOON}s", "--any-clock")
    assert ended.returncode == 0 and "waits for its time" in ended.stderr
    assert (datetime.now(timezone.utc) - started).total_seconds() >= SOON
    assert connect(camera="yard").state("zoom", lambda state: state["factor"] == 3)
    ended = ctl("capture", *place, "--at", "2024-01-31T12:00:00Z")
    assert ended.returncode == 1 and "stale" in ended.stderr
