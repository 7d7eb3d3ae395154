"""vivid's controls: there are some of every type, and some that make it fail on demand."""

import re

import pytest

from controller import Controller
from guest_agent import GuestAgent
from guest_photos import content, shot
from v4l2ctl import v4l2, value
from waiting import eventually

SMALL = {"width": 320, "height": 180, "fps": 15}


#: V4L2's APIs, with the number of each for vivid.
APIS = {"single": 1, "multi": 2}


@pytest.fixture(scope="module")
def devices(guest, request) -> dict[str, str]:
    """The nodes by camera: two for each API that the selected tests use."""
    selected = [item.callspec.params.get("api") for item in request.session.items if hasattr(item, "callspec")]
    names = [f"{camera}-{api}" for api in APIS if api in selected for camera in ("door", "live")]

    def each(value) -> str:
        return ",".join([str(value)] * len(names))

    guest.load("vivid", n_devs=len(names), node_types=each(1), num_inputs=each(1), input_types=each(0), num_outputs=each(0),
               multiplanar=",".join(str(APIS[name.split("-")[1]]) for name in names))
    return dict(zip(names, sorted(guest.video_nodes())))


@pytest.fixture(scope="module")
def agent(guest, broker, devices):
    agent = GuestAgent(guest, broker, cameras=[
        {"id": name, "source": {"v4l2": node}, "v4l2": {
            **SMALL, **({"stream": "always"} if "live" in name else {}), **({"pixel_format": "NM12"} if "multi" in name else {})}}
        for name, node in devices.items()]).start()
    yield agent
    assert agent.ending() is None


@pytest.fixture(params=["single", pytest.param("multi", marks=pytest.mark.deep)])
def api(request) -> str:
    """The API of the devices of a test: single-planar or multi-planar."""
    return request.param


@pytest.fixture
def nodes(devices, api) -> dict[str, str]:
    return {camera: devices[f"{camera}-{api}"] for camera in ("door", "live")}


@pytest.fixture
def controller(broker, agent, api):
    with Controller(broker, camera=f"door-{api}") as controller:
        yield controller


@pytest.fixture
def live(broker, agent, api):
    with Controller(broker, camera=f"live-{api}") as controller:
        yield controller


# Controls of every type


def described(controller) -> dict[str, dict]:
    return {control["name"]: control for control in controller.state("info")["controls"]}


def test_every_control_of_the_driver_is_shown(controller, guest, nodes):
    listed = re.findall(r"^ +(\w+) 0x[0-9a-f]{8} \(", v4l2(guest, nodes["door"], "-L").output, re.MULTILINE)
    assert len(listed) > 40
    # the agent's own
    assert [control["name"] for control in controller.state("info")["controls"]] == [*listed, "color_effects"]


@pytest.mark.parametrize("name, kind, reported", [
    ("brightness", "slider", {"min": 0, "max": 255, "step": 1, "default": 128}),
    ("boolean", "toggle", {"default": True}),
    ("menu", "picker", {"default": 3, "options": [{"value": n, "title": f"Menu Item {n}"} for n in (1, 3, 4)]}),
    ("integer_menu", "discrete", {"default": 5, "values": [2, 3, 5, 8, 13, 21, 42]}),
    ("button", "button", {}),
    ("integer_32_bits", "slider", {"min": -2**31, "max": 2**31 - 1}),
    ("integer_64_bits", "slider", {"default": 0}),
    ("bitmask", "slider", {"default": 0x80002000}),
])
def test_a_control_is_described_by_its_type(controller, name, kind, reported):
    control = described(controller)[name]
    assert (control["kind"], control["enabled"]) == (kind, True)
    assert control.items() >= reported.items()


@pytest.mark.parametrize("name, word", [
    ("read_only_integer_32_bits", "read"), ("gain", "inactive"), ("string", "text"), ("area", "value"), ("u8_2x3x4x5_array", "value")])
def test_disabled_control_has_a_reason(controller, name, word):
    control = described(controller)[name]
    assert control["enabled"] is False and word in control["reason"]
    controller.refused("controls", {name: 20}, "bad_payload" if control["kind"] == "text" else "unavailable", name)


@pytest.mark.parametrize("name, new_value, raw", [
    ("brightness", 200, 200), ("boolean", False, 0), ("menu", 4, 4), ("integer_menu", 13, 6), ("integer_32_bits", -2**31, -2**31),
    ("integer_64_bits", -5_000_000_000, -5_000_000_000), ("bitmask", 0x80402000, 0x80402000 - 2**32)])
