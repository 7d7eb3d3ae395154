// Fingers, mouse, wheel and trackpad on the stage, as gestures of the zoom.

/** CSS pixels that one finger moves before it drags, so that a tap is no drag. */
const SLOP = 8;
/** A tap is at most so long, in milliseconds; two of them, so close in time and place, are a double tap. */
const TAP = 300;
const TAP_DISTANCE = 40;
/** Milliseconds between two samples, at least. */
const SAMPLE_INTERVAL = 8;
/** Milliseconds without a turn that end the gesture of a wheel. */
const WHEEL_PAUSE = 250;
/** Pixels of a wheel for a factor of e: of a pinch on a trackpad, and of a turn. */
const TRACKPAD = 100;
const WHEEL = 400;
const LINE = 33;

/** Follows the fingers on `stage`. `box()` is the rectangle of the view in it. Ends with `signal`. */
export class Gestures {
  /** Positions by pointer, in the order in which they came down. The first two count. */
  #fingers = new Map();
  #zoom;
  #stage;
  #box;
  #doubleTap;
  #gesture = null;
  /** Where the gesture of the present fingers starts: their middle and distance. */
  #start = null;
  /** Whether one finger has to move further than by the slop before it drags. */
  #mayTap = false;
  #downAt = 0;
  #lastTap = null;
  #sampledAt = 0;
  #isDue = false;
  #channel = new MessageChannel();
  #wheel = null;

  /** `doubleTap` is called with the point of the view. */
  constructor(stage, zoom, box, doubleTap, signal) {
    this.#stage = stage;
    this.#zoom = zoom;
    this.#box = box;
    this.#doubleTap = doubleTap;
    const on = (kind, listener) => stage.addEventListener(kind, listener, { signal, passive: false });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    // Chromium reports pointermove once for each frame; this comes earlier. Only in secure contexts.
    if ("onpointerrawupdate" in window) on("pointerrawupdate", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event, "ended"));
    on("pointercancel", (event) => this.#up(event, "cancelled"));
    on("wheel", (event) => this.#turn(event));
    on("contextmenu", (event) => event.preventDefault());
    this.#followSafari(on);
    this.#channel.port1.onmessage = () => this.#sample();
    signal.addEventListener("abort", () => {
      this.cancel();
      this.#channel.port1.close();
    });
  }

  /** Forgets the fingers, for example because the page is hidden. */
  cancel() {
    this.#fingers.clear();
    this.#finish("cancelled");
    this.#endWheel("cancelled");
  }

  #down(event) {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    event.preventDefault();
    this.#stage.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#mayTap = this.#fingers.size === 1;
    this.#downAt = event.timeStamp;
    if (this.#fingers.size <= 2) this.#restart();
  }

  #move(event) {
    const finger = this.#fingers.get(event.pointerId);
    if (!finger || (finger.x === event.clientX && finger.y === event.clientY)) return;
    [finger.x, finger.y] = [event.clientX, event.clientY];
    // Both fingers move in one task of the browser: one sample after it has both.
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = this.#sampledAt + SAMPLE_INTERVAL - performance.now();
    if (wait > 0) setTimeout(() => this.#sample(), wait);
    else this.#channel.port2.postMessage(null);
  }

  #up(event, phase) {
    if (!this.#fingers.has(event.pointerId)) return;
    if (phase === "ended") this.#move(event);
    this.#sample();
    const isTap = this.#mayTap && !this.#gesture && event.timeStamp - this.#downAt < TAP;
    const didCount = [...this.#fingers.keys()].indexOf(event.pointerId) < 2;
    this.#fingers.delete(event.pointerId);
    if (didCount) this.#restart(phase);
    if (phase === "ended" && isTap) this.#tap(event);
  }

  #tap(event) {
    const last = this.#lastTap;
    const isSecond = last && event.timeStamp - last.timeStamp < 2 * TAP
      && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < TAP_DISTANCE;
    this.#lastTap = isSecond ? null : event;
    if (isSecond) this.#doubleTap(this.#pointOfView({ x: event.clientX, y: event.clientY }));
  }

  /** Other fingers count than before: their gesture has a name of its own. */
  #restart(phase = "ended") {
    this.#finish(phase);
    this.#start = this.#fingers.size > 0 ? this.#measure() : null;
    if (this.#fingers.size === 2) this.#begin();
  }

  #begin() {
    this.#gesture = this.#zoom.begin(this.#pointOfView(this.#start.middle));
  }

  #finish(phase) {
    this.#gesture?.finish(phase);
    this.#gesture = null;
  }

  #sample() {
    this.#isDue = false;
    if (!this.#start || this.#fingers.size === 0) return;
    const { middle, distance } = this.#measure();
    if (!this.#gesture) {
      const moved = Math.hypot(middle.x - this.#start.middle.x, middle.y - this.#start.middle.y);
      if (moved < (this.#mayTap ? SLOP : 1)) return;
      this.#mayTap = false;
      this.#begin();
    }
    this.#sampledAt = performance.now();
    this.#gesture?.move(distance / this.#start.distance, this.#pointOfView(middle));
  }

  /** The middle of the fingers that count, and their distance, in CSS pixels. */
  #measure() {
    const [one, other = one] = this.#fingers.values();
    return {
      middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 },
      distance: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)),
    };
  }

  /** A place on the screen in fractions of the view; beyond its edges below 0 or above 1. */
  #pointOfView({ x, y }) {
    const stage = this.#stage.getBoundingClientRect();
    const box = this.#box();
    return { x: (x - stage.left - box.left) / box.width, y: (y - stage.top - box.top) / box.height };
  }

  /** A wheel, or a pinch on a trackpad, which comes as a wheel with the control key. */
  #turn(event) {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE;
    this.#scaleAt(event, Math.exp(-pixels / (event.ctrlKey ? TRACKPAD : WHEEL)));
  }

  /** Safari on a Mac reports pinches on a trackpad as gestures; on a phone they only disturb the fingers. */
  #followSafari(on) {
    let last = 1;
    on("gesturestart", (event) => {
      event.preventDefault();
      last = 1;
    });
    on("gesturechange", (event) => {
      event.preventDefault();
      if (this.#fingers.size === 0) this.#scaleAt(event, event.scale / last);
      last = event.scale;
    });
    on("gestureend", (event) => event.preventDefault());
  }

  #scaleAt(event, scale) {
    const anchor = this.#pointOfView({ x: event.clientX, y: event.clientY });
    this.#wheel ??= { gesture: this.#zoom.begin(anchor), scale: 1, timer: 0 };
    this.#wheel.scale *= scale;
    this.#wheel.gesture?.move(this.#wheel.scale, anchor);
    clearTimeout(this.#wheel.timer);
    this.#wheel.timer = setTimeout(() => this.#endWheel("ended"), WHEEL_PAUSE);
  }

  #endWheel(phase) {
    clearTimeout(this.#wheel?.timer);
    this.#wheel?.gesture?.finish(phase);
    this.#wheel = null;
  }
}
