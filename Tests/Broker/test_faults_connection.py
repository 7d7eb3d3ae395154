"""The way to the broker fails: nothing that was acknowledged is lost, and all clients have the same state
afterwards."""

import time
from datetime import datetime

import pytest

from proxy import Proxy
from simulated_scene import near
from state_file import state_in
from waiting import eventually


@pytest.fixture
def broker(bench):
    return bench.broker()


@pytest.fixture
def proxy(broker):
    with Proxy(broker) as proxy:
        yield proxy


@pytest.fixture
def agent(bench, broker, proxy):
    return bench.agent(broker, mqtt={"port": proxy.port, "keepalive_s": 5})


@pytest.fixture
def controller(bench, broker, agent):
    """It has the broker without the proxy: the fault is the agent's alone."""
    return bench.controller(broker)


def assert_moving(controller, ramp, beyond=1.1):
    """Waits until a ramp that was just sent is under way."""
    assert ramp.answer()["status"] == "accepted"
    controller.state("zoom/live", lambda sample: sample["factor"] > beyond)


def moved_for(controller, since) -> float:
    """Seconds from the newest ramp's start to its end, by the agent's clock."""
    states = controller.states("zoom", since)
    times = [datetime.fromisoformat(state["ts"]) for state in states]
    start = max(n for n, state in enumerate(states) if state["ramping"])
    return (times[-1] - times[start]).total_seconds()


def assert_rev_never_decreases(controller, since=0):
    revs = [state["rev"] for state in controller.states("zoom", since)]
    assert revs == sorted(revs), f"rev went back: {revs}"


def test_broker_killed_during_a_ramp_loses_no_state(bench):
    broker = bench.broker()
    bench.agent(broker)
    controller = bench.controller(broker)
    controller.obeyed("controls", {"brightness": 77})
    boot, since = controller.zoom_to(1)["boot"], controller.mark()
    ramp = controller.send("zoom", {"factor": 8, "rate": 1})
    assert_moving(controller, ramp)
    broker.kill()
    broker.start()
    done = ramp.result()
    assert (done["status"], done["factor"]) == ("done", 8)
    state = controller.settled(done)
    assert (state["factor"], state["boot"]) == (8, boot)
    assert moved_for(controller, since) == pytest.approx(3, abs=1)  # a busy agent may be late
    assert bench.controller(broker).state("controls", since=0)["values"]["brightness"] == 77
    assert_rev_never_decreases(controller)


def zoom_in_file(agent) -> float:
    """What a restart would find: also without a connection it tells where the zoom is."""
    return state_in(agent.state_file)["cameras"]["door"]["factor"]


def test_connection_cut_while_a_ramp_ends_loses_no_state(controller, proxy, agent):
    controller.obeyed("controls", {"brightness": 77})
    boot, since = controller.zoom_to(1)["boot"], controller.mark()
    ramp = controller.send("zoom", {"factor": 4, "rate": 0.5})
    assert_moving(controller, ramp)
    proxy.cut()
    controller.agent_availability("offline", since=since)
    # A ramp that waited for the connection would not end.
    eventually(lambda: zoom_in_file(agent) == 4, "the end of the ramp")
    again = controller.mark()
    proxy.restore()
    done = ramp.result()
    assert (done["status"], done["factor"]) == ("done", 4)
    assert controller.agent_availability("online", since=again)["boot"] == boot
    state = controller.settled(done)
    assert (state["factor"], state["rev"]) == (4, done["rev"])
    assert controller.state("controls")["values"]["brightness"] == 77
    assert_rev_never_decreases(controller)
    assert controller.obeyed("zoom", {"by": 2})["factor"] == 8


def test_pinch_interrupted_by_a_connection_loss_continues_from_the_published_zoom(controller, proxy, agent):
    """The controller doesn't notice: its samples go on, some of them into the void."""
    since = controller.mark()
    controller.obeyed("pinch", {"gesture": "g", "phase": "began", "seq": 0})
    controller.obeyed("pinch", {"gesture": "g", "phase": "changed", "scale": 2, "seq": 1})
    proxy.cut()
    controller.agent_availability("offline", since=since)
    controller.publish(controller.topic("pinch/set"), b'{"gesture":"g","phase":"changed","scale":3,"seq":2}')
    again = controller.mark()
    proxy.restore()
    controller.agent_availability("online", since=again)
    agent.logs("connected to", 2)
    answer = controller.obeyed("pinch", {"gesture": "g", "phase": "changed", "scale": 4, "seq": 3})
    # The same gesture; or, when it was silent for two seconds, one that starts anew from the zoom as it is.
    assert answer["factor"] in (near(4), near(2))
    controller.obeyed("pinch", {"gesture": "g", "phase": "ended", "seq": 4})
    assert_rev_never_decreases(controller)


def test_delayed_packets_arrive_without_a_disconnect(controller, proxy, agent):
    since = controller.mark()
    ramp = controller.send("zoom", {"factor": 8, "rate": 2})
    assert_moving(controller, ramp)
    proxy.stall()
    sent = [controller.send("zoom", {"factor": 2 + n / 10}) for n in range(1, 11)]
    eventually(lambda: zoom_in_file(agent) == 8, "the end of the ramp")
    proxy.resume()
    assert ramp.result()["status"] == "done"
    assert [pending.result()["status"] for pending in sent] == ["done"] * 10
    assert controller.obeyed("zoom", {"stop": True})["factor"] == 3
    assert agent.log.count("no connection") == 0
    assert_rev_never_decreases(controller, since)


@pytest.mark.parametrize("one_way", [False, True], ids=["both ways", "to the agent"])
def test_half_open_connection_is_detected_and_no_acknowledged_message_is_lost(controller, proxy, agent, one_way):
    controller.obeyed("controls", {"brightness": 77})
    boot, since = controller.zoom_to(1)["boot"], controller.mark()
    # Two ramps one after the other: several states are under way, unacknowledged, when the agent gives up.
    shots = [controller.send("capture", {"size": {"width": 64}, "zoom": {"factor": factor, "rate": 2}})
             for factor in (2, 4)]
    controller.state("zoom/live", lambda sample: sample["factor"] > 1.1, since=since)
    proxy.stall(to_agent_only=one_way)
    stalled, began = controller.mark(), time.monotonic()
    agent.logs("does not answer: no answer to PINGREQ")
    print(f"noticed after {time.monotonic() - began:.1f} s")
    # Commands can be sent once the agent is online: then the broker has its subscriptions.
    controller.agent_availability("online", since=stalled)
    agent.logs("connected to", 2)
    assert [shot.result()["status"] for shot in shots] == ["done", "done"]
    stop = controller.obeyed("zoom", {"stop": True})
    state = controller.settled(stop)
    assert (state["factor"], state["boot"]) == (4, boot)
    assert controller.state("controls")["values"]["brightness"] == 77
    assert_rev_never_decreases(controller)
