"""Text for manual pages (roff, macros of man)."""

import datetime
import os


def escaped(text: str) -> str:
    """Text as roff prints it: no character of it is an instruction."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("→", "\\->")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def title(name: str, section: int, version: str) -> str:
    """The first line of a page. Its date is that of the package, so that two builds are equal."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", 0)) or datetime.datetime.now().timestamp()
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date()
    return f'.TH {name.upper()} {section} {date} "v4l2mqtt {version}"'


def entry(term: str, text: str) -> str:
    """A term in bold, and an indented paragraph about it."""
    return f".TP\n.B {escaped(term)}\n{escaped(text)}"
