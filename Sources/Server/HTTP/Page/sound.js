// The sounds of the shutter. Browsers allow them after the first press on the page.

/** Tones by what happens: pitches in hertz, each for a tenth of a second. */
const TONES = { photo: [1_800, 1_200], recording_started: [660, 880], recording_finished: [880, 660] };
const LENGTH = 0.09;

let context = null;

/** Prepares the sound; to be called while the user presses something. */
export function allowSound() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}

/** Plays the sound of an action of the contract: `photo`, `recording_started` or `recording_finished`. */
export function playSound(action) {
  if (!context || !Object.hasOwn(TONES, action)) return;
  TONES[action].forEach((pitch, place) => {
    const tone = new OscillatorNode(context, { frequency: pitch, type: "triangle" });
    const volume = new GainNode(context, { gain: 0.12 });
    const start = context.currentTime + place * LENGTH;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + LENGTH);
  });
}
