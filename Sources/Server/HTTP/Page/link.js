// One open camera: its states, its commands, and why it cannot be used at the moment.

import { errorText, word } from "./words.js";

const REASONS = ["private", "not_ready", "not_found", "unplugged", "unusable", "replaced", "stopped"];

/** Why a camera of the list gives no picture, or null. */
export function reasonOf(camera) {
  if (!camera) return word("unknown_camera");
  if (camera.agent_silent) return word("reason.agent_silent");
  if (!camera.agent_online) return word("reason.agent");
  if (REASONS.includes(camera.reason)) return word(`reason.${camera.reason}`);
  return camera.online ? null : word("reason.offline");
}

/** What it means that the console does not send a photo or a recording, by the status of its answer. */
function downloadError(status) {
  switch (status) {
    case 401:
    case 403: return word("error.forbidden");
    case 404: return word("file_gone");
    case 429: return word("token_often");
    case 503: return word("error.unavailable");
    default: return word("error.unknown", { code: status });
  }
}

/** The name of a client for people: of a proved one whose account is a console, the device. */
export const clientName = (client, isProved) => (isProved ? client.replace(/^.*\//, "") : client);

/** Events: `change` (the node as `detail`, null for the connection or the list) and `notice` (a text). */
export class CameraLink extends EventTarget {
  /** Until `signal` is aborted. `camera` is `agent/camera`. */
  constructor(connection, camera, signal) {
    super();
    this.connection = connection;
    this.camera = camera;
    const emit = (node) => this.dispatchEvent(new CustomEvent("change", { detail: node }));
    connection.addEventListener("state", ({ detail }) => {
      if (detail.camera === camera) emit(detail.node);
    }, { signal });
    connection.addEventListener("event", ({ detail }) => {
      if (detail.camera !== camera || !detail.payload) return;
      this.dispatchEvent(new CustomEvent("event", { detail: detail.payload }));
    }, { signal });
    connection.addEventListener("status", () => emit(null), { signal });
    connection.addEventListener("cameras", () => emit(null), { signal });
    signal.addEventListener("abort", () => connection.open([]));
    connection.open([camera]);
  }

  /** The newest state of a node: null or undefined if there is none. */
  state(node) {
    return this.connection.states.get(this.camera)?.[node];
  }

  get info() {
    return this.state("info");
  }

  /**
   * Why the camera shows nothing, or null. Without the broker the console does not know whether a camera that
   * is not in its list exists.
   */
  get absence() {
    const { hello, hasList, bus, cameras } = this.connection;
    const camera = cameras.get(this.camera);
    return hello && hasList && (camera || bus) ? reasonOf(camera) : null;
  }

  /** Why this page can command nothing, or null. */
  get obstacle() {
    const { hello } = this.connection;
    if (!hello) return word("error.lost");
    if (hello.role === "look") return word("look_only");
    return this.absence;
  }

  /** Who holds the lease on the zoom: {name, isThisDevice, text}, or null. */
  get holder() {
    const lease = this.state("lease");
    if (!lease) return null;
    const name = clientName(lease.client, lease.proved);
    const isThisDevice = this.isThisDevice(lease);
    const text = isThisDevice ? word("lease_mine") : word("lease_other", { client: name });
    return { name, isThisDevice, text };
  }

  /** Why this page cannot move the zoom, or null. */
  get zoomObstacle() {
    const { holder } = this;
    return this.obstacle ?? (holder && !holder.isThisDevice ? holder.text : null);
  }

  /** Sends a command and says what went wrong. Resolves to the final answer. */
  async command(node, payload, accepted) {
    const answer = await this.connection.command(this.camera, node, payload, accepted);
    if (answer.status === "error") this.notice(errorText(answer.error));
    if (answer.persisted === false) this.notice(word("not_stored"));
    return answer;
  }

  /** The address of a photo or a recording, for a browser that has the cookie of the console. */
  addressOf(name) {
    return `media/${this.camera}/${encodeURIComponent(name)}`;
  }

  /**
   * An address at which this page can show a photo or a recording; null: it cannot be read. Without a cookie
   * it is the file itself (`blob:`), read with the token: the caller revokes it.
   */
  async fileAddress(name) {
    const { token } = this.connection;
    if (!token) return this.addressOf(name);
    try {
      const answer = await fetch(this.addressOf(name), { headers: { authorization: `Bearer ${token}` } });
      if (answer.ok) return URL.createObjectURL(await answer.blob());
      this.notice(downloadError(answer.status));
    } catch {
      this.notice(word("error.lost"));
    }
    return null;
  }

  sample(node, payload) {
    this.connection.sample(this.camera, node, payload);
  }

  notice(text) {
    this.dispatchEvent(new CustomEvent("notice", { detail: text }));
  }

  /** Whether a client that a state names is this device. */
  isThisDevice({ client, proved }) {
    const own = this.connection.hello?.client;
    return own !== undefined && client !== undefined && clientName(client, proved) === own;
  }

  /** Whether a command of another page or client caused a state. */
  isForeign(origin) {
    const page = this.connection.hello?.page;
    if (!origin?.client && !origin?.id) return false;
    return origin.id ? !origin.id.startsWith(`${page}-`) : !this.isThisDevice(origin);
  }
}
