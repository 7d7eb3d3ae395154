// The presets of a camera: a row of buttons, and a dialog to save and delete them.

import { forbid, iconButton, make, openDialog, setAttribute } from "./elements.js";
import { word } from "./words.js";
import { chosenRate } from "./zoom.js";

/** `home` exists always, although it is not in the list. */
const HOME = "home";
const NAME_BYTES = 64;

export class Presets {
  #link;
  #drawn = null;

  constructor(link) {
    this.#link = link;
    this.element = make("div", { class: "presets", role: "group", "aria-label": word("presets") });
    link.addEventListener("change", () => this.#update());
    this.#update();
  }

  get #names() {
    return [HOME, ...this.#saved.filter((name) => name !== HOME)];
  }

  get #saved() {
    const presets = this.#link.state("presets")?.presets ?? {};
    return Object.keys(presets).sort((one, other) => one.localeCompare(other));
  }

  #update() {
    const names = this.#names;
    if (this.#drawn !== JSON.stringify(names)) {
      this.#drawn = JSON.stringify(names);
      const go = (name) => make("button", {
        type: "button", class: "chip", "data-preset": name, "aria-label": word("preset_go", { preset: name }),
        click: () => this.#link.command("presets", { go: name, ...chosenRate() }),
      }, name);
      this.element.replaceChildren(...names.map(go),
        iconButton("add", word("preset_edit"), () => this.#edit(), { class: "icon chip" }));
    }
    const current = this.#link.state("presets")?.current;
    for (const button of this.element.children) {
      const isPreset = "preset" in button.dataset;
      forbid(button, isPreset ? this.#link.zoomObstacle : this.#link.obstacle);
      if (isPreset) setAttribute(button, "aria-pressed", button.dataset.preset === current);
    }
  }

  #edit() {
    const name = make("input", {
      type: "text", maxlength: NAME_BYTES, required: true, autocomplete: "off",
      "aria-label": word("preset_name"), placeholder: word("preset_name"),
    });
    const save = async (event) => {
      event.preventDefault();
      const answer = await this.#link.command("presets", { save: name.value });
      if (answer.status === "done") dialog.close();
    };
    const list = make("ul", { class: "rows" });
    const row = (preset) => {
      const remove = () => this.#link.command("presets", { delete: preset });
      return make("li", {}, make("span", {}, preset),
        iconButton("bin", word("preset_delete", { preset }), remove));
    };
    const draw = () => list.replaceChildren(...this.#saved.map(row));
    const dialog = openDialog(word("presets"), "sheet",
      make("form", { class: "row", submit: save }, name,
        make("button", { class: "strong" }, word("preset_save"))),
      list);
    this.#link.addEventListener("change", draw);
    dialog.addEventListener("close", () => this.#link.removeEventListener("change", draw));
    draw();
  }
}
