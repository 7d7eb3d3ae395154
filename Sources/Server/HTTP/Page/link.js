// One open camera: its states, its commands, and why it cannot be used at the moment.

import { errorText, word } from "./words.js";

const REASONS = ["private", "not_ready", "not_found", "unplugged", "unusable", "replaced"];
/** What it means that the console does not send a photo or a recording, by the status of its answer. */
const DOWNLOAD_ERRORS = {
  401: "error.forbidden", 403: "error.forbidden", 404: "file_gone", 501: "error.unsupported",
};

/** Why a camera of the list gives no picture, or null. */
export function reasonOf(camera) {
  if (!camera) return word("unknown_camera");
  if (camera.agent_silent || !camera.agent_online) return word("reason.offline");
  if (REASONS.includes(camera.reason)) return word(`reason.${camera.reason}`);
  return camera.online ? null : word("reason.offline");
}

/** Whether a camera of the list can be used, or is only private. */
export const isThere = (camera) => camera.reason === "private" || !reasonOf(camera);

/** The name of a client: of a proved one whose account is a console, the device. */
const deviceOf = (client, isProved) => (isProved ? client.replace(/^[^/]*\//, "") : client);

export class CameraLink {
  /** `camera` is `agent/camera`; `notice(text)` tells the user something. */
  constructor(connection, camera, notice) {
    Object.assign(this, { connection, camera, notice });
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
    const { hello, bus, hasList, isComplete, cameras } = this.connection;
    const camera = cameras.get(this.camera);
    return hello && hasList && (camera || (bus && isComplete)) ? reasonOf(camera) : null;
  }

  /** That there is no such camera, or null. */
  get nonexistence() {
    return this.absence === word("unknown_camera") ? this.absence : null;
  }

  /** Why this page can command nothing, even if the camera is away; or null. */
  get refusal() {
    const { hello } = this.connection;
    return !hello ? word("error.lost") : hello.role === "look" ? word("look_only") : null;
  }

  /** Whether the agent of the camera is offline, or nothing is known of it. */
  get isAgentGone() {
    const { hello, cameras } = this.connection;
    const camera = cameras.get(this.camera);
    return Boolean(hello && camera && (camera.agent_silent || !camera.agent_online));
  }

  /** Whether this page may end privacy, delete files and hide cameras that are gone. */
  get isManager() {
    return this.connection.hello?.role === "manage";
  }

  /** Why this page can command nothing now, or null. */
  get obstacle() {
    return this.refusal ?? this.absence;
  }

  /** Who holds the lease on the zoom, or null: {isThisDevice, text, question, loss}, these as sentences. */
  get holder() {
    const lease = this.state("lease");
    if (!lease) return null;
    const isThisDevice = this.isThisDevice(lease);
    const text = isThisDevice ? word("lease_mine") : this.sentence("lease_other", lease);
    return { isThisDevice, text, question: this.sentence("lease_question", lease),
      loss: this.sentence("lease_lost", lease) };
  }

  /** Why this page cannot move the zoom, or null. */
  get zoomObstacle() {
    const { holder } = this;
    return this.obstacle ?? (holder && !holder.isThisDevice ? holder.text : null);
  }

  /** Sends a command and says what went wrong. Resolves to the final answer. */
  async command(node, payload) {
    const answer = await this.connection.command(this.camera, node, payload);
    if (answer.status === "error") this.notice(errorText(answer.error));
    if (answer.persisted === false) this.notice(word("not_stored"));
    return answer;
  }

  sample(node, payload) {
    this.connection.sample(this.camera, node, payload);
  }

  /**
   * An address at which this page can show a photo or a recording; null: it cannot be read. Without the cookie
   * of the console it is the file itself (`blob:`), read with the token: the caller revokes it.
   */
  async fileAddress(name) {
    const { token } = this.connection;
    const address = `media/${this.camera}/${encodeURIComponent(name)}`;
    if (!token) return address;
    try {
      const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
      if (answer.ok) return URL.createObjectURL(await answer.blob());
      this.notice(word(DOWNLOAD_ERRORS[answer.status] ?? "error.unavailable"));
    } catch {
      this.notice(word("error.lost"));
    }
    return null;
  }

  /** Whether a client that a state names is this device. */
  isThisDevice({ client, proved }) {
    const own = this.connection.hello?.client;
    return own !== undefined && client !== undefined && deviceOf(client, proved) === own;
  }

  /** The sentence of a key about a client. Of a page without a token people know only the name they gave it. */
  sentence(key, { client, proved }) {
    const device = deviceOf(client, proved);
    const { pagePrefix } = this.connection;
    const own = device.startsWith(pagePrefix) ? device.slice(pagePrefix.length) : "";
    const page = /^[a-z0-9]{8}(?: (.+))?$/.exec(own);
    if (!page || page[1]) return word(key, { client: page ? page[1] : device });
    const text = word(key, { client: word("another_page") });
    return text[0].toUpperCase() + text.slice(1);
  }

  /** Whether a command of another page or client caused a state. */
  isForeign(origin) {
    const page = this.connection.hello?.page;
    if (!origin?.client && !origin?.id) return false;
    return origin.id ? !origin.id.startsWith(`${page}-`) : !this.isThisDevice(origin);
  }
}
