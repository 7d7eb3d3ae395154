"""Two ejabberd nodes on this machine that are one cluster."""

import secrets
from pathlib import Path

from broker import free_port
from ejabberd_broker import EjabberdBroker

#: Who may publish what: the account `viewer` only asks for retained messages.
_RIGHTS = """\
acl:
  viewers: { user: viewer@fleet }
access_rules:
  asking: [allow: all]
  commanding: [deny: viewers, allow: all]
"""
_PUBLISHING = (
    ', access_publish: { "v4l2mqtt/+/refresh/set": asking, "v4l2mqtt/+/+/refresh/set": asking, "#": commanding }')


class Node(EjabberdBroker):
    """A node of a cluster, which keeps its port and its data over stop, kill and start.

    The nodes find each other without a port mapper: each listens for the others on an address of its own,
    all on the same port. So they never meet another Erlang system of the machine.
    """

    VIEWER = "viewer"

    def __init__(self, folder: Path, number: int, *, cluster_port: int, cookie: str, first: "Node | None" = None, **options):
        """`first`: the node whose cluster this one joins at its first start."""
        super().__init__(folder, **options)
        self._address, self._cluster_port, self._first = f"127.0.0.{number}", cluster_port, first
        self._joined = folder / "joined"
        secret = folder / ".erlang.cookie"
        secret.unlink(missing_ok=True)
        secret.write_text(cookie)
        secret.chmod(0o400)

    @property
    def name(self) -> str:
        return f"ejabberd@{self._address}"

    def _module_settings(self) -> str:
        return _PUBLISHING

    def _further_settings(self) -> str:
        return _RIGHTS

    def _options(self) -> list[str]:
        address = self._address.replace(".", ",")
        options = [
            "-name", self.name, "-start_epmd", "false", "-erl_epmd_port", str(self._cluster_port),
            "-kernel", "inet_dist_use_interface", f"{{{address}}}"]
        if self._first and not self._joined.exists():
            # The same as `ejabberdctl join_cluster`. It ends ejabberd and starts it again.
            join = f"ok = ejabberd_cluster:join('{self._first.name}'), ok = file:write_file(\"{self._joined}\", \"\")."
            options += ["-eval", join]
        return options

    def _is_ready(self) -> bool:
        return super()._is_ready() and (self._first is None or self._joined.exists())


class Cluster:
    """Two nodes. Clients of both are one audience, but each node has its own index of retained messages."""

    def __init__(self, folder: Path, ports: tuple[int | None, int | None] = (None, None)):
        common = {"cluster_port": free_port(), "cookie": secrets.token_hex(16)}
        first = Node(folder / "1", 1, port=ports[0], **common)
        self.nodes = (first, Node(folder / "2", 2, port=ports[1], first=first, **common))

    def start(self):
        for node in self.nodes:
            node.start()
        return self

    def close(self):
        for node in self.nodes:
            node.kill()
