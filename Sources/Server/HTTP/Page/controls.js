// The sheet with a camera's controls, its privacy, and what the page knows about it.

import { cameraText } from "./camera-words.js";
import { fill, make, openSheet, setAttribute, setText } from "./elements.js";
import { changed } from "./render.js";
import { photoWidth } from "./shutter.js";
import { language, modeText, number, qualityText, quantity, word } from "./words.js";

/** The types of values, where a control takes only one. */
const TYPES = { slider: "number", toggle: "boolean", text: "string", name: "string" };
/** The texts of the states of a virtual camera. */
const outputWords = new Map(["starting", "running", "idle", "failed"].map((state) => [state, `output.${state}`]));

/** Opens the sheet in `place`. It follows the states until it is closed. */
export function openControls(link, place) {
  const list = make("div", { class: "rows" });
  const about = make("dl", {});
  const obstacle = make("p", { class: "reason", id: "obstacle" });
  const rows = new WeakMap();
  const update = () => {
    setText(obstacle, link.obstacle ?? "");
    const descriptors = link.info?.controls ?? [];
    const shapes = [
      { make: "quality", qualities: qualitiesOf(link) },
      ...descriptors.map(({ enabled, reason, ...shape }) => shape),
      { make: "photo_size" }, { make: "privacy" },
      ...(link.connection.namesItself ? [{ make: "page_name" }] : []),
    ];
    const elements = fill(list, shapes, (shape) => {
      const row = (makers[shape.make] ?? controlRow)(link, shape);
      rows.set(row.element, row);
      return row.element;
    });
    for (const element of elements) rows.get(element).update(link.obstacle);
    const fact = ([key, text]) => make("div", {}, make("dt", {}, word(key)), make("dd", {}, text));
    fill(about, Object.entries(facts(link)).filter(([, text]) => text), fact);
  };
  openSheet(place, word("settings"), [obstacle, list, about], update);
}

/** What a row shows and does: one control, or what the page sets itself. */
class Row {
  #source;
  #input;
  #value = make("output", {});
  #reason = make("p", { class: "reason" });
  /** Whether a finger is on the slider: then it shows the finger's value. */
  #isHeld = false;
  #isSending = false;
  #next = null;

