"""The example tracker, as a program beside an agent whose scene has a moving object."""

import math
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from datetime import datetime

import pytest

import example_tracker
from example_tracker import Steering, Tracker, View
from inbox import Message
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")

FPS, PERIOD = 30, 14
CAMERA = {
    "simulated": {
        "width": 320, "height": 180, "fps": FPS, "optical_max": 1, "object_size": 0.15, "object_period_s": PERIOD}}


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=CAMERA)


class Program:
    """A running tracker; it writes a log."""

    def __init__(self, controller, broker, folder, *arguments):
        self.log_file = folder / "tracker.log"
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        command = [sys.executable, example_tracker.__file__, controller.camera_topic, "--port", str(broker.port)]
        with self.log_file.open("w") as log:
            self.process = subprocess.Popen([*command, *arguments], stdout=log, stderr=log, env=environment)
        eventually(lambda: "tracking" in self.log or self.process.poll() is not None, "the start of the tracker")
        self.name = self.log.partition(" as ")[2].split()[0] if "tracking" in self.log else None

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def moves(self, controller, since: int) -> dict:
        """The next state of the zoom that the tracker has caused."""
        return controller.state("zoom", lambda state: state["origin"].get("client") == self.name, since=since)

    def samples(self, controller, since=0, until=None) -> list[dict]:
        """What it has sent to move the zoom, between two marks."""
        sent = controller.inbox.messages(since, until)
        nodes = {f"{controller.camera_topic}/{node}/set" for node in ("zoom", "pinch", "touch", "viewport", "presets")}
        return [message.json for message in sent if message.topic in nodes and message.json["client"] == self.name]

    def ended(self) -> int:
        return self.process.wait(TIMEOUT)

    def close(self):
        self.process.terminate()
        self.ended()
        print(f"--- the tracker logged:\n{self.log}")


@pytest.fixture
def track(controller, broker, tmp_path):
    """Starts a tracker: `track("--zoom", "2")`."""
    with ExitStack() as started:
        def start(*arguments):
            program = Program(controller, broker, tmp_path, *arguments)
            started.callback(program.close)
            return program
        yield start


def view_of(headers: dict) -> View:
    viewport = {side: float(headers[f"viewport.{side}"]) for side in ("x", "y", "width", "height")}
    return View.of(viewport, float(headers["optical"]))


def place_in_view(message: Message) -> tuple[View, float, float]:
    """The view of a preview frame, and where the object's middle is in it, in fractions of the view."""
    headers = dict(message.user_properties)
    angle = 2 * math.pi * int(headers["frame"]) / FPS / PERIOD
    view = view_of(headers)
    x, y = 0.5 + 0.3 * math.sin(angle), 0.5 - 0.25 * math.cos(angle)
    return view, 0.5 + (x - view.x) * view.factor, 0.5 + (y - view.y) * view.factor


def followed(frames: list[Message]) -> float:
    """The longest way of the view's middle, in fractions of the scene, on which the object was always in the
    view and the zoom was at least 2."""
    longest, stretch = 0.0, []
    for view, x, y in map(place_in_view, frames):
        if view.factor >= 2 and 0 < x < 1 and 0 < y < 1:
            stretch.append(view)
            xs, ys = [view.x for view in stretch], [view.y for view in stretch]
            longest = max(longest, max(xs) - min(xs), max(ys) - min(ys))
        else:
            stretch = []
    return longest


def no_preview(controller):
    controller.state("preview", lambda state: state is None)


def test_the_view_follows_the_object_smoothly(controller, track):
    since = controller.mark()
    tracker = track("--zoom", "2.5")
    live = controller.topic("preview/live")
    eventually(lambda: followed(controller.inbox.all(live, since)) > 0.25, "a view that follows the object")
    controller.state("lease", lambda state: state is None)
    assert controller.state("preview")["clients"] == [tracker.name]

    # No sample moves the view by more than the highest speed in the longest step.
    states = [state for state in controller.states("zoom", since) if state["origin"].get("client") == tracker.name]
    views = [View.of(state["viewport"], state["optical"]) for state in states]
    step = Tracker.LONGEST_STEP * 1.001
    for before, after in zip(views, views[1:]):
        assert abs(after.x - before.x) * before.factor <= Steering.PAN * step
        assert abs(after.y - before.y) * before.factor <= Steering.PAN * step
        assert abs(math.log2(after.factor / before.factor)) <= Steering.ZOOM * step

    # Each sample is based on what the one before has done, and they are not more than documented.
    samples = tracker.samples(controller, since)
    bases = [sample["if_rev"] for sample in samples]
    assert len(samples) > 15 and bases == sorted(bases)
    assert len(set(bases)) > 0.8 * len(bases), "samples are sent before the state that follows the one before"
    first, last = (datetime.fromisoformat(states[place]["ts"]) for place in (0, -1))
    assert len(samples) <= ((last - first).total_seconds() + 1) / Tracker.STEP + 1

    tracker.process.send_signal(signal.SIGTERM)
    assert tracker.ended() == 0
    no_preview(controller)
    # Its gesture is over, too: nothing is left of it.
    controller.state("pinch", lambda state: state is None)


def test_it_stops_when_another_client_moves_the_zoom_and_resumes_when_it_was_left_alone(controller, track):
    since = controller.mark()
    tracker = track("--resume", "1")
    tracker.moves(controller, since)
    # The ramp is not superseded: no sample of the tracker comes between.
    answer = controller.obeyed("zoom", {"factor": 4, "rate": 4, "client": "phone"})
    assert answer["factor"] == 4
    controller.state(
        "zoom", lambda state: state["rev"] > answer["rev"] and state["origin"].get("client") == tracker.name, since=since)
    assert "phone has moved the zoom" in tracker.log

    # Between giving the preview back and leasing it again it sent nothing.
    taken = next(state for state in controller.states("zoom", since) if state["origin"].get("client") == "phone")
    leases = controller.inbox.all(controller.topic("preview/set"), since)
    stop = next(place for place, message in enumerate(leases) if "stop" in message.json)
    given_back, leased = (controller.inbox.place(leases[place]) for place in (stop, stop + 1))
    assert leased > given_back and "fps" in leases[stop + 1].json
    assert all(sample["if_rev"] < taken["rev"] for sample in tracker.samples(controller, since, given_back))
    assert tracker.samples(controller, given_back, leased) == []
    between = controller.inbox.messages(given_back, leased)
    assert any(message.topic == controller.topic("preview") and message.json is None for message in between)


def test_without_resume_it_ends_and_a_lease_of_another_client_ends_it_too(controller, track):
    since = controller.mark()
    tracker = track()
    tracker.moves(controller, since)
    controller.obeyed("lease", {"take": True, "client": "phone"})
    assert tracker.ended() == 0
    assert "phone has taken the lease on the zoom: stopped" in tracker.log
    no_preview(controller)
    quiet = controller.mark()
    controller.obeyed("zoom", {"factor": 3, "client": "phone"})
    controller.obeyed("lease", {"release": True, "client": "phone"})
    assert tracker.samples(controller, quiet) == []
