"""Commands that everybody must take,
and commands that everybody must refuse: the schema and the agent alike."""

CLIENT = {"client": "c" * 64}
ID = {"id": "é" * 32, **CLIENT}  # the test gives each command another client: the same one would be a duplicate
MADE = {"ts": "2026-11-21T09:05:38Z"}
CENTRE = {"x": 0.5, "y": 0.5}


def finger(name=0, x=0.5, y=0.5, phase="began") -> dict:
    """Of a touch."""
    return {"id": name, "x": x, "y": y, "phase": phase}


RIGHT = {
    "zoom": [
        2.5, 1, 2e0, {"factor": 2}, {"factor": 2.5, **ID}, {"factor": 3, **MADE}, {"factor": 2, "rate": 50},
        {"position": 0.25}, {"position": 7}, {"position": -1}, {"by": 1.5}, {"by": 0.5, "rate": 50},
        {"factor": 4, "anchor": {"x": 0, "y": 1}}, {"factor": 4, "anchor": {"x": -0.1, "y": 1e300}}, {"factor": 3, "rate": 50, "anchor": CENTRE},
        {"move": {"velocity": 1, "timeout_ms": 1}}, {"move": {"velocity": -50}},
        {"move": {"velocity": 0, "timeout_ms": 1}},
        {"stop": True}, {"stop": True, **ID, **MADE}, {"factor": 1e300}, {"factor": 1e-300},
        {"factor": 2, "ts": "2026-11-21T09:05:38.958Z"},
        {"factor": 2, "ts": "2999-01-01T00:00:00Z", "ttl_ms": 1},
    ],
    "pinch": [
        {"gesture": "g", "phase": "began"},
        {"gesture": "g", "phase": "began", "scale": 1, "seq": 0, "anchor": CENTRE},
        {"gesture": "g", "phase": "began", "anchor": {"x": 2, "y": -1e300}},
        {"gesture": "g", "phase": "changed", "scale": 1.5}, {"gesture": "é" * 32, "phase": "ended"},
        {"gesture": "g", "phase": "changed", "scale": 0.9, "mode": "incremental", "seq": 9, **ID},
        {"gesture": "g", "phase": "changed", "scale": 0.9, "mode": "cumulative"},
        {"gesture": "g", "phase": "ended", "scale": 1.2}, {"gesture": "g", "phase": "cancelled"},
        {"gesture": "g", "phase": "cancelled", "revert": True},
        {"gesture": "g", "phase": "cancelled", "revert": False},
    ],
    "capture": [
        {}, {"quality": 1, "size": {"width": 64}}, {"quality": 100, "size": {"height": 64}},
        {"size": {"width": 64, "height": 64}},
        {"count": 2, "interval_ms": 0, "size": {"width": 64}}, {"fresh": True}, {"fresh": False},
        {"max_age_ms": 0},
        {"fresh": False, "max_age_ms": 5000}, {"zoom": {"factor": 2}},
        {"zoom": {"position": 0.5, "rate": 50}},
        {"zoom": {"by": 1.5, "anchor": CENTRE}, "fresh": True}, {"reply": "metadata", **ID, **MADE},
        {"phase": "began"}, {"phase": "ended", "button": "secondary", "remote": True, **ID, **MADE},
        {"phase": "cancelled", "button": "primary", "remote": False},
    ],
    # In this order: the recording is on only between the first and the last.
    "recording": [
        True, "ON", {"on": True}, False, "off", {"on": False}, {"on": True, "max_duration_s": 1, "codec": "mjpeg", "audio": False, **ID},
        {"on": False, **ID, **MADE},
    ],
    "session": [
        "high", "low", {"quality": "1920x1080"}, {"quality": ["hd4K3840x2160", "high"]}, {"fps": 1e-300}, {"fps": 1e300, **ID, **MADE},
        {"quality": "high", "fps": 30, "controls": {"brightness": 128}, "zoom": {"factor": 2, "rate": 50}}, {"controls": {"brightness": 1}},
        {"zoom": {"by": 1.5, "anchor": CENTRE}},
    ],
    "presets": [
        {"save": "here"}, {"save": "é" * 32, **ID, **MADE}, {"go": "here"}, {"go": "home", "rate": 50}, {"delete": "here"},
        {"delete": "é" * 32, **ID},
    ],
    "preview": [
        {}, {"fps": 0.1, "width": 16, "seconds": 1}, {"fps": 60, "width": 4096, "seconds": 1, **ID, **MADE}, {"stop": True, **ID}, {"stop": True},
    ],
    "controls": [
        {"brightness": 128}, {"brightness": 100000}, {"exposure_bias": -0.333}, {"power_line_frequency": 2},
        {"autofocus": False}, {"autofocus": True, "brightness": 1, **ID, **MADE},
    ],
    "touch": [
        {"gesture": "g", "touches": [finger()]}, {"gesture": "é" * 32, "seq": 0, "touches": [finger(n) for n in range(10)]},
        {"gesture": "g", "touches": [finger("thumb"), finger("é" * 32, phase="moved")], **ID, **MADE},
        {"gesture": "g", "touches": [finger(x=0, y=1), finger(phase="ended")]},
        {"gesture": "g", "touches": [finger(phase="cancelled")]}, {"gesture": "g", "touches": [finger(x=1.02, y=-1e300)]},
    ],
    "viewport": [
        {"center": {"x": 0, "y": 1}}, {"center": {"x": -3, "y": 1e300}}, {"center": CENTRE, **ID, **MADE}, {"by": {"dx": 0.1}}, {"by": {"dy": -1e300}},
        {"by": {"dx": -7, "dy": 7}},
    ],
    "lease": [
        {"release": True}, {"take": True, **CLIENT}, {"take": True, "ttl_ms": 100, "force": False, **CLIENT},
        {"take": True, "ttl_ms": 3600000, "force": True, **ID, **MADE}, {"release": True, **CLIENT},
    ],
    # In this order: each is applied only after the one before.
    "desired": [
        {"version": 1}, {"version": 2, "zoom": {"factor": 2}}, {"version": 3, "zoom": {"position": 7, "rate": 50}, **ID},
        {"version": 4, "zoom": {"factor": 4, "anchor": CENTRE}, "controls": {"brightness": 128, "autofocus": True}},
        {"version": 5, "session": {"quality": ["hd4K3840x2160", "high"], "fps": 30}},
        {"version": 2**53, "controls": {"exposure_bias": -9}, **MADE},
    ],
}