  /**
   * Of `source`: `id`, `kind`, `title` ({text, lang}); of some kinds `min`, `max`, `step`, `unit` and `choices`
   * ({value, text, lang}); `value()`, `send(value)`; `obstacle()` and `hint()`: why it cannot be set, and else
   * what to say below it ({text, lang}, the text may be null).
   */
  constructor(source) {
    this.#source = source;
    this.#reason.id = `${source.id}-reason`;
    this.#input = this.#makeInput(source);
    const title = make("label", { for: source.id, lang: source.title.lang }, source.title.text);
    this.element = make("div", { class: `control ${source.kind}` },
      make("div", { class: "title" }, title, this.#value), this.#input, this.#reason);
  }

  /** `common`: what hinders all rows. It is said above them. */
  update(common) {
    const obstacle = this.#source.obstacle();
    const { text, lang = null } = obstacle.text ? obstacle : this.#source.hint?.() ?? obstacle;
    const isCommon = text === common;
    this.#input.disabled = Boolean(obstacle.text);
    setText(this.#reason, isCommon ? "" : text ?? "");
    setAttribute(this.#reason, "lang", lang);
    setAttribute(this.#input, "aria-describedby", text ? (isCommon ? "obstacle" : this.#reason.id) : null);
    if (!this.#isHeld && !this.#isSending) this.#show(this.#source.value());
  }

  #makeInput({ id, kind, min, max, step, choices, title }) {
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
      case "picker": {
        const select = make("select", { id, change: () => send(choices[select.selectedIndex].value) },
          ...choices.map(({ value, text, lang }) => make("option", { value: JSON.stringify(value), lang }, text)));
        return select;
      }
      case "toggle":
        return make("input", {
          id, type: "checkbox", role: "switch", change: (event) => send(event.target.checked),
        });
      case "button":
        return make("button", {
          id, type: "button", lang: title.lang, "aria-label": title.text, click: () => send(true),
        }, make("span", { lang: language }, word("trigger")));
      case "name":
        return make("input", {
          id, type: "text", maxlength: 40, autocomplete: "off", spellcheck: "false",
          change: (event) => send(event.target.value.trim()),
        });
      default:
        return make("output", { id });
    }
  }

  #show(value) {
    const { kind, unit } = this.#source;
    if (value === undefined || (kind in TYPES && typeof value !== TYPES[kind])) return;
    switch (kind) {
      case "slider":
        if (this.#input.valueAsNumber !== value) this.#input.value = value;
        this.#showNumber(value);
        break;
      case "toggle":
        this.#input.checked = value;
        break;
      case "picker":
        if (this.#input.value !== JSON.stringify(value)) this.#input.value = JSON.stringify(value);
        break;
      case "name":
        if (document.activeElement !== this.#input) this.#input.value = value;
        break;
      case "text":
        setText(this.#input, unit ? `${value}\u00a0${unit}` : value);
        break;
    }
  }

  #showNumber(value) {
    setText(this.#value, quantity(value, this.#source.unit, 3));
  }

  /** Sends a value; while one is under way, only the newest one waits. */
  async #send(value) {
    if (this.#isSending) {
      this.#next = { value };
      return;
    }
    this.#isSending = true;
    await this.#source.send(value);
    this.#isSending = false;
    const next = this.#next;
    this.#next = null;
    if (next) this.#send(next.value);
    else changed();
  }
}

function controlRow(link, { name, title, kind, unit = "", values, options, ...limits }) {
  const choices = options
    ? options.map((option) => ({ value: option.value, ...cameraText(option.title) }))
    : values?.map((value) => ({ value, text: quantity(value, unit, 6) }));
  const row = new Row({
    ...limits, unit, choices, id: `control-${name}`, title: cameraText(title),
    kind: kind === "discrete" ? "picker" : kind,
    value: () => link.state("controls")?.values?.[name],
    send: (value) => link.command("controls", { [name]: value }),
    obstacle() {
      const { enabled, read_only: isReadOnly, reason = "" } =
        link.info?.controls.find((one) => one.name === name) ?? {};
      if (link.obstacle || (enabled && !isReadOnly)) return { text: link.obstacle };
      return isReadOnly && !reason ? { text: word("read_only") } : cameraText(reason);
    },
  });
  row.element.dataset.control = name;
  return row;
}

const makers = { quality: qualityRow, photo_size: photoSizeRow, page_name: pageNameRow, privacy: privacyRow };

/** The qualities that the camera offers, and the one in effect. */
function qualitiesOf(link) {
  const { quality } = link.state("session") ?? {};
  return [...new Set([...(link.info?.qualities ?? []), ...(quality === undefined ? [] : [quality])])];
}

function qualityRow(link, { qualities }) {
  const state = () => link.state("session");
  return new Row({
    id: "quality", kind: "picker", title: { text: word("quality") },
    choices: qualities.map((value) => ({ value, text: qualityText(value) })),
    value: () => state()?.quality,
    async send(quality) {
      const { session } = await link.command("session", { quality });
      // The size may be another one than the name suggests.
      const mode = session && modeText(session);
      if (mode) link.notice(word("quality_now", { quality: qualityText(session.quality), mode }));
    },
    obstacle: () => ({ text: link.obstacle }), hint: () => ({ text: state() && modeText(state()) }),
  });
}

function privacyRow(link) {
  const state = () => link.state("privacy");
  const isOn = () => state()?.state === "ON";
  return new Row({
    id: "privacy", kind: "toggle", title: { text: word("privacy") }, value: isOn,
    send: (value) => link.command("privacy", { state: value ? "ON" : "OFF" }),
    obstacle: () => ({
      text: link.refusal ?? (isOn() && !link.isManager ? word("need_manage")
        : state() ? null : word("privacy_hint")),
    }),
    hint: () => ({
      text: isOn() && state().client
        ? link.sentence("private_since", state())
        : word("privacy_hint"),
    }),
  });
}

function photoSizeRow() {
  const text = (width) =>
    (width ? word("photo_size.limited", { pixels: number(width) }) : word("photo_size.full"));
  return new Row({
    id: "photo-size", kind: "picker", title: { text: word("photo_size") },
    choices: photoWidth.choices.map((value) => ({ value, text: text(value) })),
    value: photoWidth.get, send: photoWidth.set, obstacle: () => ({ text: null }),
  });
}

function pageNameRow({ connection }) {
  return new Row({
    id: "page-name", kind: "name", title: { text: word("page_name") }, value: () => connection.givenName,
    send: (name) => { connection.givenName = name; },
    obstacle: () => ({ text: null }), hint: () => ({ text: word("page_name_hint") }),
  });
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

/** What the page knows about the camera and itself, by the keys of the titles. */
function facts(link) {
  const { hello, delay } = link.connection;
  const session = link.state("session");
  return {
    name: link.info?.name,
    model: link.info?.model,
    resolution: session && modeText(session),
    virtual_camera: virtualCameraText(link.state("output")),
    delay: delay !== null && `${number(delay)} ms`,
    device: hello?.client && `${hello.client} (${word(`role.${hello.role}`)})`,
    version: hello?.version,
  };
}
