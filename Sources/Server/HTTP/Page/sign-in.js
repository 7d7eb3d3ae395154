// Proves to the console which device this is.

import { make } from "./elements.js";
import { Kept } from "./kept.js";
import { word } from "./words.js";

/** In a foreign frame a browser sends no cookie: the token goes through the socket. */
const isFramed = window.top !== window;
const kept = new Kept("sessionStorage", "token");
const signedIn = new Kept("localStorage", "signed-in");
/** Milliseconds in which the console has to answer. */
const TIMEOUT = 8_000;
/** What the reasons mean with which the console refuses a page: keys of texts. No text: the form stays. */
const REFUSALS = {
  "the token is unknown": "token_wrong",
  "the token is too long": "token_wrong",
  "too many wrong tokens; try again in a minute": "token_often",
  "no token came": null,
};

/** The token to send through the socket, or null where a cookie does it. */
export const socketToken = () => (isFramed ? kept.value : null);

/** The key of the text for a reason of the console; null if there is nothing to say. */
export function refusalKey(reason) {
  return reason === undefined ? null : reason in REFUSALS ? REFUSALS[reason] : "page_refused";
}

/** Whether this browser has signed in before. */
export const hasSignedIn = () => signedIn.value !== null;

const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get("t");

/** Whether the address is the link of a device. */
export const isTokenInAddress = () => Boolean(tokenInAddress());

/** Takes the token out of the address and signs in with it. Resolves to the key of a problem, or null. */
export async function signInFromAddress() {
  const token = tokenInAddress();
  if (!token) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return signIn(token);
}

/** Signs in. Resolves to the key of a problem, or null. */
export async function signIn(token) {
  try {
    const answer = await fetch("session", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (answer.status === 429) return "token_often";
    if (!answer.ok) return "token_wrong";
  } catch {
    return "error.lost";
  }
  signedIn.value = "yes";
  if (isFramed) kept.value = token;
  return null;
}

/** Forgets the token that goes through the socket. */
export function forgetToken() {
  kept.value = null;
}

/** Forgets the token and the cookie. */
export async function signOut() {
  forgetToken();
  signedIn.value = null;
  await fetch("session", { method: "DELETE" }).catch(() => null);
}

/** The form that asks for a token. Calls `done` when the console has taken it. */
export class SignIn {
  #problem = make("p", { class: "problem", role: "alert" });

  constructor(done) {
    const input = make("input", {
      type: "password", id: "token", required: true, autocomplete: "current-password", autofocus: true,
    });
    const submit = async (event) => {
      event.preventDefault();
      const problem = await signIn(input.value.trim());
      this.showNotice(problem ? word(problem) : "");
      if (!problem) done();
    };
    this.element = make("main", { class: "sign-in" },
      make("form", { submit },
        make("img", { src: "icon.svg", alt: "", width: 72, height: 72 }),
        make("h1", {}, word("sign_in")),
        make("p", {}, word("token_hint")),
        make("label", { for: "token" }, word("token")), input, this.#problem,
        make("button", { class: "strong wide" }, word("sign_in"))));
  }

  showNotice(text) {
    this.#problem.textContent = text;
  }

  close() {
    this.element.remove();
  }
}
