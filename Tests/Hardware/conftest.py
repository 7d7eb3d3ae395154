"""What the tests share: one guest for all the tests of a file, and its console with each failure."""

from contextlib import closing

import pytest

from camera_frames import Frames
from guest import Guest
from guest_broker import GuestBroker
from guest_image import Made, Missing, prepare
from recorder import Recorder
from camera_controllers import controllers_at


def pytest_collection_modifyitems(items):
    """Where the guest can't be had, all that needs one is skipped: loudly, and in one line for each file."""
    waiting = [item for item in items if "made" in item.fixturenames]
    try:
        if waiting:
            prepare()
    except Missing as reason:
        for item in waiting:
            item.add_marker(pytest.mark.skip(reason=f"!!! NOTHING WAS TESTED AGAINST THE KERNEL'S DRIVERS !!! {reason}"))


@pytest.fixture(scope="session")
def made() -> Made:
    return prepare()


@pytest.fixture(scope="module")
def guest(made, tmp_path_factory):
    with closing(Guest(made, tmp_path_factory.mktemp("guest"))) as guest:
        yield guest


@pytest.fixture(scope="session")
def frame_of(tmp_path_factory) -> Frames:
    return Frames(tmp_path_factory.mktemp("frames"))


@pytest.fixture(scope="module")
def broker(guest):
    """mosquitto in the guest, and no test of the file passes while the contract is broken."""
    broker = GuestBroker(guest).start()
    with closing(Recorder(broker)) as recorder:
        yield broker
        recorder.flush()
        assert not recorder.objections, "\n".join(["the contract is broken:", *recorder.objections])


@pytest.fixture
def controller_for(broker, agent):
    """Makes controllers for the cameras of the file's own `agent`, each with its zoom at 1."""
    with controllers_at(broker) as controller_for:
        yield controller_for


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    guest = getattr(item, "funcargs", {}).get("guest")
    if report.failed and guest:
        report.sections.append(("the guest's processes and console", guest.log_tails()))
    return report
