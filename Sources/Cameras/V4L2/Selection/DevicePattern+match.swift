package import Settings

extension DevicePattern {
    func match(_ device: FoundDevice) -> Bool {
        recognizes(device) && agree(kind, device.kind) && agree(position, device.position)
    }

    /// Whether it is one of the devices of a tag.
    fileprivate func recognizes(_ device: FoundDevice) -> Bool {
        agree(serial, device.serial) && agree(model, device.model) && agree(driver, device.driver)
            && agree(bus, device.bus)
    }

    private func agree<Property: Equatable>(_ wanted: Property?, _ found: Property?) -> Bool {
        wanted == nil || wanted == found
    }
}

extension [FoundDevice] {
    /// The devices with what the tags state of them. A tag wins over what a device reports, an earlier tag
    /// over a later one.
    package func tagged(by tags: [DevicePattern]) -> [FoundDevice] {
        map { device in
            var tagged = device
            let own = tags.filter { $0.recognizes(device) }
            tagged.kind = own.lazy.compactMap(\.kind).first ?? device.kind
            tagged.position = own.lazy.compactMap(\.position).first ?? device.position
            return tagged
        }
    }
}
