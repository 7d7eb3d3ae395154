/// What a camera does, as entities: the main things first, as a person would use them.
extension DiscoveredDevice {
    /// Octaves per second. A press is half an octave; presses in quick succession add up, where those of a
    /// `move` would only make it longer.
    private static let stepRate = 1
    /// Home Assistant shows about two frames per second. It never ends a preview, so each has a duration.
    private static let previewOptions = (rate: 2, width: 1280, seconds: 600)
    /// The preset that the button saves.
    private static let savedView = "Saved view"
    private static let home = "home"

    var entities: [Entity] {
        let main = zoomEntities + viewEntities + pictureEntities + [privacy]
        let others = settings + diagnostics
        let taken = Set((main + others).map(\.slug))
        let controls = controls.compactMap { control in
            var entity = entity(of: control)
            // The entities of every camera take precedence over a control of the same name.
            if taken.contains(control.name) { entity?.slug += "_control" }
            return entity
        }
        return main + controls + others
    }

    /// The JSON of a command, with the name of its client.
    func command(_ fields: String) -> DocumentValue { Template.command(fields, by: client) }

    private var zoomEntities: [Entity] {
        let bounds = (Template.number(zoom.lowerBound), Template.number(zoom.upperBound))
        let stops = Stops(zoom, step: zoomStep)
        return [
            // The target and not the factor: during a ramp the slider stays where the user put it. In a move
            // it shows the factor, because the move's target was requested by no client.
            Entity(
                .number, "zoom", "Zoom", icon: "magnify",
                [
                    "cmd_t": .text(topics.command(.zoom)),
                    "cmd_tpl": command("\"factor\":{{value|round(4)}}"),
                    "stat_t": .text(topics.state(.zoom)),
                    "val_tpl":
                        "{{[[value_json['factor'if'velocity'in value_json else'target']|round(2),\(bounds.0)]|max,\(bounds.1)]|min}}",
                    "min": .number(stops.least), "max": .number(stops.greatest),
                    "step": .number(stops.step), "mode": "slider", "unit_of_meas": "×",
                ]),
            // Half a power of two, √2 and 1 ÷ √2. Their product is 1 to nine decimals.
            step("zoom_in", "Zoom in", icon: "magnify-plus-outline", by: 1.414213562),
            step("zoom_out", "Zoom out", icon: "magnify-minus-outline", by: 0.707106781),
            press(
                "zoom_stop", "Zoom stop", icon: "stop-circle-outline", .zoom,
                command("\"stop\":true")),
        ]
    }

    /// The finest step that a finger can select.
    private var zoomStep: Double {
        switch zoom.upperBound - zoom.lowerBound {
        case ..<1: 0.01
        case ..<25: 0.1
        default: 0.5
        }
    }

    private func step(_ id: String, _ name: String, icon: String, by factor: Double) -> Entity {
        press(id, name, icon: icon, .zoom, command("\"by\":\(factor),\"rate\":\(Self.stepRate)"))
    }

    private func press(
        _ id: String, _ name: String, icon: String, _ node: CameraTopics.EntityNode, _ payload: DocumentValue
    ) -> Entity {
        Entity(
            .button, id, name, icon: icon, ["cmd_t": .text(topics.command(node)), "pl_prs": payload])
    }

    private var viewEntities: [Entity] {
        var select = Labels.select(
            of: [Self.home] + presets.filter { $0 != Self.home }.sorted(),
            state: "value_json.get('current')", field: "go", by: client)
        select["cmd_t"] = .text(topics.command(.presets))
        select["stat_t"] = .text(topics.state(.presets))
        return [
            Entity(.select, "preset", "Preset", icon: "image-filter-center-focus", select),
            press(
                "preset_save", "Preset save", icon: "bookmark-plus-outline", .presets,
                command("\"save\":\"\(Self.savedView)\"")),
            Entity(
                .text, "preset_save_as", "Preset save as", icon: "bookmark-outline", category: .config,
                [
                    "cmd_t": .text(topics.command(.presets)),
                    "cmd_tpl": command("\"save\":{{value|tojson}}"),
                    "stat_t": .text(topics.state(.presets)),
                    "val_tpl": "{{value_json.get('current')or''}}", "max": 64,
                ]),
        ]
    }

