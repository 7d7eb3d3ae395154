"""Cameras that exist only as the retained messages of agents."""

import json
from contextlib import contextmanager

import paho.mqtt.client as paho

from waiting import TIMEOUT

_STAMP = {"rev": 1, "boot": 1, "ts": "2026-11-21T09:05:38.958Z"}


@contextmanager
def retained(broker, messages: dict):
    """Publishes these payloads (JSON values, or bytes) by topic, retained, and the `info` of the agents,
    which lists the cameras. They are taken away at the end."""
    messages = _agents(messages) | messages
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()

    def publish(payload_of):
        sent = [client.publish(topic, payload_of(topic), 1, retain=True) for topic in messages]
        for message in sent:
            message.wait_for_publish(TIMEOUT)

    try:
        publish(lambda topic: messages[topic] if isinstance(messages[topic], bytes) else json.dumps(messages[topic]))
        yield
        publish(lambda topic: b"")
    finally:
        client.disconnect()
        client.loop_stop()


def _agents(messages: dict) -> dict:
    """The `info` of the agents whose cameras have one."""
    agents = {}
    for topic in messages:
        base, agent, *rest = topic.split("/")
        if rest[1:] == ["info"]:
            info = {"agent": agent, "version": "1", "protocol": 1, "host": "h", "clients": "open", "started": _STAMP["ts"]}
            agents.setdefault(f"{base}/{agent}/info", {**info, "cameras": []})["cameras"].append(rest[0])
    return agents


def camera(agent: str, name: str, *, info: dict | None = None, **states) -> dict:
    """The retained messages of a camera that is online. `states` are payloads by node."""
    topic = f"v4l2mqtt/{agent}"
    details = {
        "model": "Simulated camera", "bus": "simulated", "serial": name, "nodes": ["zoom", "pinch"], "clients": "open",
        "zoom": {"min": 1, "max": 8, "actuators": [{"kind": "crop", "max": 8}], "gesture_timeout_ms": 2000, "live_rate": 30},
        "formats": [], "qualities": ["high"], "controls": [],
        "shutter": {"primary": "photo", "secondary": "photo", "long_press_ms": 500}, **(info or {})}
    zoom = {"factor": 1, "optical": 1, "digital": 1, "viewport": {"x": 0, "y": 0, "width": 1, "height": 1}, "ramping": False}
    states = {"zoom": {**zoom, **_STAMP}, **{node: {**state, **_STAMP} for node, state in states.items()}}
    return {
        f"{topic}/availability": {"state": "online", **_STAMP},
        f"{topic}/{name}/availability": {"state": "online", **_STAMP},
        f"{topic}/{name}/info": details,
        **{f"{topic}/{name}/{node}": state for node, state in states.items()}}
