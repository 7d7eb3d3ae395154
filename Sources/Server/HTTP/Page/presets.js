// The presets of a camera: a row of buttons, and a dialog to save and delete them.

import { fill, forbid, iconButton, make, openSheet, setAttribute } from "./elements.js";
import { word } from "./words.js";
import { chosenRate } from "./zoom.js";

/** `home` exists always, although it is not in the list. */
const HOME = "home";
const NAME_BYTES = 64;

export class Presets {
  element = make("div", { class: "presets", role: "group", "aria-label": word("presets") });
  #link;
  #place;

  /** The sheet to change them opens in `place`. */
  constructor(link, place) {
    [this.#link, this.#place] = [link, place];
  }

  get #saved() {
    const presets = this.#link.state("presets")?.presets ?? {};
    return Object.keys(presets).sort((one, other) => one.localeCompare(other));
  }

  update() {
    const names = [HOME, ...this.#saved.filter((name) => name !== HOME), null];
    const current = this.#link.state("presets")?.current;
    for (const button of fill(this.element, names, (name) => this.#makeButton(name))) {
      const { preset } = button.dataset;
      forbid(button, preset === undefined ? this.#link.obstacle : this.#link.zoomObstacle);
      if (preset !== undefined) setAttribute(button, "aria-pressed", preset === current);
    }
  }

  /** The button of a preset; null: the one that opens the dialog. */
  #makeButton(name) {
    if (name === null) return iconButton("add", word("preset_edit"), () => this.#edit(), { class: "icon chip" });
    const preset = name === HOME ? word("home") : name;
    return make("button", {
      type: "button", class: "chip", "data-preset": name, "aria-label": word("preset_go", { preset }),
      click: () => this.#link.command("presets", { go: name, ...chosenRate() }),
    }, preset);
  }

  #edit() {
    const name = make("input", {
      type: "text", maxlength: NAME_BYTES, required: true, autocomplete: "off",
      "aria-label": word("preset_name"), placeholder: word("preset_name"),
    });
    const save = async (event) => {
      event.preventDefault();
      const answer = await this.#link.command("presets", { save: name.value });
      if (answer.status === "done") sheet.close();
    };
    const list = make("ul", { class: "rows" });
    const row = (preset) => make("li", {}, make("span", {}, preset),
      iconButton("bin", word("preset_delete", { preset }), () => this.#link.command("presets", { delete: preset })));
    const form = make("form", { class: "row", submit: save }, name,
      make("button", { class: "strong" }, word("preset_save")));
    const sheet = openSheet(this.#place, word("presets"), [form, list], () => fill(list, this.#saved, row));
  }
}
