package import Base
package import Settings

/// Keeps the list of the devices that capture video. It scans again when a device comes or goes.
package final class DeviceWatcher: DeviceList {
    /// The delays from a notice to the scans after it: notices come in groups, and udev sets permissions
    /// later.
    private static let scanDelays = [Duration.milliseconds(20), .milliseconds(300), .milliseconds(1500)]
    private static let retryDelay = Duration.seconds(2)

    private let loop: EventLoop
    private let scanner: SerialWorker<Void>
    /// Of the last scan; nil: there was none.
    private var devices: [FoundDevice]?
    private var isScanning = false
    /// Something may have changed since the scan began, so another one follows.
    private var isRepeated = false
    package var hasScanned: Bool { devices != nil }

    private var listeners: [([FoundDevice]) -> Void] = []
    /// The delays from the next scan of the timer to those after it.
    private var delays: [Duration] = []
    private lazy var timer = loop.timer { [weak self] in self?.timerFired() }
    private var notices: DeviceNotices?

    package private(set) var problems: [DeviceProblem] = []

    package var claimed: Set<String> = []
    package var reservations: [DeviceReservation] = []
    private let tags: [DevicePattern]
    private let outputs: Set<String>

    /// - Parameters:
    ///   - tags: what the configuration adds to the devices that are found.
    ///   - outputs: the paths of output devices, to which this program writes pictures: they are never
    ///     reported as cameras.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(
        tags: [DevicePattern] = [], outputs: Set<String> = [], on loop: EventLoop
    ) throws(LoopError) {
        (self.loop, self.tags, self.outputs) = (loop, tags, outputs)
        scanner = try SerialWorker(name: "devices", on: loop, idleTime: .zero) {}
    }

    package func follow(begins: Bool, _ listener: @escaping ([FoundDevice]) -> Void) {
        listeners.append(listener)
        if begins { begin() }
        if let devices { listener(devices) }
    }

    package func begin() {
        if notices == nil {
            notices = DeviceNotices(on: loop) { [weak self] in self?.scheduleScans() }
            beginScan()
        }
    }

    package func scheduleScans() {
        // Many notices must not postpone the first scan.
        let firstIsDue = timer.isSet && delays.count == Self.scanDelays.count - 1
        delays = Array(Self.scanDelays.dropFirst())
        if !firstIsDue { timer.set(after: Self.scanDelays[0]) }
    }

    package func scan() {
        if isScanning { isRepeated = true } else { beginScan() }
    }

    private func timerFired() {
        scan()
        if !delays.isEmpty { timer.set(after: delays.removeFirst()) }
    }

    private func beginScan() {
        do throws(LoopError) {
            try scanner.run({ [reservedPaths] _ in
                let devices = DeviceScan.devices()
                return (devices, DeviceScan.problems(at: reservedPaths, but: devices))
            }) { [weak self] in self?.scanned($0, $1) }
            (isScanning, isRepeated) = (true, false)
        } catch {
            // The system refuses a thread for now.
            isScanning = false
            timer.set(after: Self.retryDelay)
        }
    }

    private func scanned(_ found: [FoundDevice], _ problems: [DeviceProblem]) {
        self.problems = problems
        let found = found.without(outputs).tagged(by: tags)
        (devices, isScanning) = (found, false)
        if isRepeated { beginScan() }
        for listener in listeners { listener(found) }
    }
}
