"""`ctl watch` on a terminal: what it shows, and that the terminal is as it was afterwards."""

import os
import re
import signal
import termios

import pytest

from agent import PROGRAM
from terminal import SHELL, Terminal
from waiting import TIMEOUT, eventually

pytestmark = pytest.mark.needs("anonymous clients")

OPEN, CLOSE = "\x1b[?1049h", "\x1b[?1049l"
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


class Watching(Terminal):
    """`ctl watch` on a terminal, started from a shell there if it is to be one of its jobs."""

    def __init__(self, port: int, *arguments: str, shell=False, **options):
        command = [str(PROGRAM), "ctl", "watch", "--host", "127.0.0.1", "--port", str(port), *arguments]
        super().__init__(SHELL if shell else command, **options)
        if shell:
            self.press(f"PS1=; {' '.join(command)}\n")

    @property
    def page(self) -> str:
        """The last whole page, without colours; each line ends with a new line."""
        pages = self.written.split("\x1b[H")[1:]
        whole = [page for page in pages if "\x1b[J" in page]
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", whole[-1].split("\x1b[J")[0].replace("\r", "")) if whole else ""

    def shows(self, *words: str) -> str:
        """Waits for a page with all these words."""
        return eventually(
            lambda: all(word in self.page for word in words) and self.page, f"{words} on the page")

    def row(self, camera: str) -> str:
        return next((line for line in self.page.split("\n") if line.startswith(camera + " ")), "")

    def ends(self, code=0):
        """Waits for the end, and looks at what is left behind."""
        assert self.process.wait(TIMEOUT) == code
        eventually(lambda: self.written.count(CLOSE) == self.written.count(OPEN), "the screen is as it was")
        assert self.written.count(SHOW) == self.written.count(HIDE)
        assert self.written.rfind(SHOW) >= self.written.rfind(HIDE)
        assert termios.tcgetattr(self.terminal) == self.before


@pytest.fixture
def watch(controller, broker):
    made = []

    def start(*arguments, **options):
        made.append(Watching(broker.port, *arguments, **options))
        return made[-1]

    yield start
    for watching in made:
        watching.close()


def test_screen_shows_changes_of_a_camera(controller, watch):
    watching = watch()
    watching.shows("CAMERA", "MOVED BY", "porch/door", "online", "1.00×")
    controller.obeyed("zoom", {"factor": 8, "client": "phone"})
    watching.shows("8.00×", "phone, command")
    error = controller.refused("zoom", {"factor": -1, "client": "toy"}, "bad_payload")
    watching.shows(f"porch/door bad_payload (toy): {error['message']}"[:100])
    controller.obeyed("recording", {"on": True, "codec": "mjpeg"})
    watching.shows("● 0:0")
    controller.obeyed("recording", {"on": False})
    eventually(lambda: "●" not in watching.row("porch/door"), "the end of the recording")
    watching.press("q")
    watching.ends()


@pytest.mark.parametrize("end", [
    lambda it: it.press("q"), lambda it: it.press("\x03"),
    lambda it: it.process.send_signal(signal.SIGTERM), lambda it: it.process.send_signal(signal.SIGHUP),
], ids=["q", "Ctrl-C", "SIGTERM", "SIGHUP"])
def test_terminal_is_restored_at_the_end(watch, end):
    watching = watch()
    watching.shows("porch/door")
    assert watching.written.startswith(OPEN)
    assert termios.tcgetattr(watching.terminal) != watching.before
    end(watching)
    watching.ends()


def test_ctrl_z_restores_the_terminal_and_fg_redraws(watch):
    watching = watch()
    watching.shows("porch/door")
    watching.press("\x1a")
    _, status = os.waitpid(watching.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    eventually(lambda: watching.written.count(CLOSE) == 1, "the screen is as it was")
    assert termios.tcgetattr(watching.terminal) == watching.before
    watching.process.send_signal(signal.SIGCONT)
    eventually(lambda: watching.written.count(OPEN) == 2, "the table is back")
    watching.press("q")
    watching.ends()


def test_background_job_does_not_write_to_the_terminal(watch, controller):
    watching = watch(shell=True)
    watching.shows("porch/door")
    watching.press("\x1a")
    eventually(lambda: "Stopped" in watching.written, "the message of the shell")
    watching.press("bg\n")
    eventually(lambda: watching.written.count("v4l2mqtt ctl watch") >= 2 and "&" in watching.written, "the message of the shell")
    controller.obeyed("zoom", {"factor": 8, "client": "phone"})
    watching.press("echo it is $((6 * 7))\n")
    eventually(lambda: "it is 42" in watching.written, "the shell to answer")
    assert watching.written.count(OPEN) == watching.written.count(CLOSE) == 1
    watching.press("fg\n")
    eventually(lambda: watching.written.count(OPEN) == 2, "the table is back")
    watching.shows("8.00×")
    watching.press("q")
    eventually(lambda: watching.written.count(CLOSE) == 2, "the screen is as it was")


def test_screen_follows_the_terminal_size(watch):
    watching = watch(columns=100, rows=24)
    watching.shows("porch/door")
    assert len(watching.page.split("\n")) == 24
    watching.resize(40, 10)
    eventually(lambda: len(watching.page.split("\n")) == 10, "a smaller page")
    assert all(len(line) <= 40 for line in watching.page.split("\n"))
    watching.press("q")
    watching.ends()


def test_colours_are_left_out_when_the_environment_disables_them(watch):
    plain = watch(NO_COLOR="1")
    plain.shows("porch/door", "online")
    assert not re.search(r"\x1b\[[0-9;]*m", plain.written)
    coloured = watch(NO_COLOR="")
    coloured.shows("porch/door", "online")
    assert "\x1b[32monline" in coloured.written
    for watching in (plain, coloured):
        watching.press("q")
        watching.ends()


def test_lost_broker_is_an_error_and_the_terminal_is_restored(bench):
    broker = bench.broker()
    bench.agent(broker)
    watching = Watching(broker.port)
    watching.shows("porch/door", "online")
    broker.stop()
    watching.shows("Trying again")
    broker.start()
    eventually(lambda: "Trying again" not in watching.page, "the connection is back")
    broker.stop()
    watching.shows("Trying again")
    watching.press("q")
    watching.ends()
    watching.close()


def test_without_a_broker_the_terminal_is_not_touched():
    watching = Watching(1)
    watching.ends(code=1)
    eventually(lambda: "127.0.0.1:1:" in watching.written, "what is wrong")
    assert OPEN not in watching.written
    watching.close()
