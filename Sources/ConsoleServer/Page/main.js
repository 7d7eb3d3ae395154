// The page: which screen is shown, the banner of a lost connection, and what happens while it is hidden.

import { CameraScreen } from "./camera.js";
import { make } from "./elements.js";
import { Grid } from "./grid.js";
import { SignIn, forgetToken, hasSignedIn, signInFromAddress, signOut, socketToken } from "./sign-in.js";
import { Connection } from "./socket.js";
import { language, word } from "./words.js";

document.documentElement.lang = language;
const banner = make("p", { class: "banner", role: "alert", hidden: true });
document.body.replaceChildren(banner);

const problem = await signInFromAddress();
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

function askForToken(text) {
  if (!(screen instanceof SignIn)) replace(new SignIn(() => connection.reconnect()));
  if (text) screen.say(text);
}

async function leave() {
  await signOut();
  connection.reconnect();
}

connection.addEventListener("signin", ({ detail }) => {
  if (detail.reason) forgetToken();
  askForToken(detail.reason ? word("token_wrong") : problem && word(problem));
});
connection.addEventListener("status", () => {
  if (connection.hello) route();
  const text = connection.hello ? (connection.bus ? "" : word("broker_lost"))
    : connection.lost && !(screen instanceof SignIn) ? word("connection_lost") : "";
  banner.textContent = text;
  banner.hidden = text === "";
});
addEventListener("hashchange", () => connection.hello && route());
document.addEventListener("visibilitychange", () => {
  connection.watchAgain();
  if (document.hidden) screen?.hide?.();
  else connection.wake();
});
addEventListener("blur", () => screen?.hide?.());
addEventListener("pagehide", () => screen?.hide?.());
