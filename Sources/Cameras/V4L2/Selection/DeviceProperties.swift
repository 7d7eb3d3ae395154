/// Properties by which devices are selected. Each one that is set has to be that of the device; none set:
/// every device has them.
package struct DeviceProperties: Sendable, Equatable {
    package var serial: String?
    package var model: String?
    package var driver: String?
    /// The place on the bus.
    package var bus: String?
    package var kind: String?
    package var position: String?

    package init(
        serial: String? = nil, model: String? = nil, driver: String? = nil, bus: String? = nil,
        kind: String? = nil, position: String? = nil
    ) {
        (self.serial, self.model, self.driver, self.bus) = (serial, model, driver, bus)
        (self.kind, self.position) = (kind, position)
    }

    package func match(_ device: FoundDevice) -> Bool {
        func agree(_ wanted: String?, _ found: String?) -> Bool { wanted == nil || wanted == found }
        return agree(serial, device.serial) && agree(model, device.model) && agree(driver, device.driver)
            && agree(bus, device.bus) && agree(kind, device.kind) && agree(position, device.position)
    }
}

/// What a configuration states of the devices with some properties.
package struct DeviceTag: Sendable, Equatable {
    package var devices: DeviceProperties
    /// Nil: as the device reports it, or as another tag states.
    package var kind: String?
    package var position: String?

    package init(of devices: DeviceProperties, kind: String? = nil, position: String? = nil) {
        (self.devices, self.kind, self.position) = (devices, kind, position)
    }
}

extension [FoundDevice] {
    /// The devices with what the tags state of them. A tag wins over what a device reports, an earlier tag
    /// over a later one.
    package func tagged(by tags: [DeviceTag]) -> [FoundDevice] {
        map { device in
            var tagged = device
            let own = tags.filter { $0.devices.match(device) }
            tagged.kind = own.lazy.compactMap(\.kind).first ?? device.kind
            tagged.position = own.lazy.compactMap(\.position).first ?? device.position
            return tagged
        }
    }
}
