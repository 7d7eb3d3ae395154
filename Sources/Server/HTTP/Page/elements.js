// Elements of the page. Text from elsewhere is set as text only, styles only through the CSSOM.

import { icon } from "./icons.js";
import { changed } from "./render.js";
import { word } from "./words.js";

/**
 * Makes an element. Of the attributes, functions listen to the event of their name; `false` and null are left
 * out. Children are elements or text.
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A button with an icon and a name for screen readers. */
export function iconButton(name, label, click, attributes = {}) {
  const common = { type: "button", class: "icon", "aria-label": label, title: label, click };
  return make("button", { ...common, ...attributes }, icon(name));
}

/** Disables a control and says why, or enables it if there is no reason. */
export function forbid(element, reason) {
  element.disabled = Boolean(reason);
  setAttribute(element, "title", reason || element.getAttribute("aria-label"));
}

/** Changes an attribute, or removes it for null. Does nothing if it has the value already. */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Changes the text of an element. Does nothing if it has the text already. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const keyed = new WeakMap();

/**
 * Makes the children of `parent` those of `items`, in their order. The child of an item with the same JSON stays
 * as it is: it may have the focus. Others are made by `makeChild(item)`. Returns the children.
 */
export function fill(parent, items, makeChild) {
  const before = keyed.get(parent) ?? new Map();
  const after = new Map();
  for (const item of items) {
    const key = JSON.stringify(item);
    after.set(key, before.get(key) ?? makeChild(item));
  }
  keyed.set(parent, after);
  return place(parent, [...after.values()]);
}

/** Makes these the children of an element. Those that stay are not touched. */
export function place(parent, children) {
  const staying = new Set(children);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  children.forEach((child, index) => {
    const present = parent.children[index];
    if (present !== child) parent.insertBefore(child, present ?? null);
  });
  return children;
}

/** What draws each open dialog. */
const dialogs = new Map();
let lastTitle = 0;

/** Draws the open dialogs again. */
export function updateDialogs() {
  for (const update of dialogs.values()) update();
}

export function closeDialogs() {
  for (const dialog of dialogs.keys()) dialog.close();
}

/**
 * Opens a dialog over everything, or in `place`, where it hides only a part. `update` draws it after each change.
 * It is removed when it is closed, and then calls `closed`.
 */
function open(dialog, update, closed = () => {}, place = null) {
  dialog.addEventListener("close", () => {
    dialogs.delete(dialog);
    dialog.remove();
    closed();
    changed();
  });
  dialogs.set(dialog, update);
  (place ?? document.body).append(dialog);
  if (place) dialog.show();
  else dialog.showModal();
  update();
  changed();
  return dialog;
}

/** Opens a dialog with a title and these children over everything. `kind` is a class for its looks. */
export function openDialog(title, kind, children, update = () => {}, closed = () => {}) {
  return open(makeDialog(title, kind, children), update, closed);
}

/** Opens a sheet in `place`, beside the picture that it changes. There is one sheet at a time. */
export function openSheet(place, title, children, update) {
  closeDialogs();
  const sheet = makeDialog(title, "sheet", children);
  sheet.addEventListener("keydown", ({ key }) => { if (key === "Escape") sheet.close(); });
  return open(sheet, update, () => {}, place);
}

function makeDialog(title, kind, children) {
  const id = `title-${++lastTitle}`;
  const close = () => done.closest("dialog").close();
  const done = make("button", { type: "button", class: "plain", click: close }, word("done"));
  const header = make("header", {}, make("h2", { id }, title), done);
  return make("dialog", { class: kind, "aria-labelledby": id }, header, ...children);
}

/**
 * Asks a question. Resolves to whether the action was chosen, whose button is of this `kind`: strong or danger.
 * The question is taken back when it is not `open` any more.
 */
export function confirm(question, action, kind, isOpen = () => true) {
  return new Promise((resolve) => {
    const dialog = make("dialog", { class: "question", role: "alertdialog", "aria-labelledby": "question" },
      make("p", { id: "question" }, question),
      make("form", { method: "dialog", class: "row" },
        make("button", { value: "", autofocus: true }, word("cancel")),
        make("button", { value: "yes", class: kind }, action)));
    open(dialog, () => { if (!isOpen()) dialog.close(); }, () => resolve(dialog.returnValue === "yes"));
  });
}
