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
  const photos = loader(link);
  openDialog(word("gallery"), "sheet full", [list, empty, more], undefined, photos.stop);
  let before;
  async function load() {
    more.disabled = true;
    const answer = await link.command("media", { list: { limit: PAGE, ...(before ? { before } : {}) } });
    more.disabled = false;
    if (answer.status !== "done") return;
    list.append(...answer.media.map((medium) => tile(link, medium, photos)));
    before = answer.next;
    more.hidden = !before;
    empty.hidden = list.children.length > 0;
  }
  load();
}

/** Loads the photos that are in sight, few at a time: `add(image, name)`, and `stop()`. */
function loader(link) {
  const names = new Map();
  const waiting = new Set();
  const loading = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) waiting[isIntersecting ? "add" : "delete"](target);
    next();
  }, { rootMargin: MARGIN });

  function next() {
    for (const image of waiting) {
      if (loading.size >= LOADS) return;
      waiting.delete(image);
      observer.unobserve(image);
      load(image);
    }
  }

  async function load(image) {
    loading.add(image);
    const address = await link.fileAddress(names.get(image));
    if (address && names.delete(image)) {
      image.src = address;
      await image.decode().catch(() => null);
    }
    // Frees the memory of a photo that was read with a token; other addresses stay as they are.
    if (address) URL.revokeObjectURL(address);
    loading.delete(image);
    next();
  }

  return {
    add(image, name) {
      names.set(image, name);
      observer.observe(image);
    },
    stop() {
      observer.disconnect();
      waiting.clear();
      names.clear();
      for (const image of loading) image.removeAttribute("src");
    },
  };
}

function tile(link, medium, photos) {
  const { name, kind, bytes, created_at: created } = medium;
  const isPhoto = kind === "photo";
  const date = new Date(created).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });
  const label = word(isPhoto ? "photo_of" : "recording_of", { date, size: bytesText(bytes) });
  const face = isPhoto ? make("img", { alt: "" }) : icon("play");
  if (isPhoto) photos.add(face, name);
  const open = () => show(link, { name, isPhoto, label }, () => element.remove());
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
  const download = make("a", { class: "button strong", download: name }, word("download"));
  let address = null;
  const dialog = openDialog(label, "viewer", [face, problem, make("footer", {}, bin, download)],
    () => forbid(bin, link.connection.hello?.role === "manage" ? null : word("need_manage")),
    () => { if (address) URL.revokeObjectURL(address); });
  address = await link.fileAddress(name);
  if (!address) return;
  if (dialog.open) face.src = download.href = address;
  else URL.revokeObjectURL(address);
}
