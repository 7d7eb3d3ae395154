// The zoom below the picture: chips with factors. A chip that is held or dragged turns the dial, which takes the
// place of the chips for a while.

import { Dial } from "./dial.js";
import { fill, forbid, make, setAttribute, setText } from "./elements.js";
import { factorText, number, word } from "./words.js";

/** Milliseconds of a long press, and CSS pixels of a drag. */
const HOLD = 400;
const SLOP = 8;
/** Milliseconds that the dial stays after it was turned. */
const STAY = 2_000;

export class Chips {
  #link;
  #zoom;
  #dial;
  #chips = make("div", { class: "chips", role: "group", "aria-label": word("zoom_factors") });
  /** The finger on a chip: {pointer, x, timer}. */
  #finger = null;
  #timer = 0;

  constructor(link, zoom) {
    [this.#link, this.#zoom, this.#dial] = [link, zoom, new Dial(zoom)];
    this.element = make("div", { class: "zoom" }, this.#chips, this.#dial.element);
    this.element.addEventListener("contextmenu", (event) => event.preventDefault());
    this.#followFinger();
    const dial = this.#dial.element;
    dial.addEventListener("focus", () => { if (dial.matches(":focus-visible")) this.#showDial(true); });
    dial.addEventListener("blur", () => this.#showDial(false));
    dial.addEventListener("pointerdown", () => this.#showDial(true));
    dial.addEventListener("lostpointercapture", () => {
      this.#timer = setTimeout(() => this.#showDial(dial.matches(":focus-visible")), STAY);
    });
  }

  /** The chip in effect is the highest one that the factor has reached: it shows the factor itself. */
  update() {
    this.#dial.update();
    const { range, factor } = this.#zoom;
    if (!range) return;
    const factors = this.#factors(range);
    const current = factors.filter((one) => one <= factor * 1.001).at(-1);
    for (const chip of fill(this.#chips, factors, (one) => this.#makeChip(one))) {
      const own = Number(chip.dataset.factor);
      const isCurrent = own === current;
      const isBetween = isCurrent && factor > own * 1.02;
      const name = `${number(own, 1)}×`;
      setAttribute(chip, "aria-pressed", isCurrent);
      setAttribute(chip, "aria-label", isBetween
        ? word("zoom_to_now", { factor: name, now: factorText(factor) })
        : word("zoom_to", { factor: name }));
      setText(chip, isBetween ? factorText(factor) : isCurrent ? name : number(own, 1));
      forbid(chip, this.#link.zoomObstacle);
    }
  }

  /** The least factor, those at which a lens hands over, and the powers of two. */
  #factors({ min, max }) {
    const powers = Array.from({ length: 8 }, (_, power) => 2 ** power);
    return [min, ...this.#link.info.zoom.handover, ...powers]
      .filter((factor) => factor >= min && factor <= max)
      .sort((one, other) => one - other)
      .filter((factor, place, all) => place === 0 || factor / all[place - 1] > 1.05);
  }

  #makeChip(factor) {
    return make("button", { type: "button", "data-factor": factor, click: () => this.#zoom.go({ factor }) });
  }

  #followFinger() {
    const lift = () => {
      clearTimeout(this.#finger?.timer);
      this.#finger = null;
    };
    const turn = (x) => {
      const { pointer } = this.#finger;
      lift();
      this.#showDial(true);
      this.#dial.take(pointer, x);
    };
    this.#chips.addEventListener("pointerdown", ({ pointerType, button, pointerId: pointer, clientX: x }) => {
      if (this.#finger || this.#link.zoomObstacle || (pointerType === "mouse" && button !== 0)) return;
      this.#finger = { pointer, x, timer: setTimeout(() => turn(x), HOLD) };
    });
    this.#chips.addEventListener("pointermove", ({ pointerId, clientX }) => {
      const { pointer, x } = this.#finger ?? {};
      if (pointer === pointerId && Math.abs(clientX - x) > SLOP) turn(clientX);
    });
    for (const kind of ["pointerup", "pointercancel"]) this.#chips.addEventListener(kind, lift);
  }

  #showDial(isShown) {
    clearTimeout(this.#timer);
    this.element.classList.toggle("dialing", isShown);
  }
}
