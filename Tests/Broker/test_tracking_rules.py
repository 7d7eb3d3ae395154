"""The rules of `example_tracker.py`, without a broker: what it detects, and where it steers."""

import math

import cv2
import numpy
import pytest

from example_tracker import WHOLE, MotionDetector, Sighting, Steering, View

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
