"""Real drivers' cameras in Home Assistant: all that they have, unplugged and plugged in again, and another
model in the same place."""

import json
import os

import pytest

import paths
from virtual_camera import Camera
from guest_agent import GuestAgent
from home_assistant_client import HomeAssistantClient

# one guest for the documents of real cameras; the documents are held in Tests/HomeAssistantTests
pytestmark = pytest.mark.deep

#: The agent's `info` of these cameras, from which the documents in `golden` are made. `REMAKE=1` writes it
#: again.
CAMERAS_FOLDER = paths.PROJECT / "Tests/HomeAssistantTests/cameras"
MOTORS = ["zoom", "zoom_speed", "pan_tilt", "pan_tilt_speed", "focus", "autofocus"]


@pytest.fixture(scope="module")
def cameras(guest):
    guest.load("vivid", n_devs=1, node_types="0x1", num_inputs=1, input_types="0x0", num_outputs=0)
    return {
        "webcam": Camera(guest, "webcam", port=0, product="HD Webcam", without=MOTORS),
        "ptz": Camera(guest, "ptz", port=1, product="PTZ Pro", motor=400)}


@pytest.fixture(scope="module")
def agent(guest, broker, cameras):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": "desk", "position": "front", "kind": "tele", "source": [{"serial": "ptz"}, {"serial": "webcam"}]},
        {"id": "vivid", "source": {"v4l2": vivid(guest)}}]).start()
    yield agent
    assert agent.ending() is None


def vivid(guest) -> str:
    return next(path for path, name in guest.video_nodes().items() if name.endswith("vid-cap"))


@pytest.fixture
def home_assistant(broker, agent, cameras):
    with HomeAssistantClient(broker) as home_assistant:
        for camera in ("desk", "vivid"):
            home_assistant.awaits_available("zoom", camera=camera)
        yield home_assistant


@pytest.fixture
def webcam(home_assistant, cameras):
    """It takes the place of the other, which is pulled."""
    cameras["ptz"].unplug()
    home_assistant.until(lambda: info(home_assistant, "desk")["serial"] == "webcam", "the webcam to be served")
    home_assistant.awaits_available("zoom", camera="desk")
    yield
    cameras["ptz"].plug()
    home_assistant.until(lambda: info(home_assistant, "desk")["serial"] == "ptz", "the camera to be back")


def info(home_assistant, camera: str) -> dict:
    return json.loads(home_assistant.received[f"v4l2mqtt/porch/{camera}/info"])


def check(document: dict, name: str):
    file = CAMERAS_FOLDER / f"{name}.json"
    if "REMAKE" in os.environ:
        file.write_text(written(document))
    assert document == json.loads(file.read_text())


def written(document: dict) -> str:
    """A line for each field, and for each part of a list."""
    def line(value):
        parts = [json.dumps(part, ensure_ascii=False) for part in value] if isinstance(value, list) else []
        return "[\n  " + ",\n  ".join(parts) + "]" if len(json.dumps(parts)) > 100 else json.dumps(value, ensure_ascii=False)

    return "{\n" + ",\n".join(f' "{name}": {line(value)}' for name, value in document.items()) + "\n}\n"


def all_is_known(home_assistant, camera: str):
    for name, component in home_assistant.device(camera=camera).items():
        if "stat_t" in component and component["p"] != "event":
            home_assistant.until(lambda: home_assistant.shows(name, camera=camera) is not None, f"{name} to be known")


def test_a_camera_with_motors(home_assistant):
    check(info(home_assistant, "desk"), "ptz")
    all_is_known(home_assistant, "desk")
    home_assistant.sets("number_pan_absolute", 7200, camera="desk")
    home_assistant.awaits("number_pan_absolute", "7200", camera="desk")
    home_assistant.sets("preset", "home", camera="desk")
    home_assistant.awaits("number_pan_absolute", "0", camera="desk")
    home_assistant.awaits("preset", "home", camera="desk")


def test_a_camera_with_every_type_of_control(home_assistant):
    check(info(home_assistant, "vivid"), "vivid")
    all_is_known(home_assistant, "vivid")
    home_assistant.presses("button_button", camera="vivid")
    home_assistant.sets("number_brightness", 150, camera="vivid")
    home_assistant.awaits("number_brightness", "150", camera="vivid")


def test_what_can_only_be_read_is_a_sensor(home_assistant, cameras):
    """A cover over the lens, which the camera reports."""
    components = home_assistant.device(camera="desk")
    assert components["binary_sensor_privacy"]["p"] == "binary_sensor"
    home_assistant.awaits("binary_sensor_privacy", "OFF", camera="desk")
    cameras["ptz"].button("privacy", 1)
    home_assistant.awaits("binary_sensor_privacy", "ON", camera="desk")
    cameras["ptz"].button("privacy", 0)
    home_assistant.awaits("binary_sensor_privacy", "OFF", camera="desk")
    assert home_assistant.device(camera="vivid")["sensor_read_only_integer_32_bits"]["p"] == "sensor"
    assert home_assistant.shows("sensor_read_only_integer_32_bits", camera="vivid") is not None


def test_another_model_in_its_place(home_assistant, webcam):
    check(info(home_assistant, "desk"), "webcam")
    home_assistant.until(lambda: not home_assistant.has("number_pan_absolute", camera="desk"), "the motors to go")
    assert not home_assistant.has("button_pan_reset", camera="desk")
    assert home_assistant.device(camera="desk")["zoom"]["max"] == info(home_assistant, "desk")["zoom"]["max"]
    all_is_known(home_assistant, "desk")
