// Views as values: which part of the scene is shown. Pure, and the same formulas as the agent's ZoomModel.
//
// The scene is the frame of the lens at factor 1, 0…1 in both directions. A view of factor f shows 1/f of it.

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** The nearest point of the view or the picture: the agent takes no other ones. */
export const inside = ({ x, y }) => ({ x: clamp(x, 0, 1), y: clamp(y, 0, 1) });

/** The view that a state of the zoom or the header of a picture describes. Its `x`, `y` are its centre. */
export function viewOf({ factor, optical, viewport }) {
  return {
    factor,
    optical,
    x: 0.5 + (viewport.x + viewport.width / 2 - 0.5) / optical,
    y: 0.5 + (viewport.y + viewport.height / 2 - 0.5) / optical,
  };
}

/** The limits of a camera's zoom, from `zoom` of its `info`: the factors, and the factor up to which the lens
 * zooms. */
export function rangeOf({ min, max, actuators }) {
  const lenses = actuators.filter((actuator) => actuator.kind !== "crop");
  const lensMax = lenses.reduce((product, actuator) => product * actuator.max, 1);
  return { min, max, lensMax };
}

/** Whether two views differ by more than a hundredth of the picture. */
export function differs(one, other) {
  return Math.abs(Math.log(one.factor / other.factor)) > 0.01
    || Math.hypot(one.x - other.x, one.y - other.y) * one.factor > 0.01;
}

/** The CSS transform that makes a picture with the view `shown` look as if it had the view `wanted`. */
export function transform(shown, wanted, width, height) {
  const x = (shown.x - wanted.x) * wanted.factor * width;
  const y = (shown.y - wanted.y) * wanted.factor * height;
  return `translate(${x}px, ${y}px) scale(${wanted.factor / shown.factor})`;
}

/** What the agent will make of a cumulative pinch. */
export class Prediction {
  #range;
  #base;
  #held;
  #scale = 1;
  #anchor;
  #firstView;
  #firstAnchor;

  /** Starts at the present view. `anchor` is a point of the view. */
  constructor(view, range, anchor) {
    this.#range = range;
    this.#anchor = anchor;
    this.#firstView = view;
    this.#firstAnchor = anchor;
    this.rebase(view);
  }

  /** The pinch has started at another view than was known: the zoom was moving. */
  correctStart(view) {
    if (!differs(view, this.#firstView)) return;
    const [scale, anchor] = [this.#scale, this.#anchor];
    [this.#scale, this.#anchor] = [1, this.#firstAnchor];
    this.rebase(view);
    this.move(scale, anchor);
  }

  /** Continues from a view that something else has caused. */
  rebase(view) {
    this.view = view;
    this.#base = view.factor / this.#scale;
    this.#held = {
      x: view.x + (this.#anchor.x - 0.5) / view.factor,
      y: view.y + (this.#anchor.y - 0.5) / view.factor,
    };
  }

  /** The held point of the scene stays at `anchor`, as far as the frame of the lens allows. */
  move(scale, anchor) {
    this.#scale = scale;
    this.#anchor = anchor;
    const factor = clamp(this.#base * scale, this.#range.min, this.#range.max);
    const optical = clamp(factor, 1, this.#range.lensMax);
    const slack = Math.max(0, (1 / optical - 1 / factor) / 2);
    const place = (axis) =>
      clamp(this.#held[axis] + (0.5 - anchor[axis]) / factor, 0.5 - slack, 0.5 + slack);
    this.view = { factor, optical, x: place("x"), y: place("y") };
  }
}
