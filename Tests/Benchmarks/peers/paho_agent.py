"""paho_agent.py PORT AGENT: the least that an agent with one camera, `door`, can do in Python with paho-mqtt.

It publishes `online` with a will, takes zoom and pinch commands for a factor that it only remembers,
publishes the zoom's state retained, and answers. It checks nothing, splits nothing and stores nothing: a peer
to compare with.
"""
import json
import signal
import socket
import sys
import time

import paho.mqtt.client as mqtt

AGENT = f"v4l2mqtt/{sys.argv[2]}"
CAMERA = f"{AGENT}/door"
LOWEST, HIGHEST = 1.0, 8.0
GESTURE_STATE_INTERVAL = 1 / 60

factor, rev, base, shown_at = 1.0, 0, 1.0, 0.0


def show(client, kind, command):
    global rev, shown_at
    rev += 1
    shown_at = time.monotonic()
    origin = {"kind": kind, **{key: command[key] for key in ("client", "id") if key in command}}
    state = {"factor": factor, "target": factor, "min": LOWEST, "max": HIGHEST, "rev": rev, "origin": origin}
    client.publish(f"{CAMERA}/zoom", json.dumps(state), qos=1, retain=True)


def answer(client, node, command):
    reply = {"status": "done", "camera": "door", "node": node, "rev": rev, "factor": factor}
    reply.update({key: command[key] for key in ("client", "id") if key in command})
    client.publish(f"{CAMERA}/{node}/reply", json.dumps(reply), qos=1)


def on_zoom(client, _, message):
    global factor
    command = json.loads(message.payload)
    if not isinstance(command, dict):
        command = {"factor": command}
    if "factor" in command:
        factor = min(max(float(command["factor"]), LOWEST), HIGHEST)
        show(client, "command", command)
    answer(client, "zoom", command)


def on_pinch(client, _, message):
    global factor, base
    command = json.loads(message.payload)
    if command["phase"] == "began":
        base = factor
    if "scale" in command:
        factor = min(max(base * command["scale"], LOWEST), HIGHEST)
    if command["phase"] != "changed":
        show(client, "gesture", command)
        answer(client, "pinch", command)
    elif time.monotonic() - shown_at >= GESTURE_STATE_INTERVAL:
        show(client, "gesture", command)


def on_connect(client, *_):
    client.subscribe([(f"{CAMERA}/zoom/set", 1), (f"{CAMERA}/pinch/set", 1)])


def on_subscribe(client, *_):
    show(client, "restore", {})
    client.publish(f"{AGENT}/availability", '{"state":"online","boot":1}', qos=1, retain=True)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.will_set(f"{AGENT}/availability", '{"state":"offline","boot":1}', qos=1, retain=True)
client.on_connect = on_connect
client.on_subscribe = on_subscribe
client.on_socket_open = lambda *given: given[2].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
client.message_callback_add(f"{CAMERA}/zoom/set", on_zoom)
client.message_callback_add(f"{CAMERA}/pinch/set", on_pinch)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_forever()
