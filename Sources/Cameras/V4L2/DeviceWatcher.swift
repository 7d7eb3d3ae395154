package import Base
package import Settings

/// Keeps the list of the devices that capture video. It scans again when a device comes or goes.
package final class DeviceWatcher: DeviceList {
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
    package var hasScanned: Bool {
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

    package var claimed: Set<String> = []
    package var reservations: [DeviceReservation] = []
    private let tags: [DeviceTagSettings]
    /// The paths of output devices, to which this program writes pictures: they are never reported as
    /// cameras.
    package var outputs: Set<String> = []

    /// - Parameter tags: what the configuration adds to the devices that are found.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(tags: [DeviceTagSettings] = [], on loop: EventLoop) throws(LoopError) {
        (self.loop, self.tags) = (loop, tags)
        scanner = try SerialWorker(name: "devices", on: loop, idleTime: .zero) {}
    }

    package func follow(begins: Bool, _ listener: @escaping ([FoundDevice]) -> Void) {
        listeners.append(listener)
        if begins { begin() }
        switch state {
        case .scanning(let last?, _), .scanned(let last): listener(last)
        case .unscanned, .scanning(last: nil, _): break
        }
    }

    package func begin() {
        if notices == nil {
            notices = DeviceNotices(on: loop) { [weak self] in self?.scheduleScans() }
            beginScan(after: nil)
        }
    }

    package func scheduleScans() {
        // Many notices must not postpone the first scan.
        let firstIsDue = timer.isSet && delays.count == Self.scanDelays.count - 1
        delays = Array(Self.scanDelays.dropFirst())
        if !firstIsDue { timer.set(after: Self.scanDelays[0]) }
    }

    package func scan() {
        switch state {
        case .unscanned: beginScan(after: nil)
        case .scanning(let last, _): state = .scanning(last: last, isRepeated: true)
        case .scanned(let devices): beginScan(after: devices)
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
        let found = found.without(outputs).tagged(by: tags)
        if isRepeated { beginScan(after: found) } else { state = .scanned(found) }
        for listener in listeners { listener(found) }
    }
}
