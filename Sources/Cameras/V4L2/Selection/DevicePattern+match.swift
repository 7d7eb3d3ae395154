package import Settings

extension DevicePattern {
    func match(_ device: FoundDevice) -> Bool {
        func agree<Property: Equatable>(_ wanted: Property?, _ found: Property?) -> Bool {
            wanted == nil || wanted == found
        }
        return agree(serial, device.serial) && agree(model, device.model) && agree(driver, device.driver)
            && agree(bus, device.bus) && agree(kind, device.kind) && agree(position, device.position)
    }
}

extension [FoundDevice] {
    /// The devices with what the tags state of them. A tag wins over what a device reports, an earlier tag
    /// over a later one.
    package func tagged(by tags: [DeviceTagSettings]) -> [FoundDevice] {
        map { device in
            var tagged = device
            let own = tags.filter { $0.devices.match(device) }
            tagged.kind = own.lazy.compactMap(\.kind).first ?? device.kind
            tagged.position = own.lazy.compactMap(\.position).first ?? device.position
            return tagged
        }
    }
}
