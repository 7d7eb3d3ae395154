// The connection to the console: one WebSocket, opened again whenever it is lost. Sources/Server/Console/README.md
// describes the protocol.

import { kept } from "./kept.js";
import { readAnswer, readEvent, readHeader, readState } from "./messages.js";
import { changed } from "./render.js";

/** The console sends `time` every 5 s. After so many milliseconds of silence the connection is lost. */
const SILENCE = 12_000;
/** So many messages of its clock count: a minute. */
const CLOCK_MESSAGES = 12;
/** Milliseconds before the first new attempt, and at most between two. */
const FIRST_RETRY = 250;
const LAST_RETRY = 5_000;
/** Samples are left out while so many bytes wait to be sent. */
const MAX_BUFFERED = 65_536;
const NOTHING = { open: [], watch: [] };
const givenName = kept("localStorage", "page-name");

export class Connection {
  /** The cameras of the list by `agent/camera`: another map for each list. */
  cameras = new Map();
  /** The states of open cameras: by camera, then by node. */
  states = new Map();
  /** The hello of the console while this page is admitted, otherwise null. */
  hello = null;
  /** Whether the console is connected to the broker. */
  bus = true;
  /** The token with which this page was admitted, or null where a cookie reaches the console. */
  token = null;
  /** The key of the text that says why the page is not connected; null: it is, or this is the first attempt. */
  problem = null;
  /** Whether the console has sent the list of cameras to this page since it was admitted. */
  hasList = false;
  /** Whether that list has all cameras: a console reads them when it starts. */
  isComplete = false;
  /** Milliseconds from exposure to here, smoothed. */
  delay = null;

  /** The name that this page gives itself: without tokens it is a part of the name of the client. */
  #name = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");
  #token;
  #listener;
  #socket = null;
  /** Aborted when the present socket is gone. */
  #ended = null;
  #lastPicture = 0;
  #retry = FIRST_RETRY;
  #timer = 0;
  #heardAt = 0;
  #lastId = 0;
  #waiting = new Map();
  #wanted = NOTHING;
  /** What the console knows of that, as JSON. */
  #told = {};
  /** This clock minus the console's, in milliseconds, with the delay of each of the last messages. Either clock
   * may be set, and another console has another one: old messages do not count. */
  #clockOffsets = [];

