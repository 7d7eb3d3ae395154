package import LoopThread

/// A V4L2 device that is present and can be opened.
package struct FoundDevice: Sendable, Equatable {
    package var path: String
    package var driver: String
    package var model: String
    /// The place on the bus.
    package var bus: String
    /// Empty if it has none.
    package var serial: String
    /// The number of the node among those of the device.
    package var index: Int
    /// Its links under /dev/v4l, and other nodes that are the same camera.
    package var links: [String]

    /// Whether no other device has the same serial number, model and index. Some makers give all cameras one
    /// number.
    package var isOnlyOne = true

    /// Whether libcamera's layer may have a camera here, but began before the device came, or while another
    /// program had it: the layer has to begin again, with the process.
    package var cameAfterLayer = false

    package init(
        path: String, driver: String, model: String, bus: String, serial: String, index: Int, links: [String]
    ) {
        (self.path, self.driver, self.model, self.bus) = (path, driver, model, bus)
        (self.serial, self.index, self.links) = (serial, index, links)
    }

    /// Whether it is a device of v4l2loopback, which shows what another program writes to it. It is a camera
    /// only if the configuration names it.
    package var isLoopback: Bool { driver == "v4l2 loopback" }

    /// Whether it is the same device as one that was found before, whatever its number: by its serial number,
    /// or if that is not unique by its place on the bus.
    package func isSame(as other: FoundDevice) -> Bool {
        guard serial == other.serial, model == other.model, index == other.index else { return false }
        return bus == other.bus || (!serial.isEmpty && isOnlyOne && other.isOnlyOne)
    }
}

/// Keeps the list of the devices that capture video. It scans again when a device comes or goes.
package final class DeviceWatcher {
    /// The delays from a notice to the scans after it: notices come in groups, and udev sets permissions
    /// later.
    private static let scanDelays = [Duration.milliseconds(20), .milliseconds(300), .milliseconds(1500)]
    private static let retryDelay = Duration.seconds(2)

    private enum State {
        /// No scan has begun.
        case unscanned
        /// - Parameters:
        ///   - last: the devices of the scan before; nil: this is the first one.
        ///   - isRepeated: something may have changed since the scan began, so another one follows.
        case scanning(last: [FoundDevice]?, isRepeated: Bool)
        case scanned([FoundDevice])
    }

    private let loop: EventLoop
    private let scanner: SerialWorker<Void>
    private var state = State.unscanned
    /// Whether the devices are known.
    var hasScanned: Bool {
        switch state {
        case .scanning(last: _?, _), .scanned: true
        case .unscanned, .scanning(last: nil, _): false
        }
    }

    private var listeners: [([FoundDevice]) -> Void] = []
    /// The delays from the next scan of the timer to those after it.
    private var delays: [Duration] = []
    private lazy var timer = loop.timer { [weak self] in self?.timerFired() }
    private var notices: DeviceNotices?

    /// The paths of the devices that cameras use.
    var claimed: Set<String> = []
    /// The paths of output devices, to which this program writes pictures: they are never taken as cameras.
    package var outputs: Set<String> = []
    /// The serial numbers that the configuration names: a device with one of these is not taken by its path.
    var reserved: Set<String> = []

    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(on loop: EventLoop) throws(LoopError) {
        self.loop = loop
        scanner = try SerialWorker(name: "devices", on: loop, idleTime: .zero) {}
    }

    /// Calls the listener with the present devices, now and after every scan.
    ///
    /// - Parameter begins: whether the watch begins with this listener, if it hasn't begun yet. The scan
    ///   opens each device for a moment.
    package func follow(begins: Bool = true, _ listener: @escaping ([FoundDevice]) -> Void) {
        listeners.append(listener)
        if begins { begin() }
        switch state {
        case .scanning(let last?, _), .scanned(let last): listener(last)
        case .unscanned, .scanning(last: nil, _): break
        }
    }

    /// Begins the watch, unless it has begun.
    func begin() {
        if notices == nil {
            notices = DeviceNotices(on: loop) { [weak self] in self?.scheduleScans() }
            beginScan(after: nil)
        }
    }

    /// Scans a few times, as after a notice.
    func scheduleScans() {
        // Many notices must not postpone the first scan.
        let firstIsDue = timer.isSet && delays.count == Self.scanDelays.count - 1
        delays = Array(Self.scanDelays.dropFirst())
        if !firstIsDue { timer.set(after: Self.scanDelays[0]) }
    }

    /// Scans now, or again after the scan that is running.
    func scan() {
        switch state {
        case .unscanned: beginScan(after: nil)
        case .scanning(let last, _): state = .scanning(last: last, isRepeated: true)
        case .scanned(let devices): beginScan(after: devices)
        }
    }

    /// Whether this program writes pictures to the device, or will do so.
    func isOutput(_ device: FoundDevice) -> Bool {
        outputs.contains {
            $0 == device.path || device.links.contains($0) || realPath($0) == device.path
        }
    }

    private func timerFired() {
        scan()
        if !delays.isEmpty { timer.set(after: delays.removeFirst()) }
    }

    private func beginScan(after last: [FoundDevice]?) {
        do throws(LoopError) {
            try scanner.run({ _ in DeviceScan.devices() }) { [weak self] in self?.scanned($0) }
            state = .scanning(last: last, isRepeated: false)
        } catch {
            // The system refuses a thread for now.
            state = last.map { .scanned($0) } ?? .unscanned
            timer.set(after: Self.retryDelay)
        }
    }

    private func scanned(_ found: [FoundDevice]) {
        guard case .scanning(_, let isRepeated) = state else { return }
        if isRepeated { beginScan(after: found) } else { state = .scanned(found) }
        for listener in listeners { listener(found) }
    }
}
