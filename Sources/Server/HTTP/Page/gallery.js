// The photos and recordings of a camera: newest first, in pages.

import { confirm, forbid, iconButton, make, openDialog } from "./elements.js";
import { icon } from "./icons.js";
import { bytesText, language, word } from "./words.js";

const PAGE = 24;
/** Photos that load at the same time. A browser has six connections to a console; the others stay free. */
const LOADS = 2;
/** Photos load at this distance from the visible part of the gallery. */
const MARGIN = "200px";

/** Opens the gallery of a camera. */
export function openGallery(link) {
  const list = make("ul", { class: "media" });
  const more = make("button", { type: "button", class: "wide", hidden: true, click: load }, word("more"));
  const empty = make("p", { class: "empty", hidden: true }, word("gallery_empty"));
  const dialog = openDialog(word("gallery"), "sheet full", list, empty, more);
  const loader = new PhotoLoader(link);
  dialog.addEventListener("close", () => loader.stop());
  let before;
  async function load() {
    more.disabled = true;
    const answer = await link.command("media", { list: { limit: PAGE, ...(before ? { before } : {}) } });
    more.disabled = false;
    if (answer.status !== "done") return;
    list.append(...answer.media.map((medium) => tile(link, medium, loader)));
    before = answer.next;
    more.hidden = !before;
    empty.hidden = list.children.length > 0;
  }
  load();
}

/** Loads the photos that are in sight, few at a time. */
class PhotoLoader {
  #link;
  #names = new Map();
  #waiting = new Set();
  #loading = new Set();
  #isStopped = false;
  #observer = new IntersectionObserver((entries) => this.#look(entries), { rootMargin: MARGIN });

  constructor(link) {
    this.#link = link;
  }

  /** Shows a photo in an image when it is its turn. */
  add(image, name) {
    this.#names.set(image, name);
    this.#observer.observe(image);
  }

  /** Loads nothing more. */
  stop() {
    this.#isStopped = true;
    this.#observer.disconnect();
    this.#waiting.clear();
    for (const image of this.#loading) image.removeAttribute("src");
  }

  #look(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#waiting.add(target);
      else this.#waiting.delete(target);
    }
    this.#next();
  }

  #next() {
    for (const image of this.#waiting) {
      if (this.#loading.size >= LOADS) return;
      this.#waiting.delete(image);
      this.#observer.unobserve(image);
      this.#load(image);
    }
  }

  async #load(image) {
    this.#loading.add(image);
    const address = await this.#link.fileAddress(this.#names.get(image));
    this.#names.delete(image);
    if (address && !this.#isStopped) await loaded(image, address);
    // Frees the memory of a photo that was read with a token; other addresses stay as they are.
    if (address) URL.revokeObjectURL(address);
    this.#loading.delete(image);
    this.#next();
  }
}

/** Gives an image its address, and resolves when it is shown or cannot be. */
function loaded(image, address) {
  return new Promise((resolve) => {
    image.addEventListener("load", resolve, { once: true });
    image.addEventListener("error", resolve, { once: true });
    image.src = address;
  });
}

function tile(link, medium, loader) {
  const { name, kind, bytes, created_at: created } = medium;
  const isPhoto = kind === "photo";
  const date = new Date(created).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });
  const label = word(isPhoto ? "photo_of" : "recording_of", { date, size: bytesText(bytes) });
  const open = () => show(link, { name, isPhoto, label }, () => element.remove());
  const face = isPhoto ? make("img", { alt: "" }) : icon("play");
  if (isPhoto) loader.add(face, name);
  const element = make("li", {},
    make("button", { type: "button", "aria-label": label, click: open }, face),
    make("span", { class: "date" }, date));
  return element;
}

async function show(link, { name, isPhoto, label }, removed) {
  const problem = make("p", { class: "empty", hidden: true }, word("cannot_play"));
  const face = isPhoto
    ? make("img", { alt: label })
    : make("video", {
      controls: true, playsinline: true, "aria-label": label,
      error: () => { [face.hidden, problem.hidden] = [true, false]; },
    });
  const remove = async () => {
    if (!await confirm(word("delete_question", { name }), word("delete"))) return;
    const answer = await link.command("media", { delete: name });
    if (answer.status !== "done") return;
    removed();
    dialog.close();
  };
  const bin = iconButton("bin", word("delete"), remove);
  forbid(bin, link.connection.hello?.role === "manage" ? null : word("need_manage"));
  const download = make("a", { class: "button strong", download: name }, word("download"));
  const dialog = openDialog(label, "viewer", face, problem, make("footer", {}, bin, download));
  const address = await link.fileAddress(name);
  if (!address) return;
  if (!dialog.open) return URL.revokeObjectURL(address);
  dialog.addEventListener("close", () => URL.revokeObjectURL(address));
  face.src = download.href = address;
}
