"""What is restarted, hidden or closed while a page shows a camera."""

import os
import signal
import time
from contextlib import closing

import pytest

from chromium import launch, phones_of
from conftest import CAMERA
from fingers import opposite
from waiting import eventually

pytestmark = pytest.mark.deep

#: The browser reports attempts to connect to a console that is away, and to ask why that failed.
AWAY = "WebSocket connection to .* failed|Failed to load resource"
#: Seconds in which everything ends that a page has begun.
WITHIN = 1
EXACT = 0.00005
#: So many pictures are shown before a connection ends: a page that goes on counting them would take this many
#: new ones for old ones.
SHOWN = 100
#: Seconds of silence after which a page that is shown again makes a new connection.
SILENT = 7


@pytest.fixture
def world(bench, browser, console_at):
    """A broker, an agent, a console, a program beside the page, and a phone that shows the camera."""
    broker = bench.broker()
    agent = bench.agent(broker, camera=CAMERA)
    console = console_at(broker).start()
    controller = bench.controller(broker)
    with phones_of(browser, console.address()) as phone_for:
        yield broker, agent, console, controller, phone_for


def doubles_the_factor(phone, controller):
    """A pinch zooms to twice the factor, which is 1."""
    phone.until("!$('.chips button').disabled", "a camera that can be zoomed")
    since = len(phone.sent)
    middle = phone.place(0.5, 0.5)
    phone.fingers.slide(opposite(middle, 40, 0), opposite(middle, 80, 0))
    zoom = controller.settled(phone.answer("pinch", phase="ended", since=since))
    assert zoom["factor"] == pytest.approx(2, abs=EXACT)


def shows_many_pictures(phone) -> int:
    """Waits until the connection has shown many pictures. From then on the page notes the frames that it
    shows. Returns how many pictures came before."""
    eventually(lambda: phone.run("0") == 0 and phone.pictures[-1]["number"] >= SHOWN, f"{SHOWN} pictures")
    phone.run(
        "(window.shown = [], new MutationObserver(() => shown.push(stage().dataset.frame))"
        ".observe(stage(), {attributes: true, attributeFilter: ['data-frame']}))"
    )
    return len(phone.pictures)


def shows_pictures_of_a_new_connection(phone, since: int):
    """Waits until the page has shown one of the first pictures of a connection. They came `since`."""

    def first_ones_are_shown() -> bool:
        shown = phone.run("window.shown")
        first = {str(picture.get("frame", picture["number"]))
                 for picture in phone.pictures[since:] if picture["number"] < SHOWN}
        return not first.isdisjoint(shown)

    eventually(first_ones_are_shown, "one of the first pictures of the connection")


def test_an_agent_that_is_killed_and_started_again(world):
    _, agent, _, controller, phone_for = world
    phone = phone_for().open()
    agent.kill()
    phone.says("Offline")
    phone.until("stage().dataset.frame === undefined && $('.view canvas').hidden", "no picture of a camera that is away")
    assert phone.button("Take photo").is_disabled()
    phone.screenshot("agent-away")
    agent.start()
    phone.shows_pictures()
    controller.zoom_to(1)
    doubles_the_factor(phone, controller)


def test_a_broker_that_is_killed_and_started_again(world):
    broker, _, _, controller, phone_for = world
    phone = phone_for().open()
    broker.kill()
    phone.says("The broker cannot be reached.")
    phone.screenshot("broker-away")
    before = phone.frame
    broker.start()
    phone.until("$('.banner').hidden", "the console's broker again")
    phone.shows_pictures(after=before)
    controller.zoom_to(1)
    doubles_the_factor(phone, controller)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_console_that_ends_and_is_started_again(world, end):
    _, _, console, controller, phone_for = world
    phone = phone_for().open()
    phone.permit(AWAY)
    since = shows_many_pictures(phone)
    getattr(console, end)()
    phone.says("No connection. Trying again …")
    assert phone.button("Take photo").is_disabled()
    phone.screenshot("console-away")
    before = phone.frame
    console.start()
    phone.until("$('.banner').hidden", "the console again")
    shows_pictures_of_a_new_connection(phone, since)
    doubles_the_factor(phone, controller)


