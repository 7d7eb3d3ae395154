"""A client that requests photos and notes how long they take; a plain camera as its peer; a picture for both.

    photographer.py picture FILE
    photographer.py camera PORT FILE
    photographer.py request PORT AGENT ZOOM ROUNDS BODY
"""
import io
import json
import math
import queue
import random
import sys
import time

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions
from PIL import Image, ImageChops, ImageFilter

INTERVAL = 1 / 30


def picture(file):
    """Coarse and fine structure with a little noise, as photographs have; the same each time."""
    size = (1920, 1080)
    random.seed(1)
    layers = []
    for scale in (4, 16, 64, 256):
        small = Image.frombytes("RGB", (size[0] // scale + 1, size[1] // scale + 1), random.randbytes((size[0] // scale + 1) * (size[1] // scale + 1) * 3))
        layers.append(small.resize(size, Image.Resampling.BICUBIC))
    whole = layers[-1]
    for layer in reversed(layers[:-1]):
        whole = Image.blend(whole, layer, 0.35)
    noise = Image.effect_noise(size, 6).convert("RGB")
    whole = ImageChops.add(whole, noise, scale=1, offset=-128).filter(ImageFilter.SMOOTH)
    whole.save(file, quality=90, subsampling="4:2:2")


def connect(port, received, *topics):
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    ready = queue.Queue()
    client.on_message = lambda client, data, message: received(message)
    client.on_subscribe = lambda *_: ready.put(None)
    client.connect("127.0.0.1", port)
    client.subscribe([(topic, SubscribeOptions(qos=0)) for topic in topics])
    client.loop_start()
    ready.get(timeout=10)
    return client


def camera(port, file):
    source = open(file, "rb").read()
    requests, state = queue.Queue(), {"zoom": 1}

    def received(message):
        if message.topic.endswith("zoom/set"):
            state["zoom"] = float(message.payload)
        else:
            requests.put(message.properties)

    client = connect(port, received, "v4l2mqtt/pillow/door/+/set")
    print("ready", flush=True)
    while True:
        asked = requests.get()
        now = time.monotonic()
        time.sleep((math.floor(now / INTERVAL) + 1) * INTERVAL - now)
        zoom = state["zoom"]
        photo = source if zoom == 1 else zoomed(source, zoom)
        answer = Properties(PacketTypes.PUBLISH)
        answer.CorrelationData = asked.CorrelationData
        client.publish(asked.ResponseTopic, photo, 0, properties=answer)


def zoomed(source, zoom):
    whole = Image.open(io.BytesIO(source))
    width, height = whole.size
    left, top = (width - width / zoom) / 2, (height - height / zoom) / 2
    part = whole.resize(whole.size, Image.Resampling.BILINEAR, box=(left, top, width - left, height - top))
    made = io.BytesIO()
    part.save(made, "JPEG", quality=90, subsampling="4:2:2")
    return made.getvalue()


def request_photos(port, agent, zoom, rounds, body):
    answers = queue.Queue()
    client = connect(port, lambda message: answers.put(message.payload), f"replies/{agent}")
    client.publish(f"v4l2mqtt/{agent}/door/zoom/set", str(zoom)).wait_for_publish(10)
    time.sleep(0.3)
    random.seed(2)
    properties = Properties(PacketTypes.PUBLISH)
    properties.ResponseTopic, properties.CorrelationData = f"replies/{agent}", b"1"
    command = json.dumps({**body, "reply": "image"}).encode()
    took = []
    for _ in range(rounds):
        time.sleep(random.uniform(0.02, 0.06))
        asked = time.perf_counter()
        client.publish(f"v4l2mqtt/{agent}/door/capture/set", command, 0, properties=properties)
        photo = answers.get(timeout=10)
        took.append((time.perf_counter() - asked) * 1000)
        if photo[:2] != b"\xff\xd8":
            sys.exit(f"that is no photo: {photo[:300]!r}")
    client.disconnect()
    print(json.dumps(took), flush=True)


task, *arguments = sys.argv[1:]
if task == "picture":
    picture(arguments[0])
elif task == "camera":
    camera(int(arguments[0]), arguments[1])
else:
    request_photos(int(arguments[0]), arguments[1], float(arguments[2]), int(arguments[3]), json.loads(arguments[4]))
