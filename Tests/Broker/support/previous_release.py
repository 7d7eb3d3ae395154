"""The program of an earlier release, built from its commit."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
#: The last commit whose program has no journal beside its state.
WITHOUT_JOURNAL = "75a5c3cdf3704f007d0543271adf6e2bd9fb798a"


def program_of(commit: str) -> Path:
    """Builds the program in `.build/previous`, unless it is there. This takes some minutes."""
    place = ROOT / ".build/previous" / commit[:12]
    program = place / ".build/release/v4l2mqtt"
    if not program.exists():
        if not (place / "Package.swift").exists():
            place.mkdir(parents=True, exist_ok=True)
            files = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
            subprocess.run(["tar", "x", "-C", place], input=files, check=True)
        subprocess.run(["swift", "build", "-c", "release", "--product", "v4l2mqtt"], cwd=place, check=True)
    return program
