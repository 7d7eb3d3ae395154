internal import Contract

/// The discovery document of a camera: one device with all its entities, to be published retained on the
/// topic of its ``HomeAssistantIdentity``.
///
/// Device-based discovery, of Home Assistant 2024.11 and later, with the abbreviated names.
///
/// A component inherits from the top of the document the availability, and the topics that it does not have
/// itself: those at the top are the topics of the controls, which are the most numerous entities.
struct DiscoveryDocument: Sendable, Equatable, Encodable {
    /// What a component that was removed can be.
    private static let platforms: Set = [
        "number", "select", "switch", "button", "text", "sensor", "image", "camera", "event",
        "binary_sensor",
    ]

    let fields: JSONObject

    /// - Parameter known: the ``DiscoveredDevice/components`` that were ever in the device's document. Home
    ///   Assistant keeps a component that is left out, and removes one that has only its platform. Such a
    ///   component stays in the document, for instances that are not connected now.
    init(_ device: DiscoveredDevice, known: [String] = []) {
        let fixed = device.fixed
        var components: JSONObject = [:]
        for entity in device.entities(fixed) {
            components[entity.id] = .object(entity.component(of: device.identity))
        }
        for gone in known.sorted().compactMap(Self.parts) where components[gone.id] == nil {
            components[gone.id] = .object(["p": .text(gone.platform)])
        }
        var fields: JSONObject = [
            "dev": .object(device.device),
            "o": .object(["name": "v4l2mqtt", "sw": .text(device.version)]),
        ]
        fields["avty"] = fixed["avty"]
        fields["avty_mode"] = "all"
        if !device.info.controls.isEmpty {
            fields["cmd_t"] = .text(device.topics.command("controls"))
            fields["stat_t"] = .text(device.topics["controls"])
        }
        fields["cmps"] = .object(components)
        self.fields = fields
    }

    private static func parts(_ component: String) -> (platform: String, id: String)? {
        let parts = component.split(separator: "/").map(String.init)
        guard parts.count == 2, platforms.contains(parts[0]) else { return nil }
        return (parts[0], parts[1])
    }

    func encode(to encoder: any Encoder) throws { try JSON.object(fields).encode(to: encoder) }
}

extension DiscoveredDevice {
    fileprivate var device: JSONObject {
        var device: JSONObject = ["ids": .list([.text(identity.device)]), "name": .text(identity.title)]
        device["mdl"] = info.model.isEmpty ? nil : .text(info.model)
        device["sn"] = info.serial.isEmpty ? nil : .text(info.serial)
        device["sw"] = .text(version)
        return device
    }
}
