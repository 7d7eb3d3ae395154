// Icons as lines in a square of 24 units.

const paths = {
  back: "M15 5l-7 7 7 7",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z"
    + "M8 14.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z",
  photos: "M5 4h14a1 1 0 011 1v14a1 1 0 01-1 1H5a1 1 0 01-1-1V5a1 1 0 011-1z"
    + "M4 17l5-5 4 4 3-3 4 4M15.5 8.5h.01",
  unlocked: "M6 11h12v9H6zM9 11V7a3.5 3.5 0 016.7-1.4",
  locked: "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 017 0V11",
  add: "M12 5v14M5 12h14",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  play: "M8 5l11 7-11 7z",
  leave: "M14 4H5v16h9M10 12h10M16 8l4 4-4 4",
  search: "M11 5a6 6 0 100 12 6 6 0 000-12zM20 20l-4.7-4.7",
};

const SVG = "http://www.w3.org/2000/svg";

/** The icon of this name, hidden from screen readers. */
export function icon(name) {
  const image = document.createElementNS(SVG, "svg");
  image.setAttribute("viewBox", "0 0 24 24");
  image.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", paths[name]);
  image.append(path);
  return image;
}
