"""The shutter of a camera as a button."""

import itertools

from PIL import Image

#: A test holds a long press until the recording begins; the other presses are as short as the machine allows.
LONG = {"long_press_ms": 200}

_clients = (f"button-{n}" for n in itertools.count(1))


class ShutterButton:
    """A button that one client presses. Each has a client name of its own, unless `client` is given."""

    def __init__(self, controller, **fields):
        self.controller, self.fields = controller, {"client": next(_clients), **fields}
        self.client, self.since = self.fields["client"], controller.mark()

    def send(self, phase, **fields):
        return self.controller.send("capture", {"phase": phase, **self.fields, **fields})

    def down(self):
        """Presses the button; returns when the camera is ready."""
        began = self.send("began")
        answers = [began.answer()]
        if answers[0]["status"] == "accepted":
            answers.append(began.answer())
        assert answers[-1]["status"] == "done", answers
        return self

    def up(self, phase="ended") -> dict:
        """Releases the button (or cancels the press); returns the last answer."""
        answer = self.send(phase).result()
        assert answer["status"] == "done", answer
        return answer

    def photo(self) -> dict:
        """Releases the button; returns the one photo of the answer, which can be decoded."""
        (photo,) = self.up()["photos"]
        with Image.open(photo["path"]) as image:
            image.load()
        return photo

    def events(self, kind: str) -> list[dict]:
        """The events of this kind that name this client."""
        events = self.controller.states("event", self.since)
        return [event for event in events if event["event"] == kind and event.get("client") == self.client]


def recording(controller, since, wanted="recording") -> dict:
    """The first state of the recording since then that is `wanted`: recording or idle."""
    return controller.state("recording", lambda state: state["state"] == wanted, since=since)
