"""A figure beside its peer's, what is promised of it, and the table that they make."""
import dataclasses
import math
import statistics


@dataclasses.dataclass
class Figure:
    """One row of the table. What is promised is the most that the ratio, or our own value, may be.

    The note has what else is needed to read the row; rows with the same note share it.
    """

    name: str
    ours: float
    peer: float | None
    unit: str
    peer_name: str
    most_ratio: float | None = None
    most_ours: float | None = None
    note: str = ""

    @property
    def ratio(self):
        return self.ours / self.peer if self.peer else None

    @property
    def met(self):
        """Whether the promise is kept; None where nothing is promised."""
        if self.most_ratio is not None:
            return self.ratio is not None and self.ratio <= self.most_ratio
        if self.most_ours is not None:
            return self.ours <= self.most_ours
        return None

    @property
    def promise(self):
        if self.most_ratio is not None:
            return f"ratio ≤ {self.most_ratio:g}"
        if self.most_ours is not None:
            return f"≤ {self.most_ours:g} {self.unit}".rstrip()
        return ""

    def as_json(self):
        return {**dataclasses.asdict(self), "ratio": self.ratio, "met": self.met}


def percentile(values, share):
    """The smallest of the values that at least `share` (0…1) of them don't exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


median = statistics.median


def table(figures):
    """The figures as a Markdown table, with their notes below it."""
    lines = ["| figure | v4l2mqtt | peer | ratio | promised | kept |", "|---|--:|--:|--:|---|---|"]
    notes = []
    for figure in figures:
        mark = ""
        if figure.note:
            if figure.note not in notes:
                notes.append(figure.note)
            mark = f" [{notes.index(figure.note) + 1}]"
        ours = f"{_rounded(figure.ours)} {figure.unit}".rstrip()
        peer = "" if figure.peer is None else f"{_rounded(figure.peer)} {figure.unit}".rstrip()
        peer += f" ({figure.peer_name})" if peer else ""
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        kept = {None: "", True: "yes", False: "**no**"}[figure.met]
        lines.append(f"| {figure.name}{mark} | {ours} | {peer} | {ratio} | {figure.promise} | {kept} |")
    lines += [""] * bool(notes) + [f"{number}. {note}" for number, note in enumerate(notes, 1)]
    return "\n".join(lines)


def _rounded(value):
    """Three digits that mean something, and never fewer than stand before the point."""
    for digits, limit in ((0, 100), (1, 10), (2, 0.1)):
        if abs(value) >= limit:
            return f"{value:,.{digits}f}"
    return f"{value:.3g}"
