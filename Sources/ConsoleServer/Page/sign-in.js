// Proves to the console which device this is.

import { make } from "./elements.js";
import { Kept } from "./kept.js";
import { word } from "./words.js";

/** In a foreign frame a browser sends no cookie: the token goes through the socket. */
const isFramed = window.top !== window;
const kept = new Kept("sessionStorage", "token");
const signedIn = new Kept("localStorage", "signed-in");

/** The token to send through the socket, or null where a cookie does it. */
export const socketToken = () => (isFramed ? kept.value : null);

/** Whether this browser has signed in before. */
export const hasSignedIn = () => signedIn.value !== null;

/** Takes the token out of the address and signs in with it. Resolves to the key of a problem, or null. */
export async function signInFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  if (!token) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return signIn(token);
}

/** Signs in. Resolves to the key of a problem, or null. */
export async function signIn(token) {
  try {
    const answer = await fetch("session", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }),
    });
    if (answer.status === 429) return "token_often";
    if (!answer.ok) return "token_wrong";
  } catch {
    return "connection_lost";
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
      this.say(problem ? word(problem) : "");
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

  say(text) {
    this.#problem.textContent = text;
  }

  close() {
    this.element.remove();
  }
}
