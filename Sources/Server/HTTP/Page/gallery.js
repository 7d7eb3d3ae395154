// The photos and recordings of a camera by days, newest first, in pages. Several can be selected.

import { confirm, forbid, iconButton, make, openDialog, setAttribute, setText } from "./elements.js";
import { icon } from "./icons.js";
import { changed } from "./render.js";
import { bytesText, dayText, duration, timeText, word } from "./words.js";

const PAGE = 24;
/** Files that load at the same time. A browser has six connections to a console; the others stay free. */
const LOADS = 2;
/** Files load at this distance from the visible part of the gallery. */
const MARGIN = "200px";

/** Opens the gallery of a camera. */
export function openGallery(link) {
  const files = loader(link);
  const days = make("div", { class: "media" });
  const more = make("button", { type: "button", class: "wide", hidden: true, click: load }, word("more"));
  const empty = make("p", { class: "empty", hidden: true }, word("gallery_empty"));
  const select = make("button", {
    type: "button", class: "plain", click: () => choose(selected ? null : new Set()),
  });
  const count = make("span", { role: "status" });
  const bin = iconButton("bin", word("delete"), () => remove([...selected]));
  const save = iconButton("download", word("download"), download);
  const footer = make("footer", { class: "actions" }, bin, count, save);
  /** The selected tiles, or null while a tile opens its file. */
  let selected = null;
  let before;

  const update = () => {
    const tiles = days.querySelectorAll("li");
    select.hidden = tiles.length === 0;
    empty.hidden = tiles.length > 0 || before !== null;
    footer.hidden = selected === null;
    setText(select, word(selected ? "cancel" : "select"));
    setText(count, word("selected", { count: selected?.size ?? 0 }));
    for (const { firstChild: button, tile } of tiles) {
      setAttribute(button, "aria-pressed", selected && selected.has(tile));
    }
    const none = selected?.size ? null : word("selected", { count: 0 });
    forbid(bin, link.isManager ? none : word("need_manage"));
    forbid(save, none);
  };
  const dialog = openDialog(word("gallery"), "full", [select, days, empty, more, footer], update, files.stop);
  dialog.querySelector("header").insertBefore(select, dialog.querySelector("header button"));
  load();

  async function load() {
    more.disabled = true;
    const answer = await link.command("media", { list: { limit: PAGE, ...(before ? { before } : {}) } });
    more.disabled = false;
    if (answer.status !== "done") return;
    for (const medium of answer.media) dayOf(medium).append(makeTile(medium));
    before = answer.next ?? null;
    more.hidden = before === null;
    changed();
  }

  /** The list of the day on which a file was made. Files come in the order of their times. */
  function dayOf({ created_at: created }) {
    const day = dayText(new Date(created));
    if (days.lastChild?.dataset.day !== day) {
      days.append(make("section", { "data-day": day }, make("h3", {}, day), make("ul")));
    }
    return days.lastChild.lastChild;
  }

  function makeTile(medium) {
    const tile = describe(medium);
    const face = tile.isPhoto ? make("img", { alt: "" }) : make("canvas", { hidden: true });
    const length = make("span", { class: "length" });
    const click = () => {
      if (!selected) show(link, tile, () => remove([tile]));
      else choose(selected.has(tile) ? new Set([...selected].filter((one) => one !== tile)) : selected.add(tile));
    };
    tile.element = make("li", {},
      make("button", { type: "button", "aria-label": tile.label, click },
        ...(tile.isPhoto ? [] : [icon("play")]), face, length),
      make("span", { class: "date" }, `${tile.time} · ${tile.size}`));
    files.add(tile, face, (seconds) => setText(length, duration(seconds)));
    return Object.assign(tile.element, { tile });
  }

  function choose(next) {
    selected = next;
    changed();
  }

  function removed(tiles) {
    for (const { element } of tiles) {
      const day = element.closest("section");
      element.remove();
      if (day && !day.querySelector("li")) day.remove();
    }
    choose(null);
  }

  /** Deletes files after a question. Resolves to whether one is gone. */
  async function remove(tiles) {
    if (!await confirm(deleteQuestion(tiles), word("delete"), "danger")) return false;
    const answers = [];
    for (const { name } of tiles) answers.push(await link.command("media", { delete: name }));
    const gone = tiles.filter((_, place) => answers[place].status === "done");
    removed(gone);
    return gone.length > 0;
  }

  async function download() {
    for (const { name } of selected) {
      const address = await link.fileAddress(name);
      if (!address) continue;
      make("a", { href: address, download: name }).click();
      if (address.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }
    choose(null);
  }
}

const deleteQuestion = (tiles) => (tiles.length === 1
  ? word("delete_question", { name: tiles[0].label }) : word("delete_several", { count: tiles.length }));

/** What the page says about a file. */
function describe({ name, kind, bytes, created_at: created }) {
  const [isPhoto, date, size] = [kind === "photo", new Date(created), bytesText(bytes)];
  const [day, time] = [dayText(date), timeText(date)];
  const label = word(isPhoto ? "photo_of" : "recording_of", { date: `${day}, ${time}`, size });
  return { name, isPhoto, time, size, label };
}

/** Loads the files that are in sight, few at a time: `add(file, face, said)` and `stop()`. Of a recording it reads
 * what its first picture and its length need, and calls `said` with its seconds. */
function loader(link) {
  const files = new Map();
  const waiting = new Set();
  const loading = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) waiting[isIntersecting ? "add" : "delete"](target);
    next();
  }, { rootMargin: MARGIN });

  function next() {
    for (const element of waiting) {
      if (loading.size >= LOADS) return;
      waiting.delete(element);
      observer.unobserve(element);
      load(element, files.get(element));
    }
  }

  async function load(element, { file, face, said }) {
    loading.add(face);
    // With a token a recording would be read as a whole.
    const address = file.isPhoto || !link.connection.token ? await link.fileAddress(file.name) : null;
    if (address && files.delete(element)) {
      if (file.isPhoto) {
        face.src = address;
        await face.decode().catch(() => null);
      } else await drawFirstPicture(face, address, said);
    }
    // Frees the memory of a photo that was read with a token; other addresses stay as they are.
    if (address) URL.revokeObjectURL(address);
    loading.delete(face);
    next();
  }

  return {
    add(file, face, said) {
      files.set(file.element, { file, face, said });
      observer.observe(file.element);
    },
    stop() {
      observer.disconnect();
      waiting.clear();
      files.clear();
      for (const face of loading) face.removeAttribute("src");
    },
  };
}

