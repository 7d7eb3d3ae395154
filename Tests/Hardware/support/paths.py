"""Paths of the project, of the guest's files and of the agent."""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PROJECT = Path(os.environ.get("HARDWARE_ROOT", HERE.parents[1]))
BUILD = Path(os.environ.get("HARDWARE_BUILD", PROJECT / ".build/hardware"))
CONFORMANCE = Path(os.environ.get("BACKEND_CONFORMANCE", PROJECT / ".build/release/BackendConformance"))
AGENT = Path(os.environ.get("V4L2MQTT", PROJECT / ".build/release/v4l2mqtt"))
