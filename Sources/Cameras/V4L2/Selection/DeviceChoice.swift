package import Base

/// An entry of a camera's list of sources. The first entry that is present is used.
package enum DeviceChoice {
    /// The device at this path, which may be a link. Once it was found, it is recognized by its serial number
    /// or its place on the bus.
    case path(String)
    case serial(String)
    /// Any device with these properties. Of several, the one that was used before, then the first one.
    case properties(DeviceProperties)
    /// A device that a scan found; see ``FoundDevice``.
    case identity(FoundDevice)
    /// A camera that is always present.
    case fixed((EventLoop) -> any CameraBackend)

    /// The exact name of its device; nil: it has none.
    var reservedName: DeviceReservation.Name? {
        switch self {
        case .path(let path): .path(path)
        case .serial(let serial): .serial(serial)
        case .properties(let properties): properties.serial.map { .serial($0) }
        case .identity, .fixed: nil
        }
    }

    /// Whether a device is what this entry describes, also if another camera uses it.
    ///
    /// - Parameter known: the device that was used for this entry before.
    package func describes(_ device: FoundDevice, known: FoundDevice? = nil) -> Bool {
        switch self {
        case .serial(let serial): device.serial == serial
        case .identity(let wanted): device.isSame(as: wanted)
        case .properties(let properties): properties.match(device)
        case .path(let path): known.map(device.isSame) ?? device.isAt(path)
        case .fixed: false
        }
    }

    /// Whether a device that it describes is left to the camera that names it: an entry with properties
    /// leaves what another camera names, one with a path what any entry names by its serial number.
    func leaves(
        _ device: FoundDevice, known: FoundDevice?, to reservations: [DeviceReservation],
        owner: String
    ) -> Bool {
        switch self {
        case .path where known == nil:
            reservations.contains { reservation in
                if case .serial = reservation.name { reservation.isOf(device) } else { false }
            }
        case .properties: reservations.contains { $0.owner != owner && $0.isOf(device) }
        case .path, .serial, .identity, .fixed: false
        }
    }
}

/// What a camera chooses among the devices that are present. Pure.
package struct DeviceSelection {
    package enum Chosen {
        case device(FoundDevice)
        case fixed((EventLoop) -> any CameraBackend)
    }

    package let choices: [DeviceChoice]
    /// The id of the camera.
    private let owner: String
    /// For each entry the device that was used last, by which it is recognized.
    private(set) var known: [Int: FoundDevice] = [:]

    package init(_ choices: [DeviceChoice], owner: String) {
        (self.choices, self.owner) = (choices, owner)
    }

    package var reservations: [DeviceReservation] {
        choices.compactMap(\.reservedName).map { DeviceReservation(owner: owner, name: $0) }
    }

    package mutating func used(_ device: FoundDevice, of choice: Int) { known[choice] = device }

    /// The first entry that is present, and what it stands for.
    ///
    /// - Parameters:
    ///   - devices: those that are free, in the order in which they are preferred.
    ///   - reservations: of all cameras.
    package func first(
        among devices: [FoundDevice], reservations: [DeviceReservation]
    ) -> (choice: Int, what: Chosen)? {
        for (index, choice) in choices.enumerated() {
            if case .fixed(let make) = choice { return (index, .fixed(make)) }
            let known = known[index]
            let suitable = devices.filter { device in
                choice.describes(device, known: known)
                    && !choice.leaves(device, known: known, to: reservations, owner: owner)
            }
            let again = known.flatMap { known in suitable.first { $0.isSame(as: known) } }
            if let device = again ?? suitable.first { return (index, .device(device)) }
        }
        return nil
    }
}