    private var pictureEntities: [Entity] {
        [
            press("photo", "Photo", icon: "camera", .capture, "{\"client\":\"\(client)\"}"),
            Entity(
                .image, "last_photo", "Last photo", icon: "image",
                ["img_t": .text(topics.image)]),
            // Without a preview lease there are no frames, and an old frame would look like a present one.
            // Until the first frame, the picture is blank. A camera that is away or private is not live.
            Entity(
                .camera, "preview", "Preview", icon: "cctv",
                [
                    "t": .text(topics.frames),
                    "avty": .list([
                        agentIsAvailable,
                        isAvailable(topics.state(.preview), if: "value_json and value_json.live"),
                    ]),
                ]),
            Entity(
                .switch, "live_view", "Live view", icon: "eye",
                [
                    "cmd_t": .text(topics.command(.preview)),
                    "cmd_tpl": command(
                        " {{'\"stop\":true'if value=='OFF'else'\"fps\":\(Self.previewOptions.rate),\"width\":\(Self.previewOptions.width),\"seconds\":\(Self.previewOptions.seconds)'}}"
                    ),
                    "stat_t": .text(topics.state(.preview)),
                    "val_tpl": Template.onOff(
                        "value_json and'\(client)'in value_json.clients"),
                ]),
            Entity(
                .switch, "recording", "Recording", icon: "record-rec",
                [
                    "cmd_t": .text(topics.command(.recording)),
                    "cmd_tpl": command("\"on\":\(Template.isOn)"),
                    "stat_t": .text(topics.state(.recording)), "val_tpl": Template.onOff("value_json.on"),
                ]),
            shutter,
        ]
    }

    /// It is available while the camera has no device, so that a camera can be private when its device comes.
    private var privacy: Entity {
        Entity(
            .switch, "privacy", "Privacy", icon: "eye-off",
            [
                "cmd_t": .text(topics.command(.privacy)), "cmd_tpl": command("\"state\":\"{{value}}\""),
                "stat_t": .text(topics.state(.privacy)), "val_tpl": "{{value_json.state}}",
                "avty": .list([agentIsAvailable]),
            ])
    }

    /// A file of a recording that goes on in another one has a cause, and a type of its own:
    /// `recording_finished` is the end of the recording.
    private var shutter: Entity {
        events(
            "shutter", "Shutter", icon: "camera-iris",
            ["shutter", "recording_started", "recording_continued", "recording_finished"],
            // `recording` has nine letters, and `shutter` fewer. The slice keeps the document short.
            if: "e[:9]in['shutter','recording']",
            type: "'recording_continued'if'cause'in value_json.get('recording',{})else e")
    }

    private var controllers: Entity {
        events(
            "controllers", "Controllers", icon: "account-multiple", category: .diagnostic,
            ["refused", "take_over", "sound"], if: "e in['refused','take_over','sound']", type: "e")
    }

    /// An entity for some of the camera's events. Home Assistant ignores empty results of the template.
    ///
    /// - Parameters:
    ///   - types: those that Home Assistant gets.
    ///   - condition: an expression for whether it is an event of the entity. `e` is the event's name.
    ///   - type: an expression for its type.
    private func events(
        _ id: String, _ name: String, icon: String, category: Entity.Category? = nil, _ types: [String],
        if condition: String, type: String
    ) -> Entity {
        Entity(
            .event, id, name, icon: icon, category: category,
            [
                "stat_t": .text(topics.event), "evt_typ": .list(types.map { .text($0) }),
                "val_tpl":
                    "{%set e=value_json.event%}{{dict(value_json,event_type=\(type))|tojson if \(condition)else''}}",
            ])
    }

