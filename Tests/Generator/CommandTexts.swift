import Contract

/// What the schema of a node's commands says beside the fields.
struct CommandText {
    let title: String
    let sentence: String
    let examples: String
    /// Short forms in JSON.
    var short: [JSONObject] = []
    /// What only the code of the form says.
    var rules: JSONObject = [:]
}

private let onOrOff: [JSONObject] = [
    ["type": .text("boolean")],
    ["type": .text("string"), "pattern": .text("^([Oo][Nn]|[Oo][Ff][Ff])$")],
]

extension Node {
    var commandText: CommandText {
        switch self {
        case .zoom:
            CommandText(
                title: "Command for the zoom",
                sentence: """
                    A bare factor, or an object with a factor, a position, a multiple, a move or a stop. \
                    A factor or a position out of range is clamped, and the answer has `clamped`.
                    """,
                examples: #"""
                    [
                    2.5,
                    {"factor": 4, "rate": 1.5, "id": "a1b2"},
                    {"position": 0.5},
                    {"by": 1.25, "anchor": {"x": 0.25, "y": 0.75}},
                    {"move": {"velocity": -0.5, "timeout_ms": 400}},
                    {"stop": true},
                    {"factor": 4, "rate": 1.5, "at": "2026-11-21T09:05:40.000Z", "id": "a1b2"},
                    {"cancel": "a1b2"}
                    ]
                    """#,
                short: [Schema.value(.number(.above(0)))])
        case .pinch:
            CommandText(
                title: "Command for the pinch",
                sentence: """
                    One step of a two-finger gesture: factor = clamp(base × scale), where base is the \
                    zoom when the gesture began. The scale of `began` applies at once. A `changed` \
                    without `began` starts a gesture and leaves the zoom as it is. If anything else \
                    changes the zoom or the view during the gesture, the next step continues from the \
                    present zoom and view.
                    """,
                examples: #"""
                    [
                    {"gesture": "g7", "phase": "began", "client": "phone"},
                    {"gesture": "g7", "phase": "changed", "scale": 1.4, "seq": 2, "anchor": {"x": 0.5, "y":
                    0.5}},
                    {"gesture": "g7", "phase": "ended"},
                    {"gesture": "g7", "phase": "cancelled", "revert": true}
                    ]
                    """#)
        case .touch:
            CommandText(
                title: "Command for the touch",
                sentence: """
                    Fingers on the view; a message lists those that changed. One finger drags, two pinch \
                    around their midpoint, further ones are ignored. The distance between two fingers is \
                    computed in the aspect ratio of the view (its width and height in pixels). When the \
                    set of the fingers in use changes, the touch starts again from the present zoom and \
                    view.
                    """,
                examples: #"""
                    [
                    {"gesture": "g8", "seq": 1, "touches": [{"id": 0, "x": 0.4, "y": 0.5, "phase":
                    "began"}], "client": "phone"},
                    {"gesture": "g8", "seq": 2, "touches": [{"id": 1, "x": 0.6, "y": 0.5, "phase":
                    "began"}], "client": "phone"},
                    {"gesture": "g8", "seq": 3, "client": "phone", "touches": [{"id": 0, "x": 0.3, "y": 0.5,
                    "phase": "moved"}, {"id": 1, "x": 0.7, "y": 0.5, "phase": "moved"}]}
                    ]
                    """#)
        case .viewport:
            CommandText(
                title: "Command for the viewport",
                sentence: """
                    Moves the view within the frame at the present zoom, in fractions of the view. At \
                    the edge of the frame the movement is clamped, the answer has `clamped`, and the \
                    rest of the movement is dropped.
                    """,
                examples: #"""
                    [
                    {"center": {"x": 0.7, "y": 0.4}},
                    {"by": {"dx": -0.5}, "id": "a1b2"}
                    ]
                    """#)
        case .capture:
            CommandText(
                title: "Command for captures",
                sentence: """
                    Takes one photo or a series, ends them, or reports the phase of a press of a shutter \
                    button. An empty payload, which is not JSON and therefore not described here, takes \
                    one photo with the default settings.
                    """,
                examples: #"""
                    [
                    {},
                    {"quality": 90, "size": {"width": 640}, "reply": "image"},
                    {"zoom": {"factor": 3, "rate": 2}, "count": 3, "interval_ms": 500},
                    {"count": 3, "interval_ms": 500, "at": "2026-11-21T09:05:40.000Z", "id": "a1b2"},
                    {"cancel": "a1b2"},
                    {"stop": true, "capture": "series-1", "client": "hall-tablet"},
                    {"phase": "began", "client": "hall-tablet"},
                    {"phase": "ended", "button": "secondary", "remote": true},
                    {"phase": "ended", "reply": "image", "size": {"width": 1280}, "client": "hall-tablet"}
                    ]
                    """#)
        case .recording:
            CommandText(
                title: "Command for the recording",
                sentence: """
                    Starts or stops a recording. `true` and `false`, "ON" and "OFF" are short forms, and \
                    so are the bare words ON and OFF, which are not JSON.
                    """,
                examples: #"""
                    [
                    true,
                    "OFF",
                    {"on": true, "max_duration_s": 300, "codec": "mjpeg"},
                    {"on": true, "quality": 70, "max_bit_rate": 4000000, "key_frame_interval_s": 2},
                    {"on": false, "id": "a1b2"},
                    {"on": true, "at": "2026-11-21T09:05:40.000Z"}
                    ]
                    """#,
                short: onOrOff)
        case .session:
            CommandText(
                title: "Command for the session",
                sentence: """
                    Changes the quality and the frame rate of the camera, and optionally controls and \
                    zoom: all of it or nothing. The bare name of a quality, with or without quotes, is a \
                    short form.
                    """,
                examples: #"""
                    [
                    "high",
                    {"quality": ["hd4K3840x2160", "hd1280x720"], "fps": 15, "controls": {"brightness": 140},
                    "zoom": {"factor": 2}}
                    ]
                    """#,
                short: [Schema.value(.text(.upTo(64)))])
        case .controls:
            CommandText(
                title: "Command for the controls",
                sentence: """
                    Values of controls by the names in the camera's `info`. All are set, or none. This \
                    schema accepts any name; the agent refuses names that the camera doesn't have. A \
                    value out of range is clamped, and the answer has `clamped`.
                    """,
                examples: #"""
                    [
                    {"brightness": 140, "exposure_bias": -0.333, "id": "a1b2"}
                    ]
                    """#)
        case .presets:
            CommandText(
                title: "Command for the presets",
                sentence: """
                    Saves the present view under a name (zoom, viewport, and pan, tilt and focus if the \
                    camera has them), recalls a saved view, or deletes one.
                    """,
                examples: #"""
                    [
                    {"save": "front gate"},
                    {"go": "home", "rate": 2},
                    {"delete": "front gate", "id": "a1b2"}
                    ]
                    """#)
        case .preview:
            CommandText(
                title: "Command for the preview",
                sentence: """
                    Takes a preview lease, with which preview frames are published; sent again, it \
                    renews the lease. An empty payload, or the bare word ON, takes a lease with the \
                    default settings; OFF is short for `stop: true`. Neither is JSON.
                    """,
                examples: #"""
                    [
                    {},
                    {"fps": 10, "width": 320, "seconds": 60, "client": "hall-tablet"},
                    {"stop": true, "client": "hall-tablet"}
                    ]
                    """#)
        case .lease:
            CommandText(
                title: "Command for the lease",
                sentence: """
                    While a client holds the lease, only its commands move the zoom; those of other \
                    clients are refused as `held`. The holder renews the lease with `take`.
                    """,
                examples: #"""
                    [
                    {"take": true, "ttl_ms": 5000, "client": "hall-tablet"},
                    {"take": true, "force": true, "client": "guard"},
                    {"release": true, "client": "hall-tablet"}
                    ]
                    """#,
                rules: [
                    // Unless the topic names it.
                    "if": .object(["required": .texts(["take"])]),
                    "then": .object(["required": .texts(["client"])]),
                ])
        case .desired:
            CommandText(
                title: "Command for the desired state",
                sentence: """
                    The state that a fleet manager requests of a camera, or of all cameras of a group. \
                    It is applied once, if its version is higher than the last one of the same count: \
                    first the session, then all controls or none, then the zoom. A camera and each of \
                    its groups have their own count. The only command that may be retained. It waits \
                    until the camera is present and, if it changes the session, until no recording runs.
                    """,
                examples: #"""
                    [
                    {"version": 12, "zoom": {"factor": 2}, "controls": {"brightness": 140}, "client":
                    "fleet"},
                    {"version": 5, "group": "outside", "session": {"quality": "low"}}
                    ]
                    """#,
                rules: [
                    // A step depends on the present zoom.
                    "not": .object([
                        "properties": .object(["zoom": .object(["required": .texts(["by"])])]),
                        "required": .texts(["zoom"]),
                    ])
                ])
        case .privacy:
            CommandText(
                title: "Command for the privacy",
                sentence: """
                    ON closes the device of the camera and ends everything that needs it; OFF opens the \
                    device again. `true` and `false`, "ON" and "OFF" are short forms, and so are the \
                    bare words ON and OFF, which are not JSON.
                    """,
                examples: #"""
                    [
                    true,
                    "OFF",
                    {"state": "ON", "client": "hall-tablet", "id": "a1b2"}
                    ]
                    """#,
                short: onOrOff)
        case .media:
            CommandText(
                title: "Command for the files of photos and recordings",
                sentence: """
                    Lists the camera's finished files, describes, reads or deletes one.
                    """,
                examples: #"""
                    [
                    {"list": {}},
                    {"list": {"kind": "photo", "before": "door-20261121T090538.958Z-000042.jpg", "limit":
                    50}},
                    {"describe": "door-20261121T090538.958Z-000042.jpg", "id": "a1b2"},
                    {"get": "door-20261121T090538.958Z-000042.jpg", "offset": 131072, "version":
                    "Zk4W0T7jS2yHn1bQxw8a"},
                    {"delete": "door-20261121T090538.958Z-000042.jpg", "client": "hall-tablet"}
                    ]
                    """#)
        }
    }
}

let refreshText = CommandText(
    title: "Request for all retained messages",
    sentence: """
        Everything retained of an agent, of a camera, or of the cameras of a group is \
        published once more. An empty payload does the same.
        """,
    examples: #"""
        [
        {},
        {"id": "1", "client": "hall-tablet"}
        ]
        """#)

/// The schema of a command.
func commandSchema(_ text: CommandText, _ command: CommandDescription) -> JSON {
    var file: JSONObject = [
        "$schema": .text("https://json-schema.org/draft/2020-12/schema"), "title": .text(text.title),
        "description": .text(text.sentence),
    ]
    let schema = Schema(shared: command.envelope, notInGroups: ["at", "at_any_clock"])
    var object = schema.object(command.form)
    for member in text.rules.members { object[member.name] = member.value }
    var forms = text.short + [object]
    if let cancel = command.cancel {
        // It acts at once.
        forms.append(Schema(shared: command.envelope.without(schema.notInGroups)).object(cancel))
    }
    if forms.count == 1 {
        for member in object.members { file[member.name] = member.value }
    } else {
        file["oneOf"] = .list(forms.map { .object($0) })
    }
    file["examples"] = JSON(Array(text.examples.utf8))
    return .object(file)
}
