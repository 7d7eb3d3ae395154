"""The page shows a camera that is not in the console's list."""

import io

import pytest
from PIL import Image

from broker import Broker
from camera_list import camera, retained
from chromium import phones_of
from scripted_agent import ScriptedAgent, done
from waiting import eventually

pytestmark = pytest.mark.deep

NO_PICTURE = "stage().dataset.frame === undefined && $('.view canvas').hidden"


@pytest.fixture
def empty(browser, console_at, tmp_path):
    """A broker without cameras: (broker, console, phone_for). The test starts the console."""
    broker = Broker(tmp_path / "broker").start()
    try:
        console = console_at(broker)
        with phones_of(browser, console.address()) as phone_for:
            yield broker, console, phone_for
    finally:
        broker.stop()


def picture() -> bytes:
    with io.BytesIO() as file:
        Image.new("RGB", (480, 270), "teal").save(file, "JPEG")
        return file.getvalue()


def test_a_bookmark_of_a_camera_on_an_empty_broker(empty):
    _, console, phone_for = empty
    console.start()
    phone = phone_for().open("#/porch/door")
    phone.says("This camera does not exist.")
    assert phone.button("Take photo").is_disabled()


def test_the_last_camera_of_the_broker_is_removed(empty):
    broker, console, phone_for = empty
    console.start()
    with retained(broker, camera("porch", "door")), ScriptedAgent(broker, done) as agent:
        phone = phone_for().open("#/porch/door")
        eventually(lambda: any(node == "preview" for node, _ in agent.commands), "the request of pictures")
        agent.publish("door/preview/live", picture(), retain=False)
        phone.shows_pictures()
        for node in ("info", "availability"):
            agent.publish(f"door/{node}", b"")
        phone.says("This camera does not exist.")
        phone.until(NO_PICTURE, "no picture of a camera that is gone")


def test_without_the_broker_a_camera_may_exist(empty):
    broker, console, phone_for = empty
    console.start()
    broker.kill()
    phone = phone_for().open("#/porch/door")
    eventually(lambda: phone.run("0") == 0 and any("cameras" in message for message in phone.received), "the list")
    phone.says("The broker cannot be reached.")
    phone.says("Waiting for a picture …")
