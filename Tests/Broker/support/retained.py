"""What a broker keeps, as a client sees it that was not there before."""

import subprocess


def kept(broker, *filters: str, show="%t %x", account: str | None = None) -> list[list[str]]:
    """The retained messages, each as its fields in the format `show` of `mosquitto_sub`."""
    topics = [part for topic in filters for part in ("-t", topic)]
    sender = ["-u", account or broker.USERNAME, "-P", broker.password] if broker.password else []
    ended = subprocess.run(
        ["mosquitto_sub", "-V", "5", "-p", str(broker.port), *sender, *topics, "--retained-only", "-W", "1", "-F", show],
        capture_output=True, text=True)
    # A broker that is away keeps nothing that could be seen.
    assert "authorized" not in ended.stderr, ended
    return [line.split(" ") for line in ended.stdout.splitlines()]
