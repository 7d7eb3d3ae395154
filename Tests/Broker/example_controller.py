"""A controller: shows the zoom, and pinches. Its arguments are: v4l2mqtt/porch/door [host [port]]"""

import itertools
import json
import sys
import uuid

import paho.mqtt.client as paho

class Zoom:
    """`shown` is the newest state of the camera; `changed(state, is_mine)` is called when that changes."""

    def __init__(self, camera: str, host="127.0.0.1", port=1883, changed=lambda state, is_mine: None, account=None, password=None):
        self.camera, self.changed, self.shown = camera, changed, None
        self.name = account or f"example-{uuid.uuid4().hex[:8]}"  # identifies our own commands
        self._set = f"set/{account}" if account else "set"  # there only this account publishes
        self._ids = map(f"{uuid.uuid4().hex[:8]}-{{}}".format, itertools.count(1))  # no other run uses them
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        # At each connection: after an absence of the broker the retained states have to be received again.
        self._client.on_connect = lambda client, *_: client.subscribe([(f"{camera}/zoom", 1), (f"{camera}/zoom/live", 0)])
        self._client.on_message = lambda client, data, message: self._received(message.topic, json.loads(message.payload))
        self._client.username_pw_set(account, password)
        self._client.connect(host, port)
        self._client.loop_start()

    def _received(self, topic: str, message: dict):
        newest = self.shown["rev"] if self.shown else -1
        is_sample = topic.endswith("/live")  # a sample on the way: it belongs to the state with its `rev`
        # A state with a lower `rev` arrived late; one with the same is a repetition.
        if message["rev"] == newest if is_sample else message["rev"] > newest:
            self.shown = {**self.shown, **message} if is_sample else message
            self.changed(self.shown, self.shown["origin"].get("client") == self.name)

    def send(self, node: str, qos=1, **fields):
        self._client.publish(f"{self.camera}/{node}/{self._set}", json.dumps({"client": self.name, **fields}), qos)

    def zoom(self, factor: float):
        self.send("zoom", factor=factor, id=next(self._ids))  # a repeated id is refused

    def pinch(self, scales, x=0.5, y=0.5):
        """A scale is the distance of the fingers ÷ their distance at the first touch."""
        gesture, step = f"pinch-{next(self._ids)}", {"anchor": {"x": x, "y": y}}
        self.send("pinch", gesture=gesture, phase="began", seq=0, **step)
        for number, scale in enumerate(scales, 1):  # QoS 0: a later one makes up for a lost one
            self.send("pinch", qos=0, gesture=gesture, phase="changed", scale=scale, seq=number, **step)
        self.send("pinch", gesture=gesture, phase="ended", scale=scale, seq=number + 1, **step)

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()


if __name__ == "__main__":
    def show(state, is_mine):
        print(f"{state['factor']:.2f}×", "as I wanted" if is_mine else f"by {state['origin']}")

    zoom = Zoom(sys.argv[1], *sys.argv[2:3], *map(int, sys.argv[3:4]), changed=show)
    for line in sys.stdin:
        zoom.zoom(float(line))
    zoom.close()
