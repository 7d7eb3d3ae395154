// All cameras as a grid of small pictures; those that are gone come after them. Only the rows near the screen
// exist, so that thousands of cameras scroll smoothly, and pictures are requested only of those on the screen.

import { fill, iconButton, make, place, setAttribute, setText } from "./elements.js";
import { icon } from "./icons.js";
import { isThere, reasonOf } from "./link.js";
import { changed } from "./render.js";
import { factorText, word } from "./words.js";

const FPS = 2;
/** Milliseconds of a turn, if more cameras are on the screen than may be watched at once. */
const TURN = 2_000;
/** Milliseconds without a scroll after which pictures are requested: not of all cameras that fly past. */
const REST = 120;
/** Rows that exist above the screen and below it. */
const SPARE_ROWS = 2;
/** So many cells are kept with their last picture when they leave the screen. */
const KEPT = 64;
/** More cameras than these are shown in two columns on a phone. */
const MANY = 6;

export class Grid {
  wanted = { open: [], watch: [] };
  #connection;
  #ended = new AbortController();
  /** Cells by camera; those that were on the screen last are at the end. */
  #cells = new Map();
  /** The cameras that are on the screen, and give pictures. */
  #visible = [];
  /** The names of the cameras that the search and the group leave, and what that was computed from. */
  #grouped = { cameras: null, names: [] };
  #shown = { basis: [], there: [], gone: [] };
  #turn = 0;
  #resting = 0;
  #group = null;
  #list = make("ul", { class: "grid" });
  #goneTitle = make("h2", { class: "gone-title" });
  #gone = make("ul", { class: "grid gone" });
  #groups = make("div", { class: "groups", role: "group", "aria-label": word("groups") });
  #empty = make("p", { class: "empty", role: "status" });
  #count = make("small", {});
  #search = make("input", {
    type: "search", placeholder: word("search"), "aria-label": word("search"), autocomplete: "off",
    spellcheck: "false", input: changed,
  });

  /** `signOut` is called by its button; null if no user has signed in. */
  constructor(connection, signOut) {
    this.#connection = connection;
    const { signal } = this.#ended;
    addEventListener("scroll", changed, { signal, passive: true });
    const resized = new ResizeObserver(changed);
    resized.observe(document.body);
    const turns = setInterval(() => this.#takeTurn(), TURN);
    signal.addEventListener("abort", () => {
      clearInterval(turns);
      clearTimeout(this.#resting);
      resized.disconnect();
    });
    this.element = make("main", { class: "cameras" },
      make("header", { class: "bar" }, make("h1", {}, word("cameras"), this.#count),
        make("label", { class: "search" }, icon("search"), this.#search),
        ...(signOut ? [iconButton("leave", word("sign_out"), signOut)] : [])),
      this.#groups, this.#list, this.#empty, this.#goneTitle, this.#gone);
  }

  close() {
    this.#ended.abort();
  }

  update() {
    const { bus, cameras, isComplete } = this.#connection;
    const groups = this.#namesOfGroups();
    if (!groups.includes(this.#group)) this.#group = null;
    for (const button of fill(this.#groups, groups.length > 0 ? [null, ...groups] : [], (group) =>
      this.#makeGroup(group))) {
      setAttribute(button, "aria-pressed", button.dataset.group === (this.#group ?? ""));
    }
    const { there, gone } = this.#filter();
    this.#list.classList.toggle("many", there.length > MANY);
    const count = there.length;
    setText(this.#count, count > 0 ? word(count === 1 ? "count_one" : "count", { count }) : "");
    setText(this.#empty, there.length + gone.length > 0 ? ""
      : cameras.size > 0 ? word("no_match") : bus && isComplete ? word("no_cameras") : "");
    setText(this.#goneTitle, gone.length > 0 ? `${word("gone")} (${gone.length})` : "");
    const visible = this.#draw(this.#list, there);
    this.#draw(this.#gone, gone);
    this.#forgetCells();
    if (visible.join() === this.#visible.join()) return;
    this.#visible = visible;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#watch(), REST);
  }

  /** Sorted; collected once for each list of the console. */
  #namesOfGroups() {
    const { cameras } = this.#connection;
    if (this.#grouped.cameras !== cameras) {
      const names = [...new Set([...cameras.values()].flatMap((camera) => camera.groups ?? []))].sort();
      this.#grouped = { cameras, names };
    }
    return this.#grouped.names;
  }

  #makeGroup(group) {
    const choose = () => {
      this.#group = group;
      changed();
    };
    return make("button", { type: "button", class: "chip", "data-group": group ?? "", click: choose },
      group ?? word("all"));
  }

  /** The names of the cameras that the search and the group leave, in order. */
  #filter() {
    const wanted = this.#search.value.trim().toLowerCase();
    const basis = [this.#connection.cameras, wanted, this.#group];
    if (basis.every((one, index) => one === this.#shown.basis[index])) return this.#shown;
    const shown = [...this.#connection.cameras].filter(([id, { name = "", groups = [], model = "" }]) =>
      (this.#group === null || groups.includes(this.#group))
      && `${id} ${name} ${model} ${groups.join(" ")}`.toLowerCase().includes(wanted));
    const names = (cameras) => cameras.map(([name]) => name).sort();
    this.#shown = {
      basis, there: names(shown.filter(([, camera]) => isThere(camera))),
      gone: names(shown.filter(([, camera]) => !isThere(camera))),
    };
    return this.#shown;
  }

  /** Puts the rows near the screen into a list. Returns the cameras that are on the screen and give pictures. */
  #draw(list, names) {
    const style = getComputedStyle(list);
    const columns = style.gridTemplateColumns.split(" ").length;
    const { width, top } = list.getBoundingClientRect();
    const gap = parseFloat(style.rowGap) || 0;
    // The height of a row, measured at a cell if there is one.
    const row = (list.firstElementChild?.offsetHeight || (width / columns) * (9 / 16) + 60) + gap;
    const rows = Math.ceil(names.length / columns);
    const rowAt = (y) => Math.min(Math.max(Math.floor((y - top) / row), 0), rows);
    const [first, last] = [rowAt(0), rowAt(innerHeight) + 1];
    const from = Math.max(0, first - SPARE_ROWS);
    place(list, names.slice(from * columns, (last + SPARE_ROWS) * columns).map((name, index) => {
      const { element } = this.#cell(name);
      setAttribute(element, "aria-setsize", names.length);
      setAttribute(element, "aria-posinset", from * columns + index + 1);
      return element;
    }));
    list.style.setProperty("--above", `${from * row}px`);
    list.style.setProperty("--height", `${rows * row}px`);
    return names.slice(first * columns, last * columns)
      .filter((name) => !reasonOf(this.#connection.cameras.get(name)));
  }

  #cell(name) {
    const cell = this.#cells.get(name) ?? makeCell(name);
    this.#cells.delete(name);
    this.#cells.set(name, cell);
    const camera = this.#connection.cameras.get(name);
    const reason = reasonOf(camera);
    setText(cell.title, camera?.name ?? name.split("/")[1]);
    setText(cell.reason, reason ?? "");
    if (reason) cell.canvas.hidden = true;
    const { zoom, recording } = (!reason && this.#connection.states.get(name)) || {};
    setText(cell.recording, recording?.on ? word("records") : "");
    const factor = zoom?.factor > 1.02 || zoom?.ramping ? factorText(zoom.factor) : "";
    setText(cell.factor, zoom?.ramping ? `${factor} …` : factor);
    setAttribute(cell.factor, "title", zoom?.ramping ? word("zooms") : null);
    return cell;
  }

  /** Forgets the cells that left the screen first. */
  #forgetCells() {
    for (const [name, { element }] of this.#cells) {
      if (this.#cells.size <= KEPT) break;
      if (!element.isConnected) this.#cells.delete(name);
    }
  }

  #takeTurn() {
    this.#turn += this.#connection.maxCameras;
    this.#watch();
    // What they do is asked only of cameras that stay on the screen: a page may not change its lists often.
    this.wanted.open = this.#visible.slice(0, this.#connection.hello?.max_open ?? 0);
  }

  /** Watches the cameras on the screen, in turns if there are too many. */
  #watch() {
    const [visible, { maxCameras }] = [this.#visible, this.#connection];
    const first = visible.length > maxCameras ? this.#turn % visible.length : 0;
    const chosen = new Set([...visible, ...visible].slice(first, first + maxCameras));
    const pixels = (this.#list.firstElementChild?.clientWidth ?? 0) * Math.min(devicePixelRatio, 2);
    const width = Math.max(32, Math.ceil(pixels / 32) * 32);
    const open = this.wanted.open.filter((name) => visible.includes(name));
    this.wanted = { open, watch: [...chosen].map((camera) => ({ camera, width, fps: FPS })) };
    changed();
  }

  async picture({ header, blob }) {
    const bitmap = await createImageBitmap(blob).catch(() => null);
    const canvas = this.#cells.get(header.camera)?.canvas;
    if (canvas && bitmap && this.wanted.watch.some(({ camera }) => camera === header.camera)) {
      [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
      canvas.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0);
      canvas.hidden = false;
    }
    bitmap?.close();
  }
}

function makeCell(camera) {
  const [agent, name] = camera.split("/");
  const canvas = make("canvas", { "aria-hidden": "true", hidden: true });
  const reason = make("span", { class: "reason" });
  const title = make("strong", {}, name);
  const recording = make("span", { class: "badge recording" });
  const factor = make("span", { class: "badge factor" });
  const link = make("a", { href: `#/${camera}` }, make("span", { class: "thumb" }, canvas),
    make("span", { class: "names" }, title, make("small", {}, agent)), reason, recording, factor);
  return { element: make("li", { "data-camera": camera }, link), title, reason, canvas, recording, factor };
}
