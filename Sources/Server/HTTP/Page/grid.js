// All cameras as a grid of small pictures. Only the rows near the screen exist, so that thousands of cameras
// scroll smoothly, and pictures are requested only of those on the screen.

import { iconButton, make, setAttribute } from "./elements.js";
import { icon } from "./icons.js";
import { reasonOf } from "./link.js";
import { word } from "./words.js";

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
  #connection;
  #ended = new AbortController();
  /** The names of the cameras that the search and the group leave, in order. */
  #shown = [];
  /** Cells by camera; those that were on the screen last are at the end. */
  #cells = new Map();
  /** The cameras that are on the screen. */
  #visible = [];
  #watched = new Set();
  #turn = 0;
  #resting = 0;
  #group = null;
  #list = make("ul", { class: "grid" });
  #groups = make("div", { class: "groups", role: "group", "aria-label": word("groups") });
  #groupsDrawn = "";
  #empty = make("p", { class: "empty", role: "status" });
  #count = make("small", {});
  #search = make("input", {
    type: "search", placeholder: word("search"), "aria-label": word("search"), autocomplete: "off",
    spellcheck: "false",
  });

  /** `signOut` is called by its button; null if nobody signed in. */
  constructor(connection, signOut) {
    this.#connection = connection;
    const { signal } = this.#ended;
    connection.addEventListener("cameras", () => this.#update(), { signal });
    connection.addEventListener("picture", ({ detail }) => {
      detail.drawing = this.#drawPicture(detail);
    }, { signal });
    addEventListener("scroll", () => this.#draw(), { signal, passive: true });
    this.#search.addEventListener("input", () => this.#filter());
    const resized = new ResizeObserver(() => this.#draw());
    resized.observe(document.body);
    const turns = setInterval(() => this.#takeTurns(), TURN);
    signal.addEventListener("abort", () => {
      clearInterval(turns);
      clearTimeout(this.#resting);
      resized.disconnect();
      for (const camera of this.#watched) connection.watch(camera, null);
    });
    this.element = make("main", { class: "cameras" },
      make("header", { class: "bar" }, make("h1", {}, word("cameras"), this.#count),
        make("label", { class: "search" }, icon("search"), this.#search),
        ...(signOut ? [iconButton("leave", word("sign_out"), signOut)] : [])),
      this.#groups, this.#list, this.#empty);
    this.#update();
  }

  close() {
    this.#ended.abort();
    this.element.remove();
  }

  #update() {
    const { cameras } = this.#connection;
    const groups = [...new Set([...cameras.values()].flatMap((camera) => camera.groups ?? []))].sort();
    if (!groups.includes(this.#group)) this.#group = null;
    if (this.#groupsDrawn !== groups.join()) {
      this.#groupsDrawn = groups.join();
      const choices = groups.length > 0 ? [null, ...groups] : [];
      this.#groups.replaceChildren(...choices.map((group) => this.#groupButton(group)));
    }
    this.#filter();
  }

  #groupButton(group) {
    const choose = () => {
      this.#group = group;
      this.#filter();
    };
    return make("button", { type: "button", class: "chip", "data-group": group ?? "", click: choose },
      group ?? word("all"));
  }

  #filter() {
    const { cameras } = this.#connection;
    const wanted = this.#search.value.trim().toLowerCase();
    const isShown = ([id, { name = "", groups = [], model = "" }]) =>
      (this.#group === null || groups.includes(this.#group))
      && `${id} ${name} ${model} ${groups.join(" ")}`.toLowerCase().includes(wanted);
    this.#shown = [...cameras].filter(isShown).map(([name]) => name).sort();
    for (const button of this.#groups.children) {
      setAttribute(button, "aria-pressed", button.dataset.group === (this.#group ?? ""));
    }
    this.#list.classList.toggle("many", this.#shown.length > MANY);
    this.#count.textContent = cameras.size > 0 ? countText(this.#shown.length) : "";
    this.#empty.textContent = this.#shown.length > 0 || !this.#connection.hello ? ""
      : word(cameras.size > 0 ? "no_match" : "no_cameras");
    this.#draw();
  }

  /** Puts the rows near the screen into the list, and notes which cameras are on the screen. */
  #draw() {
    const style = getComputedStyle(this.#list);
    const columns = style.gridTemplateColumns.split(" ").length;
    const { width, top } = this.#list.getBoundingClientRect();
    const gap = parseFloat(style.rowGap) || 0;
    const row = this.#rowHeight(width, columns) + gap;
    const rows = Math.ceil(this.#shown.length / columns);
    const place = (y) => Math.min(Math.max(Math.floor((y - top) / row), 0), rows);
    const [first, last] = [place(0), place(innerHeight) + 1];
    const from = Math.max(0, first - SPARE_ROWS);
    const names = this.#shown.slice(from * columns, (last + SPARE_ROWS) * columns);
    this.#put(names.map((name, index) => this.#cell(name, from * columns + index).element));
    this.#list.style.setProperty("--above", `${from * row}px`);
    this.#list.style.setProperty("--height", `${rows * row}px`);
    this.#visible = this.#shown.slice(first * columns, last * columns);
    this.#forgetCells();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#watch(), REST);
  }

  /** Makes these the elements of the list. Those that stay are not touched: one may have the focus. */
  #put(elements) {
    const staying = new Set(elements);
    for (const element of [...this.#list.children]) if (!staying.has(element)) element.remove();
    elements.forEach((element, index) => {
      const present = this.#list.children[index];
      if (present !== element) this.#list.insertBefore(element, present ?? null);
    });
  }

  /** The height of a row without the gap, measured at a cell if there is one. */
  #rowHeight(width, columns) {
    return this.#list.firstElementChild?.offsetHeight || (width / columns) * (9 / 16) + 60;
  }

  #cell(name, place) {
    const cell = this.#cells.get(name) ?? makeCell(name);
    this.#cells.delete(name);
    this.#cells.set(name, cell);
    setAttribute(cell.element, "aria-setsize", this.#shown.length);
    setAttribute(cell.element, "aria-posinset", place + 1);
    describeCell(cell, this.#connection.cameras.get(name));
    return cell;
  }

  /** Forgets the cells that left the screen first. */
  #forgetCells() {
    for (const [name, cell] of this.#cells) {
      if (this.#cells.size <= KEPT) break;
      if (!cell.element.isConnected) this.#cells.delete(name);
    }
  }

  #takeTurns() {
    this.#turn += this.#connection.maxCameras;
    this.#watch();
  }

  /** Watches the cameras on the screen, in turns if there are too many. */
  #watch() {
    const visible = this.#visible.filter((name) => !reasonOf(this.#connection.cameras.get(name)));
    const { maxCameras } = this.#connection;
    const first = visible.length > maxCameras ? this.#turn % visible.length : 0;
    const chosen = new Set([...visible, ...visible].slice(first, first + maxCameras));
    for (const name of this.#watched) if (!chosen.has(name)) this.#connection.watch(name, null);
    this.#watched = chosen;
    const pixels = (this.#list.firstElementChild?.clientWidth ?? 0) * Math.min(devicePixelRatio, 2);
    const width = Math.max(32, Math.ceil(pixels / 32) * 32);
    for (const name of chosen) this.#connection.watch(name, { width, fps: FPS });
  }

  async #drawPicture({ header, blob }) {
    const bitmap = await createImageBitmap(blob).catch(() => null);
    const canvas = this.#cells.get(header.camera)?.canvas;
    if (canvas && bitmap && this.#watched.has(header.camera)) {
      [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
      canvas.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0);
      canvas.hidden = false;
    }
    bitmap?.close();
  }
}

const countText = (count) => (count === 1 ? word("count_one") : word("count", { count }));

function makeCell(camera) {
  const [agent, name] = camera.split("/");
  const canvas = make("canvas", { "aria-hidden": "true", hidden: true });
  const reason = make("span", { class: "reason" });
  const title = make("strong", {}, name);
  const link = make("a", { href: `#/${camera}` }, make("span", { class: "thumb" }, canvas),
    make("span", { class: "names" }, title, make("small", {}, agent)), reason);
  return { element: make("li", { "data-camera": camera }, link), id: name, title, reason, canvas };
}

function describeCell(cell, camera) {
  const title = camera?.name ?? cell.id;
  if (cell.title.textContent !== title) cell.title.textContent = title;
  const reason = reasonOf(camera);
  if (cell.reason.textContent !== (reason ?? "")) cell.reason.textContent = reason ?? "";
  if (reason) cell.canvas.hidden = true;
}
