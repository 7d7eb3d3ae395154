// Elements of the page. Text from elsewhere is set as text only, styles only through the CSSOM.

import { icon } from "./icons.js";
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

let lastDialog = 0;

/** Opens a dialog with a title. It is removed when it is closed. `kind` is a class for its looks. */
export function openDialog(title, kind, ...children) {
  const id = `title-${++lastDialog}`;
  const dialog = make("dialog", { class: kind, "aria-labelledby": id },
    make("header", {},
      make("h2", { id }, title),
      make("button", { type: "button", class: "plain", click: () => dialog.close() }, word("done"))),
    ...children);
  dialog.addEventListener("close", () => dialog.remove());
  // A click beside a dialog arrives at the dialog itself.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks a question. Resolves to whether the action was chosen. */
export function confirm(question, action) {
  return new Promise((resolve) => {
    const dialog = make("dialog", { class: "question", role: "alertdialog", "aria-labelledby": "question" },
      make("p", { id: "question" }, question),
      make("form", { method: "dialog", class: "row" },
        make("button", { value: "", autofocus: true }, word("cancel")),
        make("button", { value: "yes", class: "strong" }, action)));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
