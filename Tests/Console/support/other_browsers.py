"""Firefox and WebKitGTK, as far as smoke tests need them.

Debian has no geckodriver: Firefox is driven by WebDriver BiDi, which it speaks itself. WebKitGTK has a
driver, and needs a display.
"""

import base64
import itertools
import json
import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import websocket
from selenium import webdriver
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from broker import free_port
from chromium import HELPERS, PORTRAIT, SCREENSHOTS
from waiting import TIMEOUT, eventually

MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
WEBKIT_DRIVER = "/usr/bin/WebKitWebDriver"
FIREFOX = "/usr/bin/firefox-esr"

#: WebKit's driver has no log of the page: this hears what happens after the page was loaded.
NOTE_COMPLAINTS = """
    window.complaints = [];
    document.addEventListener("securitypolicyviolation",
        ({ violatedDirective, blockedURI }) => complaints.push(`${violatedDirective}: ${blockedURI}`));
    addEventListener("error", ({ message }) => complaints.push(message));
    addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
"""


class OtherBrowser:
    """What both have. Subclasses implement `evaluate`, `open`, `drag`, `picture`, `cookies`, `complaints` and
    `close`."""

    def run(self, expression: str):
        """The JSON value of a JavaScript expression; see `HELPERS`."""
        return json.loads(self.evaluate(f"JSON.stringify((() => {{ {HELPERS} return ({expression}); }})() ?? null)"))

    def until(self, expression: str, what: str):
        return eventually(lambda: self.run(expression), f"{what}; the page: {self.run('document.body.innerText')!r}")

    def screenshot(self, name: str):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        (SCREENSHOTS / f"{name}-{self.name}.png").write_bytes(base64.b64decode(self.picture()))


class Firefox(OtherBrowser):
    name = "firefox"
    #: It has no touch screen here: actions of a finger are those of the protocol.
    pointer = "touch"

    def __init__(self, folder: Path):
        self._ids, self._events, port = itertools.count(1), [], free_port()
        profile, log = folder / "profile", folder / "firefox.log"
        profile.mkdir(parents=True)
        command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", str(port)]
        with open(log, "wb") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, "HOME": str(folder), "MOZ_HEADLESS": "1"})
        eventually(lambda: "WebDriver BiDi listening" in log.read_text(errors="replace"), f"Firefox:\n{log.read_text()}")
        self._socket = websocket.create_connection(f"ws://127.0.0.1:{port}/session", timeout=TIMEOUT, suppress_origin=True)
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]
        self._send("browsingContext.setViewport", context=self._context, viewport=PORTRAIT)

    def _send(self, method: str, **parameters) -> dict:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (message := json.loads(self._socket.recv())).get("id") != number:
            self._events.append(message)
        assert message["type"] == "success", f"{method}: {message}"
        return message["result"]

    def open(self, address: str):
        self._send("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> str:
        answer = self._send(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"]["value"]

    def drag(self, before: tuple, after: tuple, steps=10):
        places = [tuple(round(a + (b - a) * step / steps) for a, b in zip(before, after)) for step in range(steps + 1)]
        moves = [{"type": "pointerMove", "x": x, "y": y, "duration": 16} for x, y in places]
        actions = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
        self._send("input.performActions", context=self._context, actions=[
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": self.pointer}, "actions": actions}])

    def picture(self) -> str:
        return self._send("browsingContext.captureScreenshot", context=self._context)["data"]

    def cookies(self) -> list[dict]:
        cookies = self._send("storage.getCookies", partition={"type": "context", "context": self._context})["cookies"]
        return [{"httpOnly": cookie["httpOnly"], "sameSite": cookie["sameSite"].capitalize()} for cookie in cookies]

    def complaints(self) -> list[str]:
        """Violations of the page's policy are entries of its log."""
        self.run("0")  # takes what has arrived
        entries = [event["params"] for event in self._events if event.get("method") == "log.entryAdded"]
        return [entry["text"] for entry in entries if entry["level"] in ("error", "warn")]

    def close(self):
        self._socket.close()
        self._process.terminate()
        self._process.wait(30)


class WebKit(OtherBrowser):
    name = "webkit"
    pointer = "mouse"

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as made:
            display = made.enter_context(_display())
            options = Options()
            options.binary_location = MINI_BROWSER
            options.add_argument("--automation")
            service = Service(
                WEBKIT_DRIVER, port=free_port(), log_output=str(folder / "webkit.log"), env={
                    **os.environ, "DISPLAY": display, "HOME": str(folder), "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1",
                    "WEBKIT_DISABLE_COMPOSITING_MODE": "1"})
            self._driver = webdriver.WebKitGTK(options=options, service=service)
            made.callback(self._driver.quit)
            self._driver.set_window_size(PORTRAIT["width"], PORTRAIT["height"])
            self._made = made.pop_all()

    def open(self, address: str):
        self._driver.get(address)
        self._driver.execute_script(NOTE_COMPLAINTS)

    def evaluate(self, expression: str) -> str:
        return self._driver.execute_script(f"return {expression}")

    def drag(self, before: tuple, after: tuple, steps=10):
        builder = ActionBuilder(self._driver, mouse=PointerInput(interaction.POINTER_MOUSE, "mouse"), duration=16)
        places = [tuple(round(a + (b - a) * step / steps) for a, b in zip(before, after)) for step in range(steps + 1)]
        builder.pointer_action.move_to_location(*places[0])
        builder.pointer_action.pointer_down()
        for place in places[1:]:
            builder.pointer_action.move_to_location(*place)
        builder.pointer_action.pointer_up()
        builder.perform()

    def picture(self) -> str:
        return self._driver.get_screenshot_as_base64()

    def cookies(self) -> list[dict]:
        return [{"httpOnly": cookie["httpOnly"], "sameSite": cookie.get("sameSite")} for cookie in self._driver.get_cookies()]

    def complaints(self) -> list[str]:
        return self.run("complaints")

    def close(self):
        self._made.close()


class _display:
    """A display without a screen, of a number that Xvfb chooses."""

    def __enter__(self) -> str:
        assert shutil.which("Xvfb"), "Xvfb is not installed"
        reader, writer = os.pipe()
        self._process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], pass_fds=[writer],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as number:
            return f":{number.readline().strip()}"

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(10)
