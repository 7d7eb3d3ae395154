"""Two mosquittos with a bridge between them: agents are at the one of their site, others at the centre."""

from pathlib import Path

from broker import HOST, Broker
from waiting import eventually


class _Site(Broker):
    """The broker of a site. It forwards all messages to the centre, and receives those of the centre."""

    def __init__(self, folder: Path, centre: Broker, **options):
        self._centre, self._bridge = centre, f"site-{centre.port}"
        super().__init__(folder, **options)

    def _lines(self, *options):
        yield from super()._lines(*options)
        yield "connection centre"
        yield f"address {HOST}:{self._centre.port}"
        yield f"remote_clientid {self._bridge}"
        yield "bridge_protocol_version mqttv50"
        yield "notifications false"
        yield "cleansession true"
        yield "restart_timeout 1"
        yield "topic # both 2"

    def start(self):
        before = self._subscribed
        super().start()
        eventually(lambda: self._subscribed > before, f"the bridge:\n{self.log}\n{self._centre.log}")
        return self

    @property
    def _subscribed(self) -> int:
        """How often the bridge has subscribed at the centre."""
        return self._centre.log.count(f"Sending SUBACK to {self._bridge}")


class BridgedBroker:
    """As `Broker`, for clients at the centre. `agent_port` is that of the site."""

    KIND = "bridge"
    USERNAME = Broker.USERNAME
    #: What a `Broker` can do and this one cannot, and why.
    LACKS = {
        **dict.fromkeys(("password", "rules", "forbidden"), "the bridge has no account at the centre"),
        "tls": "the bridge uses no TLS",
        "floods": "a flood delays all messages of the bridge for more than a minute",
    }

    def __init__(self, folder: Path, **options):
        self.folder, self.rules, self.password, self.certificates = folder, None, None, None
        self.centre = Broker(folder / "centre", **options)
        self.site = _Site(folder / "site", self.centre, **options)
        self.port, self.agent_port = self.centre.port, self.site.port

    def start(self):
        self.centre.start()
        self.site.start()
        return self

    @property
    def running(self) -> bool:
        return self.centre.running and self.site.running

    @property
    def log(self) -> str:
        return self.centre.log

    def stop(self):
        self.site.stop()
        self.centre.stop()

    def kill(self):
        self.site.kill()
        self.centre.kill()

    def admit(self, client, account: str | None = None):
        """Every client may connect."""
