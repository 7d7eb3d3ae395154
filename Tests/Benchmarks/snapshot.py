"""From the request of a photo to its bytes at the client, at 30 frames a second.

The peer is a camera in Python with paho-mqtt and Pillow that does the least of the same: it waits for the
next frame, makes the photo, and publishes it.
"""
import json
import subprocess

import workshop
from figures import Figure, median, percentile
from stage import AGENT, SETTINGS, Stage, online

ROUNDS = 150
INTERVAL = 1000 / 30
PEER = "Python, Pillow"
CAMERA = """\
  - id: door
    source: simulated
    image: {image}
    zoom: {{ min: 1, max: 8 }}
    simulated: {{ optical_max: 1, fps: 30 }}
"""
NOTE = (
    "{rounds} photos each, one after the other, at moments that have nothing to do with the frames; 1920×1080 JPEG at 30 fps, by "
    "`reply:\"image\"` on MQTT 5, quality 90 where it is zoomed. From before the request to the last byte at its sender. Promised is that the slowest "
    "of 20 (p95) takes at most one frame interval (33.3 ms) longer than the median of photos of a frame that is there already (`max_age_ms`). "
    "camera-streamer publishes 51 to 158 ms.")


def figures(program, rounds=ROUNDS):
    python = workshop.python_with(workshop.PAHO)
    workshop.python_with(workshop.PILLOW)
    script = workshop.HERE / "peers" / "photographer.py"
    note = NOTE.format(rounds=rounds)
    found = []
    with Stage(program) as stage:
        image = stage.folder / "source.jpg"
        subprocess.run([python, script, "picture", image], check=True)
        settings = SETTINGS + CAMERA
        (stage.folder / "agent.yaml").write_text(
            settings.format(agent=AGENT, port=stage.port, folder=stage.folder, image=image))
        tap = stage.tap(None, "v4l2mqtt/+/availability")
        online(tap, AGENT, stage.agent())
        stage.run("camera", python, script, "camera", stage.port, image).line()
        for zoom in (1, 2):
            def measure(who, body):
                client = stage.run(f"photographer-{who}-{zoom}", python, script, "request", stage.port, who, zoom, rounds, json.dumps(body))
                return json.loads(client.rest(within=120)[-1])

            fresh, ready = measure("bench", {}), measure("bench", {"max_age_ms": 60000})
            peer = measure("pillow", {})
            name = f"photo at {zoom}×, request to bytes"
            most = round(INTERVAL + median(ready), 1)
            found += [
                Figure(f"{name}, median", median(fresh), median(peer), "ms", PEER, note=note),
                Figure(f"{name}, p95", percentile(fresh, 0.95), percentile(peer, 0.95), "ms", PEER, most_ours=most, note=note),
                Figure(f"{name}, of a frame that is there", median(ready), None, "ms", "", note=note),
            ]
    return found