def held(phone):
    """Two fingers pinch, and stay; the shutter is held by the space bar."""
    phone.page.keyboard.down(" ")
    for number, place in enumerate(opposite(phone.place(0.5, 0.5), 40, 0)):
        phone.fingers.down({number: place})
    phone.fingers.move(dict(enumerate(opposite(phone.place(0.5, 0.5), 60, 0))))


def is_held(controller):
    """Returns when the agent knows of the gesture, the button and the preview."""
    controller.state("capture", lambda capture: capture["pressed"] == ["primary"])
    controller.state("pinch", lambda pinch: pinch is not None)
    controller.state("preview", lambda preview: preview is not None and preview["clients"] == ["console"])


def assert_nothing_is_held(controller):
    """The agent knows that the page has released everything; nothing was taken."""
    controller.state("capture", lambda capture: capture["pressed"] == [] and capture["counter"] == 0)
    controller.state("pinch", lambda pinch: pinch is None)


def assert_all_ends(controller, gone: float):
    """The agent knows, within a second, that the page holds nothing any more; nothing was taken."""
    for node, wanted in [("capture", lambda capture: capture["pressed"] == []),
                         ("pinch", lambda pinch: pinch is None),
                         ("preview", lambda preview: preview is None)]:
        controller.state(node, wanted, timeout=max(0.01, gone + WITHIN - time.monotonic()))
    assert controller.state("capture")["counter"] == 0, "a photo that is cancelled is not taken"
    assert controller.state("recording")["state"] == "idle"


def test_a_page_that_is_closed_during_a_hold(world):
    *_, controller, phone_for = world
    phone = phone_for().open()
    held(phone)
    is_held(controller)
    phone.page.close()
    assert_all_ends(controller, time.monotonic())


def test_a_page_that_is_left_during_a_hold(world):
    *_, controller, phone_for = world
    phone = phone_for().open()
    held(phone)
    is_held(controller)
    phone.page.goto("about:blank")
    assert_all_ends(controller, time.monotonic())


def test_a_browser_that_crashes_during_a_hold(world, playwright):
    *_, controller, phone_for = world
    with closing(launch(playwright)) as browser:
        phone = phone_for(browser=browser).open()
        held(phone)
        is_held(controller)
        processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        for process in processes:
            if process["type"] == "renderer":
                os.kill(process["id"], signal.SIGKILL)
        assert_all_ends(controller, time.monotonic())
        phone.abandon()


def test_a_page_that_is_hidden_and_shown_again(world):
    *_, controller, phone_for = world
    phone = phone_for().open()
    held(phone)
    is_held(controller)
    show(phone, False)
    assert_all_ends(controller, time.monotonic())
    phone.fingers.up()
    phone.page.keyboard.up(" ")
    before = phone.frame
    show(phone, True)
    phone.shows_pictures(after=before)
    controller.zoom_to(1)
    doubles_the_factor(phone, controller)


def test_a_page_that_connects_again_shows_new_pictures(world):
    *_, phone_for = world
    phone = phone_for().open()
    since = shows_many_pictures(phone)
    sockets = phone.greetings
    phone.run("dispatchEvent(new Event('online'))")  # what a browser reports when the network is there again
    eventually(lambda: phone.run("0") == 0 and phone.greetings > sockets, "a new connection")
    shows_pictures_of_a_new_connection(phone, since)


def test_a_page_that_was_hidden_while_nothing_came_shows_new_pictures(world):
    """As after a phone has slept: the connection is silent when the page is shown again."""
    _, _, console, _, phone_for = world
    phone = phone_for().open()
    since = shows_many_pictures(phone)
    sockets = phone.greetings
    show(phone, False)
    console.process.send_signal(signal.SIGSTOP)
    try:
        time.sleep(SILENT)  # the silence is what the page measures
        show(phone, True)
    finally:
        console.process.send_signal(signal.SIGCONT)
    eventually(lambda: phone.run("0") == 0 and phone.greetings > sockets, "a new connection")
    shows_pictures_of_a_new_connection(phone, since)


