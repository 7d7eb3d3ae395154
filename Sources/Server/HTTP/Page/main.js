// The page: one screen at a time, which the address names, and what hinders all of them.

import { CameraScreen } from "./camera.js";
import { closeDialogs, make, setText, updateDialogs } from "./elements.js";
import { Grid } from "./grid.js";
import { changed, drawWith } from "./render.js";
import { SignIn, hasSignedIn, refused, signIn, signOut, socketToken, takeTokenFromAddress } from "./sign-in.js";
import { Connection } from "./socket.js";
import { language, word } from "./words.js";

document.documentElement.lang = language;
const banner = make("p", { class: "banner", role: "alert", hidden: true });
document.body.replaceChildren(banner);

/** The key of what was wrong with the last token in an address, or null. */
let problem = null;
/** What is shown: a camera (`agent/camera`), "grid" or "sign-in"; null before the console has answered. */
let place = null;
let screen = null;

await signInFromAddress();
const connection = new Connection(socketToken, {
  signIn(reason) {
    show("sign-in");
    const key = refused(reason) ?? problem;
    if (key) screen.say(key);
  },
  state: (node, before) => screen.state?.(node, before),
  event: (event) => screen.event?.(event),
  picture: (picture) => screen.picture?.(picture),
});
drawWith(render);
changed();

/** Draws everything. What the console is asked for follows from the screen. */
function render() {
  if (connection.hello) show(/^#\/([^/]+\/[^/]+)$/.exec(location.hash)?.[1] ?? "grid");
  showBanner();
  if (!screen) return;
  screen.update?.();
  updateDialogs();
  const { open, watch } = screen.wanted;
  connection.want({ open, watch: document.hidden ? [] : watch });
}

function show(next) {
  if (place === next) return;
  closeDialogs();
  screen?.close?.();
  screen?.element.remove();
  place = next;
  screen = next === "sign-in" ? new SignIn(signedIn)
    : next === "grid" ? new Grid(connection, hasSignedIn() ? leave : null)
    : new CameraScreen(connection, next);
  document.title = next.includes("/") ? next.split("/")[1] : word("cameras");
  document.body.append(screen.element);
}

/** Says above each screen what hinders the page. */
function showBanner() {
  const key = connection.hello ? (connection.bus ? problem : "broker_lost")
    : place === "sign-in" ? null : connection.problem;
  setText(banner, key ? word(key) : "");
  banner.hidden = key === null;
}

/** Signs in with the token in the address, if there is one. Resolves to whether there was one. */
async function signInFromAddress() {
  const token = takeTokenFromAddress();
  problem = token && await signIn(token);
  return token !== null;
}

/** The console has taken the token of the form. */
function signedIn() {
  problem = null;
  connection.reconnect();
}

async function leave() {
  await signOut();
  signedIn();
}

/** A link with a token was opened in this tab, or another camera. */
addEventListener("hashchange", async () => {
  const isLink = await signInFromAddress();
  if (isLink && !problem) connection.reconnect();
  else if (place === "sign-in" && problem) screen.say(problem);
  changed();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) screen?.hide?.();
  else connection.wake();
  // A hidden page has no frames in which it could be drawn.
  render();
});
for (const kind of ["blur", "pagehide"]) addEventListener(kind, () => screen?.hide?.());
