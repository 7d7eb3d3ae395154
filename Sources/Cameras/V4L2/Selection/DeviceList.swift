internal import Settings

/// The devices that are present, and which of them cameras use: one list for all cameras of an agent.
package protocol DeviceList: AnyObject {
    /// Whether the devices are known.
    var hasScanned: Bool { get }

    /// The paths of the devices that cameras use. No two cameras use the same device.
    var claimed: Set<String> { get set }

    /// The devices that cameras name exactly.
    var reservations: [DeviceReservation] { get set }

    /// Calls the listener with the present devices, now if they are known, and after every scan. Listeners
    /// are called in the order in which they came.
    ///
    /// - Parameter begins: whether the watch begins with this listener, if it hasn't begun yet. The scan
    ///   opens each device for a moment.
    func follow(begins: Bool, _ listener: @escaping ([FoundDevice]) -> Void)

    /// Begins the watch, unless it has begun.
    func begin()

    /// Why there is no camera at the paths of ``reservations``, and which devices may not be opened.
    var problems: [DeviceProblem] { get }

    /// Scans now, or again after the scan that is running.
    func scan()

    /// Scans a few times, as after a notice.
    func scheduleScans()
}

extension DeviceList {
    /// Claims the device at a path. Returns false if another camera has it.
    func claim(_ path: String) -> Bool { claimed.insert(path).inserted }

    /// Paths that cameras name.
    var reservedPaths: [String] {
        reservations.compactMap { if case .v4l2(let path) = $0.name { path } else { nil } }
    }
}

/// A device that one camera names by its serial number or its path. It is kept from less exact entries.
package struct DeviceReservation: Equatable {
    /// The id of the camera.
    let owner: String
    let name: SourceChoice
}
