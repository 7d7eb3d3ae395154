"""Who may see and do what: tokens, roles, patterns of cameras, origins."""

import threading
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from chromium import launch, phones_of
from conftest import CAMERA
from fingers import opposite
from page_socket import PageSocket
from waiting import eventually

pytestmark = pytest.mark.deep

#: The browser reports each answer that is an error.
REFUSED = "Failed to load resource: the server responded with a status of 4"
#: Sends messages through a socket of the page's own origin and cookie. Returns the text messages that come,
#: until one has the field `last`, or the socket is closed: then the last one has `closed` and `reason`.
EXCHANGE = """([messages, last]) => new Promise((resolve) => {
    const address = new URL("socket", location.href.replace(/#.*/, "")), received = [];
    const socket = new WebSocket(address.href.replace(/^http/, "ws"));
    const end = (message) => { received.push(message); resolve(received); socket.onclose = null; socket.close(); };
    socket.onclose = ({ code, reason }) => end({ closed: code, reason });
    socket.onmessage = ({ data }) => {
        if (typeof data !== "string") return;
        const message = JSON.parse(data);
        if (last in message) return end(message);
        received.push(message);
        if (message.hello) for (const one of messages) socket.send(JSON.stringify(one));
    };
})"""


@pytest.fixture(scope="module")
def house(shared, tmp_path_factory):
    """Two agents with a camera each, on one broker."""
    broker = shared.broker()
    return broker, [shared.agent(broker, name=name, camera=CAMERA) for name in ("porch", "garden")]


@pytest.fixture
def guarded(house, browser, console_at, shared):
    """A console with tokens, and a program beside it: (console, controller, phone_for)."""
    broker, _ = house
    console = console_at(broker)
    console.secrets = {
        "tablet": console.token("tablet"),
        "guest": console.token("guest", "--role", "look"),
        "gardener": console.token("gardener", "--cameras", "garden/*"),
        "owner": console.token("owner", "--role", "manage"),
    }
    console.start()
    with shared.controller(broker) as controller, phones_of(browser, console.address()) as phone_for:
        controller.zoom_to(1)
        yield console, controller, phone_for


def signed_in(phone_for, console, device: str, **options):
    """A phone that has opened the link of its token, and shows the grid."""
    phone = phone_for(camera=None, **options).open(f"#t={console.secrets[device]}")
    phone.until("$('.grid li') !== null", "the grid")
    return phone


def exchange(phone, *messages: dict, last="answer") -> list[dict]:
    return phone.page.evaluate(EXCHANGE, [list(messages), last])


def command(node: str, payload: dict, camera="porch/door") -> dict:
    return {"command": {"id": "1", "camera": camera, "node": node, "payload": payload}}


def nothing_was_commanded(controller, since: int):
    """No command has reached the broker after a mark."""
    controller.obeyed("zoom", {"factor": 1})  # everything before it has arrived
    topics = [message.topic for message in controller.inbox.messages(since) if "/set" in message.topic]
    assert [topic for topic in topics if not topic.endswith("preview/set")] == [controller.topic("zoom/set")]


