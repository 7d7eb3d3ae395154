"""The agent in the guest, beside its cameras."""

import copy
import signal

from agent import Agent
from guest import Guest
from guest_broker import GuestBroker
from waiting import TIMEOUT


class GuestAgent(Agent):
    """As the `Agent` of the broker tests; its folder is in the share, so that state and captures can be read
    on the host.

    Its cameras are exactly those of `cameras`. A library that is to `preload` changes what it sees of the
    drivers (`inside/faulty_driver.c`).
    """

    PROGRAM = "/programs/v4l2mqtt"

    def __init__(self, guest: Guest, broker: GuestBroker, *, cameras: list[dict], name="porch", preload="", **settings):
        self.preload = preload
        self.guest, self._job, self._inside = guest, f"agent-{name}", f"/share/{name}"
        self._cameras = cameras
        super().__init__(broker, guest.share / name, name=name, **settings)

    def _defaults(self, camera: dict) -> dict:
        self.state_file.parent.mkdir(exist_ok=True)
        return {
            "agent": self.name, "mqtt": {"host": "127.0.0.1", "port": self.broker.INSIDE},
            "state_file": f"{self._inside}/state/state.json", "captures": {"directory": f"{self._inside}/captures"},
            "recordings": {"directory": f"{self._inside}/recordings"}, "cameras": copy.deepcopy(self._cameras)}

    def launch(self, *arguments: str):
        environment = ["env", f"LD_PRELOAD={self.preload}"] if self.preload else []
        self.guest.start(self._job, *environment, self.PROGRAM, "run", "--config", f"{self._inside}/agent.yaml", *arguments)
        return self

    def ending(self) -> str | None:
        code = self.guest.ending(self._job)
        return None if code is None else f"the agent ended with {code}:\n{self.log}"

    @property
    def log(self) -> str:
        return self.guest.log(self._job)

    def signal(self, number: signal.Signals):
        self.guest.kill(self._job, number)

    def exit_code(self, timeout=TIMEOUT) -> int:
        return self.guest.ended(self._job, timeout)

    def stop(self) -> int:
        if self.guest.ending(self._job) is None:
            self.signal(signal.SIGTERM)
        return self.exit_code()

    def kill(self):
        self.signal(signal.SIGKILL)
        self.exit_code()
