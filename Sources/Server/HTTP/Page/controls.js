// The sheet with a camera's controls, its privacy, and what the page knows about it.

import { cameraText } from "./camera-words.js";
import { make, openDialog, setAttribute } from "./elements.js";
import { photoWidth } from "./shutter.js";
import { clientName } from "./link.js";
import { language, modeText, number, quantity, word } from "./words.js";

/** The types of values, where a control takes only one. */
const TYPES = { slider: "number", toggle: "boolean", text: "string" };

/** The texts of the states of a virtual camera. */
const outputWords = new Map(["starting", "running", "idle", "failed"].map((state) => [state, `output.${state}`]));

/** Opens the sheet. It follows the states until it is closed. */
export function openControls(link) {
  const controls = make("div", { class: "rows" });
  const privacy = privacyRow(link);
  const about = make("dl", {});
  let rows = [];
  let drawn = "";
  const update = () => {
    const descriptors = link.info?.controls ?? [];
    const shape = JSON.stringify(descriptors.map(({ enabled, reason, ...shape }) => shape));
    if (shape !== drawn) {
      drawn = shape;
      rows = descriptors.map((descriptor) => new ControlRow(link, descriptor));
      controls.replaceChildren(...rows.map((row) => row.element));
    }
    descriptors.forEach((descriptor, place) => rows[place].update(descriptor));
    privacy.update();
    drawAbout(about, link);
  };
  const dialog = openDialog(word("settings"), "sheet",
    make("div", { class: "rows" }, privacy.element, photoSizeRow()), controls, about);
  link.addEventListener("change", update);
  dialog.addEventListener("close", () => link.removeEventListener("change", update));
  update();
}

/** One control: its title, its input, and why it cannot be set. */
class ControlRow {
  #link;
  #kind;
  #name;
  #unit;
  #input;
  #value = make("output", {});
  #reason = make("p", { class: "reason" });
  /** Whether a finger is on the slider: then it shows the finger's value. */
  #isHeld = false;
  #isSending = false;
  #next = null;

