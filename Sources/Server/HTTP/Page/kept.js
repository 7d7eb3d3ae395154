// Values that the browser keeps.

/** A text, or null. In a foreign frame a browser may deny its storage: then the page itself keeps it. */
export class Kept {
  #area;
  #key;
  #own = null;

  /** `area` is `localStorage` or `sessionStorage`. */
  constructor(area, key) {
    [this.#area, this.#key] = [area, key];
  }

  get value() {
    try {
      return window[this.#area].getItem(this.#key);
    } catch {
      return this.#own;
    }
  }

  set value(value) {
    this.#own = value;
    try {
      if (value === null) window[this.#area].removeItem(this.#key);
      else window[this.#area].setItem(this.#key, value);
    } catch {
      // Denied; see above.
    }
  }
}
