// The screen of one camera.

import { Chips } from "./chips.js";
import { openControls } from "./controls.js";
import { confirm, fill, forbid, iconButton, make, setAttribute, setText } from "./elements.js";
import { openGallery } from "./gallery.js";
import { Gestures } from "./gestures.js";
import { icon } from "./icons.js";
import { CameraLink } from "./link.js";
import { Picture } from "./picture.js";
import { Presets } from "./presets.js";
import { changed } from "./render.js";
import { Shutter } from "./shutter.js";
import { inside } from "./view.js";
import { factorText, word } from "./words.js";
import { Zoom } from "./zoom.js";

/** Milliseconds that a notice stays, and that the name of another client that moves the zoom does. */
const NOTICE = 5_000;
const MOVER = 1_500;
/** Milliseconds without a change until screen readers hear the factor. */
const QUIET = 600;
/** Milliseconds of a lease, and between two renewals. */
const LEASE = 10_000;
const RENEWAL = 4_000;
/** A key zooms by this factor, and moves the view by this part of it. */
const KEY_FACTOR = 1.25;
const KEY_STEP = 0.1;
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class CameraScreen {
  #ended = new AbortController();
  #link;
  #zoom;
  #picture;
  #gestures;
  #shutter;
  #chips;
  #presets;
  #panel;
  #settings;
  #stage;
  #message = make("p", { class: "message", role: "status" });
  #notice = make("p", { class: "notice", role: "alert" });
  #mover = make("p", { class: "mover", role: "status" });
  #spoken = make("p", { class: "hidden", role: "status", "aria-live": "polite" });
  #privacyEnd = make("button", {
    type: "button", class: "strong", click: () => this.#link.command("privacy", { state: "OFF" }),
  }, word("privacy_end"));
  /** What a manager can do about a camera whose agent is gone. */
  #gone;
  #leaseIcon = make("span");
  #leaseText = make("span");
  #lease = make("button", { type: "button", class: "chip lease", click: () => this.#toggleLease() },
    this.#leaseIcon, this.#leaseText);
  #wantsLease = false;
  /** The sentence about the other client that moves the zoom now, or null. */
  #movedBy = null;
  /** The camera's name, or its id before that is known. */
  #title;
  /** Whether the space bar has pressed the shutter. It may be lifted while something else has the focus. */
  #isSpaceHeld = false;
  #timers = {};

  constructor(connection, camera) {
    const { signal } = this.#ended;
    const [agent, name] = camera.split("/");
    this.#title = make("span", {}, name);
    this.#link = new CameraLink(connection, camera, (text) => this.#showNotice(text));
    this.#zoom = new Zoom(this.#link);
    this.#chips = new Chips(this.#link, this.#zoom);
    this.element = make("main", { class: "camera" });
    this.#presets = new Presets(this.#link, this.element);
    this.#stage = make("div", {
      class: "stage", role: "group", tabindex: "0", "aria-label": word("stage"),
      "aria-description": word("stage_help"),
    }, this.#message, this.#mover, this.#notice);
    this.#picture = new Picture(this.#stage, this.#link, this.#zoom, signal);
    this.#gestures = new Gestures(this.#stage, this.#zoom, () => this.#picture.box,
      (anchor) => this.#doubleTap(anchor), signal);
    this.#shutter = new Shutter(this.#link, () => this.#flash(), () => openGallery(this.#link), signal);
    this.#settings = iconButton("settings", word("settings"), () => openControls(this.#link, this.element));
    const back = { class: "icon", href: "#", "aria-label": word("back"), title: word("back") };
    this.#gone = make("div", {},
      make("button", { type: "button", click: () => this.#hideCamera() }, word("hide")),
      make("p", {}, word("forget_hint")), make("code", {}, `v4l2mqtt ctl forget ${camera}`));
    this.#panel = make("section", { class: "panel" },
      make("div", { class: "views" }, this.#presets.element, this.#lease), this.#chips.element,
      this.#shutter.modes,
      make("div", { class: "release" }, this.#shutter.thumbnail, this.#shutter.button, this.#shutter.still));
    this.element.append(
      make("header", { class: "bar" }, make("a", back, icon("back")),
        make("h1", {}, this.#title, make("small", {}, agent)),
        this.#settings),
      this.#shutter.clock, this.#stage, make("div", { class: "remedy" }, this.#privacyEnd, this.#gone),
      this.#panel, this.#spoken);
    const renewal = setInterval(() => this.#renewLease(), RENEWAL);
    signal.addEventListener("abort", () => clearInterval(renewal));
    document.addEventListener("keydown", (event) => this.#press(event), { signal });
    document.addEventListener("keyup", (event) => {
      if (event.key !== " " || !this.#isSpaceHeld) return;
      this.#isSpaceHeld = false;
      this.#shutter.release();
    }, { signal });
  }

  get wanted() {
    const { camera } = this.#link;
    return { open: [camera], watch: this.#picture.wanted ? [{ camera, ...this.#picture.wanted }] : [] };
  }

  /** Ends everything that the screen holds at the camera. */
  close() {
    this.hide();
    this.#releaseLease();
    this.#ended.abort();
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
  }

  /** The page is hidden, or other windows get its keys: nothing may move on. */
  hide() {
    this.#isSpaceHeld = false;
    this.#gestures.cancel();
    this.#zoom.cancel();
    this.#shutter.cancel();
  }

  state(node, before) {
    if (node === "zoom" || node === "zoom/live") this.#zoom.report(node);
    if (node === "zoom") this.#noteMover(before);
    if (node === "lease") this.#leaseChanged();
  }

  event(event) {
    this.#shutter.event(event);
  }

  picture(picture) {
    return picture.header.camera === this.#link.camera ? this.#picture.draw(picture) : null;
  }

  update() {
    if (this.#link.zoomObstacle) this.#zoom.cancel();
    this.#drawTitle();
    this.#drawStage();
    this.#chips.update();
    this.#drawFactor();
    this.#presets.update();
    this.#drawLease();
    this.#shutter.update();
    forbid(this.#settings, this.#link.nonexistence);
    // What the sheet covers cannot be reached.
    const sheet = this.element.querySelector(".sheet")?.getBoundingClientRect();
    this.#panel.inert = sheet !== undefined && sheet.bottom > this.#panel.getBoundingClientRect().top + 1;
  }

  #drawTitle() {
    const { name } = this.#link.info ?? {};
    if (!name) return;
    setText(this.#title, name);
    document.title = name;
  }

  /** The picture, why there is none, and who zooms. */
  #drawStage() {
    const { absence, holder } = this.#link;
    if (absence && this.#stage.dataset.frame) this.#picture.clear();
    this.#picture.update();
    const { hasPicture } = this.#picture;
    setText(this.#message, absence ?? (hasPicture ? "" : word("waiting")));
    setAttribute(this.#stage, "data-waiting", !absence && !hasPicture);
    setText(this.#mover, this.#movedBy ?? (this.#link.connection.hello?.role === "look" ? word("look_only")
      : holder ? holder.text : ""));
    // It may have gone with a dialog.
    if (!this.#notice.isConnected) this.#stage.append(this.#notice);
    const { isManager, isAgentGone } = this.#link;
    this.#privacyEnd.hidden = !isManager || isAgentGone || this.#link.state("privacy")?.state !== "ON";
    this.#gone.hidden = !isManager || !isAgentGone;
  }

  async #hideCamera() {
    const { status } = await this.#link.command("hide", {});
    if (status === "done") location.hash = "#";
  }

  /** Says something, above whatever covers the picture. */
  #showNotice(text) {
    const cover = document.querySelector("dialog.full:modal, dialog.viewer:modal");
    (cover ?? this.#stage).append(this.#notice);
    setText(this.#notice, text);
    this.#later("notice", NOTICE, () => setText(this.#notice, ""));
  }

  #later(name, wait, action) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(action, wait);
  }

  #flash() {
    this.#stage.classList.add("flash");
    this.#later("flash", 160, () => this.#stage.classList.remove("flash"));
  }

  // The zoom.

  #doubleTap(anchor) {
    const { range, factor } = this.#zoom;
    if (!range || this.#link.zoomObstacle) return;
    this.#zoom.go(factor < range.min * 1.5 ? { by: 2, anchor: inside(anchor) } : { factor: range.min });
  }

  /** A first state may be old, and the console may send one again. */
  #noteMover(before) {
    const { origin, rev } = this.#link.state("zoom") ?? {};
    if (!before || before.rev === rev || !origin?.client) return;
    if (!this.#link.isForeign(origin) || this.#link.isThisDevice(origin)) return;
    this.#movedBy = this.#link.sentence("moves", origin);
    this.#later("mover", MOVER, () => {
      this.#movedBy = null;
      changed();
    });
  }

  /** Says the factor to screen readers when it rests. */
  #drawFactor() {
    const { factor } = this.#zoom;
    if (!factor || this.#stage.dataset.factor === factor.toFixed(4)) return;
    this.#stage.dataset.factor = factor.toFixed(4);
    this.#later("spoken", QUIET, () => setText(this.#spoken, factorText(factor)));
  }

  #press(event) {
    if (isForInput(event) || event.ctrlKey || event.metaKey || event.altKey || this.#link.obstacle) return;
    const { range } = this.#zoom;
    if (event.key === " ") {
      if (!event.repeat) this.#isSpaceHeld = this.#shutter.press();
    } else if (!range || this.#link.zoomObstacle) return;
    else if (event.key === "+" || event.key === "=") this.#zoom.step(KEY_FACTOR);
    else if (event.key === "-") this.#zoom.step(1 / KEY_FACTOR);
    else if (event.key === "Home") this.#zoom.go({ factor: range.min });
    else if (event.key === "End") this.#zoom.go({ factor: range.max });
    else if (event.key in MOVES) {
      const [dx, dy] = MOVES[event.key].map((step) => step * KEY_STEP);
      this.#link.command("viewport", { by: { dx, dy } });
    } else return;
    event.preventDefault();
  }

  // The lease on the zoom.

  #drawLease() {
    const { holder, obstacle } = this.#link;
    const isMine = holder?.isThisDevice ?? false;
    setAttribute(this.#lease, "aria-pressed", isMine);
    setAttribute(this.#lease, "aria-description", holder?.text ?? word("lease_free"));
    setText(this.#leaseText, word(isMine ? "lease_release" : "lease_take"));
    fill(this.#leaseIcon, [holder ? "locked" : "unlocked"], icon);
    forbid(this.#lease, obstacle);
  }

  async #toggleLease() {
    const { holder } = this.#link;
    if (holder?.isThisDevice) {
      this.#wantsLease = false;
      this.#link.command("lease", { release: true });
      return;
    }
    const take = { take: true, ttl_ms: LEASE };
    if (holder) {
      const isOpen = () => this.#link.holder?.question === holder.question && !this.#link.holder.isThisDevice;
      if (!await confirm(holder.question, word("lease_force"), "strong", isOpen)) return;
      take.force = true;
    }
    const answer = await this.#link.command("lease", take);
    this.#wantsLease = answer.status === "done";
    // The screen may have been closed meanwhile.
    if (this.#ended.signal.aborted) this.#releaseLease();
  }

  #releaseLease() {
    if (this.#wantsLease) this.#link.connection.command(this.#link.camera, "lease", { release: true });
    this.#wantsLease = false;
  }

  #renewLease() {
    if (this.#wantsLease && !document.hidden) this.#link.command("lease", { take: true, ttl_ms: LEASE });
  }

  #leaseChanged() {
    const { holder } = this.#link;
    if (this.#wantsLease && holder && !holder.isThisDevice) {
      this.#wantsLease = false;
      this.#showNotice(holder.loss);
    }
  }
}

/** Whether a key belongs to a dialog, an input, or a button that the space bar presses. */
function isForInput({ target, key }) {
  return Boolean(target.closest("dialog, input, select, textarea"))
    || (key === " " && Boolean(target.closest("button, a")));
}