  /**
   * `token`: a function that returns the token to send after `sign_in`, or null. `listener` has the functions
   * `signIn(reason)` (the console does not admit the page), `state(node, before)` (with the state before it)
   * and `event(event)` of the open cameras, and `picture({header, blob, order, ended})`: `order` grows with each
   * picture of the page, `ended` is the signal that its socket is gone; it returns a promise that resolves when
   * the picture is drawn.
   */
  constructor(token, listener = {}) {
    this.#token = token;
    this.#listener = listener;
    setInterval(() => this.#checkSilence(), 1_000);
    addEventListener("online", () => this.reconnect());
    this.reconnect();
  }

  /** Whether this page has no token: then others know it by the names that it and people give it. */
  get namesItself() {
    return this.hello?.client.includes(`-${this.#name}`) ?? false;
  }

  /** How the names of pages begin that have no token; of other consoles it is the usual name. */
  get pagePrefix() {
    return this.namesItself ? this.hello.client.split(this.#name)[0] : "console-";
  }

  /** The name that a person gave to this page, or an empty text. A new one is told by a new connection. */
  get givenName() {
    return givenName.value ?? "";
  }

  set givenName(name) {
    givenName.value = name || null;
    this.reconnect();
  }

  /** So many cameras may be watched at once. */
  get maxCameras() {
    return this.hello?.max_cameras ?? 0;
  }

  /** The console's time in milliseconds. */
  get now() {
    return Date.now() - (this.#clockOffsets.length > 0 ? Math.min(...this.#clockOffsets) : 0);
  }

  /** Connects at once, with a new socket. */
  reconnect() {
    clearTimeout(this.#timer);
    this.#discardSocket();
    const given = [...new TextEncoder().encode(this.givenName)].map((byte) => byte.toString(16).padStart(2, "0"));
    const address = new URL(`socket?page=${this.#name}&name=${given.join("")}`, document.baseURI);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address.href.replace(/#.*/, ""));
    socket.binaryType = "arraybuffer";
    let isOpen = false;
    socket.onopen = () => { isOpen = true; };
    socket.onmessage = ({ data }) => {
      this.#heardAt = performance.now();
      if (typeof data === "string") this.#receive(JSON.parse(data));
      else this.#receiveBytes(data);
    };
    socket.onclose = ({ code, reason }) => {
      if ([1008, 1013].includes(code) && !this.hello) {
        this.#discardSocket();
        this.#listener.signIn?.(reason);
      } else this.#lose();
      if (!isOpen) this.#askWhetherFull();
    };
    this.#heardAt = performance.now();
    this.#socket = socket;
    this.#ended = new AbortController();
  }

  /** Connects again if the present connection has been silent for longer than usual. */
  wake() {
    if (performance.now() - this.#heardAt > SILENCE / 2 || !this.#socket) this.reconnect();
  }

  /** Sends a command. Resolves to its final answer. */
  command(camera, node, payload) {
    if (!this.hello) return Promise.resolve({ status: "error", error: { code: "lost" } });
    const id = String(++this.#lastId);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ command: { id, camera, node, payload } });
    });
  }

  /** Sends a sample of a gesture: it may be lost and is not answered. */
  sample(camera, node, payload) {
    if (this.hello && this.#socket.bufferedAmount < MAX_BUFFERED) {
      this.#send({ command: { camera, node, payload } });
    }
  }

  /** The cameras whose states are wanted (`open`), and the pictures (`watch`: {camera, width, fps}). */
  want(wanted) {
    this.#wanted = wanted;
    for (const camera of this.states.keys()) if (!wanted.open.includes(camera)) this.states.delete(camera);
    for (const kind of ["open", "watch"]) {
      const text = JSON.stringify(wanted[kind]);
      if (!this.hello || this.#told[kind] === text) continue;
      if (kind === "open") this.delay = null;
      this.#told[kind] = text;
      this.#send({ [kind]: wanted[kind] });
    }
  }

  #receive(message) {
    const [kind] = Object.keys(message);
    const value = message[kind];
    switch (kind) {
      case "sign_in": {
        this.token = this.#token();
        if (this.token) this.#send({ token: this.token });
        else this.#listener.signIn?.();
        break;
      }
      case "hello":
        Object.assign(this, { hello: value, problem: null, hasList: false, isComplete: false });
        this.#retry = FIRST_RETRY;
        this.#clockOffsets = [];
        this.states.clear();
        this.#told = {};
        this.want(this.#wanted);
        break;
      case "bus":
        this.bus = value;
        break;
      case "cameras":
        this.cameras = new Map(this.hasList ? this.cameras : []);
        this.hasList = true;
        for (const [name, camera] of Object.entries(value)) {
          if (camera) this.cameras.set(name, camera);
          else this.cameras.delete(name);
        }
        break;
      case "complete":
        this.isComplete = true;
        break;
      case "state": {
        if (!this.#wanted.open.includes(value.camera)) return;
        if (!this.states.has(value.camera)) this.states.set(value.camera, {});
        const states = this.states.get(value.camera);
        const before = states[value.node];
        states[value.node] = readState(value.node, value.payload);
        this.#listener.state?.(value.node, before);
        break;
      }
      case "event": {
        if (!this.#wanted.open.includes(value.camera)) return;
        const event = readEvent(value.payload);
        if (event) this.#listener.event?.(event);
        break;
      }
      case "answer":
        this.#answer(value.id, readAnswer(value.payload));
        return;
      case "time":
        this.#clockOffsets = [...this.#clockOffsets, Date.now() - value].slice(-CLOCK_MESSAGES);
        return;
    }
    changed();
  }

  #receiveBytes(data) {
    const length = new DataView(data).getUint16(0);
    const header = readHeader(JSON.parse(new TextDecoder().decode(new Uint8Array(data, 2, length))));
    const blob = new Blob([new Uint8Array(data, 2 + length)], { type: header.content_type ?? "image/jpeg" });
    if (header.answer) {
      this.#answer(header.answer, { status: "done", image: blob });
      return;
    }
    if (header.exposed_at) {
      const delay = this.now - Date.parse(header.exposed_at);
      this.delay = this.delay === null ? delay : this.delay * 0.9 + delay * 0.1;
    }
    // The console numbers the pictures of each socket from 1.
    const ended = this.#ended.signal;
    const drawing = this.#listener.picture?.({ header, blob, order: ++this.#lastPicture, ended });
    // The console sends further pictures only when these are acknowledged, also those that nothing shows.
    Promise.resolve(drawing).finally(() => {
      if (!ended.aborted) this.#send({ drawn: header.number });
    });
  }

  #answer(id, payload) {
    if (payload.status === "accepted") return;
    this.#waiting.get(id)?.(payload);
    this.#waiting.delete(id);
    changed();
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #checkSilence() {
    if (this.#socket && performance.now() - this.#heardAt > SILENCE) this.#lose();
  }

  /** A browser does not tell why no socket was opened. A request without an upgrade has the status. */
  async #askWhetherFull() {
    const answer = await fetch("socket", { cache: "no-store" }).catch(() => null);
    // The page may have been admitted meanwhile.
    if (this.hello) return;
    this.problem = answer?.status === 503 ? "console_full" : "connection_lost";
    changed();
  }

  /** The connection has ended: another one is made later. */
  #lose() {
    this.#discardSocket();
    this.problem ??= "connection_lost";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reconnect(), this.#retry);
    this.#retry = Math.min(this.#retry * 2, LAST_RETRY);
  }

  /** Forgets the socket, if there is one, and answers what waits. */
  #discardSocket() {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
    this.#ended.abort();
    this.hello = this.token = null;
    for (const resolve of this.#waiting.values()) resolve({ status: "error", error: { code: "lost" } });
    this.#waiting.clear();
    changed();
  }
}
