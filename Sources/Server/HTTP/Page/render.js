// The page is drawn again after each change of what it shows: once for each frame of the screen.

let due = 0;
let draw = () => {};

/** Says that something has changed that the page shows. */
export function changed() {
  due ||= requestAnimationFrame(() => {
    due = 0;
    draw();
  });
}

/** What draws the page. */
export function drawWith(render) {
  draw = render;
}
