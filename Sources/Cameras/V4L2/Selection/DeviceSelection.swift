package import Settings

/// An entry of a camera's list of sources. The first entry that is present is used.
extension SourceChoice {
    /// The exact name of its device; nil: it has none.
    fileprivate var reservedName: SourceChoice? {
        switch self {
        case .v4l2, .serial: self
        case .properties(let properties): properties.serial.map { .serial($0) }
        case .simulated: nil
        }
    }

    /// Whether a device is what this entry describes, also if another camera uses it.
    ///
    /// - Parameter known: the device that was used for this entry before. By it a path's device is
    ///   recognized, also under another number.
    package func describes(_ device: FoundDevice, known: FoundDevice? = nil) -> Bool {
        switch self {
        case .serial(let serial): device.serial == serial
        case .properties(let properties): properties.match(device)
        case .v4l2(let path): known.map(device.isSame) ?? device.isAt(path)
        case .simulated: false
        }
    }

    /// Whether a problem may be why its device is absent.
    fileprivate func isAbsent(by problem: DeviceProblem) -> Bool {
        switch self {
        case .v4l2(problem.path): true
        case .v4l2, .simulated: false
        case .serial, .properties: problem.cause == .forbidden
        }
    }

    /// Whether a device that it describes is left to the camera that names it: an entry with properties
    /// leaves what another camera names, one with a path what any entry names by its serial number.
    fileprivate func leaves(
        _ device: FoundDevice, known: FoundDevice?, to reservations: [DeviceReservation],
        owner: String
    ) -> Bool {
        switch self {
        case .v4l2 where known == nil:
            reservations.contains { reservation in
                if case .serial = reservation.name { reservation.name.describes(device) } else { false }
            }
        case .properties: reservations.contains { $0.owner != owner && $0.name.describes(device) }
        case .v4l2, .serial, .simulated: false
        }
    }
}

/// What a camera chooses among the devices that are present. Pure.
package struct DeviceSelection {
    private let choices: [SourceChoice]
    /// The id of the camera.
    private let owner: String
    /// For each entry the device that was used last, by which it is recognized.
    private var known: [Int: FoundDevice] = [:]

    /// - Parameter device: what the first entry stands for, if that is known already.
    package init(_ choices: [SourceChoice], owner: String, device: FoundDevice? = nil) {
        (self.choices, self.owner) = (choices, owner)
        known[0] = device
    }

    package var reservations: [DeviceReservation] {
        choices.compactMap(\.reservedName).map { DeviceReservation(owner: owner, name: $0) }
    }

    /// What is wrong with the devices that these entries name, for the user; nil: nothing is known.
    ///
    /// - Parameter wasFound: whether the camera was there: then a device that is missing is no news.
    package func problem(among problems: [DeviceProblem], wasFound: Bool = false) -> String? {
        var words: [String] = []
        for choice in choices {
            for problem in problems
            where choice.isAbsent(by: problem) && !words.contains(problem.words)
                && !(wasFound && problem.cause == .missing)
            {
                words.append(problem.words)
            }
        }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    mutating func used(_ device: FoundDevice, of choice: Int) { known[choice] = device }

    /// The first entry that is present, and its device; nil: it is simulated.
    ///
    /// - Parameters:
    ///   - devices: those that are free, in the order in which they are preferred.
    ///   - reservations: of all cameras.
    package func first(
        among devices: [FoundDevice], reservations: [DeviceReservation]
    ) -> (choice: Int, device: FoundDevice?)? {
        for (index, choice) in choices.enumerated() {
            if case .simulated = choice { return (index, nil) }
            let known = known[index]
            let suitable = devices.filter { device in
                choice.describes(device, known: known)
                    && !choice.leaves(device, known: known, to: reservations, owner: owner)
            }
            let again = known.flatMap { known in suitable.first { $0.isSame(as: known) } }
            if let device = again ?? suitable.first { return (index, device) }
        }
        return nil
    }
}
