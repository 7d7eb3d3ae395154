"""What each role may and may not do, as a table of topics that does not use the list of rights."""

from dataclasses import dataclass

from .accounts import PROBE, SCOPED, Account, Setup
from .acl import device

#: Accounts that the check adds: two agents, and a controller.
VICTIM, AGENT, OTHER = f"{PROBE}victim", f"{PROBE}agent", f"{PROBE}other"
CAMERA = f"{PROBE}camera"
COMMANDING = ("controller", "console", "home-assistant")
MANAGING = (*COMMANDING, "viewer", "fleet")
WATCHING = (*MANAGING, "forget")
NOBODY: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """A topic, and the roles that may use it. In the topic stand

    - `{base}`, `{discovery}`: as configured; `{self}`, `{other}`: the account, and another client
    - `{seen}`: agent/camera that the account's `--cameras` include; of other roles a camera of another agent
    - `{agent}`, `{seen_device}`: the agent of that camera, and its device in Home Assistant
    - `{hidden}`: one that they do not include; the case is left out where there is none
    - `{hidden_agent}`: an agent of no camera that they include; likewise
    - `{whole_agent}`, `{part_agent}`: the agent, if they include all of its cameras, or only some
    - `{own_agent}`, `{own}`, `{device}`: an agent, one of its cameras, and its device in Home Assistant
    """

    what: str
    topic: str
    roles: "tuple[str, ...]"
    #: Only with `--open`.
    open: bool = False
    #: Only accounts that are not limited to some cameras may do it.
    unlimited: bool = False


