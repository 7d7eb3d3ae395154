// Installed in the page by a test: at each frame of the browser it notes which part of the scene is on the
// screen, and where the fingers are.
//
// The simulated scene has blue-difference chroma from 64 at the left to 192 at the right, and red-difference
// chroma from 64 at the top to 192 at the bottom. A straight line through the means of columns and rows gives the
// place and the scale of the picture; the style's transform gives where it is on the screen.
() => {
  const [stage, canvas, view] = [".stage", ".view canvas", ".view"].map((one) => document.querySelector(one));
  const [columns, rows] = [64, 36];
  const small = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
  const context = small.getContext("2d", { willReadFrequently: true });
  const fingers = new Map();
  const samples = (window.samples = []);
  const note = (event) => fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  for (const kind of ["pointerdown", "pointermove"]) stage.addEventListener(kind, note, true);
  for (const kind of ["pointerup", "pointercancel"]) {
    stage.addEventListener(kind, (event) => fingers.delete(event.pointerId), true);
  }

  // The line through means over 0…1, as scene coordinates: the scene at 0, and its length.
  function line(means) {
    const n = means.length;
    let [sx, sy, sxx, sxy] = [0, 0, 0, 0];
    means.forEach((mean, place) => {
      const x = (place + 0.5) / n;
      [sx, sy, sxx, sxy] = [sx + x, sy + mean, sxx + x * x, sxy + x * mean];
    });
    const slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    return { from: ((sy - slope * sx) / n - 64) / 128, length: slope / 128 };
  }

  function frame() {
    requestAnimationFrame(frame);
    if (!canvas.width || canvas.hidden) return;
    context.drawImage(canvas, 0, 0, columns, rows);
    const { data } = context.getImageData(0, 0, columns, rows);
    const [blue, red] = [Array(columns).fill(0), Array(rows).fill(0)];
    for (let y = 0; y < rows; y += 1) {
      for (let x = 0; x < columns; x += 1) {
        const [r, g, b] = data.subarray((y * columns + x) * 4);
        blue[x] += (128 - 0.168736 * r - 0.331264 * g + 0.5 * b) / rows;
        red[y] += (128 + 0.5 * r - 0.418688 * g - 0.081312 * b) / columns;
      }
    }
    const [across, down] = [line(blue), line(red)];
    const style = new DOMMatrix(getComputedStyle(canvas).transform);
    const box = view.getBoundingClientRect();
    // A point of the view, in fractions, shows this point of the canvas.
    const onCanvas = (point, move, size) => (point - 0.5 - move / size) / style.a + 0.5;
    const points = [...fingers.values()];
    samples.push({
      time: performance.now(), points,
      scene: points.map(({ x, y }) => [
        across.from + across.length * onCanvas((x - box.left) / box.width, style.e, box.width),
        down.from + down.length * onCanvas((y - box.top) / box.height, style.f, box.height),
      ]),
      factor: style.a / across.length, untouched: 1 / across.length,
    });
  }
  frame();
}
