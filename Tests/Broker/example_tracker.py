#!/usr/bin/env python3
"""A tracking controller: keeps what moves in the view of a camera.

    pip install paho-mqtt opencv-python-headless
    python3 example_tracker.py v4l2mqtt/porch/door --zoom 2

It is a controller as any other. It leases a preview, finds what moves on the frames, and pinches the zoom: a
gesture that moves and zooms the view at once. It takes no lease on the zoom. When another client moves the
zoom, or takes the lease on it, the tracker gives its preview back and ends; with `--resume 30` it begins
again when no other client has moved the zoom for 30 s. Each of its samples has `if_rev`: if another client
has changed something that the tracker does not know yet, the agent refuses the sample.

In a second, the view moves by at most half of its width, and zooms by at most 0.7 octaves; at most 15 samples
are sent, each after the answer to the one before. When nothing moved for 3 s, the whole scene is shown.

It needs MQTT 5: with it, each preview frame has the part of the scene that it shows. And the view can be
moved only where the zoom is digital: a lens zooms into the middle of the scene.
"""

import argparse
import itertools
import json
import math
import queue
import signal
import sys
import time
import uuid
from dataclasses import dataclass
from datetime import datetime

import cv2
import numpy
import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

cv2.setNumThreads(1)  # the pictures are small


@dataclass(frozen=True)
class View:
    """What is seen. `x` and `y` are its middle, in fractions of the scene: the picture at factor 1."""

    x: float
    y: float
    factor: float

    @staticmethod
    def of(viewport: dict, optical: float) -> "View":
        """Of a state of the zoom, or of a frame. The viewport is a part of the lens's frame, and that is the
        middle of the scene."""
        middle = [viewport["x"] + viewport["width"] / 2, viewport["y"] + viewport["height"] / 2]
        x, y = (0.5 + (place - 0.5) / optical for place in middle)
        return View(x, y, optical / viewport["width"])

    def confined(self, optical: float) -> "View":
        """The nearest view inside the lens's frame."""
        room = max(0, (1 / optical - 1 / self.factor) / 2)
        x, y = (min(max(place, 0.5 - room), 0.5 + room) for place in (self.x, self.y))
        return View(x, y, self.factor)


WHOLE = View(0.5, 0.5, 1)


@dataclass(frozen=True)
class Sighting:
    """Something that moves: its middle, and its longer side, in fractions of the scene."""

    x: float
    y: float
    size: float


