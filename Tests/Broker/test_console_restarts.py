"""Console, agent and broker end and come back under a page."""

from contextlib import closing

import pytest

from console import Console
from page_socket import PageSocket

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def stage(bench, tmp_path):
    """A broker, an agent and a console of their own."""
    broker = bench.broker(persistence=True)
    agent = bench.agent(broker)
    with closing(Console(broker, tmp_path / "console").start()) as console:
        yield broker, agent, console


def opened(console) -> PageSocket:
    page = PageSocket(console)
    page.wait_for("cameras", lambda cameras: cameras.get("porch/door", {}).get("online"))
    page.send(open=["porch/door"])
    page.send(watch=[{"camera": "porch/door", "width": 320, "fps": 10}])
    page.picture()
    return page


def test_pictures_and_commands_come_back(stage):
    broker, agent, console = stage
    page = opened(console)
    # The agent.
    agent.kill()
    page.wait_for("cameras", lambda cameras: cameras.get("porch/door", {}).get("agent_online") is False)
    page.texts.clear()
    agent.start()
    page.wait_for("cameras", lambda cameras: cameras.get("porch/door", {}).get("agent_online"))
    page.picture(len(page.pictures) + 2)
    assert page.command("zoom", {"factor": 2})["status"] == "done"
    # The broker.
    broker.stop()
    page.wait_for("bus", lambda is_connected: not is_connected)
    assert page.command("zoom", {"factor": 1})["error"]["code"] == "unavailable"
    page.texts.clear()
    broker.start()
    page.wait_for("bus", lambda is_connected: is_connected)
    page.picture(len(page.pictures) + 2)
    assert page.command("zoom", {"factor": 1})["status"] == "done"
    # The console, without a warning.
    console.kill()
    page.closing()
    console.start()
    with opened(console) as again:
        assert again.command("zoom", {"factor": 2})["status"] == "done"
        # And with one.
        assert console.stop() == 0
        assert again.closing().code == 1001


def test_without_a_broker_the_page_is_served(bench, tmp_path):
    broker = bench.broker()
    broker.stop()
    console = Console(broker, tmp_path / "console")
    console._is_ready = lambda before: f":{console.port}/" in console.log[before:]
    with closing(console.start()), PageSocket(console) as page:
        assert page.wait_for("bus") is False
        assert console.request("GET", "").status == 200
        assert console.request("GET", "snapshot/porch/door").status == 503
    broker.start()


def test_cameras_that_the_broker_has_lost_disappear(bench, tmp_path):
    broker = bench.broker()
    agent, garage = bench.agent(broker), bench.agent(broker, name="garage")
    with closing(Console(broker, tmp_path / "console").start()) as console, PageSocket(console) as page:
        for camera in ["porch/door", "garage/door"]:
            page.wait_for("cameras", lambda cameras, camera=camera: cameras.get(camera, {}).get("online"))
        page.texts.clear()
        # A broker that keeps nothing starts without the retained messages of the agent that is gone.
        garage.kill()
        broker.stop()
        broker.start()
        page.wait_for("cameras", lambda cameras: cameras.get("garage/door", {}) is None)
        assert not any(text.get("cameras", {}).get("porch/door", {}) is None for text in page.texts)
        assert page.command("zoom", {"factor": 2}, camera="garage/door")["error"]["code"] == "bad_topic"
        page.wait_for("bus", lambda is_connected: is_connected)
