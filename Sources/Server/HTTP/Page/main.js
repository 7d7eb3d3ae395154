// The page: which screen is shown, the banner of a lost connection, and what happens while it is hidden.

import { CameraScreen } from "./camera.js";
import { make } from "./elements.js";
import { Grid } from "./grid.js";
import {
  SignIn, forgetToken, hasSignedIn, isTokenInAddress, refusalKey, signInFromAddress, signOut, socketToken,
} from "./sign-in.js";
import { Connection } from "./socket.js";
import { language, word } from "./words.js";

document.documentElement.lang = language;
const banner = make("p", { class: "banner", role: "alert", hidden: true });
document.body.replaceChildren(banner);

/** The key of what was wrong with the last token in an address, or null. */
let problem = await signInFromAddress();
const connection = new Connection(socketToken);
let screen = null;
let shown = null;

/** Shows the screen that the address names: a camera (`#/agent/camera`), or the grid. */
function route() {
  const camera = /^#\/([^/]+\/[^/]+)$/.exec(location.hash)?.[1] ?? null;
  if (shown === (camera ?? "grid")) return;
  replace(camera ? new CameraScreen(connection, camera) : new Grid(connection, hasSignedIn() ? leave : null));
  shown = camera ?? "grid";
  document.title = camera ? camera.split("/")[1] : word("cameras");
}

function replace(next) {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  screen?.close();
  screen = next;
  shown = null;
  document.body.append(next.element);
}

function askForToken(key) {
  if (!(screen instanceof SignIn)) replace(new SignIn(signedIn));
  if (key) screen.showNotice(word(key));
}

/** The form has given the console a token that it knows. */
function signedIn() {
  problem = null;
  connection.reconnect();
}

/** Says above each screen what hinders the page. */
function showBanner() {
  const isSigningIn = screen instanceof SignIn;
  const key = connection.hello ? (connection.bus ? problem : "broker_lost")
    : connection.lost && !isSigningIn ? (connection.isFull ? "console_full" : "connection_lost") : null;
  banner.textContent = key ? word(key) : "";
  banner.hidden = key === null;
}

/** A link with a token was opened in this tab, or another camera. */
async function addressChanged() {
  const isLink = isTokenInAddress();
  problem = await signInFromAddress();
  if (isLink && !problem) connection.reconnect();
  else if (screen instanceof SignIn) askForToken(problem);
  else if (connection.hello) route();
  showBanner();
}

async function leave() {
  await signOut();
  problem = null;
  connection.reconnect();
}

connection.addEventListener("signin", ({ detail }) => {
  const refusal = refusalKey(detail.reason);
  if (refusal === "token_wrong") forgetToken();
  askForToken(refusal ?? problem);
  showBanner();
});
connection.addEventListener("status", () => {
  if (connection.hello) route();
  showBanner();
});
addEventListener("hashchange", addressChanged);
document.addEventListener("visibilitychange", () => {
  connection.watchAgain();
  if (document.hidden) screen?.hide?.();
  else connection.wake();
});
addEventListener("blur", () => screen?.hide?.());
addEventListener("pagehide", () => screen?.hide?.());