PUBLISHING = (
    Case("a command in its own name", "{base}/{seen}/zoom/set/{self}", COMMANDING),
    Case("a command in another client's name", "{base}/{seen}/zoom/set/{other}", NOBODY),
    Case("a command in an agent's name", "{base}/{seen}/zoom/set/{agent}", NOBODY),
    Case("a command without a proved name", "{base}/{seen}/zoom/set", COMMANDING, open=True),
    Case("a command with an empty name", "{base}/{seen}/zoom/set/", NOBODY),
    Case("a command with a level more", "{base}/{seen}/zoom/set/{self}/more", NOBODY),
    Case("a command to a camera beyond --cameras", "{base}/{hidden}/zoom/set/{self}", NOBODY),
    Case("a desired version in its own name", "{base}/{seen}/desired/set/{self}", ("fleet",)),
    Case("a desired version in another's name", "{base}/{seen}/desired/set/{other}", NOBODY),
    Case("a desired version without a proved name", "{base}/{seen}/desired/set", ("fleet",), open=True),
    Case("a desired version beyond --cameras", "{base}/{hidden}/desired/set/{self}", NOBODY),
    Case("a request for files in its own name", "{base}/{seen}/media/set/{self}", (*COMMANDING, "fleet")),
    Case("a request for files beyond --cameras", "{base}/{hidden}/media/set/{self}", NOBODY),
    Case("a command to a group", "{base}/groups/check-group/zoom/set/{self}", ("fleet",), unlimited=True),
    Case("a group command in another's name", "{base}/groups/check-group/zoom/set/{other}", NOBODY),
    Case("a group command without a proved name", "{base}/groups/check-group/zoom/set", ("fleet",), True, True),
    Case("a desired version of a group", "{base}/groups/check-group/desired/set/{self}", ("fleet",), unlimited=True),
    Case(
        "a desired version of a group without a proved name", "{base}/groups/check-group/desired/set", ("fleet",),
        open=True, unlimited=True),
    Case("a desired version of a group in another's name", "{base}/groups/check-group/desired/set/{other}", NOBODY),
    Case("a request for what a camera retains", "{base}/{seen}/refresh/set/{self}", WATCHING),
    Case("a request to a camera in another's name", "{base}/{seen}/refresh/set/{other}", NOBODY),
    Case("a request to a camera beyond --cameras", "{base}/{hidden}/refresh/set/{self}", NOBODY),
    Case("a request to a camera without a proved name", "{base}/{seen}/refresh/set", WATCHING, open=True),
    Case("a request for what an agent retains", "{base}/{agent}/refresh/set/{self}", WATCHING),
    Case("the request that finds a device with its name", "{base}/{own_agent}/refresh/set/{self}", ("agent",)),
    Case("a request to an agent in another's name", "{base}/{agent}/refresh/set/{other}", NOBODY),
    Case("a request to an agent beyond --cameras", "{base}/{hidden_agent}/refresh/set/{self}", NOBODY),
    Case("a request to an agent without a proved name", "{base}/{agent}/refresh/set", WATCHING, open=True),
    Case("a request for what a group retains", "{base}/groups/check-group/refresh/set/{self}", WATCHING, unlimited=True),
    Case("a request to a group in another's name", "{base}/groups/check-group/refresh/set/{other}", NOBODY),
    Case(
        "a request to a group without a proved name", "{base}/groups/check-group/refresh/set", WATCHING, open=True,
        unlimited=True),
    Case("a command for a node that there is not", "{base}/{seen}/check/set/{self}", NOBODY),
    Case("the configuration of all agents", "{base}/fleet/config", ("fleet",), unlimited=True),
    Case("the configuration of all agents as a command", "{base}/fleet/config/set/{self}", NOBODY),
    Case("a state of a camera", "{base}/{seen}/zoom", ("forget",)),
    Case("a state of a camera beyond --cameras", "{base}/{hidden}/zoom", NOBODY),
    Case("a state of its own camera", "{base}/{own}/zoom", ("agent",)),
    Case("the availability of an agent", "{base}/{whole_agent}/availability", ("forget",)),
    Case("the availability of an agent with other cameras", "{base}/{part_agent}/availability", NOBODY),
    Case("its own availability", "{base}/{self}/availability", ("agent", "forget"), unlimited=True),
    Case("the info of a camera", "{base}/{seen}/info", ("forget",)),
    Case("an event of a camera", "{base}/{seen}/event", ("forget",)),
    Case("a photo of a camera", "{base}/{seen}/image", ("forget",)),
    Case("a preview frame of a camera", "{base}/{seen}/preview/live", NOBODY),
    Case("an answer on a camera's topic", "{base}/{seen}/zoom/reply", NOBODY),
    Case("an answer to another client", "replies/{other}/check", ("agent",)),
    Case("an answer to itself", "replies/{self}/check", ("agent",)),
    Case("Home Assistant's birth message", "homeassistant/status", ("home-assistant",)),
    Case("a discovery document of its own camera", "{discovery}/device/{device}/config", ("agent",)),
    Case(
        "a discovery document of another agent's camera", "{discovery}/device/{seen_device}/config",
        ("home-assistant", "forget")),
    Case("a discovery document of another kind", "{discovery}/light/check/config", ("home-assistant",)),
    Case("a topic of no role", "check/nobody", NOBODY),
    Case("a topic of the broker", "$SYS/broker/check", NOBODY),
)

