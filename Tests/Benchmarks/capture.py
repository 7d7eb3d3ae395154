"""A photo at 1080p from a JPEG source, beside the libraries' own times and beside ffmpeg.

The measuring is done by a Swift program that links the agent's own `Imaging`; here its rows become figures.
"""
import json
import shutil
import subprocess

import workshop
from figures import Figure

PRODUCT = "PhotoBenchmark"
NOTE = (
    "1920×1080, 4:2:2, quality 90, medians. The libraries: decode, scale and encode called the plain way in the same "
    "process, in turns with ours. ffmpeg: the same crop, scale and encode on one thread, without its start.")


def figures():
    command = [workshop.swift_product(PRODUCT), "--json"]
    if not shutil.which("ffmpeg"):
        command.append("--no-ffmpeg")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=900)
    # 1 says that a promise is not kept; the rows are there all the same.
    if done.returncode not in (0, 1):
        raise workshop.Unable(f"{PRODUCT} failed with {done.returncode}")
    try:
        return [figure for row in json.loads(done.stdout) for figure in _figures(row)]
    except (ValueError, KeyError) as problem:
        raise workshop.Unable(f"{PRODUCT} printed no rows: {problem}") from None


def _figures(row):
    name = f"photo at {row['zoom']}×" + (", passed through" if row["pass_through"] else "")
    note = NOTE if shutil.which("ffmpeg") else NOTE + " ffmpeg is not installed here: sudo apt-get install ffmpeg."
    if row.get("libraries"):
        yield Figure(name, row["ours"], row["libraries"], "ms", "libraries", most_ratio=1.3, note=note)
    else:
        yield Figure(name, row["ours"], None, "ms", "", note=note)
    if row.get("ffmpeg"):
        yield Figure(name, row["ours"], row["ffmpeg"], "ms", "ffmpeg", note=note)
