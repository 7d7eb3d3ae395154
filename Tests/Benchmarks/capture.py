"""Photos from a 1080p JPEG source, beside the libraries called the plain way, ffmpeg and libvips, and how
good they are.

The measuring is done by a Swift program that links the agent's own `Imaging`; here its rows become figures.
"""
import json
import shutil
import subprocess
import sys
import tempfile

import workshop
from figures import Figure

PRODUCT = "PhotoBenchmark"
TIMES = (
    "1920×1080, 4:2:2, quality 90, one thread, medians. The libraries: libturbojpeg and libyuv called the plain way in "
    "the same process, in turns with ours: decode all, scale (bilinear, smaller a box), encode. ffmpeg: the same crop, "
    "scale (Lanczos) and encode, without its start. libvips: the same (Lanczos; a preview by its thumbnailer), to 4:2:0.")
QUALITY = (
    "PSNR in RGB to what Pillow's LANCZOS makes of the same pixels, over the samples of the finished JPEGs (quality 90, "
    "ffmpeg's nearest in length).")
OUTPUT = (
    "1920×1080 JPEG, 4:2:2, to YUYV, one thread, medians: decode, crop, scale (Lanczos); at 30 pictures in a second, "
    "1 ms is 3 % of a processor. ffmpeg: the same, without its start. Without the driver, which copies each picture once.")
PEERS = {"libraries": "libraries", "ffmpeg": "ffmpeg", "vips": "libvips"}


def figures():
    with tempfile.TemporaryDirectory() as folder:
        command = [workshop.swift_product(PRODUCT), "--json", "--photos", folder]
        if not shutil.which("ffmpeg"):
            print("no ffmpeg here: sudo apt-get install ffmpeg", file=sys.stderr)
            command.append("--no-ffmpeg")
        try:
            command += ["--vips", workshop.peer("vips", "vips")]
        except workshop.Unable as problem:
            print(f"no libvips here: {problem}", file=sys.stderr)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=900)
        # 1: a promise is not kept. The rows are printed in either case.
        if done.returncode not in (0, 1):
            raise workshop.Unable(f"{PRODUCT} failed with {done.returncode}")
        try:
            rows = json.loads(done.stdout)
            return [figure for row in rows for figure in _times(row)] + [
                figure for row in rows if row["zoom"] > 1 and not _is_output(row) for figure in _qualities(row, folder)]
        except (ValueError, KeyError) as problem:
            raise workshop.Unable(f"{PRODUCT} printed no rows: {problem}") from None


def _name(row):
    return {
        "untouched": "photo at 1×, passed through", "preview": "preview of 640 px",
        "turned 180": "photo at 1×, turned by 180°", "turned 90": "photo at 1×, turned by 90°",
        "turned 180 encoded": "the same, encoded again (180°)", "turned 90 encoded": "the same, encoded again (90°)"}.get(
        row["name"], f"photo at {row['zoom']}×")


def _is_output(row):
    return row["name"].startswith("output ")


def _times(row):
    if _is_output(row):
        if row.get("ffmpeg"):
            yield Figure(f"picture of a virtual camera at {row['zoom']}×", row["ours"], row["ffmpeg"], "ms", "ffmpeg",
                         most_ratio=row["most_ratio"], note=OUTPUT)
        return
    if row["name"] == "untouched" or row["name"].endswith(" encoded"):
        yield Figure(_name(row), row["ours"], None, "ms", "", most_ours=row.get("most_ours"), note=TIMES)
    for key, peer in PEERS.items():
        if row.get(key):
            promised = row.get("most_ratio") if key == "libraries" else None
            yield Figure(_name(row), row["ours"], row[key], "ms", peer, most_ratio=promised, note=TIMES)


def _qualities(row, folder):
    peers = [key for key in PEERS if row.get(key)]
    photos = [f"{folder}/{row['name']}-{maker}.jpg" for maker in ["ours", *peers]]
    command = [workshop.python_with(workshop.PILLOW), workshop.HERE / "photo" / "psnr.py", f"{folder}/source.jpg"]
    done = subprocess.run([*map(str, command), *map(str, row["part"]), *photos], stdout=subprocess.PIPE, text=True,
                          check=True)
    ours, *others = map(float, done.stdout.split())
    for key, value in zip(peers, others):
        yield Figure(f"{_name(row)}: nearness to Pillow's", ours, value, "dB", PEERS[key], note=QUALITY)
