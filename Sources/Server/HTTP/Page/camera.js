// The screen of one camera.

import { openControls } from "./controls.js";
import { Dial } from "./dial.js";
import { confirm, forbid, iconButton, make, setAttribute } from "./elements.js";
import { openGallery } from "./gallery.js";
import { Gestures } from "./gestures.js";
import { icon } from "./icons.js";
import { CameraLink, clientName } from "./link.js";
import { Picture } from "./picture.js";
import { Presets } from "./presets.js";
import { Shutter } from "./shutter.js";
import { inside } from "./view.js";
import { factorText, modeText, number, qualityText, word } from "./words.js";
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
  #dial;
  #presets;
  #stage;
  #message = make("p", { class: "message", role: "status" });
  #notice = make("p", { class: "notice", role: "alert" });
  #mover = make("p", { class: "mover", role: "status" });
  #spoken = make("p", { class: "hidden", role: "status", "aria-live": "polite" });
  #chips = make("div", { class: "chips", role: "group", "aria-label": word("zoom_factors") });
  #chipsDrawn = "";
  #quality = make("select", { class: "quality", "aria-label": word("quality") });
  #qualitiesDrawn = "";
  #lease;
  #wantsLease = false;
  /** The name of the other client that moves the zoom now, or null. */
  #movedBy = null;
  /** The camera's name, or its id before that is known. */
  #title = make("span");
  /** Whether the space bar has pressed the shutter. It may be lifted while something else has the focus. */
  #isSpaceHeld = false;
  #timers = {};

  constructor(connection, camera) {
    const { signal } = this.#ended;
    this.#link = new CameraLink(connection, camera, signal);
    this.#zoom = new Zoom(this.#link);
    this.#dial = new Dial(this.#zoom);
    this.#presets = new Presets(this.#link);
    this.#stage = make("div", {
      class: "stage", role: "group", tabindex: "0", "aria-label": word("stage"),
      "aria-description": word("stage_help"),
    }, this.#message, this.#mover, this.#notice);
    this.#picture = new Picture(this.#stage, this.#link, this.#zoom, () => this.#describe(), signal);
    this.#gestures = new Gestures(this.#stage, this.#zoom, () => this.#picture.box,
      (anchor) => this.#doubleTap(anchor), signal);
    this.#shutter = new Shutter(this.#link, () => this.#flash(), () => openGallery(this.#link), signal);
    this.#lease = iconButton("unlocked", word("lease_take"), () => this.#toggleLease(), {
      class: "icon round",
    });
    this.#quality.addEventListener("change", () => this.#chooseQuality());
    this.#title.textContent = camera.split("/")[1];
    this.element = this.#compose(camera.split("/")[0]);
    this.#listen(signal);
    this.#update();
  }

  /** Removes the screen, and ends everything that it holds at the camera. */
  close() {
    this.hide();
    this.#releaseLease();
    this.#ended.abort();
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    this.element.remove();
  }

  /** The page is hidden, or other windows get its keys: nothing may move on. */
  hide() {
    this.#isSpaceHeld = false;
    this.#gestures.cancel();
    this.#zoom.cancel();
    this.#shutter.cancel();
  }

  #compose(agent) {
    const label = word("back");
    const back = make("a", { class: "icon", href: "#", "aria-label": label, title: label }, icon("back"));
    return make("main", { class: "camera" },
      make("header", { class: "bar" }, back,
        make("h1", {}, this.#title, make("small", {}, agent)), this.#shutter.clock, this.#quality,
        iconButton("settings", word("settings"), () => openControls(this.#link))),
      this.#stage,
      make("section", { class: "panel" },
        this.#presets.element, this.#chips, this.#dial.element, this.#shutter.modes,
        make("div", { class: "release" }, this.#shutter.thumbnail, this.#shutter.button, this.#lease)),
      this.#spoken);
  }

  #listen(signal) {
    this.#link.addEventListener("change", ({ detail: node }) => {
      if (node === "zoom") this.#showMover();
      if (node === "lease") this.#leaseChanged();
      if (this.#link.zoomObstacle) this.#zoom.cancel();
      this.#update();
    });
    this.#link.addEventListener("notice", ({ detail }) => this.#showNotice(detail));
    this.#zoom.addEventListener("change", () => this.#showFactor());
    const renewal = setInterval(() => this.#renewLease(), RENEWAL);
    signal.addEventListener("abort", () => clearInterval(renewal));
    document.addEventListener("keydown", (event) => this.#press(event), { signal });
    document.addEventListener("keyup", (event) => {
      if (event.key !== " " || !this.#isSpaceHeld) return;
      this.#isSpaceHeld = false;
      this.#shutter.release();
    }, { signal });
  }

  #update() {
    this.#drawTitle();
    this.#describe();
    this.#dial.update();
    this.#drawChips();
    this.#drawQualities();
    this.#drawLease();
    this.#drawCaption();
    forbid(this.#quality, this.#link.obstacle);
    for (const chip of this.#chips.children) forbid(chip, this.#link.zoomObstacle);
  }

  /** Says on the stage why there is no picture. */
  #describe() {
    const { absence } = this.#link;
    if (absence && this.#stage.dataset.frame) this.#picture.clear();
    const hasPicture = this.#picture.drawnAt > -Infinity;
    this.#message.textContent = absence ?? (hasPicture ? "" : word("waiting"));
    setAttribute(this.#stage, "data-waiting", !absence && !hasPicture);
  }

  #showNotice(text) {
    this.#notice.textContent = text;
    this.#later("notice", NOTICE, () => { this.#notice.textContent = ""; });
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

  #showFactor() {
    const { factor } = this.#zoom;
    if (!factor) return;
    this.#stage.dataset.factor = factor.toFixed(4);
    this.#markChip(factor);
    this.#later("spoken", QUIET, () => { this.#spoken.textContent = factorText(factor); });
  }

  #showMover() {
    const { origin } = this.#link.state("zoom") ?? {};
    if (!origin?.client || !this.#link.isForeign(origin) || this.#link.isThisDevice(origin)) return;
    this.#movedBy = clientName(origin.client, origin.proved);
    this.#later("mover", MOVER, () => {
      this.#movedBy = null;
      this.#drawCaption();
    });
  }

  /** Says below the picture who zooms. */
  #drawCaption() {
    const { holder } = this.#link;
    this.#mover.textContent = this.#movedBy !== null ? word("moves", { client: this.#movedBy })
      : this.#link.connection.hello?.role === "look" ? word("look_only")
      : holder ? holder.text : "";
  }

  /** The least factor, those at which a lens hands over, and the powers of two. */
  #drawChips() {
    const { range } = this.#zoom;
    if (!range) return;
    const powers = Array.from({ length: 8 }, (_, power) => 2 ** power);
    const factors = [range.min, ...(this.#link.info.zoom.handover), ...powers]
      .filter((factor) => factor >= range.min && factor <= range.max)
      .sort((one, other) => one - other)
      .filter((factor, place, all) => place === 0 || factor / all[place - 1] > 1.05);
    if (this.#chipsDrawn === factors.join()) return;
    this.#chipsDrawn = factors.join();
    this.#chips.replaceChildren(...factors.map((factor) => {
      const text = number(factor, 1);
      return make("button", {
        type: "button", "data-factor": factor, "aria-label": word("zoom_to", { factor: `${text}×` }),
        click: () => this.#zoom.go({ factor }),
      }, text);
    }));
    this.#showFactor();
  }

  /** The chip in effect is the highest one that the factor has reached. */
  #markChip(factor) {
    const chips = [...this.#chips.children];
    const current = chips.filter((chip) => Number(chip.dataset.factor) <= factor * 1.001).at(-1);
    for (const chip of chips) setAttribute(chip, "aria-pressed", chip === current);
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

  #drawTitle() {
    const { name } = this.#link.info ?? {};
    if (!name || this.#title.textContent === name) return;
    this.#title.textContent = name;
    document.title = name;
  }

  // The quality.

  #drawQualities() {
    const session = this.#link.state("session");
    if (!session || !this.#link.info) return;
    const qualities = [...new Set([...this.#link.info.qualities, session.quality])];
    if (this.#qualitiesDrawn !== qualities.join("\n")) {
      this.#qualitiesDrawn = qualities.join("\n");
      const option = (name) => make("option", { value: name }, qualityText(name));
      this.#quality.replaceChildren(...qualities.map(option));
    }
    this.#quality.value = session.quality;
  }

  async #chooseQuality() {
    const { session } = await this.#link.command("session", { quality: this.#quality.value });
    // The size may be another one than the name suggests.
    const mode = session && modeText(session);
    if (mode) this.#link.notice(word("quality_now", { quality: qualityText(session.quality), mode }));
    this.#drawQualities();
  }

  // The lease on the zoom.

  #drawLease() {
    const { holder } = this.#link;
    const isMine = holder?.isThisDevice ?? false;
    const text = holder?.text ?? word("lease_free");
    setAttribute(this.#lease, "aria-pressed", isMine);
    setAttribute(this.#lease, "aria-label", word(isMine ? "lease_release" : "lease_take"));
    setAttribute(this.#lease, "aria-description", text);
    if (this.#lease.dataset.holder !== text) {
      this.#lease.dataset.holder = text;
      this.#lease.replaceChildren(icon(holder ? "locked" : "unlocked"));
    }
    forbid(this.#lease, this.#link.obstacle);
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
      if (!await confirm(word("lease_question", { client: holder.name }), word("lease_force"))) return;
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
      this.#showNotice(word("lease_lost", { client: holder.name }));
    }
  }
}

/** Whether a key belongs to a dialog, an input, or a button that the space bar presses. */
function isForInput({ target, key }) {
  return Boolean(target.closest("dialog, input, select, textarea"))
    || (key === " " && Boolean(target.closest("button, a")));
}
