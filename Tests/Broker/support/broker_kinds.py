"""The kinds of brokers that the tests run with. `Tests/run --broker KIND` chooses one.

A test of what a kind cannot do is skipped, with the reason: it asks for that by an option of `Bench.broker`,
or by the mark `needs`, as in `pytestmark = pytest.mark.needs("anonymous clients")`. `LACKS` of a kind has the
names.
"""

import os
from pathlib import Path

import pytest

from bridged_broker import BridgedBroker
from broker import Broker
from ejabberd_broker import EjabberdBroker

_KINDS = {kind.KIND: kind for kind in (Broker, BridgedBroker, EjabberdBroker)}
CHOSEN = os.environ.get("TESTS_BROKER", Broker.KIND)


def make_broker(folder: Path, kind=CHOSEN, **options):
    """A broker that is not started. Each option that is set is something that the kind must have."""
    for name, value in options.items():
        if value:
            need(name, kind)
    return _KINDS[kind](folder, **options)


def need(capability: str, kind=CHOSEN):
    """Skips the test if the kind lacks this."""
    if reason := _KINDS[kind].LACKS.get(capability):
        pytest.skip(f"{kind}: {reason}")
