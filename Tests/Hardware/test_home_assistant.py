"""Real drivers' cameras in Home Assistant: all that they have, unplugged and plugged in again, and another model in the same place."""

import json
import os

import pytest

import places
from camera import Camera
from guest_agent import GuestAgent
from home_assistant import rendered
from house import House

#: What the agent said of these cameras, of which the documents in `golden` beside it are made. `REMAKE=1` writes it anew.
SAID = places.PROJECT / "Tests/HomeAssistantTests/cameras"
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
def house(broker, agent, cameras):
    with House(broker) as house:
        for camera in ("desk", "vivid"):
            house.awaits_available("zoom", camera=camera)
        yield house


@pytest.fixture
def webcam(house, cameras):
    """It takes the place of the other, which is pulled."""
    cameras["ptz"].unplug()
    house.until(lambda: info(house, "desk")["serial"] == "webcam", "the webcam to be served")
    house.awaits_available("zoom", camera="desk")
    yield
    cameras["ptz"].plug()
    house.until(lambda: info(house, "desk")["serial"] == "ptz", "the camera to be back")


def info(house, camera: str) -> dict:
    return json.loads(house.heard[f"v4l2mqtt/porch/{camera}/info"])


def check(said: dict, name: str):
    file = SAID / f"{name}.json"
    if "REMAKE" in os.environ:
        file.write_text(written(said))
    assert said == json.loads(file.read_text())


def written(said: dict) -> str:
    """A line for each field, and for each part of a list."""
    def line(value):
        parts = [json.dumps(part, ensure_ascii=False) for part in value] if isinstance(value, list) else []
        return "[\n  " + ",\n  ".join(parts) + "]" if len(json.dumps(parts)) > 100 else json.dumps(value, ensure_ascii=False)

    return "{\n" + ",\n".join(f' "{name}": {line(value)}' for name, value in said.items()) + "\n}\n"


def all_is_known(house, camera: str):
    for name, component in house.device(camera=camera).items():
        if "stat_t" in component and component["p"] != "event":
            house.until(lambda: house.shows(name, camera=camera) is not None, f"{name} to be known")


def test_a_camera_with_motors(house):
    check(info(house, "desk"), "ptz")
    all_is_known(house, "desk")
    house.sets("number_pan_absolute", 7200, camera="desk")
    house.awaits("number_pan_absolute", "7200", camera="desk")
    house.sets("preset", "home", camera="desk")
    house.awaits("number_pan_absolute", "0", camera="desk")
    house.awaits("preset", "home", camera="desk")


def test_a_camera_with_every_type_of_control(house):
    check(info(house, "vivid"), "vivid")
    all_is_known(house, "vivid")
    house.presses("button_button", camera="vivid")
    house.sets("number_brightness", 150, camera="vivid")
    house.awaits("number_brightness", "150", camera="vivid")


def test_what_can_only_be_read_is_a_sensor(house, cameras):
    """A cover over the lens, which the camera tells of."""
    components = house.device(camera="desk")
    assert components["binary_sensor_privacy"]["p"] == "binary_sensor"
    house.awaits("binary_sensor_privacy", "OFF", camera="desk")
    cameras["ptz"].button("privacy", 1)
    house.awaits("binary_sensor_privacy", "ON", camera="desk")
    cameras["ptz"].button("privacy", 0)
    house.awaits("binary_sensor_privacy", "OFF", camera="desk")
    assert house.device(camera="vivid")["sensor_read_only_integer_32_bits"]["p"] == "sensor"
    assert house.shows("sensor_read_only_integer_32_bits", camera="vivid") is not None


def test_another_model_in_its_place(house, webcam):
    check(info(house, "desk"), "webcam")
    house.until(lambda: not house.has("number_pan_absolute", camera="desk"), "the motors to go")
    assert not house.has("button_pan_reset", camera="desk")
    assert house.device(camera="desk")["zoom"]["max"] == info(house, "desk")["zoom"]["max"]
    all_is_known(house, "desk")


def test_and_back_again(house):
    house.until(lambda: house.has("number_pan_absolute", camera="desk"), "the motors to be there again")
    all_is_known(house, "desk")


def test_unplugged_and_plugged_in_again(house, cameras):
    house.sets("zoom", 3, camera="desk")
    house.awaits("zoom", "3", camera="desk")
    house.sets("select_auto_exposure", "Manual Mode", camera="desk")
    house.awaits_available("number_exposure_time_absolute", camera="desk")
    house.turns("recording", "on", camera="desk")
    house.awaits("shutter", "recording_started", camera="desk")
    cameras["webcam"].unplug()
    cameras["ptz"].unplug()
    house.awaits_available("zoom", False, camera="desk")
    house.awaits("recording_problem", "ON", camera="desk")
    problem = house.device(camera="desk")["recording_problem"]
    last = json.loads(rendered(problem["json_attr_tpl"], house.heard[problem["json_attr_t"]]))
    assert last["reason"] == "unplugged" and last["path"].endswith(".mp4")
    house.awaits("status", "unplugged", camera="desk")
    assert house.is_available("status", camera="desk"), "it says why"
    assert house.has("number_pan_absolute", camera="desk"), "it isn't gone for good"
    cameras["ptz"].plug()
    house.awaits_available("zoom", camera="desk")
    house.awaits("status", "online", camera="desk")
    house.awaits("zoom", "3", camera="desk")
    house.awaits("select_auto_exposure", "Manual Mode", camera="desk")
    house.awaits_available("number_exposure_time_absolute", camera="desk")
    cameras["webcam"].plug()
