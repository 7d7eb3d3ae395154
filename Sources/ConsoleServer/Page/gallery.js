// The photos and recordings of a camera: newest first, in pages.

import { confirm, forbid, iconButton, make, openDialog } from "./elements.js";
import { icon } from "./icons.js";
import { bytesText, language, word } from "./words.js";

const PAGE = 24;

/** Opens the gallery of a camera. */
export function openGallery(link) {
  const list = make("ul", { class: "media" });
  const more = make("button", { type: "button", class: "wide", hidden: true, click: load }, word("more"));
  const empty = make("p", { class: "empty", hidden: true }, word("gallery_empty"));
  openDialog(word("gallery"), "sheet full", list, empty, more);
  let before;
  async function load() {
    more.disabled = true;
    const answer = await link.command("media", { list: { limit: PAGE, ...(before ? { before } : {}) } });
    more.disabled = false;
    if (answer.status !== "done") return;
    list.append(...answer.media.map((medium) => tile(link, medium)));
    before = answer.next;
    more.hidden = !before;
    empty.hidden = list.children.length > 0;
  }
  load();
}

function tile(link, medium) {
  const { name, kind, bytes, created_at: created } = medium;
  const isPhoto = kind === "photo";
  const date = new Date(created).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });
  const label = word(isPhoto ? "photo_of" : "recording_of", { date, size: bytesText(bytes) });
  const open = () => show(link, { name, isPhoto, label }, () => element.remove());
  const face = isPhoto ? photoOf(link, name) : icon("play");
  const element = make("li", {},
    make("button", { type: "button", "aria-label": label, click: open }, face),
    make("span", { class: "date" }, date));
  return element;
}

/** A photo of the list, which is read when it is seen. */
function photoOf(link, name) {
  if (!link.connection.token) return make("img", { src: link.addressOf(name), alt: "", loading: "lazy" });
  const face = make("img", { alt: "", load: () => URL.revokeObjectURL(face.src) });
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    const address = await link.fileAddress(name);
    if (address) face.src = address;
  });
  observer.observe(face);
  return face;
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
