internal import Contract

/// The discovery document of a camera: one device with all its entities, to be published retained on the
/// topic of its ``HomeAssistantIdentity``. The main things are first, as a person would use them.
///
/// Device-based discovery, of Home Assistant 2024.11 and later, with the abbreviated names. A component
/// inherits from the top of the document the availability, and the topics that it does not have itself: those
/// at the top are the topics of the controls, which are the most numerous entities.
///
/// `entities.json` has the document of every camera. A text in it that begins with `@` is a topic
/// (``topic(_:)``); `$` begins the name of a value of the camera, and a field whose value a camera does not
/// have is left out. Where a field isn't plain:
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
/// - `$controls` is the place of the camera's controls, and has what depends on their names; `*` has that of
///   all other controls. `kinds` has what depends on their kind. The value of a control is `None` while the
///   retained state is that of another device without this control.
extension DiscoveredDevice {
    private static let home = "home"
    /// What a component that was removed can be.
    private static let platforms: Set = [
        "number", "select", "switch", "button", "text", "sensor", "image", "camera", "event",
        "binary_sensor",
    ]

    /// - Parameter known: the ``components`` that were ever in the device's document. Home Assistant keeps a
    ///   component that is left out, and removes one that has only its platform. Such a component stays in
    ///   the document, for instances that are not connected now.
    func document(known: [String] = []) -> JSONObject {
        let file = JSON(PackageResources.entities_json)?.object ?? [:]
        var values = values
        values["agent"] = filled(file["agent"], values)
        var document = filled(file["document"], values)?.object ?? [:]
        let entities = document["cmps"]?.object ?? [:]
        var components: JSONObject = [:]
        for entity in entities.members {
            switch entity.name {
            case "$controls":
                for control in info.controls {
                    guard var fields = fields(of: control, file, known: entity.value) else { continue }
                    if let own = fields["avty"] {
                        fields["avty"] = .list((document["avty"]?.list ?? []) + [own])
                    }
                    // The entities of every camera take precedence over a control of the same name.
                    let slug = control.name + (entities[control.name] == nil ? "" : "_control")
                    let id = "\(fields["p"]?.text ?? "")_\(control.name)"
                    components[id] = component(id, slug: slug, fields)
                }
            case "session_quality" where info.qualities.isEmpty: break
            case let id: components[id] = component(id, slug: id, entity.value.object ?? [:])
            }
        }
        for gone in known.sorted() {
            let parts = gone.split(separator: "/").map(String.init)
            if parts.count == 2, Self.platforms.contains(parts[0]), components[parts[1]] == nil {
                components[parts[1]] = .object(["p": .text(parts[0])])
            }
        }
        if info.controls.isEmpty { (document["cmd_t"], document["stat_t"]) = (nil, nil) }
        document["cmps"] = .object(components)
        return document
    }

    /// All components of the device's document, each as its platform and its name, which are needed to
    /// remove it.
    var components: [String] {
        (document()["cmps"]?.object?.members ?? []).map {
            "\($0.value.object?["p"]?.text ?? "")/\($0.name)"
        }
    }

    /// An entity as the device's document contains it.
    ///
    /// - Parameters:
    ///   - id: its name in the document: `[a-z0-9_]+`.
    ///   - slug: the end of its entity id, as `zoom`.
    ///   - fields: without those that follow from the identity of the camera.
    private func component(_ id: String, slug: String, _ fields: JSONObject) -> JSON {
        let platform = fields["p"]?.text ?? ""
        var component: JSONObject = ["p": .text(platform), "uniq_id": .text("\(identity.device)_HAS_\(id)")]
        // Home Assistant makes the id of the names of device and entity, unless it gets one. Before 2025.10
        // it reads only `obj_id`, after 2026 only `def_ent_id`. Between them, the first without the second
        // causes a warning.
        let entityID = "\(identity.slug)_\(slug)"
        if identity.entityID(ofName: fields["name"]?.text ?? "") != entityID {
            component["obj_id"] = .text(entityID)
            component["def_ent_id"] = .text("\(platform).\(entityID)")
        }
        for field in fields.members { component[field.name] = field.value }
        return .object(component)
    }

    // MARK: Values

    /// The JSON of a command, with the name of its client.
    func command(_ fields: String) -> JSON { .text("{\(fields),\(clientField)}") }

    /// The field of a command that names its client.
    var clientField: String { "\"client\":\"\(client)\"" }

    private var values: [Substring: JSON] {
        let zoom = info.zoom.min...info.zoom.max
        let stops = Stops(zoom, step: zoomStep)
        let presets = Select(
            of: [Self.home] + presets.filter { $0 != Self.home }.sorted(),
            state: "value_json.get('current')", field: "go")
        let qualities = Select(of: info.qualities, state: "value_json.quality", field: "quality")
        var values: [Substring: JSON] = [
            "device": .text(identity.device), "title": .text(identity.title), "version": .text(version),
            "client": .text(clientField), "name": .text(client),
            "least": .text(zoom.lowerBound.shortText),
            "greatest": .text(zoom.upperBound.shortText),
            "min": .number(stops.least), "max": .number(stops.greatest), "step": .number(stops.step),
            "presets": presets.options, "preset_of_state": presets.state,
            "preset_command": command(presets.field),
            "qualities": qualities.options, "quality_of_state": qualities.state,
            "quality_command": command(qualities.field),
        ]
        if !info.model.isEmpty { values["model"] = .text(info.model) }
        if !info.serial.isEmpty { values["serial"] = .text(info.serial) }
        return values
    }

    /// The finest step that a finger can select.
    private var zoomStep: Double {
        switch info.zoom.max - info.zoom.min {
        case ..<1: 0.01
        case ..<25: 0.1
        default: 0.5
        }
    }

    /// A part of `entities.json` with topics and values; nil: it is a value that is not there.
    func filled(_ part: JSON?, _ values: [Substring: JSON]) -> JSON? {
        switch part {
        case .number, .integer, .flag, .null, nil: return part
        case .list(let elements): return .list(elements.compactMap { filled($0, values) })
        case .object(var object):
            for name in object.names { object[name] = filled(object[name], values) }
            return .object(object)
        case .text(let text):
            if text.hasPrefix("@") { return .text(topic(text.dropFirst())) }
            if text.hasPrefix("$") { return values[text.dropFirst()] }
            let parts = text.split(separator: "$", omittingEmptySubsequences: false)
            return .text(
                parts.dropFirst().reduce(into: String(parts[0])) { text, part in
                    let name = part.prefix { $0.isLetter }
                    text += (values[name]?.text ?? "") + part.dropFirst(name.count)
                })
        }
    }
}
