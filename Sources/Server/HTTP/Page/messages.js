// What the page reads of the messages of agents. A broker may keep what no agent of this version has sent:
// each member is checked, one with a wrong type counts as missing, and what cannot be used without it does
// too. A reader returns the checked value, or undefined.

const text = (value) => (typeof value === "string" ? value : undefined);
const flag = (value) => (typeof value === "boolean" ? value : undefined);
const real = (value) => (Number.isFinite(value) ? value : undefined);
const positive = (value) => (real(value) > 0 ? value : undefined);
const time = (value) => (Number.isFinite(Date.parse(text(value))) ? value : undefined);
const scalar = (value) => text(value) ?? flag(value) ?? real(value);

/** The elements that can be read; empty if the value is no list. */
const list = (read) => (value) =>
  (Array.isArray(value) ? value.map(read).filter((one) => one !== undefined) : []);

/** The members that can be read, by any names; empty if the value is no object. */
const record = (read) => (value) => (isObject(value) ? members(Object.keys(value), () => read, value) : {});

/** An object with all the `required` members, and those of the `optional` ones that can be read. */
const object = (required, optional = {}) => (value) => {
  if (!isObject(value)) return undefined;
  const found = members(Object.keys(required), (name) => required[name], value);
  if (Object.keys(found).length < Object.keys(required).length) return undefined;
  return { ...found, ...members(Object.keys(optional), (name) => optional[name], value) };
};

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Of a name such as `__proto__`, too, only the message's own member counts. */
function members(names, readerOf, value) {
  const read = (name) => readerOf(name)(Object.hasOwn(value, name) ? value[name] : undefined);
  return Object.fromEntries(names.map((name) => [name, read(name)]).filter(([, one]) => one !== undefined));
}

const origin = object({}, { client: text, proved: flag, id: text });
const view = object({
  factor: positive, optical: positive, viewport: object({ x: real, y: real, width: positive, height: positive }),
});
const session = object({ quality: text }, { width: positive, height: positive, fps: positive });
const actuator = object({ kind: text, max: positive });
const range = object({ min: positive, max: positive, actuators: list(actuator) }, { handover: list(positive) });

/** What else a descriptor of a control needs, by its kind. */
const kinds = new Map([
  ["slider", object({ min: real, max: real }, { step: positive })],
  ["discrete", object({ values: list(real) })],
  ["picker", object({ options: list(object({ value: scalar, title: text })) })],
  ...["toggle", "button", "text"].map((kind) => [kind, object({})]),
]);
const descriptor = object({ name: text, title: text, kind: text },
  { unit: text, enabled: flag, reason: text, read_only: flag });

function control(value) {
  const common = descriptor(value);
  const own = kinds.get(common?.kind)?.(value);
  return own && { ...common, ...own };
}

const states = new Map([
  ["info", object({ qualities: list(text), controls: list(control) }, {
    name: text, model: text, shutter: object({}, { primary: text, secondary: text }),
    zoom: (value) => [range(value)].find((one) => one?.min <= one?.max),
  })],
  ["zoom", (value) => both(view(value), object({}, { rev: real, ramping: flag, origin })(value))],
  ["zoom/live", (value) => both(view(value), object({}, { rev: real })(value))],
  ["session", session],
  ["recording", object({ on: flag }, { state: text, started_at: time })],
  ["output", object({ state: text }, {
    device: text, width: positive, height: positive, fps: positive, shows: text, read: flag,
    error: object({ code: text }, { message: text }),
  })],
  ["controls", object({ values: record(scalar) })],
  ["presets", object({ presets: record(() => true) }, { current: text })],
  ["lease", object({ client: text }, { proved: flag })],
  ["privacy", object({ state: text }, { client: text, proved: flag })],
]);

const both = (one, other) => one && other && { ...one, ...other };

/** The state of a node; null if there is none, if it cannot be used, or if the page does not use the node. */
export const readState = (node, value) => states.get(node)?.(value) ?? null;

const event = object({ event: text }, {
  sound: text, action: text, client: text, proved: flag,
  recording: object({}, { reason: text, duration_s: real, bytes: real, earlier: list(text) }),
});

/** An event, or undefined. */
export const readEvent = event;

const answer = object({ status: text }, {
  error: object({ code: text }, { message: text, field: text }),
  rev: real, persisted: flag, session, next: scalar, photos: list(object({ path: text })),
  media: list(object({ name: text, kind: text, bytes: real, created_at: time })),
});

/** An answer to a command. One that cannot be read is an error. */
export function readAnswer(value) {
  const found = answer(value);
  if (found && (found.status !== "error" || found.error)) return found;
  return { status: "error", error: { code: "internal" } };
}

const header = object({}, {
  number: real, camera: text, frame: real, rev: real, exposed_at: time, answer: text, content_type: text,
});

/** The header of a picture. It has a `view` only if this is whole: with MQTT 3.1.1 there is none. */
export const readHeader = (value) => ({ ...header(value), view: view(value) });