#: Refused on every node, whatever else is in the command; with the field that the agent must name.
WRONG_FOR_ALL = [
    ({"nosuch": 1}, "nosuch"), ({"id": 7}, "id"), ({"id": ""}, "id"), ({"id": "i" * 65}, "id"),
    ({"id": None}, "id"),
    ({"client": ["c"]}, "client"), ({"client": "c" * 65}, "client"), ({"ts": 1700000000}, "ts"),
    ({"ts": "now"}, "ts"),
    ({"ts": "2026-13-01T00:00:00Z"}, "ts"), ({"ts": "2026-11-21"}, "ts"), ({"ttl_ms": 100}, "ttl_ms"),
    ({**MADE, "ttl_ms": 0}, "ttl_ms"), ({**MADE, "ttl_ms": "100"}, "ttl_ms"), ({"if_rev": "1"}, "if_rev"),
    ({"if_rev": -1}, "if_rev"), ({"if_rev": 1.5}, "if_rev"),
]

#: A command of each node with nothing wrong, for what is wrong for all of them to be added to.
PLAIN = {
    "zoom": {"factor": 5}, "pinch": {"gesture": "g", "phase": "began"}, "capture": {"count": 1},
    "controls": {"brightness": 1}, "touch": {"gesture": "g", "touches": [finger()]}, "viewport": {"center": CENTRE},
    "lease": {"release": True}, "desired": {"version": 2**53}, "recording": {"on": False}, "session": {"fps": 30},
    "presets": {"go": "home"}, "preview": {"stop": True},
}

