// The zoom of the open camera as this page shows it: what the agent reports, and ahead of it what the fingers
// ask for.

import { changed } from "./render.js";
import { Prediction, differs, inside, rangeOf, viewOf } from "./view.js";

const MIDDLE = { x: 0.5, y: 0.5 };
/** Milliseconds until pictures are shown as they are, at most: after the answer to the end of a gesture, and
 * without an answer. A slow lens may take long. */
const SETTLE = 700;
const UNANSWERED = 10_000;
/** Fingers that rest for so many milliseconds accept the view that the pictures have. */
const REST = 400;
/** Octaves per second of a zoom to a chosen view. */
const RATE = 6;

/** The rate with which a command goes to a chosen view. People who want no motion get the view at once. */
export const chosenRate = () =>
  (matchMedia("(prefers-reduced-motion: reduce)").matches ? {} : { rate: RATE });

let lastGesture = 0;

export class Zoom {
  /** The newest view that the agent reported, or null. */
  reported = null;
  /** Called at once when the view to show is another one. */
  moved = () => {};
  #link;
  #gesture = null;
  /** The view that the last gesture left, until the pictures show it; otherwise null. */
  #settling = null;

  constructor(link) {
    this.#link = link;
    // The state may have come while the camera was not shown.
    this.report("zoom");
  }

  /** The limits, or null before the camera is known. */
  get range() {
    return this.#link.info?.zoom ? rangeOf(this.#link.info.zoom) : null;
  }

  /** Why this page cannot move the zoom, or null. */
  get obstacle() {
    return this.#link.zoomObstacle;
  }

  /** The view to show, if it is another than the pictures have; otherwise null. */
  get wanted() {
    return this.#gesture?.prediction.view ?? this.#settling?.view ?? null;
  }

  /** The factor to show, or null before it is known. */
  get factor() {
    return (this.wanted ?? this.reported)?.factor ?? null;
  }

  /** Zooms: `payload` is {factor}, {by} or {position}, and perhaps an `anchor`. */
  go(payload) {
    return this.#link.command("zoom", { ...payload, ...chosenRate() });
  }

  /** Goes to the factor that is so many times the present one, without a ramp. */
  step(by) {
    return this.#link.command("zoom", { by });
  }

  /** Begins a gesture at a point of the view, or at its nearest edge. Null if the camera cannot be zoomed
   * now. */
  begin(anchor = MIDDLE) {
    const view = this.wanted ?? this.reported;
    if (!view || !this.range || this.obstacle) return null;
    this.#gesture?.finish("ended");
    const place = inside(anchor);
    const gesture = new Gesture(this.#link, new Prediction(view, this.range, place), place, {
      changed: () => this.#changed(),
      finished: () => {
        if (this.#gesture === gesture) this.#gesture = null;
        const until = performance.now() + UNANSWERED;
        this.#settling = { view: gesture.prediction.view, rev: Infinity, until };
        this.#changed();
        return this.#settling;
      },
      answered: (settling, answer) => {
        if (this.#settling !== settling) return;
        settling.rev = answer.rev ?? Infinity;
        settling.until = answer.status === "done" ? performance.now() + SETTLE : 0;
        setTimeout(() => this.#settle(), Math.max(0, settling.until - performance.now()) + 1);
      },
    });
    this.#settling = null;
    this.#gesture = gesture;
    return gesture;
  }

  /** Ends the gesture because the page cannot follow the fingers any more. */
  cancel() {
    this.#gesture?.finish("cancelled");
  }

  /** A picture with this view is shown now; `rev` is the revision it was made at, if it is known. */
  pictured(view, rev) {
    const gesture = this.#gesture;
    if (gesture && gesture.isResting(REST) && !this.#link.state("zoom")?.ramping
      && differs(view, gesture.prediction.view)) {
      gesture.prediction.rebase(view);
      this.#changed();
    }
    this.#settle(rev);
  }

  #settle(rev = -Infinity) {
    if (!this.#settling || rev < this.#settling.rev && performance.now() < this.#settling.until) return;
    this.#settling = null;
    this.#changed();
  }

  /** A state of the node `zoom` or `zoom/live` has come. */
  report(node) {
    const state = this.#link.state("zoom");
    const news = this.#link.state(node);
    // A sample belongs to the state with the same revision.
    if (!state || !news || (node === "zoom/live" && news.rev !== state.rev)) return;
    this.reported = viewOf(news);
    if (node === "zoom" && this.#link.isForeign(state.origin)) {
      // The agent lets running gestures continue from here, too.
      this.#gesture?.prediction.rebase(this.reported);
      this.#settling = null;
    }
    this.#changed();
  }

  #changed() {
    this.moved();
    changed();
  }
}

/** A running gesture: sends a cumulative pinch and predicts what the agent makes of it. */
class Gesture {
  #link;
  #name = `g${++lastGesture}`;
  #calls;
  #sequence = 0;
  #scale = 1;
  #anchor;
  #movedAt = performance.now();
  #isOver = false;

  constructor(link, prediction, anchor, calls) {
    this.#link = link;
    this.prediction = prediction;
    this.#anchor = anchor;
    this.#calls = calls;
    link.command("pinch", { gesture: this.#name, phase: "began", scale: 1, anchor }).then((answer) => {
      const state = link.state("zoom");
      if (answer.status === "error") this.#abandon();
      else if (!this.#isOver && state?.rev === answer.rev) {
        prediction.correctStart(viewOf(state));
        calls.changed();
      }
    });
  }

  /** The fingers have moved: `scale` since the beginning, and the point of the view between them. */
  move(scale, anchor = MIDDLE) {
    if (this.#isOver) return;
    const place = inside(anchor);
    if (scale === this.#scale && place.x === this.#anchor.x && place.y === this.#anchor.y) return;
    this.#scale = scale;
    this.#anchor = place;
    this.#movedAt = performance.now();
    this.prediction.move(scale, place);
    this.#link.sample("pinch", {
      gesture: this.#name, phase: "changed", scale, anchor: place, seq: ++this.#sequence,
    });
    this.#calls.changed();
  }

  isResting(duration) {
    return performance.now() - this.#movedAt > duration;
  }

  /** Ends the gesture: `ended` or `cancelled`. */
  finish(phase = "ended") {
    if (this.#isOver) return;
    this.#isOver = true;
    const settling = this.#calls.finished();
    this.#link.command("pinch", {
      gesture: this.#name, phase, scale: this.#scale, anchor: this.#anchor, seq: ++this.#sequence,
    }).then((answer) => this.#calls.answered(settling, answer));
  }

  /** The agent has refused the gesture. */
  #abandon() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#calls.answered(this.#calls.finished(), { status: "error" });
  }
}
