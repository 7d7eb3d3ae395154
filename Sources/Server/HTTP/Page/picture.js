// Draws the pictures of the open camera, and moves the one that is shown to where the fingers want it.

import { make } from "./elements.js";
import { changed } from "./render.js";
import { transform, viewOf } from "./view.js";
import { word } from "./words.js";

/** Pictures are requested with at most so many pixels in a row, in steps. */
const MAX_WIDTH = 1920;
const STEP = 32;
const FPS = 30;

export class Picture {
  /** The rectangle in which the view is shown, in CSS pixels of the stage. */
  box = { left: 0, top: 0, width: 0, height: 0 };
  /** The picture that is wanted of the console: {width, fps}; null before the stage has a size. */
  wanted = null;
  #stage;
  #link;
  #zoom;
  #canvas;
  #element;
  #aspect = 16 / 9;
  /** The order of the newest picture that was drawn. */
  #newest = 0;
  /** The view of the shown picture, or null if it is not known. */
  #shown = null;

  /** Ends with `signal`. */
  constructor(stage, link, zoom, signal) {
    this.#stage = stage;
    this.#link = link;
    this.#zoom = zoom;
    const label = word("picture", { camera: link.camera });
    this.#canvas = make("canvas", { role: "img", "aria-label": label, hidden: true });
    this.#element = make("div", { class: "view" }, this.#canvas);
    stage.prepend(this.#element);
    zoom.moved = () => this.update();
    const observer = new ResizeObserver(() => this.#fit());
    observer.observe(stage);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** Whether a picture is shown. */
  get hasPicture() {
    return !this.#canvas.hidden;
  }

  /** Removes what is shown, for example of a camera that is private now. */
  clear() {
    this.#canvas.hidden = true;
    this.#shown = null;
    delete this.#stage.dataset.frame;
  }

  /** Draws a picture of the connection. */
  async draw({ header, blob, order, ended }) {
    let bitmap;
    try {
      bitmap = await createImageBitmap(blob);
    } catch {
      return; // Not a picture.
    }
    // Decoding does not keep the order.
    if (order > this.#newest && !ended.aborted && !this.#link.absence) {
      this.#newest = order;
      if (this.#canvas.width !== bitmap.width || this.#canvas.height !== bitmap.height) {
        [this.#canvas.width, this.#canvas.height] = [bitmap.width, bitmap.height];
        this.#aspect = bitmap.width / bitmap.height;
        this.#fit();
      }
      if (!this.hasPicture) changed();
      this.#canvas.hidden = false;
      this.#canvas.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0);
      // With MQTT 3.1.1 a picture comes without its view: the newest reported one is the best guess.
      this.#shown = header.view ? viewOf(header.view) : this.#zoom.reported;
      this.#stage.dataset.frame = header.frame ?? header.number;
      if (this.#shown) this.#zoom.pictured(this.#shown, header.view ? header.rev : undefined);
      this.update();
    }
    bitmap.close();
  }

  /** The largest rectangle of the picture's proportions in the stage. */
  #fit() {
    const { clientWidth, clientHeight } = this.#stage;
    if (!clientWidth || !clientHeight) return;
    const width = Math.min(clientWidth, clientHeight * this.#aspect);
    const height = width / this.#aspect;
    this.box = { left: (clientWidth - width) / 2, top: (clientHeight - height) / 2, width, height };
    for (const side of ["left", "top", "width", "height"]) {
      this.#element.style.setProperty(side, `${this.box[side]}px`);
    }
    const pixels = Math.ceil((width * devicePixelRatio) / STEP) * STEP;
    this.wanted = { width: Math.min(pixels, MAX_WIDTH), fps: FPS };
    changed();
  }

  /** Moves the picture to where the fingers want it. */
  update() {
    const wanted = this.#zoom.wanted;
    const style = wanted && this.#shown
      ? transform(this.#shown, wanted, this.box.width, this.box.height)
      : "none";
    this.#canvas.style.setProperty("transform", style);
  }
}
