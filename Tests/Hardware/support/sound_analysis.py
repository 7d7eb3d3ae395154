"""The sound of a recording, analysed with ffmpeg and a little arithmetic."""

import array
import subprocess

RATE = 48_000
#: A smaller amplitude counts as silence; the tones have 16,000.
QUIET = 1000
_WINDOW = RATE // 1000


def sound_samples(path) -> array.array:
    """The samples, of one channel; none if the file has no sound."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a?", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
    done = subprocess.run(command, capture_output=True)
    samples = array.array("h")
    if "does not contain any stream" not in done.stderr.decode():
        assert done.returncode == 0 and not done.stderr, done.stderr.decode()
        samples.frombytes(done.stdout)
    return samples


def is_silent(samples) -> bool:
    return max(map(abs, samples), default=0) < QUIET


def frequency(samples) -> float:
    """Of a pure tone, by where it crosses zero."""
    crossings = [at for at in range(1, len(samples)) if samples[at - 1] < 0 <= samples[at]]
    return RATE * (len(crossings) - 1) / (crossings[-1] - crossings[0])


def onsets(samples, quiet=0.05) -> list[float]:
    """When tones begin, in seconds, after silence of at least `quiet` seconds."""
    found, silent = [], 0
    for at in range(0, len(samples), _WINDOW):
        if is_silent(samples[at:at + _WINDOW]):
            silent += _WINDOW
        else:
            if silent >= quiet * RATE:
                found.append(at / RATE)
            silent = 0
    return found
