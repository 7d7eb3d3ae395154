package import Cameras
package import LoopThread

/// Finds the first camera that is present of a list of choices. A V4L2 device is recognized when it is
/// unplugged and comes back, also under another number.
package final class DeviceSource: CameraSource {
    /// A choice of the list.
    package enum Choice {
        /// The device at this path, which may be a link. Once it was found, it is recognized by its serial
        /// number or its place on the bus.
        case path(String)
        case serial(String)
        /// A device that a scan found; see ``FoundDevice``.
        case identity(FoundDevice)
        /// A camera that is always present.
        case fixed((EventLoop) -> any CameraBackend)
    }

    private enum State {
        case idle
        /// No device is opened before the next ``search()``. `path`: of the device that is kept from other
        /// cameras; nil: there is none.
        case closed(path: String?)
        /// The device of this choice is being opened, for the attempt with this number.
        case opening(choice: Int, path: String, attempt: Int)
        /// The camera of this choice was given to ``found``. `path`: nil for one that is no device.
        case inUse(choice: Int, path: String?, any CameraBackend)
    }

    package var found: (any CameraBackend) -> Void = { _ in }
    package var missing: (CameraAbsence) -> Void = { _ in }

    private let choices: [Choice]
    private let settings: V4L2Camera.Settings
    private let watcher: DeviceWatcher?
    private let loop: EventLoop
    /// For each choice the device that was found, by which it is recognized.
    private var known: [Int: FoundDevice] = [:]
    private var state = State.idle
    private var devices: [FoundDevice] = []
    /// The absence that was reported last; nil: a camera was found since, or nothing was reported yet.
    private var reported: CameraAbsence?
    private var wasFound = false
    private var isFollowing = false
    private var lastAttempt = 0
    /// The devices that could not be used, by path, with the reason. They are tried again when they come
    /// back, or after ``retryDelay``.
    private var refused: [String: String] = [:]
    /// After this time without a camera the devices are scanned again, in case a notice of udev was missed.
    private static let retryDelay = Duration.seconds(10)
    private lazy var retryTimer = loop.timer { [weak self] in self?.retryAll() }

    /// - Parameter watcher: shared by all cameras; nil when none of the choices is a device.
    package init(
        _ choices: [Choice], settings: V4L2Camera.Settings, watcher: DeviceWatcher?, on loop: EventLoop
    ) {
        (self.choices, self.settings, self.watcher, self.loop) = (choices, settings, watcher, loop)
        for case .serial(let serial) in choices { watcher?.reserved.insert(serial) }
    }

    deinit { release() }

    package func search() {
        let isAgain = if case .closed = state { true } else { false }
        if isAgain {
            release()
            (reported, refused) = (nil, [:])
        }
        guard let watcher else { return takeFirst() }
        guard isFollowing else { return follow(watcher, begins: true) }
        watcher.begin()
        // The devices of the last scan; the next one may not come for long.
        if isAgain && watcher.hasScanned { takeFirst() }
    }

    package func close() {
        var path: String?
        switch state {
        case .idle: break
        case .closed: return
        case .opening(_, let opening, _): path = opening
        case .inUse(_, let used, let camera):
            path = used
            camera.close()
        }
        state = .closed(path: path)
        retryTimer.cancel()
        // A watch of other cameras reports the devices: this one begins none.
        if let watcher, !isFollowing { follow(watcher, begins: false) } else { keepDevice() }
    }

    private func follow(_ watcher: DeviceWatcher, begins: Bool) {
        isFollowing = true
        watcher.follow(begins: begins) { [weak self] in self?.scanned($0) }
    }

    /// Keeps the device that would be opened from other cameras.
    private func keepDevice() {
        guard case .closed(let kept) = state, let watcher else { return }
        if let kept {
            if devices.contains(where: { $0.path == kept }) { return }
            watcher.claimed.remove(kept)
        }
        state = .closed(path: nil)
        guard case (_, .device(let device))? = firstPresent else { return }
        watcher.claimed.insert(device.path)
        state = .closed(path: device.path)
    }

    private func scanned(_ devices: [FoundDevice]) {
        self.devices = devices
        let present = Set(devices.map(\.path))
        refused = refused.filter { present.contains($0.key) }
        if case .closed = state { return keepDevice() }
        if case .inUse(let choice, _, _) = state, let better = firstPresent, better.choice < choice {
            release()
            report(.replaced)
        }
        if case .idle = state { takeFirst() }
    }

    private enum Present {
        case device(FoundDevice)
        case fixed((EventLoop) -> any CameraBackend)
    }

    /// The first choice that is present and that no other camera has.
    private var firstPresent: (choice: Int, what: Present)? {
        for (index, choice) in choices.enumerated() {
            if case .fixed(let make) = choice { return (index, .fixed(make)) }
            if let device = devices.first(where: { matches($0, choice, known[index]) }) {
                return (index, .device(device))
            }
        }
        return nil
    }

    private func takeFirst() {
        switch firstPresent {
        case (let choice, .device(let device))?: return open(device, choice)
        case (let choice, .fixed(let make))?: return use(make(loop), choice, path: nil)
        case nil: break
        }
        let absence: CameraAbsence =
            if let reason = refused.values.first { .unusable(reason) } else {
                wasFound ? .unplugged : .notFound
            }
        if watcher != nil && !retryTimer.isSet { retryTimer.set(after: Self.retryDelay) }
        report(absence)
    }

    private func use(_ camera: any CameraBackend, _ choice: Int, path: String?) {
        state = .inUse(choice: choice, path: path, camera)
        reported = nil
        found(camera)
    }

    /// Each absence is reported once.
    private func report(_ absence: CameraAbsence) {
        guard absence != reported else { return }
        reported = absence
        missing(absence)
    }

    private func matches(_ device: FoundDevice, _ choice: Choice, _ known: FoundDevice?) -> Bool {
        guard refused[device.path] == nil, watcher?.claimed.contains(device.path) != true,
            watcher?.isOutput(device) != true, !device.cameAfterLayer
        else { return false }
        switch choice {
        case .serial(let serial): return device.serial == serial
        case .identity(let wanted): return device.isSame(as: wanted)
        case .path(let path):
            if let known { return device.isSame(as: known) }
            if watcher?.reserved.contains(device.serial) == true { return false }
            return device.path == path || device.links.contains(path) || realPath(path) == device.path
        case .fixed: return false
        }
    }

    private func open(_ device: FoundDevice, _ choice: Int) {
        lastAttempt += 1
        let attempt = lastAttempt
        state = .opening(choice: choice, path: device.path, attempt: attempt)
        watcher?.claimed.insert(device.path)
        V4L2Camera.open(device, settings, on: loop) { [weak self] result in
            guard let self, case .opening(_, _, attempt) = state else {
                // The source was closed meanwhile.
                if case .success(let camera) = result { camera.close() }
                return
            }
            switch result {
            case .success(let camera):
                known[choice] = device
                wasFound = true
                camera.wasLost = { [weak self] in self?.wasLost() }
                use(camera, choice, path: device.path)
            case .failure(let error):
                release()
                // A device that has gone again is absent from the next scan.
                guard case .device(let reason) = error else { return watcher?.scan() ?? () }
                refused[device.path] = reason
                takeFirst()
            }
        }
    }

    private func retryAll() {
        guard case .idle = state else { return }
        refused = [:]
        watcher?.scan()
    }

    /// The camera in use is gone. Another choice, or the same one when it comes back, takes its place.
    private func wasLost() {
        release()
        report(.unplugged)
        // A driver that is loaded again sends no notice.
        watcher?.scheduleScans()
    }

    /// Closes the camera in use, and lets others have its device.
    private func release() {
        let released = state
        state = .idle
        switch released {
        case .idle: break
        case .closed(let path): if let path { watcher?.claimed.remove(path) }
        case .opening(_, let path, _): watcher?.claimed.remove(path)
        case .inUse(_, let path, let camera):
            if let path { watcher?.claimed.remove(path) }
            camera.close()
        }
    }
}