  constructor(link, descriptor) {
    this.#link = link;
    this.#kind = descriptor.kind;
    this.#name = descriptor.name;
    this.#unit = descriptor.unit ?? "";
    const id = `control-${descriptor.name}`;
    this.#reason.id = `${id}-reason`;
    this.#input = this.#makeInput(id, descriptor);
    const { text, lang } = cameraText(descriptor.title);
    const title = make("label", { for: id, lang }, text);
    this.element = make("div", { class: `control ${this.#kind}`, "data-control": descriptor.name },
      make("div", { class: "title" }, title, this.#value), this.#input, this.#reason);
  }

  update(descriptor) {
    const { text, lang } = this.#obstacle(descriptor);
    this.#input.disabled = text !== null;
    this.#reason.textContent = text ?? "";
    setAttribute(this.#reason, "lang", lang);
    setAttribute(this.#input, "aria-describedby", text === null ? null : this.#reason.id);
    if (!this.#isHeld && !this.#isSending) this.#show(this.#link.state("controls")?.values?.[this.#name]);
  }

  /** Why the control cannot be set: {text, lang}; the text is null if it can be. */
  #obstacle({ enabled, read_only: isReadOnly, reason = "" }) {
    const text = this.#link.obstacle ?? (isReadOnly ? word("read_only") : null);
    return text !== null || enabled ? { text, lang: null } : cameraText(reason);
  }

  #makeInput(id, { kind, min, max, step, values, options, title }) {
    const send = (value) => this.#send(value);
    switch (kind) {
      case "slider": {
        const slider = make("input", { id, type: "range", min, max, step });
        slider.addEventListener("pointerdown", () => { this.#isHeld = true; });
        for (const end of ["pointerup", "pointercancel", "change"]) {
          slider.addEventListener(end, () => { this.#isHeld = false; });
        }
        slider.addEventListener("input", () => {
          this.#showNumber(slider.valueAsNumber);
          send(slider.valueAsNumber);
        });
        return slider;
      }
      case "discrete":
      case "picker": {
        const choices = options
          ?? values.map((value) => ({ value, title: quantity(value, this.#unit, 6) }));
        const select = make("select", { id, change: () => send(choices[select.selectedIndex].value) },
          ...choices.map((choice) => {
            const { text, lang } = options ? cameraText(choice.title) : { text: choice.title };
            return make("option", { value: JSON.stringify(choice.value), lang }, text);
          }));
        return select;
      }
      case "toggle":
        return make("input", {
          id, type: "checkbox", role: "switch", change: (event) => send(event.target.checked),
        });
      case "button": {
        const { text, lang } = cameraText(title);
        return make("button", { id, type: "button", lang, "aria-label": text, click: () => send(true) },
          make("span", { lang: language }, word("trigger")));
      }
      default:
        return make("output", { id });
    }
  }

  #show(value) {
    if (value === undefined || (this.#kind in TYPES && typeof value !== TYPES[this.#kind])) return;
    switch (this.#kind) {
      case "slider":
        this.#input.value = value;
        this.#showNumber(value);
        break;
      case "toggle":
        this.#input.checked = value;
        break;
      case "discrete":
      case "picker":
        this.#input.value = JSON.stringify(value);
        break;
      case "text":
        this.#input.textContent = this.#unit ? `${value}\u00a0${this.#unit}` : value;
        break;
    }
  }

  #showNumber(value) {
    this.#value.textContent = quantity(value, this.#unit, 3);
  }

  /** Sends a value; while one is under way, only the newest one waits. */
  async #send(value) {
    if (this.#isSending) {
      this.#next = { value };
      return;
    }
    this.#isSending = true;
    await this.#link.command("controls", { [this.#name]: value });
    this.#isSending = false;
    const next = this.#next;
    this.#next = null;
    if (next) this.#send(next.value);
    else if (!this.#isHeld) this.#show(this.#link.state("controls")?.values?.[this.#name]);
  }
}

function privacyRow(link) {
  const id = "privacy";
  const input = make("input", { id, type: "checkbox", role: "switch", "aria-describedby": "privacy-reason" });
  const reason = make("p", { class: "reason", id: "privacy-reason" });
  input.addEventListener("change", async () => {
    await link.command("privacy", { state: input.checked ? "ON" : "OFF" });
    update();
  });
  function update() {
    const { hello } = link.connection;
    const state = link.state("privacy");
    const isOn = state?.state === "ON";
    input.checked = isOn;
    const obstacle = !hello ? word("error.lost")
      : hello.role === "look" ? word("look_only")
      : isOn && hello.role !== "manage" ? word("need_manage") : null;
    input.disabled = obstacle !== null || !state;
    reason.textContent = obstacle
      ?? (isOn && state.client
        ? word("private_since", { client: clientName(state.client, state.proved) })
        : word("privacy_hint"));
  }
  const element = make("div", { class: "control toggle" },
    make("div", { class: "title" }, make("label", { for: id }, word("privacy"))), input, reason);
  return { element, update };
}

function photoSizeRow() {
  const text = (width) =>
    (width ? word("photo_size.limited", { pixels: number(width) }) : word("photo_size.full"));
  const select = make("select", { id: "photo-size", change: () => photoWidth.set(select.value) },
    ...photoWidth.choices.map((width) =>
      make("option", { value: width ?? "", selected: width === photoWidth.get() }, text(width))));
  return make("div", { class: "control picker" },
    make("div", { class: "title" }, make("label", { for: "photo-size" }, word("photo_size"))), select);
}

/** What other programs see of the camera at the moment; null: there is no virtual camera. */
function virtualCameraText(output) {
  const key = outputWords.get(output?.state);
  if (!key) return null;
  const isBlack = output.state === "running" && output.shows === "black";
  const facts = [output.device, modeText(output), isBlack ? word("output.black") : word(key)];
  // Agents write English.
  const reason = language === "en" ? output.error?.message : null;
  return [facts.filter(Boolean).join(", "), reason].filter(Boolean).join(". ");
}

function drawAbout(list, link) {
  const { hello, delay } = link.connection;
  const session = link.state("session");
  const facts = {
    name: link.info?.name,
    model: link.info?.model,
    resolution: session && modeText(session),
    virtual_camera: virtualCameraText(link.state("output")),
    delay: delay !== null && `${number(delay)} ms`,
    device: hello?.client && `${hello.client} (${hello.role})`,
    version: hello?.version,
  };
  list.replaceChildren(...Object.entries(facts).filter(([, fact]) => fact).flatMap(([key, fact]) =>
    [make("dt", {}, word(key)), make("dd", {}, fact)]));
}
