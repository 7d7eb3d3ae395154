// Proves to the console which device this is.

import { make, setText } from "./elements.js";
import { kept } from "./kept.js";
import { word } from "./words.js";

/** In a foreign frame a browser sends no cookie: the token goes through the socket. */
const isFramed = window.top !== window;
const token = kept("sessionStorage", "token");
const signedIn = kept("localStorage", "signed-in");
/** Milliseconds in which the console has to answer. */
const TIMEOUT = 8_000;
/** What the reasons mean with which the console refuses a page: keys of texts. No text: the form stays. */
const REFUSALS = {
  "the token is unknown": "token_wrong",
  "the token is too long": "token_wrong",
  "the user that the proxy names has no token": "user_unknown",
  "no token came": null,
};

/** The token to send through the socket, or null where a cookie does it. */
export const socketToken = () => (isFramed ? token.value : null);

/** The console refuses this page. Returns the key of the text for its reason; null if there is nothing to say. */
export function refused(reason) {
  const key = reason === undefined ? null : reason in REFUSALS ? REFUSALS[reason] : "page_refused";
  if (key === "token_wrong") token.value = null;
  return key;
}

/** Whether this browser has signed in before. */
export const hasSignedIn = () => signedIn.value !== null;

/** Takes the token out of the address, and returns it; null if there is none. */
export function takeTokenFromAddress() {
  const found = new URLSearchParams(location.hash.slice(1)).get("t");
  if (found) history.replaceState(null, "", location.pathname + location.search);
  return found || null;
}

/** Signs in. Resolves to the key of a problem, or null. */
export async function signIn(secret) {
  try {
    const answer = await fetch("session", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token: secret }),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (!answer.ok) return "token_wrong";
  } catch {
    return "error.lost";
  }
  signedIn.value = "yes";
  if (isFramed) token.value = secret;
  return null;
}

/** Forgets the token and the cookie. */
export async function signOut() {
  token.value = signedIn.value = null;
  await fetch("session", { method: "DELETE" }).catch(() => null);
}

/** The form that asks for a token. */
export class SignIn {
  wanted = { open: [], watch: [] };
  #problem = make("p", { class: "problem", role: "alert" });

  /** `done` is called when the console has taken the token. */
  constructor(done) {
    const input = make("input", {
      type: "password", id: "token", required: true, autocomplete: "current-password", autofocus: true,
    });
    const submit = async (event) => {
      event.preventDefault();
      const problem = await signIn(input.value.trim());
      this.say(problem);
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

  /** Says what was wrong, by the key of its text; null: nothing. */
  say(key) {
    setText(this.#problem, key ? word(key) : "");
  }
}
