package import Cameras

/// The devices that are present, set by the test.
package final class ScriptedDevices: DeviceList {
    package private(set) var hasScanned = false
    package var claimed: Set<String> = []
    package var reservations: [DeviceReservation] = []
    package private(set) var scans = 0
    package var problems: [DeviceProblem] = []
    private var present: [FoundDevice] = []
    private var listeners: [([FoundDevice]) -> Void] = []

    package init() {}

    package func follow(begins: Bool, _ listener: @escaping ([FoundDevice]) -> Void) {
        listeners.append(listener)
        if hasScanned { listener(present) }
    }
    package func begin() {}
    package func scan() {
        scans += 1
        find(present)
    }
    package func scheduleScans() { scans += 1 }

    /// The next scan will find these devices.
    package func change(to devices: [FoundDevice]) { present = devices }

    /// A scan finds these devices.
    package func find(_ devices: [FoundDevice]) {
        (present, hasScanned) = (devices, true)
        for listener in listeners { listener(devices) }
    }
}