WRONG = {
    "zoom": [
        (0, "factor"), (-2, "factor"), ("5", None), (None, None), (True, None), ([5], None), ({}, None),
        ({"factor": 0}, "factor"), ({"factor": -1}, "factor"), ({"factor": "5"}, "factor"),
        ({"factor": None}, "factor"),
        ({"factor": True}, "factor"), ({"factor": {}}, "factor"), ({"by": 0}, "by"), ({"by": -2}, "by"),
        ({"position": "middle"}, "position"), ({"factor": 5, "position": 1}, None),
        ({"factor": 5, "stop": True}, None),
        ({"by": 2, "move": {"velocity": 1}}, None), ({"stop": False}, "stop"), ({"stop": 1}, "stop"),
        ({"factor": 5, "rate": 0}, "rate"), ({"factor": 5, "rate": -1}, "rate"), ({"rate": 1}, "rate"),
        ({"stop": True, "rate": 1}, "rate"), ({"move": {"velocity": 1}, "rate": 1}, "rate"),
        ({"anchor": CENTRE}, "anchor"),
        ({"stop": True, "anchor": CENTRE}, "anchor"), ({"move": {}}, "move.velocity"), ({"move": 1}, "move"),
        ({"move": {"velocity": "fast"}}, "move.velocity"),
        ({"move": {"velocity": 1, "timeout_ms": 0}}, "move.timeout_ms"),
        ({"move": {"velocity": 1, "timeout_ms": 10001}}, "move.timeout_ms"),
        ({"move": {"velocity": 1, "speed": 1}}, "move.speed"), ({"factor": 5, "anchor": 0.5}, "anchor"),
        ({"factor": 5, "anchor": {"x": 0.5}}, "anchor.y"),
        ({"factor": 5, "anchor": {"x": "left", "y": 0}}, "anchor.x"),
        ({"factor": 5, "anchor": {**CENTRE, "z": 0}}, "anchor.z"),
        ({"Factor": 5}, "Factor"), ({"factor": 5, "gesture": "g"}, "gesture"),
    ],
    "pinch": [
        (2, None), ({}, "gesture"), ({"phase": "began"}, "gesture"), ({"gesture": "g"}, "phase"),
        ({"gesture": "", "phase": "began"}, "gesture"), ({"gesture": "g" * 65, "phase": "began"}, "gesture"),
        ({"gesture": 1, "phase": "began"}, "gesture"), ({"gesture": "g", "phase": "moved"}, "phase"),
        ({"gesture": "g", "phase": "changed"}, "scale"),
        ({"gesture": "g", "phase": "changed", "scale": 0}, "scale"),
        ({"gesture": "g", "phase": "changed", "scale": -1}, "scale"),
        ({"gesture": "g", "phase": "changed", "scale": "2"}, "scale"),
        ({"gesture": "g", "phase": "began", "seq": -1}, "seq"),
        ({"gesture": "g", "phase": "began", "seq": 0.5}, "seq"),
        ({"gesture": "g", "phase": "began", "mode": "relative"}, "mode"),
        ({"gesture": "g", "phase": "ended", "revert": True}, "revert"),
        ({"gesture": "g", "phase": "cancelled", "revert": "yes"}, "revert"),
        ({"gesture": "g", "phase": "began", "anchor": {"x": 2}}, "anchor.y"),
    ],
    "capture": [
        (1, None), (None, None), ([], None), ({"quality": 0}, "quality"), ({"quality": 101}, "quality"),
        ({"quality": "high"}, "quality"), ({"quality": 85.5}, "quality"), ({"count": 0}, "count"),
        ({"count": 101}, "count"),
        ({"interval_ms": -1}, "interval_ms"), ({"interval_ms": 3600001}, "interval_ms"),
        ({"size": 640}, "size"),
        ({"size": {}}, None), ({"size": {"width": 0}}, "size.width"),
        ({"size": {"height": 16385}}, "size.height"),
        ({"size": {"depth": 1}}, "size.depth"), ({"fresh": 1}, "fresh"), ({"max_age_ms": -1}, "max_age_ms"),
        ({"fresh": True, "max_age_ms": 100}, "max_age_ms"), ({"zoom": 2}, "zoom"), ({"zoom": {}}, "zoom"),
        ({"zoom": {"factor": 0}}, "zoom.factor"), ({"zoom": {"stop": True}}, "zoom.stop"),
        ({"zoom": {"rate": 1}}, "zoom.rate"),
        ({"zoom": {"factor": 2, "anchor": {"x": "-1", "y": 0}}}, "zoom.anchor.x"),
        ({"zoom": {"factor": 2}, "max_age_ms": 100}, "zoom"), ({"reply": "base64"}, "reply"),
        ({"phase": "changed"}, "phase"), ({"phase": None}, "phase"), ({"button": "primary"}, "phase"), ({"remote": True}, "phase"),
        ({"phase": "began", "button": "third"}, "button"), ({"phase": "began", "remote": 1}, "remote"),
        ({"phase": "ended", "quality": 90}, "quality"), ({"phase": "ended", "zoom": {"factor": 2}}, "zoom"),
    ],
    "recording": [
        (1, None), (None, None), ("yes", None), ([], None), ({}, "on"), ({"on": "ON"}, "on"), ({"on": 1}, "on"),
        ({"on": True, "max_duration_s": 0.5}, "max_duration_s"), ({"on": True, "max_duration_s": 86401}, "max_duration_s"),
        ({"on": True, "max_duration_s": "60"}, "max_duration_s"), ({"on": True, "codec": "vp9"}, "codec"),
        ({"on": True, "audio": "yes"}, "audio"), ({"on": False, "max_duration_s": 5}, "max_duration_s"),
        ({"on": False, "codec": "h264"}, "codec"), ({"on": False, "audio": True}, "audio"), ({"codec": "h264"}, "on"),
    ],
    "session": [
        (1, None), (True, None), ([], None), ({}, None), ({"quality": 720}, "quality"), ({"quality": ""}, "quality"), ({"quality": []}, "quality"),
        ({"quality": ["high", 1]}, "quality"), ({"quality": ["high"] * 17}, "quality"), ({"quality": "q" * 65}, "quality"),
        ({"fps": 0}, "fps"), ({"fps": "30"}, "fps"), ({"controls": {}}, None), ({"controls": 1}, "controls"), ({"zoom": 2}, "zoom"), ({"zoom": {}}, "zoom"),
        ({"zoom": {"stop": True}}, "zoom.stop"), ({"width": 640}, "width"),
    ],
    "presets": [
        (1, None), ("home", None), ({}, None), ({"save": ""}, "save"), ({"save": "p" * 65}, "save"), ({"go": 1}, "go"), ({"delete": None}, "delete"),
        ({"save": "a", "go": "b"}, None), ({"go": "a", "delete": "a"}, None), ({"rate": 1}, None), ({"go": "home", "rate": 0}, "rate"),
        ({"save": "a", "rate": 1}, "rate"), ({"delete": "a", "rate": 1}, "rate"),
    ],
    "preview": [
        (1, None), (True, None), ([], None), ({"fps": 0}, "fps"), ({"fps": 61}, "fps"), ({"width": 15}, "width"), ({"width": 4097}, "width"),
        ({"width": 64.5}, "width"), ({"seconds": 0.5}, "seconds"), ({"seconds": 3601}, "seconds"), ({"stop": False}, "stop"), ({"stop": 1}, "stop"),
        ({"stop": True, "fps": 5}, "fps"), ({"stop": True, "width": 64}, "width"), ({"stop": True, "seconds": 5}, "seconds"),
    ],
    "controls": [
        (1, None), ({}, None), ({"brightness": "bright"}, "brightness"), ({"brightness": None}, "brightness"),
        ({"brightness": [1]}, "brightness"), ({"autofocus": "on"}, "autofocus"),
        ({"Brightness": 1}, "Brightness"),
        ({"": 1}, None),
    ],
    "touch": [
        (1, None), ({}, "gesture"), ({"gesture": "g"}, "touches"), ({"gesture": "", "touches": [finger()]}, "gesture"),
        ({"gesture": "g", "touches": []}, "touches"), ({"gesture": "g", "touches": finger()}, "touches"),
        ({"gesture": "g", "touches": [1]}, "touches"), ({"gesture": "g", "touches": [finger(n) for n in range(11)]}, "touches"),
        ({"gesture": "g", "seq": -1, "touches": [finger()]}, "seq"),
        ({"gesture": "g", "touches": [finger(), finger(None)]}, "touches.1.id"),
        ({"gesture": "g", "touches": [finger("i" * 65)]}, "touches.0.id"),
        ({"gesture": "g", "touches": [finger(phase="changed")]}, "touches.0.phase"),
        ({"gesture": "g", "touches": [finger(x="1")]}, "touches.0.x"),
        ({"gesture": "g", "touches": [{"id": 0, "x": 0.5, "phase": "ended"}]}, "touches.0.y"),
        ({"gesture": "g", "touches": [{**CENTRE, "phase": "began"}]}, "touches.0.id"),
        ({"gesture": "g", "touches": [{**CENTRE, "id": 0}]}, "touches.0.phase"),
        ({"gesture": "g", "touches": [{**finger(), "force": 1}]}, "touches.0.force"),
    ],
    "viewport": [
        (1, None), ({}, None), ({"center": CENTRE, "by": {"dx": 1}}, None), ({"center": 0.5}, "center"),
        ({"center": {"x": 0.5}}, "center.y"), ({"by": {}}, "by.dx"),
        ({"by": 1}, "by"), ({"by": {"dx": "left"}}, "by.dx"), ({"by": {"x": 1, "dx": 1}}, "by.x"), ({"factor": 2}, "factor"),
    ],
    "lease": [
        (True, None), ({}, None), ({"take": True}, "client"), ({"take": False, **CLIENT}, None), ({"release": False}, None),
        ({"take": True, "release": True, **CLIENT}, None), ({"take": 1, **CLIENT}, "take"),
        ({"take": True, "ttl_ms": 99, **CLIENT}, "ttl_ms"), ({"take": True, "ttl_ms": 3600001, **CLIENT}, "ttl_ms"),
        ({"take": True, "force": 1, **CLIENT}, "force"), ({"release": True, "ttl_ms": 100}, "ttl_ms"),
        ({"release": True, "force": True}, "force"),
    ],
    "desired": [
        (1, None), ({}, "version"), ({"version": 0}, "version"), ({"version": "1"}, "version"), ({"version": 1.5}, "version"),
        ({"version": 1, "zoom": 2}, "zoom"), ({"version": 1, "zoom": {}}, "zoom"),
        ({"version": 1, "zoom": {"by": 2}}, "zoom.by"), ({"version": 1, "zoom": {"stop": True}}, "zoom.stop"),
        ({"version": 1, "zoom": {"factor": 0}}, "zoom.factor"), ({"version": 1, "zoom": {"rate": 1}}, "zoom.rate"),
        ({"version": 1, "zoom": {"factor": 1, "position": 0}}, None), ({"version": 1, "controls": {}}, None),
        ({"version": 1, "controls": {"brightness": "high"}}, "controls.brightness"),
        ({"version": 1, "session": {}}, "session.quality"), ({"version": 1, "session": "high"}, "session"),
        ({"version": 1, "session": {"quality": 1}}, "session.quality"), ({"version": 1, "session": {"fps": 0}}, "session.fps"),
        ({"version": 1, "session": {"zoom": {"factor": 2}}}, "session.zoom"),
    ],
}