def test_a_window_that_loses_the_focus_during_a_hold(world):
    """The window stays visible, and gets no event of the key or the fingers that are lifted elsewhere."""
    *_, controller, phone_for = world
    phone = phone_for().open()
    # Otherwise each page behaves as if it had the focus.
    phone.context.new_cdp_session(phone.page).send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    phone.page.bring_to_front()
    phone.until("document.hasFocus()", "the focus")
    held(phone)
    is_held(controller)
    phone.context.new_page().bring_to_front()
    phone.until("!document.hasFocus()", "another window has the focus")
    assert_nothing_is_held(controller)
    assert phone.run("document.hidden") is False


def test_a_space_bar_that_is_lifted_elsewhere_takes_the_photo(world):
    *_, controller, phone_for = world
    phone = phone_for().open()
    phone.page.keyboard.down(" ")
    controller.state("capture", lambda capture: capture["pressed"] == ["primary"])
    phone.button("Settings").focus()
    phone.page.keyboard.up(" ")
    controller.state("capture", lambda capture: capture["pressed"] == [] and capture["counter"] == 1)


def test_a_lease_that_comes_after_its_screen_was_left_is_released(world):
    *_, controller, phone_for = world
    phone = phone_for().open()
    phone.until("!$('.lease').disabled", "a camera that can be zoomed")
    phone.run("[$('.lease').click(), location.hash = '#']")
    phone.until("$('.grid li') !== null", "the grid")
    eventually(lambda: phone.run("0") == 0 and phone.commands("lease")[-1]["payload"] == {"release": True}, "the release")
    controller.state("lease", lambda lease: lease is None)


def test_the_clock_of_the_console_may_be_set(world):
    *_, phone_for = world
    offsets = phone_for(camera=None).open("").page.evaluate("""async () => {
        const { Connection } = await import(new URL("socket.js", location.href));
        let socket;
        window.WebSocket = class { constructor() { socket = this; } send() {} close() {} };
        const connection = new Connection(() => null);
        const receive = (message) => socket.onmessage({ data: JSON.stringify(message) });
        const offset = () => Math.round((Date.now() - connection.now) / 1000);
        const hear = (seconds, times = 1) => {
            for (let time = 0; time < times; time += 1) receive({ time: Date.now() - seconds * 1000 });
            return offset();
        };
        const offsets = [hear(5), hear(-60), hear(5), hear(5, 12)];
        receive({ hello: {} });
        return [...offsets, offset(), hear(30)];
    }""")
    assert offsets == [5, -60, -60, 5, 0, 30], "the earliest of the last minute counts, of one connection"


def test_an_answer_of_a_full_console_that_comes_late_does_not_count(world):
    """The page asks why it got no socket. It gets the next one before the answer comes."""
    *_, phone_for = world
    is_full = phone_for(camera=None).open("").page.evaluate("""async () => {
        const { Connection } = await import(new URL("socket.js", location.href));
        let socket, answer;
        window.WebSocket = class { constructor() { socket = this; } send() {} close() {} };
        window.fetch = () => new Promise((resolve) => { answer = resolve; });
        const connection = new Connection(() => null);
        const askWhetherFull = () => {
            socket.onclose({ code: 1006 });
            const answerBy = answer;
            return async (status) => {
                answerBy({ status });
                await new Promise((resolve) => setTimeout(resolve));
                return connection.problem === "console_full";
            };
        };
        const inTime = await askWhetherFull()(503);
        connection.reconnect();
        const late = askWhetherFull();
        connection.reconnect();
        socket.onmessage({ data: JSON.stringify({ hello: {} }) });
        return [inTime, await late(503)];
    }""")
    assert is_full == [True, False]


def show(phone, is_shown: bool):
    """Does what a browser does when a person changes to another app, or comes back. A headless browser has no
    windows that could hide a page."""
    phone.run(f"Object.defineProperty(document, 'hidden', {{ get: () => {'false' if is_shown else 'true'}, configurable: true }})"
              " && document.dispatchEvent(new Event('visibilitychange'))")