def test_a_control_of_each_type_is_set(controller, guest, nodes, name, new_value, raw):
    answer = controller.obeyed("controls", {name: new_value})
    assert value(guest, nodes["door"], name) == raw
    assert answer["values"][name] == new_value
    assert controller.state("controls", lambda state: state["values"][name] == new_value)


def test_a_button_is_pressed(controller, guest, nodes):
    """It has no value that could be read: the driver is watched."""
    guest.start("listener", "v4l2-ctl", "-d", nodes["door"], "--wait-for-event=ctrl=button")
    guest.check("until grep -q v4l2_event_dequeue /proc/$(cat /run/job/listener.pid)/stack; do usleep 10000; done")
    controller.obeyed("controls", {"button": True})
    assert guest.ended("listener") == 0


def test_automatic_disables_its_manual_control(controller, guest, nodes):
    controller.obeyed("controls", {"gain_automatic": False, "gain": 77})
    assert value(guest, nodes["door"], "gain") == 77
    eventually(lambda: described(controller)["gain"]["enabled"], "the gain enabled in info")
    controller.obeyed("controls", {"gain_automatic": True})
    eventually(lambda: not described(controller)["gain"]["enabled"], "the gain disabled in info")


# Errors on demand


def assert_takes_photos(controller, guest):
    """It takes photos again immediately: the error may have ended one."""
    assert content(guest, shot(controller)).startswith(b"\xff\xd8")


def press(guest, node: str, *settings: str):
    assert v4l2(guest, node, *(f"-c {setting}" for setting in settings)).status == 0


def test_a_stream_that_can_not_be_started_fails_the_photo(controller, guest, nodes):
    """The first photos of this camera: there is no stream yet."""
    for fault in ("reqbufs", "qbuf", "streamon"):
        press(guest, nodes["door"], f"inject_vidioc_{fault}_error=1")
        message = controller.refused("capture", {}, "device")["message"]
        assert fault.upper() in message
    assert_takes_photos(controller, guest)


@pytest.mark.deep
def test_lost_buffers_are_recovered(live, guest, nodes):
    for _ in range(6):
        press(guest, nodes["live"], "inject_vidioc_qbuf_error=1")
        answer = live.command("capture", {})
        assert answer["status"] == "done" or answer["error"]["code"] == "device"
    assert_takes_photos(live, guest)


@pytest.mark.deep
def test_half_of_the_frames_lost_does_not_fail_the_photo(live, guest, nodes):
    press(guest, nodes["live"], "percentage_of_dropped_buffers=50")
    assert len(live.obeyed("capture", {"count": 5})["photos"]) == 5
    press(guest, nodes["live"], "percentage_of_dropped_buffers=0")


@pytest.mark.deep
def test_all_frames_lost_fails_the_photo(live, guest, nodes):
    press(guest, nodes["live"], "percentage_of_dropped_buffers=100")
    live.refused("capture", {}, "device")
    press(guest, nodes["live"], "percentage_of_dropped_buffers=0")
    assert_takes_photos(live, guest)


def test_photo_skips_a_damaged_frame(live, guest, nodes):
    for _ in range(3):
        press(guest, nodes["live"], "inject_v4l2_buf_flag_error=1")
        assert_takes_photos(live, guest)


@pytest.mark.parametrize("when", [pytest.param("before", marks=pytest.mark.deep), "meanwhile"])
def test_fatal_stream_error_is_recovered(live, guest, nodes, when):
    photo = live.send("capture", {"count": 5, "interval_ms": 200}) if when == "meanwhile" else None
    press(guest, nodes["live"], "inject_fatal_streaming_error=1")
    if photo:
        answer = photo.result()
        assert answer["status"] == "done" or answer["error"]["code"] == "device"
    eventually(lambda: live.command("capture", {})["status"] == "done", "a photo")
    assert_takes_photos(live, guest)


@pytest.mark.parametrize("when", [pytest.param("idle", marks=pytest.mark.deep), "streaming"])
def test_disconnected_driver_is_served_again(controller, live, guest, nodes, when):
    """vivid's node stays, and works again when all programs have closed it, without a notification."""
    camera, name = (controller, "door") if when == "idle" else (live, "live")
    assert camera.state("availability")["state"] == "online"
    since = camera.mark()
    press(guest, nodes[name], "disconnect=1")
    answer = camera.command("capture", {})
    assert answer["status"] == "done" or answer["error"]["code"] in ("device", "unavailable")
    offline, online = ((lambda message, state=state: message.json["state"] == state) for state in ("offline", "online"))
    topic = camera.topic("availability")
    gone = camera.inbox.wait_for(topic, offline, since=since)
    camera.inbox.wait_for(topic, online, since=camera.inbox.place(gone))
    assert_takes_photos(camera, guest)
