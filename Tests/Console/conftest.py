"""What the tests share: for each file one browser, and one broker with an agent and a console.

No test passes while the contract is broken, or while the browser complains about the page.
"""

from contextlib import ExitStack, closing
from functools import partial

import pytest
from playwright.sync_api import sync_playwright

from bench import contract_checked
from bench_fixtures import bench, broker, shared  # noqa: F401 (pytest finds fixtures by their names here)
from chromium import launch, phones_of
from console import Console
from controller import Controller

#: Without a lens any point of the picture can be held. The pictures are small, so that slow machines keep up.
#: A photo is no long press, however slow the machine is.
CAMERA = {"simulated": {"optical_max": 1, "width": 960, "height": 540}, "shutter": {"long_press_ms": 3000}}
#: The property of a report with a text for the summary.
FIGURE = "figure"


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright):
    with closing(launch(playwright)) as browser:
        yield browser


@pytest.fixture(scope="module")
def agent(shared, broker):
    return shared.agent(broker, camera=CAMERA)


@pytest.fixture(scope="module")
def console(broker, agent, tmp_path_factory):
    with closing(Console(broker, tmp_path_factory.mktemp("console")).start()) as console:
        yield console


@pytest.fixture
def controller(shared, broker, agent):
    """A program beside the pages, with the zoom at 1."""
    with contract_checked(shared), Controller(broker) as controller:
        controller.zoom_to(1)
        yield controller


@pytest.fixture
def phone_for(browser, console, controller):
    """Makes phones: `phone_for(camera="porch/door", locale="de-DE")`."""
    with phones_of(browser, console.address()) as phone:
        yield phone


@pytest.fixture
def phone(phone_for):
    """A phone that shows the camera."""
    return phone_for().open()


@pytest.fixture
def console_at(tmp_path_factory):
    """Makes consoles: `console_at(broker, "--name", "hall")`. They are started by the test."""
    with ExitStack() as consoles:
        yield lambda broker, *options, **how: consoles.enter_context(
            closing(Console(broker, tmp_path_factory.mktemp("console"), *options, **how)))


@pytest.fixture
def figure(record_property):
    """Prints a text at the end of the run, also that of another process."""
    return partial(record_property, FIGURE)


def pytest_terminal_summary(terminalreporter):
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [one for report in reports if getattr(report, "when", "") == "call" for one in report.user_properties]
    if figures := [text for name, text in properties if name == FIGURE]:
        terminalreporter.section("figures")
        terminalreporter.write_line("\n".join(figures))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    console = getattr(item, "funcargs", {}).get("console")
    if report.failed and console:
        report.sections.append(("the console's log", console.log))
    return report
