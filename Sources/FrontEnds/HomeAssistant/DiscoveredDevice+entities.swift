internal import Contract

/// A camera's entities: the main things first, as a person would use them.
///
/// `entities.json` has those of every camera. A text in it that begins with `@` is a topic
/// (``CameraTopics/topic(_:)``); `$` begins the name of a value of the camera. Where a field isn't plain:
///
/// - `qos` is not inherited from the top of the document. A lost state that is retained comes again with the
///   next connection; commands and events do not.
/// - `zoom` shows the target and not the factor: during a ramp the slider stays where the user put it. In a
///   move it shows the factor, because the move's target was requested by no client.
/// - `zoom_in` and `zoom_out` are half a power of two, √2 and 1 ÷ √2; their product is 1 to nine decimals.
///   At one octave a second, presses in quick succession add up; those of a `move` would only make it longer.
/// - Without a preview lease there are no frames, and an old frame would look like a present one. Until the
///   first frame, the picture is blank. Home Assistant shows about two frames a second, and never ends a
///   preview, so each has a duration.
/// - A file of a recording that goes on in another one has a cause, and a type of its own:
///   `recording_finished` is the end of the recording. `recording` has nine letters, and `shutter` fewer: the
///   slice keeps the document short. Home Assistant ignores empty results of the template.
/// - `privacy` is available while the camera has no device, so that a camera can be private when its device
///   comes; `status` shows why a camera can't be used, so it is available meanwhile.
/// - An agent that has stopped has a state of its own (`stopped`), which counts as offline. A private camera
///   is online, but refuses what the entities request: it has a reason, as one that is offline.
/// - `$controls` is the place of the camera's controls (``ControlEntities``), and has what depends on their
///   names.
extension DiscoveredDevice {
    private static let home = "home"

    /// `entities.json` with the topics and values of the camera.
    var fixed: JSONObject {
        guard let file = JSON(PackageResources.entities_json)?.object else { return [:] }
        var values = values
        values["agent"] = file["agent"].map { filled($0, values) }
        return filled(.object(file), values).object ?? [:]
    }

    /// All components of the device's document, each as its platform and its name, which are needed to
    /// remove it.
    var components: [String] { entities(fixed).map { "\($0.platform)/\($0.id)" } }

    /// - Parameter fixed: the entities of every camera (``fixed``).
    func entities(_ fixed: JSONObject) -> [Entity] {
        let components = fixed["cmps"]?.object ?? [:]
        return components.names.flatMap { id -> [Entity] in
            switch id {
            case "$controls":
                let controls = ControlEntities(
                    known: components[id]?.object ?? [:], device: self,
                    availability: fixed["avty"]?.list ?? [])
                return info.controls.compactMap { control in
                    var entity = controls.entity(of: control)
                    // The entities of every camera take precedence over a control of the same name.
                    if components[control.name] != nil { entity?.slug += "_control" }
                    return entity
                }
            case "session_quality" where info.qualities.isEmpty: return []
            default: return [Entity(id: id, slug: id, fields: components[id]?.object ?? [:])]
            }
        }
    }

    /// The JSON of a command, with the name of its client.
    func command(_ fields: String) -> JSON { "{\(fields),\(clientField)}" }

    private var clientField: String { "\"client\":\"\(client)\"" }

    // MARK: Values

    private var values: [Substring: JSON] {
        let zoom = info.zoom.min...info.zoom.max
        let stops = Stops(zoom, step: zoomStep)
        let presets = Select(
            of: [Self.home] + presets.filter { $0 != Self.home }.sorted(),
            state: "value_json.get('current')", field: "go")
        let qualities = Select(of: info.qualities, state: "value_json.quality", field: "quality")
        return [
            "client": .text(clientField), "name": .text(client),
            "least": .text(Template.number(zoom.lowerBound)),
            "greatest": .text(Template.number(zoom.upperBound)),
            "min": .number(stops.least), "max": .number(stops.greatest), "step": .number(stops.step),
            "presets": presets.options, "preset_of_state": presets.state,
            "preset_command": command(presets.field),
            "qualities": qualities.options, "quality_of_state": qualities.state,
            "quality_command": command(qualities.field),
        ]
    }

    /// The finest step that a finger can select.
    private var zoomStep: Double {
        switch info.zoom.max - info.zoom.min {
        case ..<1: 0.01
        case ..<25: 0.1
        default: 0.5
        }
    }

    private func filled(_ value: JSON, _ values: [Substring: JSON]) -> JSON {
        switch value {
        case .number, .integer, .flag, .null: return value
        case .list(let elements): return .list(elements.map { filled($0, values) })
        case .object(var object):
            for name in object.names { object[name] = object[name].map { filled($0, values) } }
            return .object(object)
        case .text(let text):
            if let topic = topics.topic(text) { return .text(topic) }
            if text.hasPrefix("$"), let value = values[text.dropFirst()] { return value }
            let parts = text.split(separator: "$", omittingEmptySubsequences: false)
            return .text(
                parts.dropFirst().reduce(into: String(parts[0])) { text, part in
                    let name = part.prefix { $0.isLetter }
                    text += (values[name]?.text ?? "") + part.dropFirst(name.count)
                })
        }
    }
}
