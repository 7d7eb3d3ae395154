"""Holds what a power cut left of the state against everything that was observed before it."""

import json
import re
from bisect import bisect_right
from datetime import datetime
from pathlib import Path

from loaded_agent import CAMERAS, LoadedAgent
from power_cuts import Cut
from state_file import slots_of, state_in
from timed_promises import Observed, TimedLedger
from virtual_disk import Flush, Timeline, Write

#: A slot has its generation, a checksum and a document.
_LINE = re.compile(rb"\d+ [0-9a-f]{8} \{\"version\"")
#: Of the state: the agent's, and one of each camera.
_FILES = 1 + len(CAMERAS)
#: What a crash skips, of each number.
_SKIPPED = {"rev": 1_000_000, "photo": 200, "recording": 200}
_FILE = re.compile(r"Z-(\d+)\.(jpg|mp4|mkv)")


class Judge:
    """Collects what an agent publishes and answers, with the moment of each."""

    def __init__(self, timeline: Timeline):
        self.timeline = timeline
        self.boots, self.revs = Observed(timeline), {}
        self.photos, self.recordings = Observed(timeline), Observed(timeline)
        #: The moment, the request and the agent's time of each final answer.
        self.answers: list[tuple[int, str, float]] = []
        self._runs: list[tuple[int, bool]] = []
        self._syncs: list[int] = []
        self.losses: list[float] = []

    def ledger(self, value) -> TimedLedger:
        return TimedLedger(value, self.timeline)

    def begins(self, is_synced: bool):
        """A run, with `state_sync` or without it."""
        self._runs.append((self.timeline.next(), is_synced))

    def seen(self, camera: str, message: dict):
        self.boots.add(message["boot"])
        self.revs.setdefault(camera, Observed(self.timeline)).add(message["rev"])
        for number, suffix in _FILE.findall(json.dumps(message)):
            (self.photos if suffix == "jpg" else self.recordings).add(int(number))
        if "status" in message:
            moment = datetime.fromisoformat(message["ts"]).timestamp()
            self.answers.append((self.timeline.next(), message["id"], moment))

    def follow(self, history: list[Write | Flush]):
        """Finds the moments when slots had been synced."""
        has_lines = False
        for event in history:
            if isinstance(event, Write):
                has_lines = has_lines or bool(_LINE.search(event.data))
            elif has_lines:
                self._syncs.append(event.done)
                has_lines = False

    def _is_kept(self, moment: int, cut: Cut) -> bool:
        """Whether what was answered then has to outlive the cut.

        The files are synced one after the other: the last whole pass before the cut began after so many syncs
        had ended, and has all that was answered until then.
        """
        run = bisect_right(self._runs, (moment, True)) - 1
        if run >= 0 and self._runs[run][1]:
            return moment <= cut.at
        before = bisect_right(self._syncs, cut.at)
        return before >= 2 * _FILES and moment <= self._syncs[before - 2 * _FILES]

    def judge(self, cut: Cut, folder: Path, loaded: LoadedAgent) -> dict | None:
        """Returns the state in the folder; None if there is none yet."""
        where = f"{cut.what}, moment {cut.at}"
        file = folder / "state.json"
        assert not list(folder.glob("**/*damaged*"))
        if not (slots_of(file) / "agent").exists():
            assert self.boots.until(cut.at) == 0, f"{where}: no state"
            return None
        for path in slots_of(file).iterdir():
            assert path.suffix == ".new" or path.stat().st_size <= 1 << 19
        state = state_in(file)
        self._judge_numbers(where, cut, state)
        for what, ledger, value in self._values(state, loaded):
            fault = ledger.allows(value, cut.at, lambda moment: self._is_kept(moment, cut))
            assert not fault, f"{where}: {what}: {fault}"
        self._measure_loss(cut, state, loaded.version)
        return state

    def _judge_numbers(self, where: str, cut: Cut, state: dict):
        """The next start uses numbers above these."""
        first = [("boot", state["boot"], self.boots)]
        # No slot has the mark of a clean end: a run that begins now counts one more crash.
        crashes = state["crashes"] + (not state["isClean"])

        def begins(camera: str, kind: str) -> int:
            if camera not in state["cameras"]:
                return 0
            saved = state["cameras"][camera]["numbers"]
            return saved[kind] + (crashes - saved["crashes"]) * _SKIPPED[kind]

        for camera, revs in self.revs.items():
            first.append((f"rev of {camera}", begins(camera, "rev"), revs))
        first.append(("photos", begins("hall", "photo"), self.photos))
        first.append(("recordings", begins("hall", "recording"), self.recordings))
        for what, number, used in first:
            assert number >= used.until(cut.at), f"{where}: {what}: a run begins after {number}, {used.until(cut.at)} was used"

    @staticmethod
    def _values(state: dict, loaded: LoadedAgent):
        saved = {camera: state["cameras"].get(camera, {}) for camera in ("door", "yard", "hall")}
        for camera, ledger in loaded.factors.items():
            yield f"zoom of {camera}", ledger, saved[camera].get("factor", 1.0)
        for camera, ledgers in loaded.presets.items():
            for name, ledger in ledgers.items():
                yield f"preset {name}", ledger, name in saved[camera].get("presets", {})
        controls = saved["door"].get("controls", {})
        yield "brightness", loaded.brightness, controls.get("brightness", 128)
        yield "focus", loaded.focus, controls.get("focus", 0)
        yield "quality", loaded.quality, saved["yard"].get("session", {}).get("quality", "high")
        yield "version", loaded.version, version_in(state)

    def _measure_loss(self, cut: Cut, state: dict, versions: TimedLedger):
        """By the agent's clock: from the first answer that was lost to the last one before the cut. The
        versions are answered one after the other, so the first one above that of the state is the first that
        was lost."""
        known = [answer for answer in self.answers if answer[0] <= cut.at]
        lost = versions.answered_above(version_in(state), cut.at)
        if not known:
            return
        # Another client notes the answers' times, a moment before or after the one that sent the request.
        times = {request: time for _, request, time in self.answers}
        last = max(time for _, _, time in known)
        self.losses.append(max(0, last - times.get(lost, last)))


def version_in(state: dict) -> int:
    desired = state["cameras"].get("hall", {}).get("desired")
    return desired["version"] if desired else 0
