"""The rules of `example_tracker.py`, without a broker: what it detects, where it steers, what it sends."""

import json
import math

import cv2
import numpy
import pytest

from example_tracker import WHOLE, Ended, Failed, MotionDetector, Pinch, Sighting, Steering, Tracker, View
from simulated_scene import in_scene, near

FRAME = 0.1  # seconds
SIZE = 0.15  # of the object, in heights of the scene


def still_scene() -> numpy.ndarray:
    """Cells with labels, as a simulated camera has them."""
    rows, columns = numpy.mgrid[:360, :640]
    scene = numpy.where((columns // 40 + rows // 40) % 2, 150, 100).astype(numpy.uint8)
    scene[:, ::40] = scene[::40, :] = 40
    for row in range(9):
        for column in range(16):
            label = f"{chr(65 + column)}{row + 1}"
            cv2.putText(scene, label, (column * 40 + 5, row * 40 + 18), cv2.FONT_HERSHEY_SIMPLEX, 0.4, 235, 1)
    return scene


STILL = still_scene()


def orbit(seconds: float, period=16) -> tuple[float, float]:
    angle = 2 * math.pi * seconds / period
    return 0.5 + 0.3 * math.sin(angle), 0.5 - 0.25 * math.cos(angle)


def scene_with(*places: tuple[float, float]) -> numpy.ndarray:
    scene = STILL.copy()
    for x, y in places:
        cv2.circle(scene, (round(x * 640), round(y * 360)), round(SIZE / 2 * 360), 16, -1)
    return scene


def frame(scene: numpy.ndarray, view: View) -> bytes:
    """A preview frame of this view."""
    scale = view.factor / 2
    left, top = (view.x - 0.5 / view.factor) * 640, (view.y - 0.5 / view.factor) * 360
    smooth = cv2.GaussianBlur(scene, (0, 0), 0.6) if scale < 1 else scene
    picture = cv2.warpAffine(smooth, numpy.float32([[scale, 0, -left * scale], [0, scale, -top * scale]]), (320, 180))
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()


def offset(place, view: View) -> float:
    """How far it is from the middle of the view; at 0.5 it is at its edge."""
    return max(abs(place[0] - view.x), abs(place[1] - view.y)) * view.factor


class Loop:
    """A camera and the tracker's rules, frame by frame. The agent does what is requested at once."""

    def __init__(self, zoom=2.0):
        self.detector, self.steering, self.view, self.time = MotionDetector(), Steering(zoom), WHOLE, 0.0
        self.views, self.sightings = [WHOLE], []

    def run(self, seconds: float, scene) -> list[View]:
        """`scene` gives the picture at a time. Returns the views of these frames."""
        first = len(self.views)
        for _ in range(round(seconds / FRAME)):
            sighting = self.detector.look(frame(scene(self.time), self.view), self.view)
            self.sightings.append(sighting)
            self.steering.look(sighting, self.time)
            self.view = self.steering.next(self.view, FRAME, 1, 8, 1) or self.view
            self.time += FRAME
            self.views.append(self.view)
        return self.views[first:]


def test_the_object_stays_in_view_for_more_than_a_turn():
    loop = Loop()
    loop.run(4, lambda time: scene_with(orbit(time)))
    for number, view in enumerate(loop.run(20, lambda time: scene_with(orbit(time))), 1):
        assert view.factor == pytest.approx(2, abs=0.05)
        assert offset(orbit(4 + number * FRAME), view) < 0.35


def test_the_object_is_seen_where_it_is_though_the_view_moves():
    loop = Loop()
    loop.run(4, lambda time: scene_with(orbit(time)))
    loop.run(12, lambda time: scene_with(orbit(time)))
    for number, sighting in enumerate(loop.sightings[40:]):
        assert sighting and (sighting.x, sighting.y) == pytest.approx(orbit(4 + number * FRAME), abs=0.06)


def test_speeds_and_accelerations_are_limited():
    steering, view, views = Steering(zoom=4), WHOLE, []
    # It jumps from corner to corner, and is away between.
    for step in range(600):
        corner = [(0.2, 0.2), (0.8, 0.8), None, (0.8, 0.2)][step // 50 % 4]
        steering.look(Sighting(*corner, 0.05) if corner else None, step * 0.1)
        after = steering.next(view, 0.1, 1, 8, 1) or view
        views.append((view, after))
        view = after
    speeds = [
        ((b.x - a.x) * a.factor / 0.1, (b.y - a.y) * a.factor / 0.1, math.log2(b.factor / a.factor) / 0.1)
        for a, b in views]
    limits = (Steering.PAN, Steering.PAN, Steering.ZOOM)
    for axis, limit in enumerate(limits):
        highest = max(abs(speed[axis]) for speed in speeds)
        assert 0.9 * limit < highest <= limit * 1.0001, "the test does not reach the limit, or it is exceeded"
    faster = [abs(b[2]) - abs(a[2]) for a, b in zip(speeds, speeds[1:])]
    assert max(faster) <= Steering.ACCELERATION * 0.1 * 1.0001


def test_nothing_moves_while_nothing_moves():
    loop = Loop()
    assert loop.run(3, lambda time: STILL) == [WHOLE] * 30
    assert loop.sightings == [None] * 30


def test_a_lost_object_is_searched_in_the_whole_scene():
    loop = Loop()
    loop.run(5, lambda time: scene_with(orbit(time)))
    assert loop.view.factor > 1.9
    loop.run(10, lambda time: STILL)
    assert not loop.steering.follows and loop.view.factor == pytest.approx(1, abs=0.01)
    loop.run(5, lambda time: scene_with(orbit(time)))
    assert loop.steering.follows and offset(orbit(loop.time), loop.view) < 0.5 and loop.view.factor > 1.5


def test_frames_that_do_not_come_are_no_loss():
    steering = Steering(zoom=2)
    steering.look(Sighting(0.5, 0.5, 0.1), 0)
    view = WHOLE
    for _ in range(300):
        view = steering.next(view, 0.1, 1, 8, 1) or view
    assert steering.follows and view.factor == pytest.approx(2, abs=0.02)


def test_a_change_of_the_light_is_no_object():
    loop = Loop()
    loop.run(2, lambda time: STILL)
    loop.run(2, lambda time: cv2.add(STILL, 80))
    assert loop.sightings == [None] * 40 and loop.view == WHOLE


def test_what_a_moving_view_shows_for_the_first_time_does_not_move():
    detector = MotionDetector()
    for step in range(40):
        view = View(0.2 + 0.015 * step, 0.5, 3)
        assert detector.look(frame(STILL, view), view) is None


def test_what_was_seen_outside_of_the_view_is_no_sighting():
    detector = MotionDetector()
    for _ in range(10):
        detector.look(frame(STILL, WHOLE), WHOLE)
    assert detector.look(frame(scene_with((0.2, 0.5)), WHOLE), WHOLE)
    elsewhere = View(0.75, 0.5, 2)
    assert detector.look(frame(scene_with((0.2, 0.5)), elsewhere), elsewhere) is None


def test_a_large_object_is_not_zoomed_out_of_the_view():
    steering, view = Steering(zoom=8), WHOLE
    steering.look(Sighting(0.5, 0.5, 0.2), 0)
    for _ in range(100):
        view = steering.next(view, 0.1, 1, 8, 1) or view
    assert view.factor == pytest.approx(Steering.LARGEST / 0.2, abs=0.05)


def test_the_zoom_waits_for_an_object_at_the_edge():
    steering, view = Steering(zoom=8), View(0.5, 0.5, 4)
    steering.look(Sighting(0.62, 0.5, 0.02), 0)
    after = steering.next(view, 0.1, 1, 8, 1)
    assert after.factor == 4 and after.x > view.x


def test_a_range_of_the_camera_ends_the_zoom():
    steering, view = Steering(zoom=8), View(0.5, 0.5, 2)
    steering.look(Sighting(0.5, 0.5, 0.01), 0)
    for _ in range(200):
        view = steering.next(view, 0.1, 1.5, 3, 1) or view
        assert 1.5 <= view.factor <= 3
    assert view.factor == pytest.approx(3, abs=0.05)


def test_a_frame_that_is_damaged_shows_nothing():
    assert MotionDetector().look(b"no JPEG", WHOLE) is None


@pytest.mark.parametrize("optical", [1, 2, 3.5])
def test_a_view_has_its_place_in_the_scene(optical):
    zoom = {"optical": optical, "factor": 2 * optical, "viewport": {"x": 0.1, "y": 0.3, "width": 0.5, "height": 0.5}}
    view = View.of(zoom["viewport"], optical)
    assert (view.x, view.y) == near(in_scene(zoom, 0.5, 0.5)) and view.factor == near(2 * optical)


def test_a_view_stays_in_the_frame_of_the_lens():
    assert View(0.9, 0.1, 4).confined(1) == View(0.875, 0.125, 4)
    assert View(0.9, 0.1, 4).confined(2) == View(0.625, 0.375, 4)
    assert View(0.9, 0.1, 2).confined(2) == View(0.5, 0.5, 2)


def test_a_pinch_carries_the_middle_to_its_place_in_the_new_view():
    pinch = Pinch(View(0.5, 0.5, 2), "pinch", now=0)
    fields = pinch.moved(View(0.6, 0.4, 3), now=0.1)
    assert fields["scale"] == near(1.5)
    # It was at 0.5, 0.5 of the scene, and is still there: 0.1 of the scene are 0.3 of the view.
    assert fields["anchor"] == {"x": near(0.2), "y": near(0.8)}


def test_a_pinch_whose_middle_leaves_the_view_is_over():
    pinch = Pinch(View(0.3, 0.5, 2), "pinch", now=0)
    assert pinch.moved(View(0.54, 0.5, 2), now=0.1)
    assert pinch.moved(View(0.56, 0.5, 2), now=0.2) is None


def test_a_silent_pinch_is_over():
    pinch = Pinch(View(0.5, 0.5, 2), "pinch", now=0)
    assert pinch.moved(View(0.5, 0.5, 2.1), now=0.9)
    assert pinch.moved(View(0.5, 0.5, 2.2), now=2.0) is None


class Bus:
    """In place of a connection: what was published, as pairs of topic and fields."""

    def __init__(self):
        self.published, self.connected = [], True

    def is_connected(self) -> bool:
        return self.connected

    def publish(self, topic: str, payload: str, qos: int, properties) -> None:
        self.published.append((topic.removeprefix("v4l2mqtt/porch/door/"), json.loads(payload)))

    def sent(self, node: str) -> list[dict]:
        """And forgets them."""
        found = [fields for topic, fields in self.published if topic == f"{node}/set"]
        self.published = []
        return found


class Bench:
    """A tracker that sees an object, and time that is an argument."""

    def __init__(self, resume=None):
        self.tracker, self.bus, self.now = Tracker("v4l2mqtt/porch/door", 2, resume, None), Bus(), 1000.0
        self.tracker._client, self.tracker._now = self.bus, lambda: self.now
        self.rev, self.view, self.views = 1, WHOLE, []
        for who in ("v4l2mqtt/porch", "v4l2mqtt/porch/door"):
            self.tracker._json(f"{who}/availability", {"state": "online", "boot": 1})
        self.state(origin={"kind": "command", "client": "phone", "id": "1"})
        self.tracker._steering.look(Sighting(0.6, 0.5, 0.1), 0)

    def state(self, view=None, **changes):
        """Of the zoom, by default at the view as it is."""
        self.view = view or self.view
        side = 1 / self.view.factor
        viewport = {"x": self.view.x - side / 2, "y": self.view.y - side / 2, "width": side, "height": side}
        self.zoom = {
            "factor": 1 / side, "target": 1 / side, "min": 1, "max": 8, "optical": 1, "viewport": viewport,
            "rev": self.rev, "origin": {"kind": "gesture", "client": self.tracker.name, "proved": False}} | changes
        self.tracker._json("v4l2mqtt/porch/door/zoom", self.zoom)

    def step(self, seconds=0.1) -> list[dict]:
        """What it sends to move the zoom."""
        self.now += seconds
        self.tracker._step(self.now)
        return self.bus.sent("pinch")

    def answer(self, sample: dict, status="done", **fields):
        answer = {"status": status, "id": sample["id"], "rev": self.rev} | fields
        self.tracker._json(f"{self.tracker._answers}/pinch", answer)

    def obey(self, sample: dict):
        """Moves the view as an agent does, and answers."""
        x, y = sample["anchor"]["x"], sample["anchor"]["y"]
        if sample["phase"] == "began":
            self.held = View(
                self.view.x + (x - 0.5) / self.view.factor, self.view.y + (y - 0.5) / self.view.factor, self.view.factor)
        factor = self.held.factor * sample.get("scale", 1)
        self.view = View(self.held.x + (0.5 - x) / factor, self.held.y + (0.5 - y) / factor, factor).confined(1)
        self.views.append(self.view)
        self.rev += 1
        self.state()
        self.answer(sample)


def refusal(code: str, **fields) -> dict:
    return {"status": "error", "error": {"code": code, "message": "no"}} | fields


@pytest.fixture
def moving() -> Bench:
    """In a pinch, all of which is answered."""
    bench = Bench()
    for _ in range(3):
        (sample,) = bench.step()
        bench.obey(sample)
    return bench


def test_a_sample_waits_for_the_answer(moving):
    (sample,) = moving.step()
    assert moving.step() == [], "the answer is missing"
    moving.rev += 1
    moving.state(View(0.5, 0.5, 1.1))
    moving.answer(sample)
    assert [sample["if_rev"] for sample in moving.step()] == [moving.rev]


def test_a_sample_that_changed_nothing_has_no_state(moving):
    (sample,) = moving.step()
    moving.rev += 1
    moving.answer(sample)
    assert [sample["if_rev"] for sample in moving.step()] == [moving.rev]


def test_an_answer_that_is_lost_does_not_stop_it(moving):
    moving.step()
    assert moving.step() == []
    assert moving.step(Tracker.ANSWER)


OTHERS = [
    {"kind": "command", "client": "phone", "id": "2", "proved": False}, {"kind": "command"},
    {"kind": "gesture", "client": "phone", "proved": False}, {"kind": "external"}, {"kind": "desired"}]


@pytest.mark.parametrize("origin", OTHERS, ids=lambda origin: "-".join(map(str, origin.values())))
def test_a_change_by_another_client_ends_it(moving, origin):
    moving.rev += 1
    with pytest.raises(Ended):
        moving.state(View(0.5, 0.5, 1.5), origin=origin)


def test_a_client_that_takes_the_name_without_its_account_is_another_client():
    bench = Bench()
    bench.tracker.account = "tracker"
    bench.rev += 1
    with pytest.raises(Ended):
        bench.state(View(0.5, 0.5, 1.5), origin={"kind": "gesture", "client": bench.tracker.name, "proved": False})


def test_a_refusal_reveals_a_change_that_it_has_not_seen(moving):
    (sample,) = moving.step()
    state = moving.zoom | {"rev": moving.rev + 1, "target": 4, "origin": {"kind": "command", "client": "phone"}}
    with pytest.raises(Ended, match="phone has moved the zoom"):
        moving.answer(sample, **refusal("conflict", state=state))


def test_a_refusal_because_of_another_node_begins_another_pinch(moving):
    (sample,) = moving.step()
    moving.rev += 1
    moving.answer(sample, **refusal("conflict", state=moving.zoom | {"rev": moving.rev}))
    (began,) = moving.step()
    assert (began["phase"], began["seq"], began["if_rev"]) == ("began", 1, moving.rev)


def test_a_long_way_is_gone_in_several_pinches_without_a_jump():
    bench = Bench()
    bench.tracker._steering = Steering(zoom=8)
    phases = []
    for step in range(250):
        bench.tracker._steering.look(Sighting(0.2 if step < 100 else 0.8, 0.5, 0.01), step)
        for sample in bench.step():
            phases.append(sample["phase"])
            if sample["phase"] != "ended":
                bench.obey(sample)
    assert 2 <= phases.count("began") <= 20 and bench.view.x == pytest.approx(0.8, abs=0.02)
    ways = [abs(b.x - a.x) * a.factor for a, b in zip(bench.views, bench.views[1:])]
    assert max(ways) <= Steering.PAN * 0.1 * 1.001


def test_a_repeated_state_is_no_change():
    bench = Bench()
    bench.state(origin=bench.zoom["origin"])
    bench.rev += 1  # so it is when a gesture of another client has timed out
    bench.state(origin=bench.zoom["origin"])
    assert bench.step()


def test_a_late_state_is_no_change(moving):
    moving.tracker._json(
        "v4l2mqtt/porch/door/zoom", moving.zoom | {"rev": 1, "origin": {"kind": "command", "client": "phone"}})
    assert moving.step()


def test_a_restored_zoom_is_nobodys(moving):
    moving.tracker._json("v4l2mqtt/porch/availability", {"state": "offline", "boot": 1})
    assert moving.step() == []
    moving.rev += 1000
    moving.state(View(0.5, 0.5, 1.2), origin={"kind": "restore"})
    moving.tracker._json("v4l2mqtt/porch/availability", {"state": "online", "boot": 2})
    assert [sample["phase"] for sample in moving.step()] == ["began"]


def test_the_preview_is_renewed_and_leased_again_when_the_agent_has_started(moving):
    def leases(seconds):
        moving.now += seconds
        moving.tracker._step(moving.now)
        return len(moving.bus.sent("preview"))

    assert leases(0.1) == 0
    assert leases(Tracker.RENEWAL) == 1 and Tracker.RENEWAL * 2 < Tracker.PREVIEW["seconds"]
    assert leases(0.1) == 0
    moving.tracker._json("v4l2mqtt/porch/availability", {"state": "online", "boot": 1})
    assert leases(0.1) == 0, "the agent only renews its availability"
    moving.tracker._json("v4l2mqtt/porch/availability", {"state": "online", "boot": 2})
    assert leases(0.1) == 1


def test_nothing_is_sent_without_a_connection(moving):
    moving.tracker._received("the connection was closed")
    assert moving.step() == []
    moving.bus.connected = False
    assert moving.step(60) == []


def test_another_holder_of_the_lease_ends_it(moving):
    with pytest.raises(Ended, match="phone has taken the lease"):
        moving.tracker._json("v4l2mqtt/porch/door/lease", {"client": "phone", "proved": False})
    bench = Bench()
    (sample,) = bench.step()
    with pytest.raises(Ended):
        bench.answer(sample, **refusal("held"))


def test_with_resume_it_waits_until_it_was_left_alone():
    bench = Bench(resume=30)
    (sample,) = bench.step()
    bench.rev += 1
    phone = {"kind": "gesture", "client": "phone", "proved": False}
    bench.state(View(0.5, 0.5, 2), origin=phone)
    assert bench.bus.sent("preview") == [{"client": bench.tracker.name, "stop": True}]
    bench.now += 20
    bench.rev += 1
    bench.state(View(0.5, 0.5, 3), origin=phone)
    assert bench.bus.published == [], "the preview is given back once"
    assert bench.step(29) == [] and bench.bus.published == []
    bench.now += 2
    bench.tracker._step(bench.now)
    assert [set(fields) for fields in bench.bus.sent("preview")] == [{"client", "fps", "width", "seconds"}]


def test_with_resume_it_waits_for_the_end_of_a_lease():
    bench = Bench(resume=30)
    bench.tracker._json("v4l2mqtt/porch/door/lease", {"client": "phone", "proved": False})
    bench.bus.sent("preview")
    assert bench.step(60) == [] and bench.bus.published == []
    bench.tracker._json("v4l2mqtt/porch/door/lease", None)
    bench.tracker._step(bench.now)
    assert len(bench.bus.sent("preview")) == 1


@pytest.mark.parametrize("code", ["private", "unavailable", "busy", "rate_limited"])
def test_a_refusal_that_passes_is_a_pause(moving, code):
    (sample,) = moving.step()
    moving.answer(sample, **refusal(code))
    assert moving.step(Tracker.PAUSE - 0.5) == []
    assert moving.step(1)


@pytest.mark.parametrize("code", ["unproved", "bad_payload", "bad_topic"])
def test_a_refusal_that_does_not_pass_is_a_failure(moving, code):
    (sample,) = moving.step()
    with pytest.raises(Failed, match=code):
        moving.answer(sample, **refusal(code))