    private var settings: [Entity] {
        var quality = Labels.select(of: qualities, state: "value_json.quality", field: "quality", by: client)
        quality["cmd_t"] = .text(topics.command(.session))
        quality["stat_t"] = .text(topics.state(.session))
        let session = Entity(
            .select, "session_quality", "Session quality", icon: "quality-high", category: .config, quality)
        return qualities.isEmpty ? [] : [session]
    }

    // MARK: Diagnostics

    private var diagnostics: [Entity] {
        [
            Entity(
                .binarySensor, "recording_problem", "Recording problem", category: .diagnostic,
                [
                    "stat_t": .text(topics.state(.recording)),
                    "val_tpl": Template.onOff(
                        "value_json.get('last',{}).get('reason')in['failed','disk_full','unplugged','crash']"
                    ),
                    "dev_cla": "problem", "json_attr_t": .text(topics.state(.recording)),
                    "json_attr_tpl": "{{value_json.get('last',{})|tojson}}",
                ]),
            sensor(
                "disk_free", "Disk free", icon: "harddisk", topics.diagnostics,
                "{{(value_json.free_bytes/1e9)|round(2)if'free_bytes'in value_json else none}}",
                ["dev_cla": "data_size", "unit_of_meas": "GB", "stat_cla": "measurement"]),
            sensor(
                "lease_holder", "Lease holder", icon: "account-lock", topics.state(.lease),
                "{{value_json.client if value_json else'nobody'}}"),
            sensor(
                "zoom_origin", "Zoom origin", icon: "account-arrow-right", topics.state(.zoom),
                "{{value_json.origin.get('client')or value_json.origin.kind}}"),
            controllers,
            sensor(
                "resolution", "Resolution", icon: "aspect-ratio", topics.state(.session),
                "{{value_json.width}} × {{value_json.height}}"),
            sensor(
                "frame_rate", "Frame rate", icon: "speedometer", topics.state(.session),
                "{{value_json.fps|round(2)}}", ["unit_of_meas": "fps"]),
            sensor(
                "frames_lost", "Frames lost", icon: "image-broken-variant", topics.diagnostics,
                "{{value_json.lost}}", ["stat_cla": "total_increasing"]),
            status,
        ]
    }

    /// Shows why a camera can't be used, so it is available meanwhile.
    private var status: Entity {
        var status = sensor(
            "status", "Status", icon: "connection", topics.availability,
            "{{value_json.get('reason')or value_json.state}}")
        status.fields["avty"] = .list([agentIsAvailable])
        return status
    }

    private func sensor(
        _ id: String, _ name: String, icon: String, _ topic: String, _ template: String,
        _ more: Object = [:], isEnabled: Bool = true
    ) -> Entity {
        var fields: Object = ["stat_t": .text(topic), "val_tpl": .text(template)]
        for name in more.names { fields[name] = more[name] }
        return Entity(.sensor, id, name, icon: icon, category: .diagnostic, isEnabled: isEnabled, fields)
    }

    // MARK: Availability

    /// The topics that must be online for an entity to be available. A private camera is online, but refuses
    /// what the entities request: it has a reason, as one that is offline.
    var availability: [DocumentValue] {
        [
            agentIsAvailable,
            isAvailable(topics.availability, "'offline'if'reason'in value_json else'online'"),
        ]
    }

    /// An agent that has stopped has a state of its own (`stopped`), which counts as offline.
    private var agentIsAvailable: DocumentValue {
        isAvailable(topics.agentAvailability, "value_json.state|replace('stopped','offline')")
    }

    /// - Parameter condition: an expression about the message of the topic.
    func isAvailable(_ topic: String, if condition: String) -> DocumentValue {
        isAvailable(topic, "'online'if \(condition) else'offline'")
    }

    /// - Parameter availability: an expression about the message of the topic: `online` or `offline`.
    private func isAvailable(_ topic: String, _ availability: String) -> DocumentValue {
        .object(["t": .text(topic), "val_tpl": "{{\(availability)}}"])
    }
}
