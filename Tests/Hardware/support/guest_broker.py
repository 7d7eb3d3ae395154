"""mosquitto in the guest, for tests outside of it."""

import signal

from guest import Guest


class GuestBroker:
    """Is to a `Controller` or a `Recorder` what a `Broker` of the broker tests is; `port` is of the host.

    In the guest it listens on `INSIDE`, the agent's port.
    """

    INSIDE = 1883
    password = None
    certificates = None

    def __init__(self, guest: Guest):
        self.guest, self.port = guest, guest.mqtt_port
        lines = (
            f"listener {self.INSIDE} 0.0.0.0", "allow_anonymous true", "set_tcp_nodelay true",
            "persistence false", "user root")
        guest.write("/etc/mosquitto.conf", "\n".join(lines) + "\n")

    def start(self):
        self.guest.start("mosquitto", "mosquitto", "-v", "-c", "/etc/mosquitto.conf")
        # Checked in the guest: QEMU takes connections for it before it listens.
        self.guest.check(f"until netstat -ltn | grep -q :{self.INSIDE}; do usleep 10000; done")
        return self

    @property
    def running(self) -> bool:
        return self.guest.ending("mosquitto") is None

    @property
    def log(self) -> str:
        return self.guest.log("mosquitto")

    def stop(self):
        self._end(signal.SIGTERM)

    def kill(self):
        """Ends it as a power cut does."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals):
        if self.running:
            self.guest.kill("mosquitto", how)
            self.guest.ended("mosquitto")

    def admit(self, client, account: str | None = None):
        """Every client may connect."""
