// All cameras as a grid of small pictures. Pictures are requested only of those on the screen.

import { iconButton, make, setAttribute } from "./elements.js";
import { icon } from "./icons.js";
import { reasonOf } from "./link.js";
import { word } from "./words.js";

const FPS = 2;
/** At most so many cameras are watched at once; if more are on the screen, they take turns. */
const WATCHED = 16;
const TURN = 2_000;
/** So many cameras that left the screen keep their last picture. */
const KEPT = 64;
/** More cameras than these are shown in two columns on a phone. */
const MANY = 6;

export class Grid {
  #connection;
  #ended = new AbortController();
  #cells = new Map();
  #visible = new Set();
  #watched = new Set();
  #pictured = new Set();
  #turn = 0;
  #group = null;
  #list = make("ul", { class: "grid" });
  #groups = make("div", { class: "groups", role: "group", "aria-label": word("groups") });
  #groupsDrawn = "";
  #empty = make("p", { class: "empty", role: "status" });
  #count = make("small", {});
  #search = make("input", {
    type: "search", placeholder: word("search"), "aria-label": word("search"), autocomplete: "off", spellcheck: "false",
  });
  #observer = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: "40px" });

  /** `signOut` is called by its button; null if nobody signed in. */
  constructor(connection, signOut) {
    this.#connection = connection;
    const { signal } = this.#ended;
    connection.addEventListener("cameras", () => this.#update(), { signal });
    connection.addEventListener("picture", ({ detail }) => this.#draw(detail), { signal });
    this.#search.addEventListener("input", () => this.#filter());
    const turns = setInterval(() => this.#watch(), TURN);
    signal.addEventListener("abort", () => {
      clearInterval(turns);
      this.#observer.disconnect();
      for (const camera of this.#watched) connection.watch(camera, null);
    });
    this.element = make("main", { class: "cameras" },
      make("header", { class: "bar" }, make("h1", {}, word("cameras"), this.#count),
        make("label", { class: "search" }, icon("search"), this.#search),
        ...(signOut ? [iconButton("offline", word("sign_out"), signOut)] : [])),
      this.#groups, this.#list, this.#empty);
    this.#update();
  }

  close() {
    this.#ended.abort();
    this.element.remove();
  }

  #update() {
    const { cameras } = this.#connection;
    for (const [name, cell] of this.#cells) {
      if (!cameras.has(name)) this.#remove(name, cell);
    }
    const names = [...cameras.keys()].sort();
    names.forEach((name, place) => {
      let cell = this.#cells.get(name);
      if (!cell) {
        cell = makeCell(name);
        this.#cells.set(name, cell);
        this.#list.insertBefore(cell.element, this.#list.children[place] ?? null);
        this.#observer.observe(cell.element);
      }
      describeCell(cell, cameras.get(name));
    });
    this.#drawGroups();
    this.#filter();
  }

  #remove(name, cell) {
    this.#observer.unobserve(cell.element);
    cell.element.remove();
    this.#cells.delete(name);
    this.#visible.delete(name);
    this.#pictured.delete(name);
    this.#watch();
  }

  #drawGroups() {
    const groups = [...new Set([...this.#connection.cameras.values()].flatMap((camera) => camera.groups ?? []))].sort();
    if (!groups.includes(this.#group)) this.#group = null;
    if (this.#groupsDrawn !== groups.join()) {
      this.#groupsDrawn = groups.join();
      const choose = (group) => {
        this.#group = group;
        this.#drawGroups();
        this.#filter();
      };
      this.#groups.replaceChildren(...(groups.length ? [null, ...groups] : []).map((group) =>
        make("button", { type: "button", class: "chip", "data-group": group ?? "", click: () => choose(group) },
          group ?? word("all"))));
    }
    for (const button of this.#groups.children) {
      setAttribute(button, "aria-pressed", button.dataset.group === (this.#group ?? ""));
    }
  }

  #filter() {
    const { cameras } = this.#connection;
    const wanted = this.#search.value.trim().toLowerCase();
    let shown = 0;
    for (const [name, cell] of this.#cells) {
      const { groups = [], model = "" } = cameras.get(name) ?? {};
      const isShown = (this.#group === null || groups.includes(this.#group))
        && `${name} ${model} ${groups.join(" ")}`.toLowerCase().includes(wanted);
      if (cell.element.hidden === isShown) cell.element.hidden = !isShown;
      shown += isShown;
    }
    this.#list.classList.toggle("many", shown > MANY);
    this.#count.textContent = cameras.size > 0 ? word("count", { count: shown }) : "";
    this.#empty.textContent = shown > 0 || !this.#connection.hello ? ""
      : word(cameras.size > 0 ? "no_match" : "no_cameras");
  }

  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const name = target.dataset.camera;
      if (isIntersecting) this.#visible.add(name);
      else this.#visible.delete(name);
    }
    this.#watch();
  }

  /** Watches the cameras on the screen, in turns if there are too many. */
  #watch() {
    const visible = [...this.#visible].filter((name) => !reasonOf(this.#connection.cameras.get(name)));
    this.#turn = visible.length > WATCHED ? (this.#turn + WATCHED) % visible.length : 0;
    const chosen = new Set([...visible, ...visible].slice(this.#turn, this.#turn + WATCHED));
    for (const name of this.#watched) if (!chosen.has(name)) this.#connection.watch(name, null);
    this.#watched = chosen;
    for (const name of chosen) {
      const pixels = (this.#cells.get(name).element.clientWidth || 320) * Math.min(devicePixelRatio, 2);
      this.#connection.watch(name, { width: Math.max(16, Math.ceil(pixels / 32) * 32), fps: FPS });
    }
  }

  async #draw({ header, blob }) {
    const cell = this.#cells.get(header.camera);
    if (cell) {
      const bitmap = await createImageBitmap(blob).catch(() => null);
      if (bitmap && this.#visible.has(header.camera)) {
        cell.canvas ??= make("canvas", { "aria-hidden": "true" });
        [cell.canvas.width, cell.canvas.height] = [bitmap.width, bitmap.height];
        cell.canvas.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0);
        if (!cell.canvas.isConnected) cell.picture.append(cell.canvas);
        this.#keep(header.camera);
      }
      bitmap?.close();
    }
    this.#connection.drawn(header.number);
  }

  /** Notes that a camera has a picture, and drops the oldest ones that are not on the screen. */
  #keep(name) {
    this.#pictured.delete(name);
    this.#pictured.add(name);
    for (const old of this.#pictured) {
      if (this.#pictured.size <= KEPT) break;
      if (this.#visible.has(old)) continue;
      this.#pictured.delete(old);
      const cell = this.#cells.get(old);
      cell.canvas.remove();
      cell.canvas = null;
    }
  }
}

function makeCell(camera) {
  const [agent, name] = camera.split("/");
  const picture = make("span", { class: "thumb" });
  const reason = make("span", { class: "reason" });
  const link = make("a", { href: `#/${camera}` }, picture,
    make("span", { class: "names" }, make("strong", {}, name), make("small", {}, agent)), reason);
  return { element: make("li", { "data-camera": camera }, link), picture, reason, canvas: null };
}

function describeCell(cell, camera) {
  const reason = reasonOf(camera);
  if (cell.reason.textContent !== (reason ?? "")) cell.reason.textContent = reason ?? "";
  cell.element.classList.toggle("away", reason !== null);
  if (reason && cell.canvas) cell.canvas.width = 0;
}
