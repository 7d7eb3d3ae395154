"""The picture follows the fingers: measured from the page's pixels, with a network in between."""

import itertools
import math
import statistics
import time
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image

from chromium import phones_of
from conftest import CAMERA
from delayed_way import DelayedWay
from fingers import opposite

pytestmark = pytest.mark.deep

READER = (Path(__file__).parent / "support/picture_reader.js").read_text()
#: Seconds in each direction.
DELAY = 0.060
#: Moves of the fingers that are measured.
MOVES = 20
#: The largest error of the view, in the median.
ERROR = 0.01


@pytest.fixture(scope="module")
def agent(shared, broker, tmp_path_factory):
    """Its camera shows only colours that encode the place: letters and lines would disturb the reading."""
    across = Image.linear_gradient("L").rotate(90).resize((960, 540)).point(lambda value: 64 + value / 2)
    down = Image.linear_gradient("L").resize((960, 540)).point(lambda value: 64 + value / 2)
    scene = tmp_path_factory.mktemp("scene") / "scene.jpg"
    Image.merge("YCbCr", [Image.new("L", (960, 540), 128), across, down]).save(scene, quality=98, subsampling=0)
    return shared.agent(broker, camera={**CAMERA, "image": str(scene)})


@pytest.fixture
def far_phone(browser, console, controller):
    """A phone that is far away, with the camera at a factor where all colours of the scene can be read."""
    with closing(DelayedWay(console.port, DELAY)) as way, phones_of(browser, f"http://127.0.0.1:{way.port}/") as phone_for:
        phone = phone_for().open()
        controller.zoom_to(1.5)
        phone.until("stage().dataset.factor === '1.5000'")
        # Pictures have arrived that were taken after it.
        eventually_still(phone)
        yield phone


def eventually_still(phone):
    before = phone.frame
    for _ in range(10):
        phone.shows_pictures(after=before)
        before = phone.frame


def test_the_picture_follows_the_fingers(far_phone, figure):
    phone = far_phone
    middle, radius = phone.place(0.4, 0.5), 40
    phone.page.evaluate(READER)
    phone.until("samples.length > 0")
    at_rest = phone.run("samples[0].factor")
    assert at_rest == pytest.approx(1.5, rel=0.005), "the reading itself"
    for number, place in enumerate(opposite(middle, radius, 0)):
        phone.fingers.down({number: place})
    began = time.monotonic()
    while (passed := time.monotonic() - began) < 4:
        wide = radius * 2 ** math.sin(passed * 2.4) ** 2
        phone.fingers.move(dict(enumerate(opposite((middle[0] + 20 * math.sin(passed * 2), middle[1]), wide, 0))))
        time.sleep(0.012)
    samples = [sample for sample in phone.run("samples") if len(sample["points"]) == 2]
    phone.fingers.up()
    first, samples = samples[0], samples[3:]
    held = [statistics.mean(axis) for axis in zip(*first["scene"])]
    factors, raw, places = [], [], []
    for sample in samples:
        one, other = sample["points"]
        wanted = 1.5 * math.hypot(one["x"] - other["x"], one["y"] - other["y"]) / (2 * radius)
        factors.append(abs(sample["factor"] / wanted - 1))
        raw.append(abs(sample["untouched"] / wanted - 1))
        now = [statistics.mean(axis) for axis in zip(*sample["scene"])]
        places.append(math.dist(now, held) * wanted)
    figure(f"{len(samples)} frames with {DELAY * 1000:.0f} ms each way: error of the factor {shown(factors)}, of the place "
           f"{shown(places)} of the picture; without the page's transform {shown(raw)}")
    assert len(samples) > 20
    assert statistics.median(factors) <= ERROR and statistics.median(places) <= ERROR


def shown(errors: list[float]) -> str:
    return f"{statistics.median(errors):.2%} (95 %: {sorted(errors)[int(len(errors) * 0.95)]:.2%})"


def test_from_finger_to_painted_frame(phone, controller, figure):
    """The time of each part of the way, without a network. It is printed; machines differ."""
    controller.zoom_to(2)
    phone.until("stage().dataset.factor === '2.0000'")
    phone.page.evaluate(BREAKDOWN)
    middle = phone.place(0.5, 0.5)
    for number, place in enumerate(opposite(middle, 60, 0)):
        phone.fingers.down({number: place})
    for step in itertools.count():
        phone.fingers.move(dict(enumerate(opposite(middle, 60 + step % 20 * 2 + 1, 0))))
        time.sleep(0.05)
        if phone.run("parts.length") >= MOVES:
            break
    phone.fingers.up()
    parts = phone.run("parts")
    figures = {name: sorted(part[name] for part in parts if part.get(name) is not None) for name in PARTS}
    figure(f"finger to painted frame, medians of {len(parts)} moves in ms:")
    for name, values in figures.items():
        figure(f"  {name:<60} {statistics.median(values):7.1f}" if values else f"  {name:<60}    none")
    assert all(figures.values()), "each part was measured"


PARTS = [
    "finger to the page's event", "event to the message", "finger to the picture moved by its style, painted",
    "message to a picture with its view", "picture received to drawn", "finger to the picture with its view, painted"]

#: Notes the times of one move after the other: the finger (the event's own time), the page's event, the
#: message of the pinch, the first picture that has its factor, that picture drawn, and painted.
BREAKDOWN = """() => {
    const parts = (window.parts = []), stage = document.querySelector(".stage");
    let open = null, finger = null, seen = null;
    for (const kind of ["pointerrawupdate", "pointermove"]) stage.addEventListener(kind, (event) => {
        if (finger === null || event.timeStamp > finger + 20) [finger, seen] = [event.timeStamp, performance.now()];
    }, true);
    const send = WebSocket.prototype.send, draw = CanvasRenderingContext2D.prototype.drawImage;
    WebSocket.prototype.send = function (text) {
        if (!this.isHeard) {
            this.isHeard = true;
            this.addEventListener("message", ({ data }) => hear(data), { capture: true });
        }
        if (!open && finger !== null && text.includes('"changed"')) {
            const now = performance.now(), { scale } = JSON.parse(text).command.payload;
            open = { scale, finger, sent: now, part: {
                "finger to the page's event": seen - finger, "event to the message": now - seen } };
            const move = open;
            requestAnimationFrame(() => setTimeout(() => {
                move.part["finger to the picture moved by its style, painted"] = performance.now() - move.finger; }));
        }
        return send.call(this, text);
    };
    let base = null;
    function hear(data) {
        if (!open || typeof data === "string") return;
        const length = new DataView(data).getUint16(0);
        const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 2, length)));
        base ??= 2;
        if (!header.factor || open.received || Math.abs(header.factor / (base * open.scale) - 1) > 0.002) {
            if (performance.now() - open.sent > 1000) [open, finger] = [null, null];
            return;
        }
        open.received = performance.now();
        open.part["message to a picture with its view"] = open.received - open.sent;
    }
    CanvasRenderingContext2D.prototype.drawImage = function (...all) {
        const result = draw.apply(this, all);
        if (open?.received && this.canvas.closest(".view")) {
            const move = open;
            [open, finger] = [null, null];
            move.part["picture received to drawn"] = performance.now() - move.received;
            requestAnimationFrame(() => setTimeout(() => {
                move.part["finger to the picture with its view, painted"] = performance.now() - move.finger;
                parts.push(move.part);
            }));
        }
        return result;
    };
}"""