SUBSCRIBING = (
    Case("states of a camera", "{base}/{seen}/zoom", WATCHING),
    Case("states of a camera beyond --cameras", "{base}/{hidden}/zoom", NOBODY),
    Case("photos of a camera", "{base}/{seen}/image", WATCHING),
    Case("photos of a camera beyond --cameras", "{base}/{hidden}/image", NOBODY),
    Case("preview frames of a camera", "{base}/{seen}/preview/live", WATCHING),
    Case("its own info", "{base}/{own_agent}/info", ("agent",)),
    Case("the availability of its own cameras", "{base}/{own}/availability", ("agent",)),
    Case("commands to its own cameras", "{base}/{own}/zoom/set/{other}", ("agent",)),
    Case("desired versions for its own cameras", "{base}/{own}/desired/set/{other}", ("agent",)),
    Case("commands to groups", "{base}/groups/check-group/zoom/set/{other}", (*WATCHING, "agent"), unlimited=True),
    Case("the configuration of all agents", "{base}/fleet/config", (*MANAGING, "agent"), unlimited=True),
    Case("an agent's answer to a request", "{base}/{agent}/refresh/reply", WATCHING),
    Case("a camera's answer to a request", "{base}/{seen}/refresh/reply", WATCHING),
    Case("answers to itself", "replies/{self}/check", WATCHING),
    Case("an agent's answer to its own request", "replies/{self}/{agent}/refresh", WATCHING),
    Case("answers to another client", "replies/{other}/check", NOBODY),
    Case("Home Assistant's birth message", "homeassistant/status", ("home-assistant", "agent")),
    Case("discovery documents of its own cameras", "{discovery}/device/{device}/config", ("agent",)),
    Case(
        "discovery documents of another agent's cameras", "{discovery}/device/{seen_device}/config",
        ("home-assistant", "forget")),
    Case("discovery documents of another kind", "{discovery}/light/check/config", ("home-assistant",)),
    Case("a topic of no role", "check/nobody", NOBODY),
)


@dataclass(frozen=True)
class Attempt:
    """What one account tries, and whether it may."""

    what: str
    topic: str
    allowed: bool


def publications(setup: Setup, account: Account) -> list[Attempt]:
    return [*_attempts(PUBLISHING, setup, account), *_granted(account.write)]


def subscriptions(setup: Setup, account: Account) -> list[Attempt]:
    return [*_attempts(SUBSCRIBING, setup, account), *_granted(account.read)]


def _attempts(cases: tuple[Case, ...], setup: Setup, account: Account):
    places = _places(setup, account)
    for case in cases:
        try:
            topic = case.topic.format_map(places)
        except KeyError:  # it says nothing about this role
            continue
        may = account.role in case.roles and (setup.open or not case.open)
        limited = account.role in SCOPED and not account.sees_every_camera
        yield Attempt(case.what, topic, may and not (case.unlimited and limited))


def _places(setup: Setup, account: Account) -> dict[str, str]:
    agent, camera = VICTIM if account.name != VICTIM else AGENT, CAMERA
    if account.role in SCOPED:
        wanted_agent, wanted_camera = account.cameras[0].split("/")
        agent, camera = agent if wanted_agent == "+" else wanted_agent, camera if wanted_camera == "+" else wanted_camera
    places = {
        "base": setup.base, "discovery": setup.discovery, "self": account.name, "other": OTHER, "agent": agent,
        "seen": f"{agent}/{camera}", "seen_device": device(setup, agent, camera)}
    if account.name == OTHER:
        places["other"] = f"{PROBE}controller"
    places["whole_agent" if account.role not in SCOPED or wanted_camera == "+" else "part_agent"] = agent
    hidden = _beyond(account.cameras) if account.role in SCOPED else None
    if hidden:
        places["hidden"] = hidden
        if not any(pattern.startswith("+/") for pattern in account.cameras):
            places["hidden_agent"] = f"{PROBE}hidden"
    if account.is_agent:
        own = (account.cameras or [CAMERA])[0]
        places |= {
            "own_agent": account.name, "own": f"{account.name}/{own}", "device": device(setup, account.name, own)}
        if not account.cameras:  # then it may write the documents of all devices, which the manual says
            del places["seen_device"]
    return places


def _beyond(patterns: list[str]) -> "str | None":
    """A camera that no pattern includes."""
    hidden = f"{PROBE}hidden"
    pairs = [pattern.split("/") for pattern in patterns]
    agents = {agent for agent, _ in pairs if agent != "+"}
    for place in [(hidden, hidden), *((agent, hidden) for agent in agents)]:
        if not any(agent in ("+", place[0]) and camera in ("+", place[1]) for agent, camera in pairs):
            return "/".join(place)
    return None


def _granted(filters: list[str]):
    """A topic for each filter that was granted with `--read` or `--write`."""
    for each in filters:
        if not each.startswith("$"):
            yield Attempt("a topic of another device", each.replace("+", "check").replace("#", "check"), True)
