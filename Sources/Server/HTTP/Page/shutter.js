// The shutter, its two modes, and the last photo.

import { forbid, iconButton, make, openDialog, setAttribute, setText } from "./elements.js";
import { icon } from "./icons.js";
import { kept } from "./kept.js";
import { changed } from "./render.js";
import { allowSound, playSound } from "./sound.js";
import { bytesText, duration, number, word, words } from "./words.js";

/** A finger that is lifted so many CSS pixels beside the button takes no photo. */
const MARGIN = 60;
const keptWidth = kept("localStorage", "photo-width");

/** The width to which photos for this page are limited, or null. It is kept in this browser. */
export const photoWidth = {
  choices: [null, 2560, 1280],
  get: () => Number(keptWidth.value) || null,
  set: (width) => { keptWidth.value = width || null; },
};

export class Shutter {
  #link;
  #openGallery;
  #mode = "photo";
  /** The present press: the `button` of the contract, `primary` or `secondary` (null: neither takes photos),
   * and whether the camera recorded already when it was pressed. Null if nothing is held down. */
  #held = null;
  #wasRecording = false;
  #photo = null;
  #flash;

  /** `flash` shows that a photo was taken; `openGallery` opens the list of all of them. */
  constructor(link, flash, openGallery, signal) {
    this.#link = link;
    this.#flash = flash;
    this.#openGallery = openGallery;
    this.button = make("button", { type: "button", class: "shutter" }, make("span"));
    /** Takes a photo while the camera records. */
    this.still = make("button", {
      type: "button", class: "still", hidden: true, "aria-label": word("shoot"), title: word("shoot"),
      click: () => this.#shoot((reply) => link.command("capture", reply)),
    }, make("span"));
    this.thumbnail = make("button", {
      type: "button", class: "thumbnail", click: () => (this.#photo ? this.#showPhoto() : openGallery()),
    }, icon("photos"));
    const mode = (name) =>
      // A screen reader might spell the capital letters that the style sheet makes of the text.
      make("button", {
        type: "button", "data-mode": name, "aria-label": word(name), click: () => this.#choose(name),
      }, word(name));
    this.modes = make("div", { class: "modes", role: "group", "aria-label": word("mode") },
      mode("photo"), mode("video"));
    this.clock = make("button", {
      type: "button", class: "clock", hidden: true, click: () => link.command("recording", { on: false }),
    });
    this.#followFinger();
    const timer = setInterval(changed, 250);
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      this.cancel();
      this.#forgetPhoto();
    });
  }

  /** Presses the shutter, from the screen or the keyboard. Returns whether it was up and could be pressed. */
  press() {
    if (this.button.disabled || this.#held) return false;
    allowSound();
    const press = { button: this.#photoButton, wasRecording: this.#recording.on };
    this.#held = press;
    this.button.classList.add("pressed");
    if (this.#phased) this.#pressAtCamera(press);
    return true;
  }

  async #pressAtCamera(press) {
    const { status } = await this.#tellPhase("began", press);
    // The agent has refused the press: it does not know of a button that could be released.
    if (status === "error" && this.#held === press) this.#resetHeld();
  }

  /** Releases it: takes the photo, starts or stops the recording. */
  async release() {
    if (!this.#held) return;
    const [press, isPhased] = [this.#held, this.#phased];
    this.#resetHeld();
    if (this.#mode === "video") {
      this.#link.command("recording", { on: !this.#recording.on });
      return;
    }
    const answer = await this.#shoot((reply) => (isPhased
      ? this.#tellPhase("ended", press, reply)
      : this.#link.command("capture", reply)), this.#recording.on && !press.wasRecording);
    // The agent may not have released the button of a release that it has refused.
    if (isPhased && answer.status === "error" && !this.#held) this.#tellPhase("cancelled", press);
  }

  /** Takes a photo by a command that asks for its picture. `isQuiet`: a long press has recorded instead. */
  async #shoot(send, isQuiet = false) {
    if (!isQuiet) this.#flash();
    const width = photoWidth.get();
    const answer = await send({ reply: "image", ...(width ? { size: { width } } : {}) });
    if (answer.image) this.#keepPhoto(URL.createObjectURL(answer.image));
    else if (answer.photos?.length > 0) {
      // Without MQTT 5 between agent and console there are no bytes: neither now nor from the gallery.
      const { path } = answer.photos.at(-1);
      this.#link.notice(word("photo_stored", { name: path.slice(path.lastIndexOf("/") + 1) }));
    }
    return answer;
  }

  /** Releases it without a photo. */
  cancel() {
    if (!this.#held) return;
    if (this.#phased) this.#tellPhase("cancelled", this.#held);
    this.#resetHeld();
  }

  update() {
    const { obstacle } = this.#link;
    const { on: isRecording, state } = this.#recording;
    // A recording that is not held by this finger is stopped in the mode for recordings.
    if (isRecording && !this.#wasRecording && !this.#held) this.#mode = "video";
    this.#wasRecording = isRecording;
    // A disabled button would not hear that the finger is lifted.
    if (obstacle && this.#held) this.#resetHeld();
    const isVideo = this.#mode === "video";
    const label = word(isVideo ? (isRecording ? "stop" : "record") : "shoot");
    setAttribute(this.button, "aria-label", label);
    setAttribute(this.button, "data-mode", this.#mode);
    setAttribute(this.button, "data-recording", isRecording);
    setAttribute(this.button, "aria-busy", state === "starting" || state === "finishing");
    forbid(this.button, obstacle ?? (isVideo && state === "finishing" ? word("finishing") : null));
    this.still.hidden = !isVideo || !isRecording;
    forbid(this.still, obstacle);
    for (const mode of this.modes.children) {
      setAttribute(mode, "aria-pressed", mode.dataset.mode === this.#mode);
      forbid(mode, obstacle);
    }
    setAttribute(this.thumbnail, "aria-label", word(this.#photo ? "last_photo" : "gallery"));
    // The gallery also works while the camera is away or private.
    forbid(this.thumbnail, this.#photo ? null : this.#link.refusal ?? this.#link.nonexistence);
    this.#drawClock();
  }

  get #recording() {
    return this.#link.state("recording") ?? { on: false, state: "idle" };
  }

  /** The button of the contract that takes photos, or null if both are configured to record. */
  get #photoButton() {
    const { primary, secondary } = this.#link.info?.shutter ?? {};
    return primary === "photo" ? "primary" : secondary === "photo" ? "secondary" : null;
  }

  get #phased() {
    return this.#mode === "photo" && this.#photoButton !== null;
  }

  #choose(mode) {
    this.cancel();
    this.#mode = mode;
    changed();
  }

  /** Sends a phase of a press. Resolves to the final answer. */
  #tellPhase(phase, { button }, reply = {}) {
    return this.#link.command("capture", { phase, button, remote: true, ...reply });
  }

  #resetHeld() {
    this.#held = null;
    this.button.classList.remove("pressed");
  }

  #followFinger() {
    const { button } = this;
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      this.press();
    });
    button.addEventListener("pointerup", (event) => {
      const place = button.getBoundingClientRect();
      const isNear = event.clientX > place.left - MARGIN && event.clientX < place.right + MARGIN
        && event.clientY > place.top - MARGIN && event.clientY < place.bottom + MARGIN;
      // A recording that the held button has started ends wherever the finger is lifted.
      if (isNear || this.#recording.on) this.release();
      else this.cancel();
    });
    button.addEventListener("pointercancel", () => this.cancel());
    // Keys and screen readers click without a pointer.
    button.addEventListener("click", (event) => {
      if (event.detail !== 0) return;
      this.press();
      this.release();
    });
  }

  #drawClock() {
    const { on, started_at: started } = this.#recording;
    this.clock.hidden = !on;
    if (!on) return;
    const time = duration(started ? (this.#link.connection.now - Date.parse(started)) / 1000 : 0);
    setText(this.clock, time);
    setAttribute(this.clock, "aria-label", `${word("recording_time", { time })}. ${word("stop")}`);
    forbid(this.clock, this.#link.obstacle);
  }

  event(event) {
    if (event.event === "sound" && event.sound !== "none" && this.#link.isThisDevice(event)) {
      playSound(event.action);
    }
    if (event.event !== "recording_finished") return;
    const { reason, duration_s: seconds = 0, bytes, earlier = [] } = event.recording ?? {};
    if (reason === "continued") {
      this.#link.notice(word("recording_continued"));
    } else if (`end.${reason}` in words) {
      this.#link.notice(word("recording_ended", { reason: word(`end.${reason}`) }));
    } else if (bytes) {
      const values = { time: duration(seconds), size: bytesText(bytes), count: number(earlier.length + 1) };
      this.#link.notice(word(earlier.length > 0 ? "recorded_files" : "recorded", values));
    }
  }

  #keepPhoto(address) {
    this.#forgetPhoto();
    const time = new Date().toISOString().replace(/[:.]/g, "-");
    this.#photo = { address, name: `${this.#link.camera.replace("/", "-")}-${time}.jpg` };
    this.thumbnail.replaceChildren(make("img", { src: address, alt: "" }));
    changed();
  }

  #forgetPhoto() {
    if (this.#photo) URL.revokeObjectURL(this.#photo.address);
    this.#photo = null;
  }

  #showPhoto() {
    const { address, name } = this.#photo;
    const gallery = () => {
      dialog.close();
      this.#openGallery();
    };
    const dialog = openDialog(word("last_photo"), "viewer", [
      make("img", { src: address, alt: word("last_photo") }),
      make("footer", {},
        iconButton("photos", word("gallery"), gallery, { disabled: Boolean(this.#link.refusal) }),
        make("a", { class: "button strong", href: address, download: name }, word("save"))),
    ]);
  }
}
