// What the page says, in each language. A key without a translation would be a defect; there is no fallback.

const languages = ["en", "de"];
const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language.slice(0, 2);
export const language = languages.includes(wanted) ? wanted : "en";
/** How people of the region write numbers and dates. */
const locale = navigator.language.startsWith(language) ? navigator.language : language;

/** The text of a key in the language of the browser. `{name}` is replaced by the value of that name. */
export function word(key, values = {}) {
  const text = words[key][languages.indexOf(language)];
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** The sentence for an error of an answer. Its own message is for those who write commands. */
export const errorText = ({ code }) =>
  (`error.${code}` in words ? word(`error.${code}`) : word("error.unknown", { code }));

/** The name of a quality: in words, or the size that its name ends with (`hd1920x1080`), by its usual name. */
export function qualityText(name) {
  if (`quality.${name}` in words) return word(`quality.${name}`);
  const [, width, height] = /(\d+)x(\d+)$/.exec(name) ?? [];
  return height ? sizeText(width, height) : name;
}

/** The day of a time for people: today, yesterday, or its date. */
export function dayText(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0 || days === 1) return word(days === 0 ? "today" : "yesterday");
  return date.toLocaleDateString(locale, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
}

export const timeText = (date) => date.toLocaleTimeString(locale, { timeStyle: "short" });

const SIZES = { 720: "HD", 1080: "Full HD", 1440: "QHD", 2160: "4K" };

/** A size in pixels, such as Full HD, or 800 × 600. */
const sizeText = (width, height) =>
  (Math.abs(width / height - 16 / 9) < 0.02 && SIZES[height]) || `${width} × ${height}`;

/** A number with at most so many decimals, as people of this language write it. */
export function number(value, decimals = 0, least = 0) {
  return value.toLocaleString(locale, { maximumFractionDigits: decimals, minimumFractionDigits: least });
}

/** Units of drivers that no person counts in: how many of another one they are, and its decimals. */
const UNITS = { "100 µs": [0.1, "ms", 1], arcsec: [1 / 3600, "°", 1] };

/** A number with at most so many decimals, and its unit if it has one. */
export function quantity(value, unit, decimals) {
  const [scale, name, most] = Object.hasOwn(UNITS, unit) ? UNITS[unit] : [1, unit, decimals];
  return number(value * scale, most) + (name ? `\u00a0${name}` : "");
}

/** A factor of the zoom, such as 2.5×. */
export const factorText = (factor) => `${number(factor, factor < 10 ? 1 : 0, factor < 10 ? 1 : 0)}×`;

/** Seconds as minutes and seconds, such as 1:05. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** What is known of the size and the rate of a session, such as Full HD · 30 fps. */
export const modeText = ({ width, height, fps }) =>
  [width && height && sizeText(width, height), fps && `${number(fps, 2)} fps`].filter(Boolean).join(" · ");

/** Bytes in the largest unit that gives at least 1. */
export function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${number(bytes / 1000 ** power, power > 1 ? 1 : 0)} ${units[power]}`;
}

export const words = {
  "cameras": ["Cameras", "Kameras"],
  "search": ["Search", "Suchen"],
  "groups": ["Groups", "Gruppen"],
  "all": ["All", "Alle"],
  "no_cameras": ["No cameras yet.", "Noch keine Kameras."],
  "no_match": ["No camera matches.", "Keine Kamera passt."],
  "gone": ["Offline", "Offline"],
  "records": ["Recording", "Nimmt auf"],
  "zooms": ["Zooming", "Zoomt"],
  "count": ["{count} cameras", "{count} Kameras"],
  "count_one": ["1 camera", "1 Kamera"],
  "sign_in": ["Sign in", "Anmelden"],
  "sign_out": ["Sign out", "Abmelden"],
  "token": ["Token of this device", "Token dieses Geräts"],
  "token_hint": [
    "Open the address that the console printed for this device, or paste its token.",
    "Öffne die Adresse, die die Konsole für dieses Gerät ausgegeben hat, oder füge ihr Token ein.",
  ],
  "token_wrong": ["The console does not know this token.", "Die Konsole kennt dieses Token nicht."],
  "user_unknown": [
    "The console has no token with the name of this user.",
    "Die Konsole hat kein Token mit dem Namen dieses Benutzers.",
  ],
  "page_refused": ["The console refuses this page.", "Die Konsole weist diese Seite ab."],
  "console_full": [
    "Too many pages are connected to the console. Trying again …",
    "Zu viele Seiten sind mit der Konsole verbunden. Neuer Versuch …",
  ],
  "connection_lost": ["No connection. Trying again …", "Keine Verbindung. Neuer Versuch …"],
  "broker_lost": ["The broker cannot be reached.", "Der Broker ist nicht erreichbar."],
  "waiting": ["Waiting for a picture …", "Warte auf ein Bild …"],
  "unknown_camera": ["This camera does not exist.", "Diese Kamera gibt es nicht."],
  "back": ["Back to all cameras", "Zurück zu allen Kameras"],
  "settings": ["Settings", "Einstellungen"],
  "done": ["Done", "Fertig"],
  "cancel": ["Cancel", "Abbrechen"],
  "picture": ["Picture of {camera}", "Bild von {camera}"],
  "stage": ["Zoom and move", "Zoomen und bewegen"],
  "stage_help": [
    "Pinch or turn the wheel to zoom, drag to move, double tap to zoom in or out. Keys: + and −, arrows, "
      + "Home, End; the space bar takes a photo.",
    "Mit zwei Fingern oder dem Mausrad zoomen, ziehen zum Bewegen, doppelt tippen zum Vergrößern oder "
      + "Verkleinern. Tasten: + und −, Pfeile, Pos1, Ende; die Leertaste nimmt ein Foto auf.",
  ],
  "zoom": ["Zoom", "Zoom"],
  "zoom_to": ["Zoom {factor}", "Zoom {factor}"],
  "zoom_to_now": ["Zoom {factor}, now {now}", "Zoom {factor}, jetzt {now}"],
  "zoom_factors": ["Zoom factors", "Zoomfaktoren"],
  "moves": ["{client} moves it", "{client} bewegt sie"],
  "another_page": ["another page", "eine andere Seite"],
  "look_only": ["This device may only look.", "Dieses Gerät darf nur zusehen."],
  "need_manage": [
    "Only a device with the role “manage” may do this.",
    "Das darf nur ein Gerät mit der Rolle „manage“.",
  ],
  "presets": ["Presets", "Ansichten"],
  "home": ["Home", "Start"],
  "preset_go": ["Go to {preset}", "Zu {preset}"],
  "preset_edit": ["Save or delete presets", "Ansichten sichern oder löschen"],
  "preset_save": ["Save this view", "Diese Ansicht sichern"],
  "preset_name": ["Name of the preset", "Name der Ansicht"],
  "preset_delete": ["Delete {preset}", "{preset} löschen"],
  "save": ["Save", "Sichern"],
  "mode": ["Mode", "Modus"],
  "photo": ["Photo", "Foto"],
  "video": ["Video", "Video"],
  "shoot": ["Take photo", "Foto aufnehmen"],
  "record": ["Start recording", "Aufnahme starten"],
  "stop": ["Stop recording", "Aufnahme beenden"],
  "finishing": ["The recording is being completed.", "Die Aufnahme wird fertiggestellt."],
  "recording_time": ["Recording: {time}", "Aufnahme: {time}"],
  "recorded": ["Recording stored: {time}, {size}", "Aufnahme gesichert: {time}, {size}"],
  "recorded_files": [
    "Recording stored in {count} files. The last: {time}, {size}",
    "Aufnahme in {count} Dateien gesichert. Die letzte: {time}, {size}",
  ],
  "recording_continued": [
    "The recording goes on in another file.", "Die Aufnahme geht in einer anderen Datei weiter.",
  ],
  "recording_ended": ["The recording has ended: {reason}", "Die Aufnahme ist beendet: {reason}"],
  "end.max_duration": ["its longest duration is over.", "ihre längste Dauer ist erreicht."],
  "end.size_limit": ["the file has its largest size.", "die Datei hat ihre größte Größe."],
  "end.disk_full": ["the disk is full.", "der Datenträger ist voll."],
  "end.unplugged": ["the camera was unplugged.", "die Kamera wurde abgezogen."],
  "end.privacy": ["the camera is private.", "die Kamera ist privat."],
  "end.agent_stopped": ["the agent was stopped.", "der Agent wurde beendet."],
  "end.crash": ["the agent crashed.", "der Agent ist abgestürzt."],
  "end.failed": ["the camera or the encoder failed.", "die Kamera oder der Encoder ist ausgefallen."],
  "photo_stored": ["Photo stored: {name}", "Foto gesichert: {name}"],
  "last_photo": ["Last photo", "Letztes Foto"],
  "gallery": ["Photos and recordings", "Fotos und Aufnahmen"],
  "gallery_empty": ["No photos or recordings yet.", "Noch keine Fotos oder Aufnahmen."],
  "more": ["More", "Mehr"],
  "download": ["Download", "Herunterladen"],
  "delete": ["Delete", "Löschen"],
  "delete_question": ["Delete {name}?", "{name} löschen?"],
  "photo_of": ["Photo, {date}, {size}", "Foto, {date}, {size}"],
  "recording_of": ["Recording, {date}, {size}", "Aufnahme, {date}, {size}"],
  "cannot_play": [
    "This browser cannot play the recording. Download it.",
    "Dieser Browser kann die Aufnahme nicht abspielen. Lade sie herunter.",
  ],
  "file_gone": ["This file is not there any more.", "Diese Datei ist nicht mehr da."],
  "select": ["Select", "Auswählen"],
  "selected": ["{count} selected", "{count} ausgewählt"],
  "delete_several": ["Delete {count} files?", "{count} Dateien löschen?"],
  "today": ["Today", "Heute"],
  "yesterday": ["Yesterday", "Gestern"],
  "quality": ["Quality", "Qualität"],
  "quality_now": ["Quality {quality}: {mode}", "Qualität {quality}: {mode}"],
  "quality.low": ["Low", "Niedrig"],
  "quality.medium": ["Medium", "Mittel"],
  "quality.high": ["High", "Hoch"],
  "photo_size": ["Photos on this page", "Fotos auf dieser Seite"],
  "photo_size.full": ["Full size", "Volle Größe"],
  "photo_size.limited": ["At most {pixels} pixels wide", "Höchstens {pixels} Pixel breit"],
  "page_name": ["Name of this page", "Name dieser Seite"],
  "page_name_hint": ["Other pages name it so when it zooms.", "So nennen andere Seiten sie, wenn sie zoomt."],
  "trigger": ["Run", "Ausführen"],
  "read_only": ["The camera only reports this.", "Die Kamera meldet das nur."],
  "lease_free": ["Everyone can zoom.", "Alle können zoomen."],
  "lease_mine": ["Only this device zooms.", "Nur dieses Gerät zoomt."],
  "lease_other": ["Only {client} zooms.", "Nur {client} zoomt."],
  "lease_take": ["Take the zoom", "Zoom übernehmen"],
  "lease_release": ["Release the zoom", "Zoom freigeben"],
  "lease_question": [
    "{client} has taken the zoom for itself. Take it over?",
    "{client} hat den Zoom für sich genommen. Übernehmen?",
  ],
  "lease_force": ["Take over", "Übernehmen"],
  "lease_lost": ["{client} has taken over the zoom.", "{client} hat den Zoom übernommen."],
  "privacy": ["Privacy", "Privatsphäre"],
  "hide": ["Hide it", "Ausblenden"],
  "forget_hint": ["If it is gone for good, enter:", "Kommt sie nicht wieder, gib ein:"],
  "privacy_end": ["End privacy", "Privatsphäre beenden"],
  "privacy_hint": ["Closes the camera: no pictures.", "Schließt die Kamera: keine Bilder."],
  "private_since": ["Private, switched on by {client}", "Privat, eingeschaltet von {client}"],
  "model": ["Model", "Modell"],
  "name": ["Name", "Name"],
  "resolution": ["Resolution", "Auflösung"],
  "virtual_camera": ["Virtual camera", "Virtuelle Kamera"],
  "output.starting": ["is being opened", "wird geöffnet"],
  "output.running": ["shows the camera", "zeigt die Kamera"],
  "output.idle": ["no program reads it", "kein Programm liest sie"],
  "output.black": ["shows black", "zeigt Schwarz"],
  "output.failed": ["can't be used", "lässt sich nicht verwenden"],
  "delay": ["Delay", "Verzögerung"],
  "device": ["This device", "Dieses Gerät"],
  "role.look": ["view only", "nur zusehen"],
  "role.control": ["can control", "darf bedienen"],
  "role.manage": ["can manage", "darf verwalten"],
  "version": ["Version", "Version"],
  "not_stored": [
    "Done, but it may be lost with a restart: the agent cannot store it.",
    "Erledigt, geht aber bei einem Neustart vielleicht verloren: Der Agent kann es nicht sichern.",
  ],
  "reason.offline": ["Offline", "Offline"],
  "reason.private": ["The camera is private.", "Die Kamera ist privat."],
  "reason.not_ready": ["The camera is not ready yet.", "Die Kamera ist noch nicht bereit."],
  "reason.not_found": ["The camera is not connected.", "Die Kamera ist nicht angeschlossen."],
  "reason.unplugged": ["The camera was unplugged.", "Die Kamera wurde abgezogen."],
  "reason.unusable": ["The camera cannot be opened.", "Die Kamera lässt sich nicht öffnen."],
  "reason.replaced": ["Another camera takes its place.", "Eine andere Kamera nimmt ihren Platz ein."],
  "error.bad_payload": ["The camera does not accept this.", "Die Kamera nimmt das nicht an."],
  "error.bad_topic": ["There is no such camera or function.", "Diese Kamera oder Funktion gibt es nicht."],
  "error.unproved": [
    "The agent takes commands from proved clients only.",
    "Der Agent nimmt Befehle nur von nachgewiesenen Clients an.",
  ],
  "error.unsupported": ["The camera cannot do this.", "Das kann die Kamera nicht."],
  "error.unavailable": ["Not available at the moment.", "Im Moment nicht verfügbar."],
  "error.stale": ["The command came too late.", "Der Befehl kam zu spät."],
  "error.duplicate": ["This was done already.", "Das ist schon geschehen."],
  "error.conflict": ["The camera has changed meanwhile.", "Die Kamera hat sich inzwischen verändert."],
  "error.private": ["The camera is private.", "Die Kamera ist privat."],
  "error.forbidden": ["This is not permitted.", "Das ist nicht erlaubt."],
  "error.held": ["Another device has taken the zoom.", "Ein anderes Gerät hat den Zoom übernommen."],
  "error.busy": ["The camera is busy. Try again.", "Die Kamera ist beschäftigt. Versuche es noch einmal."],
  "error.cancelled": ["The command was cancelled.", "Der Befehl wurde zurückgenommen."],
  "error.too_large": ["That is too much for one command.", "Das ist zu viel für einen Befehl."],
  "error.rate_limited": ["Too many commands. Wait a little.", "Zu viele Befehle. Warte ein wenig."],
  "error.storage_full": ["There is no room on the disk.", "Auf dem Datenträger ist kein Platz."],
  "error.device": ["The camera or the disk refused.", "Die Kamera oder der Datenträger hat abgelehnt."],
  "error.internal": ["The agent has a defect.", "Der Agent hat einen Fehler."],
  "error.lost": ["No connection to the console.", "Keine Verbindung zur Konsole."],
  "error.unknown": ["Refused ({code}).", "Abgelehnt ({code})."],
};