class MotionDetector:
    """Finds what moves although the view moves too: each frame is put at its place in a small picture of the
    whole scene, and compared with what is usually there."""

    WIDTH = 320  # pixels of that picture
    SMALLEST = 0.001  # what moves is at least this part of the scene …
    LARGEST = 0.5  # … and at most this part of the view; more is a change of the light
    LEARNED = 40  # frames after which is known what is usual at a place …
    LEARNED_FIRST = 5  # … and what was on the first frame, as the first ones are learned faster

    def __init__(self):
        self._scene = None

    def look(self, jpeg: bytes, view: View) -> Sighting | None:
        frame = cv2.imdecode(numpy.frombuffer(jpeg, numpy.uint8), cv2.IMREAD_GRAYSCALE)
        if frame is None:
            return None
        height = round(self.WIDTH * frame.shape[0] / frame.shape[1])
        if self._scene is None or self._scene.shape[0] != height:
            self._begin(height)
        visible = self._put(frame, view)
        moving = self._usual.apply(self._scene)
        if not self._frames_seen.any():
            self._frames_seen[visible] = self.LEARNED - self.LEARNED_FIRST
        self._frames_seen += visible & (self._frames_seen < self.LEARNED)
        moving[~visible | (self._frames_seen < self.LEARNED)] = 0
        moving = cv2.morphologyEx(moving, cv2.MORPH_OPEN, numpy.ones((3, 3), numpy.uint8))
        if cv2.countNonZero(moving) > self.LARGEST * visible.sum():
            return None
        outlines, _ = cv2.findContours(moving, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        largest = max(outlines, key=cv2.contourArea, default=None)
        if largest is None or cv2.contourArea(largest) < self.SMALLEST * moving.size:
            return None
        x, y, columns, rows = cv2.boundingRect(largest)
        return Sighting(
            (x + columns / 2) / self.WIDTH, (y + rows / 2) / height, max(columns / self.WIDTH, rows / height))

    def _begin(self, height: int):
        self._scene = numpy.zeros((height, self.WIDTH), numpy.uint8)
        self._frames_seen = numpy.zeros_like(self._scene)
        # What stays for three seconds (at 10 frames a second) becomes usual.
        self._usual = cv2.createBackgroundSubtractorMOG2(history=300, varThreshold=9, detectShadows=False)
        # Noise, and edges that are sharper at another zoom: 10 of 255 levels; three times as much is motion.
        self._usual.setVarMin(10**2)
        self._usual.setVarInit(10**2)

    def _put(self, frame, view: View):
        """Draws the frame into the scene; returns where it is."""
        height, width = self._scene.shape
        frame = cv2.blur(frame, (2 * round(view.factor) + 1,) * 2)  # alike at each zoom
        scale = width / frame.shape[1] / view.factor
        left, top = (view.x - 0.5 / view.factor) * width, (view.y - 0.5 / view.factor) * height
        place = numpy.float32([[scale, 0, left + scale / 2 - 0.5], [0, scale, top + scale / 2 - 0.5]])
        drawn = cv2.warpAffine(frame, place, (width, height))
        visible = numpy.zeros((height, width), bool)
        right, bottom = left + width / view.factor, top + height / view.factor
        visible[max(0, math.ceil(top)):math.floor(bottom), max(0, math.ceil(left)):math.floor(right)] = True
        self._scene[visible] = drawn[visible]
        return visible


class Steering:
    """Where the view goes: smoothly, with limited speeds and accelerations. Time is an argument."""

    PAN = 0.5  # widths and heights of the view per second, at most
    ZOOM = 0.7  # octaves per second, at most
    ACCELERATION = 1.5  # of both, per second
    SETTLE = 0.5  # seconds in which it would be there; near its goal it is slower
    STILL = 0.01  # widths of the view, and octaves, that are not worth a movement
    LARGEST = 0.4  # of the view that the object may fill
    AWAY = 0.35  # widths of the view from its middle, beyond which it does not zoom in
    PATIENCE = 3  # seconds without the object, after which the whole scene is shown

    def __init__(self, zoom: float):
        self._zoom, self._goal, self._speeds = zoom, WHOLE, [0.0, 0.0, 0.0]
        self._seen_at = None
        self.follows = False

    def look(self, sighting: Sighting | None, at: float):
        """What a frame showed that was exposed `at` this second."""
        if sighting:
            factor = min(self._zoom, max(1, self.LARGEST / sighting.size))
            self._goal, self._seen_at, self.follows = View(sighting.x, sighting.y, factor), at, True
        elif self.follows and at - self._seen_at > self.PATIENCE:
            self._goal, self.follows = WHOLE, False

    def next(self, view: View, seconds: float, least: float, most: float, optical: float) -> View | None:
        """The view after so many seconds, between two factors; None: it stays."""
        goal = View(self._goal.x, self._goal.y, min(max(self._goal.factor, least), most))
        room = View(goal.x, goal.y, view.factor).confined(optical)
        ways = [(room.x - view.x) * view.factor, (room.y - view.y) * view.factor, math.log2(goal.factor / view.factor)]
        if ways[2] > 0 and max(abs(goal.x - view.x), abs(goal.y - view.y)) * view.factor > self.AWAY:
            ways[2] = 0
        if all(abs(way) < self.STILL for way in ways):
            self.rest()
            return None
        for axis, limit in enumerate([self.PAN, self.PAN, self.ZOOM]):
            wanted = min(max(ways[axis] / self.SETTLE, -limit), limit)
            change = self.ACCELERATION * seconds
            self._speeds[axis] += min(max(wanted - self._speeds[axis], -change), change)
        right, down, octaves = (speed * seconds for speed in self._speeds)
        factor = min(max(view.factor * 2**octaves, least), most)
        return View(view.x + right / view.factor, view.y + down / view.factor, factor).confined(optical)

    def rest(self):
        self._speeds = [0.0, 0.0, 0.0]


class Pinch:
    """Fingers that hold the middle of a view, and carry it to the place that it has in another view."""

    SILENCE = 1  # seconds; after two the agent takes the gesture for over

    def __init__(self, view: View, name: str, now: float):
        self._held, self._name, self._number, self._moved = view, name, 0, now

    def fields(self, phase: str) -> dict:
        """Of a message that does not move them."""
        self._number += 1
        return {"gesture": self._name, "phase": phase, "seq": self._number}

    def moved(self, view: View, now: float) -> dict | None:
        """The fields of a message that carries it to this view; None: begin another pinch, as the place is
        outside of the view, or the agent has forgotten this one."""
        x, y = (0.5 + way * view.factor for way in (self._held.x - view.x, self._held.y - view.y))
        if now - self._moved > self.SILENCE or not (0 <= x <= 1 and 0 <= y <= 1):
            return None
        self._moved = now
        return self.fields("changed") | {"scale": view.factor / self._held.factor, "anchor": {"x": x, "y": y}}


class Ended(Exception):
    """Why the tracker ends, though nothing failed."""


class Failed(Exception):
    """Why the tracker cannot go on."""


class Tracker:
    """The client of the bus. paho's thread puts messages into a queue; all else is in `run`."""

    STEP = 1 / 15  # seconds from sample to sample, at least
    LONGEST_STEP = 0.1  # after a pause the view goes no further than in this time
    ANSWER = 2  # seconds; an answer that takes longer is lost
    PAUSE = 5  # seconds, after an answer that the camera can't do it now
    PREVIEW = {"fps": 10, "width": 320, "seconds": 15}
    RENEWAL = 5
    #: Errors that pass.
    PASSING = {"busy", "conflict", "private", "rate_limited", "stale", "unavailable"}

    _now = staticmethod(time.monotonic)

    def __init__(self, camera: str, zoom: float, resume: float | None, account: str | None):
        self.camera, self.resume, self.account = camera, resume, account
        self.name = account or f"tracker-{uuid.uuid4().hex[:8]}"
        self._zoom_wanted = zoom
        self._numbers, self._run = itertools.count(1), uuid.uuid4().hex[:8]
        self._messages = queue.SimpleQueue()
        self._presence = {}  # of "agent" and "camera": what they last said of themselves
        self._state = None  # of the zoom
        self._awaited = None  # the id of a sample that is not answered, and when it was sent
        self._answered = 0  # the `rev` of the newest sample that was carried out
        self._idle_until = None  # set while another client moves the zoom
        self._is_held = False  # whether another client has the lease on the zoom
        self._due = self._paused_until = self._renewal = self._stepped = 0.0
        self._begin()

    def _begin(self):
        self._detector, self._steering = MotionDetector(), Steering(self._zoom_wanted)
        self._pinch = None
        self._newest_frame = None  # not looked at yet

    # The connection

    def connect(self, host: str, port: int, password: str | None, tls: dict | None):
        self._client = client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        client.on_connect = self._connected
        client.on_disconnect = lambda client, data, flags, reason, properties: self._messages.put(reason)
        client.on_message = lambda client, data, message: self._messages.put(message)
        client.reconnect_delay_set(1, 10)
        client.username_pw_set(self.account, password)
        if tls:
            client.tls_set(**tls)
        # If it is killed, the broker gives the preview back.
        client.will_set(*self._command("preview", {"stop": True}), qos=1)
        client.connect(host, port)
        client.loop_start()

    def _connected(self, client, data, flags, reason, properties):
        if reason.is_failure:
            return self._messages.put(Failed(f"the broker refuses the connection: {reason}"))
        agent = self.camera.rsplit("/", 1)[0]
        nodes = ["availability", "zoom", "lease"]
        topics = [f"{agent}/availability", f"{self._answers}/+", *(f"{self.camera}/{node}" for node in nodes)]
        client.subscribe([(topic, paho.SubscribeOptions(qos=1)) for topic in topics]
                         + [(f"{self.camera}/preview/live", paho.SubscribeOptions(qos=0))])

    @property
    def _answers(self) -> str:
        return f"replies/{self.name}/{self._run}"

    def _command(self, node: str, fields: dict) -> tuple[str, str]:
        topic = f"{self.camera}/{node}/set" + (f"/{self.account}" if self.account else "")
        return topic, json.dumps({"client": self.name, **fields})

    def _send(self, node: str, fields: dict):
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = f"{self._answers}/{node}"
        return self._client.publish(*self._command(node, fields), qos=1, properties=properties)

    def close(self):
        """Lifts the fingers, and gives the preview back."""
        if self._client.is_connected():
            self._rest()
            self._send("preview", {"stop": True}).wait_for_publish(2)
        self._client.disconnect()
        self._client.loop_stop()

    # What is received

    def run(self):
        print(f"tracking {self.camera} as {self.name}", flush=True)
        while True:
            try:
                self._received(self._messages.get(timeout=max(0.0, self._due - self._now())))
            except queue.Empty:
                now = self._now()
                self._due = now + self.STEP
                self._step(now)

    def _received(self, message):
        if isinstance(message, Failed):
            raise message
        if not isinstance(message, paho.MQTTMessage):
            print(f"the connection to the broker is lost: {message}", flush=True)
            self._presence = {}
            self._forget()
        elif message.topic == f"{self.camera}/preview/live":
            self._newest_frame = message
        elif message.payload:
            self._json(message.topic, json.loads(message.payload))

    def _json(self, topic: str, value):
        if topic.startswith(self._answers):
            self._answer(value)
        elif topic.endswith("/availability"):
            who = "camera" if topic.startswith(f"{self.camera}/") else "agent"
            news = value["state"], value.get("boot")
            if news != self._presence.get(who):
                # An agent that has just started knows neither the preview nor the pinch.
                self._presence[who], self._renewal = news, 0.0
                self._forget()
                print(f"the {who} is {value['state']}", flush=True)
        elif topic.endswith("/zoom"):
            self._zoom(value)
        else:
            self._is_held = value is not None and not self._is_mine(value)
            if self._is_held:
                self._yield(f"{value['client']} has taken the lease on the zoom")

    @property
    def _is_online(self) -> bool:
        return all(self._presence.get(who, ("unknown",))[0] == "online" for who in ("agent", "camera"))

    def _forget(self):
        """The fingers are no longer known to the agent, or will not be."""
        self._pinch = self._awaited = None
        self._steering.rest()

    def _is_mine(self, origin: dict) -> bool:
        return (origin.get("client"), origin.get("proved", False)) == (self.name, self.account is not None)

    def _zoom(self, state: dict):
        before, origin = self._state or state, state["origin"]
        if state["rev"] < before["rev"]:
            return  # it arrived late
        self._state = state
        # A state that repeats what another client did before the start, or before a reconnection, is no news.
        is_new = any(state[field] != before[field] for field in ("origin", "target", "viewport"))
        if is_new and origin["kind"] != "restore" and not self._is_mine(origin):
            self._yield(f"{origin.get('client', 'another client')} has moved the zoom ({origin['kind']})")

    def _yield(self, why: str):
        """Sends nothing more that moves the zoom."""
        self._begin()
        if self.resume is None:
            raise Ended(f"{why}: stopped")
        if self._idle_until is None:
            print(f"{why}: waiting until it was left alone for {self.resume:g} s", flush=True)
            self._send("preview", {"stop": True})
        self._idle_until = self._now() + self.resume

    def _answer(self, answer: dict):
        if answer["status"] == "done":  # carried out, so no other client has changed anything before
            self._answered = max(self._answered, answer["rev"])
        if self._awaited and answer.get("id") == self._awaited[0]:
            self._awaited = None
        if answer["status"] != "error":
            return
        error = answer["error"]
        if error["code"] == "held":
            return self._yield("another client holds the lease on the zoom")
        if error["code"] not in self.PASSING:
            raise Failed(f"the camera refuses the command: {error['code']}: {error['message']}")
        self._forget()
        if error["code"] == "conflict":  # something has changed that we have not seen: perhaps another client
            self._zoom(answer["state"])
        else:
            print(f"waiting: {error['code']}: {error['message']}", flush=True)
            self._paused_until = self._now() + self.PAUSE

    def _look(self, message: paho.MQTTMessage):
        headers = dict(message.properties.UserProperty)
        viewport = {side: float(headers[f"viewport.{side}"]) for side in ("x", "y", "width", "height")}
        sighting = self._detector.look(message.payload, View.of(viewport, float(headers["optical"])))
        followed = self._steering.follows
        self._steering.look(sighting, datetime.fromisoformat(headers["exposed_at"]).timestamp())
        if self._steering.follows != followed:
            print("following" if self._steering.follows else "nothing moves: showing all", flush=True)

    # What is sent

    def _step(self, now: float):
        if self._idle_until is not None:
            if now < self._idle_until or self._is_held:
                return
            print("following again", flush=True)
            self._idle_until, self._renewal = None, 0.0
        if not self._is_online or not self._client.is_connected():
            return
        if now >= self._renewal:
            self._renewal = now + self.RENEWAL
            self._send("preview", self.PREVIEW)
        if self._newest_frame:
            self._look(self._newest_frame)
            self._newest_frame = None
        if self._state and now >= self._paused_until and self._is_up_to_date(now):
            self._move(min(now - self._stepped, self.LONGEST_STEP), now)
            self._stepped = now

    def _is_up_to_date(self, now: float) -> bool:
        """Whether the last sample is answered: the state after it, if it changed anything, came before."""
        return not self._awaited or now - self._awaited[1] >= self.ANSWER

    def _move(self, seconds: float, now: float):
        state = self._state
        view = View.of(state["viewport"], state["optical"])
        wanted = self._steering.next(view, seconds, state["min"], state["max"], state["optical"])
        if wanted is None:
            return self._rest()
        fields = self._pinch and self._pinch.moved(wanted, now)
        if not fields:  # a pinch that begins with the name of another one takes its place
            self._pinch = Pinch(view, f"track-{self._run}", now)
            fields = self._pinch.fields("began") | {"anchor": {"x": 0.5, "y": 0.5}}
        identity = f"{self._run}-{next(self._numbers)}"
        self._awaited = identity, now
        self._send("pinch", {"id": identity, "if_rev": max(state["rev"], self._answered), **fields})

    def _rest(self):
        """Lifts the fingers."""
        if self._pinch:
            self._send("pinch", {"if_rev": max(self._state["rev"], self._answered), **self._pinch.fields("ended")})
        self._pinch = None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Keeps what moves in the view of a camera.")
    parser.add_argument("camera", help="its topic, such as v4l2mqtt/porch/door")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--username", help="the account at the broker: the commands are this client's")
    parser.add_argument("--password-file")
    parser.add_argument("--ca-file", help="the authority of the broker's certificate: connects with TLS")
    parser.add_argument("--cert-file")
    parser.add_argument("--key-file")
    parser.add_argument("--zoom", type=float, default=2, help="the factor, where the object is not too large for it (2)")
    parser.add_argument("--resume", type=float, metavar="SECONDS",
                        help="begin again when other clients have left the zoom alone for so long; without it: end")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    password = open(options.password_file).readline().rstrip("\n") if options.password_file else None
    tls = {"ca_certs": options.ca_file, "certfile": options.cert_file, "keyfile": options.key_file}
    tracker = Tracker(options.camera, options.zoom, options.resume, options.username)

    def ended_by_signal(*_):
        raise Ended("ended by a signal")

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ended_by_signal)
    try:
        tracker.connect(options.host, options.port, password, tls if options.ca_file else None)
    except OSError as error:
        print(f"no connection to {options.host}:{options.port}: {error}", file=sys.stderr)
        return 1
    try:
        tracker.run()
    except Ended as reason:
        print(reason, flush=True)
        return 0
    except Failed as reason:
        print(reason, file=sys.stderr)
        return 1
    finally:
        tracker.close()


if __name__ == "__main__":
    sys.exit(main())
