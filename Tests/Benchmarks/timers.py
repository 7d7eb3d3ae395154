"""Timers of one loop: how long it takes to move one of 10,000, and to fire it."""
import json
import subprocess

import workshop
from figures import Figure

PRODUCT = "TimerBenchmark"


def figures():
    done = subprocess.run([workshop.swift_product(PRODUCT)], stdout=subprocess.PIPE, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    return [
        Figure("one of 10,000 timers: moved", found["set"], None, "ns", ""),
        Figure("one of 10,000 timers: fired", found["fire"], None, "ns", "")]
