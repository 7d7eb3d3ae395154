"""Endless sequences of commands for a `ConcurrentController`, each from a random generator of its own with a
fixed seed."""

import itertools
import math

from concurrent_controllers import VANISH


def _pinch(name, chance, hz, mode, number):
    """The samples of one pinch, without its end."""
    gesture, sequence = f"{name}/{number}", itertools.count()
    anchor = {"x": chance.random(), "y": chance.random()}
    yield 1 / hz, "pinch", {"gesture": gesture, "phase": "began", "seq": next(sequence), "anchor": anchor}
    reach, before = chance.uniform(-2, 2), 0.0
    samples = int(hz * chance.uniform(0.3, 1.5))
    for n in range(1, samples + 1):
        octaves = reach * math.sin(math.pi * n / samples)
        scale = 2 ** (octaves if mode == "cumulative" else octaves - before)
        before = octaves
        yield 1 / hz, "pinch", {
            "gesture": gesture, "phase": "changed", "scale": scale, "mode": mode, "seq": next(sequence)}


def _pinches(name, chance, hz, mode):
    for number in itertools.count():
        yield from _pinch(name, chance, hz, mode, number)
        end = {"gesture": f"{name}/{number}", "phase": chance.choice(["ended", "ended", "cancelled"])}
        if end["phase"] == "cancelled":
            end["revert"] = chance.random() < 0.5
        yield chance.uniform(0.05, 0.5), "pinch", end


def fast_pinch(name, chance):
    """A phone with a screen of 120 Hz."""
    return _pinches(name, chance, 120, "cumulative")


def incremental_pinch(name, chance):
    return _pinches(name, chance, 60, "incremental")


def touch(name, chance):
    """Raw fingers: one drags, a second comes and pinches, at times a third."""
    for number in itertools.count():
        gesture, sequence = f"{name}/{number}", itertools.count()

        def fingers(*touches, pause=1 / 60):
            touches = [{"id": id, "phase": phase, "x": x, "y": y} for id, phase, x, y in touches]
            return pause, "touch", {"gesture": gesture, "seq": next(sequence), "touches": touches}

        x, y = chance.uniform(0.3, 0.5), chance.uniform(0.3, 0.7)
        yield fingers(("a", "began", x, y))
        for n in range(chance.randrange(20)):
            yield fingers(("a", "moved", x + n / 200, y))
        yield fingers(("b", "began", x + 0.2, y))
        if chance.random() < 0.3:
            yield fingers(("c", "began", 0.9, 0.9))
        wide = chance.uniform(-0.15, 0.4)
        for n in range(chance.randrange(10, 60)):
            yield fingers(("b", "moved", x + 0.2 + wide * n / 60, y))
        yield fingers(*((id, "ended", x, y) for id in "abc"), pause=chance.uniform(0.1, 0.5))


def button(name, chance):
    """Discrete commands: jumps, ramps, steps, moves, and stops in the middle of them."""
    while True:
        command = chance.choice([
            {"factor": chance.uniform(0.5, 10)}, {"factor": chance.uniform(1, 8), "rate": chance.uniform(0.5, 4)},
            {"position": chance.random(), "rate": 2}, {"by": chance.choice([0.5, 0.8, 1.25, 2])},
            {"by": 1.5, "anchor": {"x": chance.random(), "y": chance.random()}},
            {"move": {"velocity": chance.uniform(-2, 2), "timeout_ms": 500}}, {"stop": True}])
        yield chance.uniform(0.1, 0.6), "zoom", command


def look(name, chance):
    """A joystick that moves the view."""
    while True:
        place = chance.choice([
            {"by": {"dx": chance.uniform(-0.2, 0.2), "dy": chance.uniform(-0.2, 0.2)}},
            {"center": {"x": chance.random(), "y": chance.random()}}])
        yield 0.1, "viewport", place


def vanish(name, chance):
    """A pinch, and in the middle of it the phone is out of reach."""
    for number in itertools.count():
        samples = list(_pinch(name, chance, 30, "cumulative", number))
        yield from samples[:max(2, chance.randrange(len(samples)))]
        yield chance.uniform(0.5, 2), VANISH, None