def test_a_link_signs_in_and_leaves_no_token(guarded):
    console, _, phone_for = guarded
    phone = signed_in(phone_for, console, "tablet")
    assert console.secrets["tablet"] not in phone.page.url
    (cookie,) = phone.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert phone.run("document.cookie") == ""
    assert console.secrets["tablet"] not in phone.run("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    phone.page.reload()
    phone.until("$('.grid li') !== null", "the grid, by the cookie")
    phone.button("Sign out").tap()
    phone.says("Token of this device")
    assert phone.context.cookies() == []


def opens_link(phone, secret: str):
    """Opens a link with a token in the same tab. Only the part of the address after # changes."""
    before = phone.greetings
    phone.run(f"location.hash = '#t={secret}'")
    return before


def is_nowhere(phone, secret: str):
    """The token is neither in the address nor in the history."""
    entries = phone.context.new_cdp_session(phone.page).send("Page.getNavigationHistory")["entries"]
    assert secret not in str(entries)


def test_a_link_that_is_opened_at_the_form_signs_in(guarded):
    console, _, phone_for = guarded
    phone = phone_for(camera=None).open("")
    phone.says("Token of this device")
    opens_link(phone, console.secrets["tablet"])
    phone.until("$('.grid li') !== null", "the grid")
    is_nowhere(phone, console.secrets["tablet"])


def test_a_wrong_link_at_the_form_says_so(guarded):
    console, _, phone_for = guarded
    phone = phone_for(camera=None).open("")
    phone.permit(REFUSED)
    phone.says("Token of this device")
    opens_link(phone, "x" * 22)
    phone.says("The console does not know this token.")
    is_nowhere(phone, "x" * 22)
    phone.page.get_by_label("Token of this device").fill(console.secrets["tablet"])
    phone.button("Sign in").tap()
    phone.until("$('.grid li') !== null", "the grid")
    assert phone.run("$('.banner').hidden"), "the token is another one"


def test_a_link_that_is_opened_at_a_camera_makes_the_tab_another_device(guarded):
    console, _, phone_for = guarded
    phone = signed_in(phone_for, console, "guest")
    phone.page.locator("[data-camera='porch/door'] a").tap()
    phone.shows_pictures()
    before = opens_link(phone, console.secrets["owner"])
    eventually(lambda: phone.run("0") == 0 and phone.greetings > before, "a new connection")
    phone.until("$('.grid li') !== null", "the grid")
    hello = [message["hello"] for message in phone.received if "hello" in message][-1]
    assert hello["client"] == "owner"
    is_nowhere(phone, console.secrets["owner"])


def test_a_wrong_link_leaves_a_tab_that_is_signed_in(guarded):
    console, _, phone_for = guarded
    phone = signed_in(phone_for, console, "tablet")
    phone.permit(REFUSED)
    opens_link(phone, "x" * 22)
    phone.says("The console does not know this token.")
    is_nowhere(phone, "x" * 22)
    phone.page.locator("[data-camera='porch/door'] a").tap()
    phone.shows_pictures().until("$('.banner').hidden", "the next screen without the text")


def test_a_console_that_does_not_answer_leaves_no_empty_page(guarded):
    console, _, phone_for = guarded
    phone = phone_for(camera=None)
    phone.permit("Failed to load resource")
    phone.page.route("**/session", lambda route: None)
    phone.open(f"#t={console.secrets['tablet']}")
    phone.says("Token of this device")
    phone.says("No connection to the console.")


def test_a_form_that_waits_for_a_token_is_no_wrong_token(guarded):
    """The console ends a connection over which no token comes."""
    console, _, phone_for = guarded
    phone, ends = phone_for(camera=None), []
    phone.page.on("websocket", lambda socket: socket.on("close", lambda socket: ends.append(socket)))
    phone.open("").says("Token of this device")
    eventually(lambda: phone.run("0") == 0 and ends, "the end of the connection")
    assert phone.run("$('.problem').textContent") == ""
    phone.page.get_by_label("Token of this device").fill(console.secrets["tablet"])
    phone.button("Sign in").tap()
    phone.until("$('.grid li') !== null", "the grid")


def test_a_page_says_that_too_many_are_open(house, browser, console_at):
    console = console_at(house[0]).start()
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for(camera=None)
        phone.permit("WebSocket connection to .* failed", "Failed to load resource")
        with ExitStack() as others:
            for _ in range(8):
                others.enter_context(PageSocket(console))
            phone.open("")
            phone.says("Too many pages are connected to the console.")
        phone.until("$('.banner').hidden && $('.grid li') !== null", "the grid when there is room")


def test_wrong_tokens_are_refused(guarded):
    console, _, phone_for = guarded
    phone = phone_for(camera=None).open("")
    phone.permit(REFUSED)
    field = phone.page.get_by_label("Token of this device")
    for _ in range(6):
        field.fill("x" * 22)
        phone.button("Sign in").tap()
        phone.says("The console does not know this token.")
        phone.run("$('.problem').textContent = ''")
    phone.screenshot("sign-in")
    assert phone.context.cookies() == []
    field.fill(console.secrets["tablet"])
    phone.button("Sign in").tap()
    phone.until("$('.grid li') !== null", "the grid")


def test_a_removed_token_closes_its_pages(guarded):
    console, _, phone_for = guarded
    phone = signed_in(phone_for, console, "tablet")
    console.remove_token("tablet")
    phone.permit("WebSocket connection")
    phone.says("Token of this device")
    assert phone.run("$('.banner').hidden"), "the console answers"


def test_a_viewer_looks_and_commands_nothing(guarded):
    console, controller, phone_for = guarded
    phone = signed_in(phone_for, console, "guest")
    phone.page.locator("[data-camera='porch/door'] a").tap()
    phone.shows_pictures()
    phone.says("This device may only look.")
    for name in ("Take photo", "Zoom 2×", "Take the zoom"):
        assert phone.button(name).is_disabled(), name
    phone.screenshot("viewer")
    since = controller.mark()
    phone.fingers.slide(opposite(phone.place(0.5, 0.5), 40, 0), opposite(phone.place(0.5, 0.5), 80, 0))
    for node, payload in [("zoom", {"factor": 2}), ("capture", {}), ("privacy", {"state": "ON"}),
                          ("preview", {"fps": 1}), ("desired", {"zoom": {"factor": 2}})]:
        *_, answer = exchange(phone, command(node, payload))
        assert answer["answer"]["payload"]["error"]["code"] == "forbidden", answer
    nothing_was_commanded(controller, since)


def test_a_camera_outside_the_patterns_does_not_exist(guarded):
    console, controller, phone_for = guarded
    phone = signed_in(phone_for, console, "gardener")
    assert phone.run("[...document.querySelectorAll('.grid li')].map((li) => li.dataset.camera)") == ["garden/door"]
    since = controller.mark()
    received = exchange(phone, {"open": ["porch/door", "garden/door"]}, command("zoom", {"factor": 2}))
    assert received[-1]["answer"]["payload"]["status"] == "error", received[-1]
    assert "porch" not in str(received[:-1]), "no state of the other camera"
    nothing_was_commanded(controller, since)
    phone.run("location.hash = '#/porch/door'")
    phone.says("This camera does not exist.")
    # Media are asked for with the cookie that the page has.
    phone.permit(REFUSED)
    for path, expected in [("media/porch/door/x.jpg", {401, 403, 404}), ("live/porch/door", {401, 403, 404}), ("snapshot/porch/door", {401, 403, 404})]:
        assert phone.page.evaluate("async (path) => (await fetch(path)).status", path) in expected, path


def test_a_foreign_site_reaches_nothing(guarded, tmp_path):
    console, controller, phone_for = guarded
    (tmp_path / "index.html").write_text("<!doctype html><title>Another site</title>")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    handler.log_message = lambda *_: None
    site = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        # The person has signed in at the console, in the same browser.
        phone = signed_in(phone_for, console, "owner")
        foreign = phone.context.new_page()
        foreign.goto(f"http://localhost:{site.server_address[1]}/")
        since = controller.mark()
        opened = foreign.evaluate("""(address) => new Promise((resolve) => {
            const socket = new WebSocket(address);
            socket.onopen = () => resolve(true);
            socket.onclose = () => resolve(false);
        })""", console.address("socket").replace("http", "ws"))
        assert opened is False
        # A right token: only the site is wrong.
        before = phone.context.cookies()
        # The browser withholds the answer from the site, and reports its status.
        statuses, protocol = [], phone.context.new_cdp_session(foreign)
        protocol.on("Network.responseReceivedExtraInfo", lambda answer: statuses.append(answer["statusCode"]))
        protocol.send("Network.enable")
        foreign.evaluate("""async ([address, token]) => {
            const body = JSON.stringify({ token });
            await fetch(address, { method: "POST", credentials: "include", mode: "no-cors", body }).catch(() => null);
        }""", [console.address("session"), console.secrets["tablet"]])
        eventually(lambda: foreign.evaluate("0") == 0 and statuses, "the answer of the console")
        assert statuses == [403]
        assert phone.context.cookies() == before
        foreign.evaluate("""(address) => new Promise((resolve) => {
            const frame = Object.assign(document.createElement("iframe"), { src: address, onload: resolve });
            document.body.append(frame);
        })""", console.address())
        (frame,) = foreign.frames[1:]
        assert not frame.url.startswith("http"), "an error page of the browser, without an address"
        nothing_was_commanded(controller, since)
    finally:
        site.shutdown()
        site.server_close()


def test_a_violation_of_the_policy_is_noticed(house, browser, console_at):
    """Otherwise no test would notice one."""
    console = console_at(house[0]).start()
    with phones_of(browser, console.address()) as phone_for:
        phone = phone_for(camera=None).open("")
        for script in ("const image = new Image(); image.src = 'http://127.0.0.1:9/'",
                       "const script = document.createElement('script'); script.textContent = '1'; document.body.append(script)",
                       "document.body.setAttribute('style', 'color: red')"):
            phone.complaints.clear()
            phone.page.evaluate(f"() => {{ {script} }}")
            eventually(lambda: any("violation of" in text for text in phone.objections), script)
        phone.permit("")


def test_a_console_without_tokens_takes_no_foreign_names(house, playwright, console_at):
    console = console_at(house[0]).start()
    browser = launch(playwright, "--host-resolver-rules=MAP evil.example 127.0.0.1")
    try:
        page = browser.new_page()
        answer = page.goto(console.address(host="evil.example"))
        assert answer.status == 403
    finally:
        browser.close()


def test_an_insecure_context_pinches_too(house, playwright, console_at, shared):
    broker, _ = house
    console = console_at(broker)
    secret = console.token("tablet")
    console.start()
    browser = launch(playwright, "--host-resolver-rules=MAP cam.lan 127.0.0.1")
    try:
        with shared.controller(broker) as controller, phones_of(browser, console.address(host="cam.lan")) as phone_for:
            controller.zoom_to(1)
            phone = phone_for(camera=None).open(f"#t={secret}")
            assert phone.run("isSecureContext") is False
            phone.until("$('.grid li') !== null", "the grid")
            phone.page.locator("[data-camera='porch/door'] a").tap()
            phone.shows_pictures()
            middle = phone.place(0.5, 0.5)
            phone.fingers.slide(opposite(middle, 40, 0), opposite(middle, 80, 0))
            zoom = controller.settled(phone.answer("pinch", phase="ended"))
            assert zoom["factor"] == pytest.approx(2, abs=0.00005)
    finally:
        browser.close()
