// The dial: the factors of the zoom in octaves, under a fixed needle. For keyboards and screen readers it is a
// slider.

import { make, setAttribute, setText } from "./elements.js";
import { factorText, number, word } from "./words.js";

/** CSS pixels of an octave, and ticks in it. */
const OCTAVE = 96;
const TICKS = 10;
/** Octaves that a key moves. */
const KEYS = {
  ArrowRight: 1 / TICKS,
  ArrowUp: 1 / TICKS,
  ArrowLeft: -1 / TICKS,
  ArrowDown: -1 / TICKS,
  PageUp: 1,
  PageDown: -1,
};

export class Dial {
  #zoom;
  /** The finger that turns it: {pointer, x, gesture}. */
  #drag = null;
  #strip = make("div", { class: "strip" });
  #readout = make("output", { class: "readout", "aria-hidden": "true" });
  #drawn = "";

  constructor(zoom) {
    this.#zoom = zoom;
    this.element = make("div", { class: "dial", role: "slider", tabindex: "0", "aria-label": word("zoom") },
      this.#readout, this.#strip, make("div", { class: "needle" }));
    this.#followFinger();
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  update() {
    const { range, factor, obstacle } = this.#zoom;
    setAttribute(this.element, "aria-disabled", obstacle !== null);
    setAttribute(this.element, "title", obstacle);
    this.element.hidden = !range || !factor;
    if (this.element.hidden) return;
    this.#draw(range);
    setAttribute(this.element, "aria-valuemin", range.min);
    setAttribute(this.element, "aria-valuemax", range.max);
    setAttribute(this.element, "aria-valuenow", Number(factor.toFixed(3)));
    setAttribute(this.element, "aria-valuetext", factorText(factor));
    setText(this.#readout, factorText(factor));
    this.#strip.style.setProperty("transform", `translateX(${-Math.log2(factor) * OCTAVE}px)`);
  }

  #draw({ min, max }) {
    if (this.#drawn === `${min} ${max}`) return;
    this.#drawn = `${min} ${max}`;
    // Rounding must not take the ends away.
    const first = Math.ceil(Math.log2(min) * TICKS - 1e-6);
    const last = Math.floor(Math.log2(max) * TICKS + 1e-6);
    const ticks = [];
    for (let place = first; place <= last; place += 1) {
      const isOctave = place % TICKS === 0;
      const tick = make("i", { class: isOctave ? "octave" : "" },
        ...(isOctave ? [make("b", {}, number(2 ** (place / TICKS), 1))] : []));
      tick.style.setProperty("left", `${(place / TICKS) * OCTAVE}px`);
      ticks.push(tick);
    }
    this.#strip.replaceChildren(...ticks);
  }

  /** A finger at `x` turns it from now on, wherever the finger came down. */
  take(pointer, x) {
    if (this.#drag) return;
    this.element.setPointerCapture(pointer);
    this.#drag = { pointer, x, gesture: this.#zoom.begin() };
  }

  #followFinger() {
    const on = (kind, listener) => this.element.addEventListener(kind, (event) => {
      if (event.pointerId === this.#drag?.pointer) listener(event, this.#drag);
    });
    const end = (phase) => {
      this.#drag.gesture?.finish(phase);
      this.#drag = null;
    };
    this.element.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button === 0) this.take(event.pointerId, event.clientX);
    });
    on("pointermove", (event, drag) => drag.gesture?.move(2 ** ((drag.x - event.clientX) / OCTAVE)));
    on("pointerup", () => end("ended"));
    on("pointercancel", () => end("cancelled"));
  }

  #press(event) {
    const { range, obstacle } = this.#zoom;
    if (!range || obstacle || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in KEYS) {
      this.#zoom.step(2 ** KEYS[event.key]);
    } else if (event.key === "Home") this.#zoom.go({ factor: range.min });
    else if (event.key === "End") this.#zoom.go({ factor: range.max });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
