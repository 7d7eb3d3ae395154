"""Chromium, and pages in it as a phone shows them."""

import json
import re
from contextlib import contextmanager
from pathlib import Path

from fingers import Fingers
from waiting import eventually

PROGRAM = "/usr/bin/chromium"
SCREENSHOTS = Path(__file__).resolve().parents[3] / ".build/screenshots"
PORTRAIT = {"width": 390, "height": 844}
#: A violation of the page's policy is an error of the page, also if the browser does not report it.
REPORT_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`violation of ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`))"""

#: What expressions of tests may use. A canvas is transparent or black until a picture is drawn.
HELPERS = """
    const $ = (selector) => document.querySelector(selector);
    const stage = () => $(".stage");
    const isPainted = (canvas) => {
        if (!canvas?.width) return false;
        const pixel = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
        const context = pixel.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0, 1, 1);
        return context.getImageData(0, 0, 1, 1).data.slice(0, 3).some(Boolean);
    };
    const thumbnails = () => [...document.querySelectorAll(".grid li canvas")].filter(isPainted).length;
"""


def launch(playwright, *arguments: str):
    """A browser. Its sandbox cannot be set up by root."""
    return playwright.chromium.launch(
        executable_path=PROGRAM, args=["--no-sandbox", "--disable-dev-shm-usage", *arguments])


class Phone:
    """One page in a browser profile of its own, with a touch screen."""

    def __init__(self, browser, address: str, *, camera: str | None = "porch/door", page=None, **options):
        if page is None:
            options = {"viewport": PORTRAIT, "has_touch": True, "locale": "en-GB", **options}
            self.context = browser.new_context(**options)
            self.context.add_init_script(REPORT_VIOLATIONS)
            page = self.context.new_page()
        else:
            self.context = page.context
        self.page, self._base, self._camera = page, address, camera
        #: What the console of the browser said about defects, and what of it a test permits.
        self.complaints, self._permitted = [], []
        self._is_abandoned = False
        #: Messages of the socket, in their order: of the page, of the console, and the pictures' headers.
        self.sent, self.received, self.pictures = [], [], []
        self._listen()
        self.fingers = Fingers(self.context.new_cdp_session(self.page))

    def _listen(self):
        self.page.on("console", lambda message: message.type in ("error", "warning")
                     and self.complaints.append(f"{message.text} ({message.location.get('url', '')})"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("websocket", self._listen_to)

    def _listen_to(self, socket):
        socket.on("framesent", lambda payload: self.sent.append(json.loads(payload)))
        socket.on("framereceived", self._receive)

    def _receive(self, payload: str | bytes):
        if isinstance(payload, str):
            self.received.append(json.loads(payload))
            return
        length = int.from_bytes(payload[:2], "big")
        header = json.loads(payload[2:2 + length])
        if "answer" in header:
            self.received.append({"answer": {"id": header["answer"], "payload": {"status": "done"}}})
        else:
            self.pictures.append(header)

    # The page

    def open(self, fragment: str | None = None):
        """Goes to the page. Without `fragment`: to the camera, and waits until it shows a picture."""
        self.page.goto(self._base + (f"#/{self._camera}" if fragment is None and self._camera else fragment or ""))
        if fragment is None and self._camera:
            self.shows_pictures()
        return self

    def shows_pictures(self, after=None):
        """Waits for a picture; `after` is the number of one that does not count."""
        self.until(f"[null, undefined, {json.dumps(after)}].includes(stage()?.dataset.frame) === false", "a picture")
        return self

    @property
    def frame(self) -> str:
        """The number of the picture that is shown."""
        return self.run("stage().dataset.frame")

    def run(self, expression: str):
        """The value of a JavaScript expression; see `HELPERS`."""
        return self.page.evaluate(f"() => {{ {HELPERS} return ({expression}); }}")

    def until(self, expression: str, what: str | None = None):
        """Waits until an expression is true. The page's policy forbids what Playwright waits with."""
        return eventually(lambda: self.run(expression), f"{what or expression}; the page: {self.text()[:400]!r}")

    def text(self) -> str:
        return self.run("document.body.innerText")

    def button(self, name: str, **how):
        return self.page.get_by_role("button", name=name, exact=True, **how)

    def says(self, text: str):
        """Waits until this text is on the screen."""
        eventually(lambda: self.page.get_by_text(text).first.is_visible(), f"“{text}” on the page")

    @property
    def factor(self) -> float:
        """The factor that the page shows."""
        return float(self.run("stage().dataset.factor ?? 0"))

    def view(self) -> dict:
        """Where the picture is, in CSS pixels: x, y, width, height."""
        return self.page.locator(".view").bounding_box()

    def place(self, x: float, y: float) -> tuple[float, float]:
        """A point of the view, in CSS pixels."""
        view = self.view()
        return view["x"] + x * view["width"], view["y"] + y * view["height"]

    def screenshot(self, name: str):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    # What it sends

    def commands(self, node: str, since=0) -> list[dict]:
        commands = [message["command"] for message in self.sent[since:] if "command" in message]
        return [command for command in commands if command["node"] == node]

    @property
    def greetings(self) -> int:
        """How often the console has admitted the page."""
        return sum("hello" in message for message in self.received)

    def answers(self) -> dict:
        """The final answers by the id of the command."""
        answers = [message["answer"] for message in self.received if "answer" in message]
        return {answer["id"]: answer["payload"] for answer in answers if answer["payload"].get("status") != "accepted"}

    def answer(self, node: str, *, since=0, **fields) -> dict:
        """The final answer to the newest command of a node whose payload has these fields."""

        def found():
            self.run("0")  # lets messages of the browser in
            matching = [command for command in self.commands(node, since)
                        if "id" in command and fields.items() <= command["payload"].items()]
            return matching and self.answers().get(matching[-1]["id"])

        return eventually(found, f"the answer to {node} {fields}")

    # Its defects

    def permit(self, *patterns: str):
        """Complaints that a test causes on purpose, as regular expressions."""
        self._permitted += patterns

    @property
    def objections(self) -> list[str]:
        if not self._is_abandoned and not self.page.is_closed():
            self.run("0")  # lets messages of the browser in
        return [text for text in self.complaints if not any(re.search(pattern, text) for pattern in self._permitted)]

    def abandon(self):
        """Its browser is gone."""
        self._is_abandoned = True

    def close(self):
        if not self._is_abandoned:
            self.context.close()


@contextmanager
def phones_of(browser, address):
    """Makes phones at an address; at the end none of them may have complained."""
    phones = []

    def phone(base=None, browser=browser, **options) -> Phone:
        phones.append(Phone(browser, base or address, **options))
        return phones[-1]

    try:
        yield phone
        objections = [objection for phone in phones for objection in phone.objections]
        assert not objections, "\n".join(["the browser complains:", *objections])
    finally:
        for phone in phones:
            phone.close()