/** Resolves when the first picture is drawn, or cannot be. */
function drawFirstPicture(canvas, address, said) {
  return new Promise((resolve) => {
    const end = () => {
      video.removeAttribute("src");
      video.load();
      resolve();
    };
    const draw = () => {
      said(video.duration);
      [canvas.width, canvas.height, canvas.hidden] = [video.videoWidth / 4, video.videoHeight / 4, false];
      canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
      end();
    };
    const video = make("video", { preload: "auto", muted: true, playsinline: true });
    video.addEventListener("loadeddata", draw, { once: true });
    video.addEventListener("error", resolve, { once: true });
    video.src = address;
  });
}

async function show(link, file, remove) {
  const { name, isPhoto, label } = file;
  const problem = make("p", { class: "empty", hidden: true }, word("cannot_play"));
  const face = isPhoto
    ? make("img", { alt: label })
    : make("video", {
      controls: true, playsinline: true, "aria-label": label,
      error: () => { [face.hidden, problem.hidden] = [true, false]; },
    });
  const bin = iconButton("bin", word("delete"), async () => {
    if (await remove()) dialog.close();
  });
  const download = make("a", { class: "button strong", download: name }, word("download"));
  let address = null;
  const dialog = openDialog(label, "viewer", [face, problem, make("footer", {}, bin, download)],
    () => forbid(bin, link.isManager ? null : word("need_manage")),
    () => { if (address) URL.revokeObjectURL(address); });
  address = await link.fileAddress(name);
  if (!address) return;
  if (dialog.open) face.src = download.href = address;
  else URL.revokeObjectURL(address);
}
