internal import CV4L2

extension V4L2Device {
    /// The controls that ``orient(_:)`` sets.
    static let orientationControls = [cv4l2_horizontal_flip, cv4l2_vertical_flip, cv4l2_rotate]

    /// Lets the driver turn and mirror the picture as far as it can, and returns what is left to the agent.
    /// What the driver has done is read back.
    func orient(_ total: Orientation) -> DeviceOrientation {
        let wanted = flips().wanted(for: total)
        let values: [(UInt32, Int64?)] = [
            (cv4l2_rotate, wanted.rotation.map { Int64($0) }),
            (cv4l2_horizontal_flip, wanted.horizontal.map { $0 ? 1 : 0 }),
            (cv4l2_vertical_flip, wanted.vertical.map { $0 ? 1 : 0 }),
        ]
        // One by one: a driver that refuses one may take the others.
        for case (let id, let value?) in values { _ = write([(id, value)]) }
        return DeviceOrientation(total: total, remaining: flips().orientation.inverse.then(total))
    }

    private func flips() -> DriverFlips {
        let list = (try? controls()) ?? []
        func value(_ id: UInt32) -> Int64? {
            guard let control = list.first(where: { $0.id == id }), !control.isDisabled else { return nil }
            return try? read(id)
        }
        return DriverFlips(
            horizontal: value(cv4l2_horizontal_flip).map { $0 != 0 },
            vertical: value(cv4l2_vertical_flip).map { $0 != 0 },
            rotation: value(cv4l2_rotate).flatMap { Int(exactly: $0) })
    }
}
