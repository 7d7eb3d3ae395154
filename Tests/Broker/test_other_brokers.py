"""Other brokers than one mosquitto, in a few seconds. `Tests/run --broker KIND` runs all tests with one."""

import pytest


@pytest.mark.parametrize("kind", ["bridge", "ejabberd"])
def test_zoom_photo_and_will(bench, kind):
    broker = bench.broker(kind=kind)
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    assert controller.obeyed("zoom", {"factor": 2})["factor"] == 2
    assert controller.obeyed("capture", {"size": {"width": 64}})["photos"]
    since = controller.mark()
    agent.kill()
    will = controller.inbox.wait_for(
        f"{controller.agent_topic}/availability", lambda message: message.json["state"] == "offline", since=since)
    assert will.json["boot"] == 1
