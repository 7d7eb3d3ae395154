package import Base
package import Settings

/// A camera of a device that can be unplugged.
protocol PluggableCamera: CameraBackend {
    /// Called once when the device is gone; every pending request has been answered before.
    var wasLost: () -> Void { get set }

    /// How its picture is turned; nil: as its driver gives it.
    var orientation: DeviceOrientation? { get }

    /// Whether its lens moves.
    var isLensMoving: Bool { get }
}

/// Finds the first that is present of a camera's sources. A V4L2 device is recognized when it is
/// unplugged and comes back, also under another number.
///
/// A device that an earlier choice describes and that comes later takes the place of the present one as soon
/// as that one is not in use and its lens rests.
package final class DeviceSource: CameraSource {
    /// Opens a device, and calls back on the loop.
    typealias Opening = (
        _ device: FoundDevice, _ opened: @escaping (Result<any PluggableCamera, CameraError>) -> Void
    ) -> Void

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
    package var isInUse: () -> Bool = { false }

    private let opening: Opening
    private let simulated: (EventLoop) -> any CameraBackend
    private let watcher: (any DeviceList)?
    private let loop: EventLoop
    private var selection: DeviceSelection
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

    /// The time between two looks whether a camera that is to be replaced is still in use, or its lens moves.
    private static let replacementDelay = Duration.seconds(1)
    private lazy var replacementTimer = loop.timer { [weak self] in self?.scanIfBetter() }
    /// The path of the device that was lost, until the next scan: the list may still have it.
    private var lostPath: String?

    /// - Parameters:
    ///   - device: what the first source stands for, if that is known already.
    ///   - watcher: shared by all cameras; nil when none of the sources is a device.
    ///   - simulated: makes the camera of the source `simulated`.
    package convenience init(
        of camera: CameraSettings, device: FoundDevice? = nil, watcher: (any DeviceList)?,
        on loop: EventLoop, simulated: @escaping (EventLoop) -> any CameraBackend = { _ in AbsentCamera() }
    ) {
        self.init(of: camera, device: device, watcher: watcher, on: loop, simulated: simulated) {
            [weak watcher] device, opened in
            V4L2Camera.open(device, of: camera, among: watcher, on: loop) {
                opened($0.map { $0 as any PluggableCamera })
            }
        }
    }

    /// - Parameter opening: opens a device that was chosen.
    init(
        of camera: CameraSettings, device: FoundDevice? = nil, watcher: (any DeviceList)?,
        on loop: EventLoop, simulated: @escaping (EventLoop) -> any CameraBackend = { _ in AbsentCamera() },
        opening: @escaping Opening
    ) {
        (self.opening, self.simulated, self.watcher, self.loop) = (opening, simulated, watcher, loop)
        selection = DeviceSelection(camera.sources, owner: camera.id, device: device)
        watcher?.reservations += selection.reservations
    }

    deinit {
        release()
        forgetLostPath()
    }

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

    private func follow(_ watcher: any DeviceList, begins: Bool) {
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
        guard let device = firstPresent?.device else { return }
        watcher.claimed.insert(device.path)
        state = .closed(path: device.path)
    }

    private func scanned(_ devices: [FoundDevice]) {
        self.devices = devices
        forgetLostPath()
        let present = Set(devices.map(\.path))
        refused = refused.filter { present.contains($0.key) }
        if case .closed = state { return keepDevice() }
        replaceIfBetter()
        if case .idle = state { takeFirst() }
    }

    /// A better device that was known for a while may have gone: a scan decides.
    private func scanIfBetter() { if canBeReplaced() { watcher?.scan() } }

    /// Whether an earlier choice can replace the camera. If the camera is in use, that is looked at again
    /// later.
    private func canBeReplaced() -> Bool {
        guard case .inUse(let choice, _, let camera) = state, let better = firstPresent,
            better.choice < choice
        else { return false }
        guard let camera = camera as? any PluggableCamera, isInUse() || camera.isLensMoving else {
            return true
        }
        replacementTimer.set(after: Self.replacementDelay)
        return false
    }

    private func forgetLostPath() {
        if let lostPath { watcher?.claimed.remove(lostPath) }
        lostPath = nil
    }

    /// Closes a camera that an earlier choice can replace, if it is not in use.
    private func replaceIfBetter() {
        guard canBeReplaced() else { return }
        release()
        report(.replaced)
        if case .idle = state { takeFirst() }
    }

    /// The first choice that is present and that no other camera has.
    private var firstPresent: (choice: Int, device: FoundDevice?)? {
        let free = devices.filter {
            refused[$0.path] == nil && watcher?.claimed.contains($0.path) != true && !$0.cameAfterLayer
        }
        return selection.first(among: free, reservations: watcher?.reservations ?? [])
    }

    private func takeFirst() {
        switch firstPresent {
        case (let choice, let device?)?: return open(device, choice)
        case (let choice, nil)?: return use(simulated(loop), choice, path: nil)
        case nil: break
        }
        let absence: CameraAbsence =
            if let reason = refused.values.first { .unusable(reason) } else {
                CameraAbsence(
                    kind: wasFound ? .unplugged : .notFound,
                    problem: selection.problem(among: watcher?.problems ?? [], wasFound: wasFound))
            }
        if watcher != nil && !retryTimer.isSet { retryTimer.set(after: Self.retryDelay) }
        report(absence)
    }

    private func use(_ camera: any CameraBackend, _ choice: Int, path: String?) {
        state = .inUse(choice: choice, path: path, camera)
        reported = nil
        found(camera.oriented((camera as? any PluggableCamera)?.orientation))
    }

    /// Each absence is reported once.
    private func report(_ absence: CameraAbsence) {
        guard absence != reported else { return }
        reported = absence
        missing(absence)
    }

    private func open(_ device: FoundDevice, _ choice: Int) {
        lastAttempt += 1
        let attempt = lastAttempt
        state = .opening(choice: choice, path: device.path, attempt: attempt)
        watcher?.claimed.insert(device.path)
        opening(device) { [weak self] result in
            guard let self, case .opening(_, _, attempt) = state else {
                // The source was closed meanwhile.
                if case .success(let camera) = result { camera.close() }
                return
            }
            switch result {
            case .success(let camera):
                selection.used(device, of: choice)
                wasFound = true
                camera.wasLost = { [weak self] in self?.wasLost() }
                use(camera, choice, path: device.path)
                // A better one may have come while this one was opened.
                replacementTimer.set(after: Self.replacementDelay)
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
        if case .inUse(_, let path?, _) = state {
            forgetLostPath()
            lostPath = path
        }
        release()
        // No other camera takes it before a scan.
        if let lostPath { watcher?.claimed.insert(lostPath) }
        report(.unplugged)
        // A driver that is loaded again sends no notice.
        watcher?.scheduleScans()
    }

    /// Closes the camera in use, and lets others have its device.
    private func release() {
        let released = state
        state = .idle
        replacementTimer.cancel()
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
