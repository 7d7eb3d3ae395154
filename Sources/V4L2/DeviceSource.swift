package import Cameras
package import LoopThread

/// Cameras from a list of sources: the first that is there. A V4L2 device is followed over unplugging and renumbering.
package final class DeviceSource: CameraSource {
    /// One source of the list.
    package enum Choice {
        /// The device at this path, which may be a link. Once it was found, it is known by its serial or its place on the bus.
        case path(String)
        case serial(String)
        /// The device that was found under this name in a scan; see ``FoundDevice``.
        case identity(FoundDevice)
        /// A camera that is always there.
        case fixed((EventLoop) -> any CameraBackend)
    }

    package var found: (any CameraBackend) -> Void = { _ in }
    package var missing: (CameraAbsence) -> Void = { _ in }

    private let choices: [Choice]
    private let settings: V4L2Camera.Settings
    private let watcher: DeviceWatcher?
    private let loop: EventLoop
    /// By what a device that was found is known; for each choice.
    private var known: [Int: FoundDevice] = [:]
    /// The choice that is being opened or in use.
    private var current: (choice: Int, path: String)?
    private var isOpening = false
    /// The camera that was given to ``found``; it is closed before ``missing`` is called.
    private var camera: (any CameraBackend)?
    private var devices: [FoundDevice] = []
    /// The absence that was told; nil: the camera is there, or nothing was told yet.
    private var reported: CameraAbsence?
    private var wasThere = false
    /// Devices that couldn't be used, and why: they are tried again when they come anew, or a while later. A while later what is missing is
    /// looked for, too, should nobody have given notice.
    private var refused: [String: String] = [:]
    private static let tryAgainAfter = Duration.seconds(10)
    private lazy var tryAgain = loop.timer { [weak self] in self?.forgiveAll() }

    /// - Parameter watcher: shared by all cameras; nil when none of the choices is a device.
    package init(
        _ choices: [Choice], settings: V4L2Camera.Settings, watcher: DeviceWatcher?, on loop: EventLoop
    ) {
        (self.choices, self.settings, self.watcher, self.loop) = (choices, settings, watcher, loop)
        for case .serial(let serial) in choices { watcher?.reserved.insert(serial) }
    }

    deinit { release() }

    package func look() {
        guard let watcher else { return take() }
        watcher.follow { [weak self] in self?.scanned($0) }
    }

    private func scanned(_ devices: [FoundDevice]) {
        self.devices = devices
        let there = Set(devices.map(\.path))
        refused = refused.filter { there.contains($0.key) }
        if !isOpening, let current, let better = firstThere, better.place < current.choice {
            release()
            report(.replaced)
        }
        if current == nil { take() }
    }

    private enum There {
        case device(FoundDevice)
        case fixed((EventLoop) -> any CameraBackend)
    }

    /// The first choice that is there and isn't taken.
    private var firstThere: (place: Int, what: There)? {
        for (place, choice) in choices.enumerated() {
            if case .fixed(let make) = choice { return (place, .fixed(make)) }
            if let device = devices.first(where: { matches($0, choice, known[place]) }) {
                return (place, .device(device))
            }
        }
        return nil
    }

    /// Takes the first choice that is there.
    private func take() {
        switch firstThere {
        case (let place, .device(let device))?: return open(device, place)
        case (let place, .fixed(let make))?:
            current = (place, "")
            reported = nil
            let camera = make(loop)
            self.camera = camera
            return found(camera)
        case nil: break
        }
        let absence: CameraAbsence =
            if let words = refused.values.first { .unusable(words) } else {
                wasThere ? .unplugged : .notFound
            }
        if watcher != nil && !tryAgain.isSet { tryAgain.set(after: Self.tryAgainAfter) }
        report(absence)
    }

    /// Each absence is told once.
    private func report(_ absence: CameraAbsence) {
        guard absence != reported else { return }
        reported = absence
        missing(absence)
    }

    private func matches(_ device: FoundDevice, _ choice: Choice, _ known: FoundDevice?) -> Bool {
        guard refused[device.path] == nil, watcher?.claimed.contains(device.path) != true else {
            return false
        }
        switch choice {
        case .serial(let serial): return device.serial == serial
        case .identity(let wanted): return device.isAgain(wanted)
        case .path(let path):
            if let known { return device.isAgain(known) }
            if watcher?.reserved.contains(device.serial) == true { return false }
            return device.path == path || device.links.contains(path) || realPath(path) == device.path
        case .fixed: return false
        }
    }

    private func open(_ device: FoundDevice, _ place: Int) {
        current = (place, device.path)
        isOpening = true
        watcher?.claimed.insert(device.path)
        V4L2Camera.open(device, settings, on: loop) { [weak self] result in
            guard let self else { return }
            isOpening = false
            switch result {
            case .success(let camera):
                known[place] = device
                wasThere = true
                reported = nil
                camera.wasLost = { [weak self] in self?.wasLost() }
                self.camera = camera
                found(camera)
            case .failure(let error):
                release()
                // One that is gone again is out of the next list.
                guard case .device(let words) = error else { return watcher?.scan() ?? () }
                refused[device.path] = words
                take()
            }
        }
    }

    private func forgiveAll() {
        guard current == nil else { return }
        refused = [:]
        watcher?.scan()
    }

    /// The camera in use is gone; another choice, or the same at its return, takes its place.
    private func wasLost() {
        release()
        report(.unplugged)
        // A driver that is there again gives no notice of it.
        watcher?.somethingChanged()
    }

    private func release() {
        if let current { watcher?.claimed.remove(current.path) }
        current = nil
        camera?.close()
        camera = nil
    }
}
