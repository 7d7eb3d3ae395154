internal import CLinux
internal import CUdev
internal import Glibc
package import LoopThread

/// A V4L2 device that is there, and can be opened.
package struct FoundDevice: Sendable, Equatable {
    package var path: String
    package var driver: String
    package var model: String
    /// Where it is plugged in.
    package var bus: String
    /// Empty where it has none.
    package var serial: String
    /// Which of the device's nodes it is: some give more than one kind of picture.
    package var index: Int
    /// Its names under /dev/v4l.
    package var links: [String]

    /// Whether no other device has its serial: not every maker gives each camera one of its own.
    package var isOnlyOne = true

    /// Whether it is a device that was seen before, whatever its number: by its serial, or where that says nothing by its place on the bus.
    package func isAgain(_ other: FoundDevice) -> Bool {
        guard serial == other.serial, model == other.model, index == other.index else { return false }
        return bus == other.bus || (!serial.isEmpty && isOnlyOne && other.isOnlyOne)
    }
}

/// The devices that are there: found by what they can do, not by their numbers, and looked for again whenever one comes or goes.
///
/// That one does is said by udev; where no udev runs by the kernel itself; and where neither is heard, as in a container, by what appears
/// in /dev.
package final class DeviceWatcher {
    private static let folder = "/dev"
    /// Between the word that something changed and a look: there is more to come, and rights are set a little later.
    private static let lookAfter = [Duration.milliseconds(20), .milliseconds(300), .milliseconds(1500)]

    private let loop: EventLoop
    private let scanner: Worker<Void>
    private let results: Inbox<[FoundDevice]>
    private var listeners: [([FoundDevice]) -> Void] = []
    private var devices: [FoundDevice]?
    private var isScanning = false
    private var wantsScan = false
    private var looks: [Duration] = []
    private lazy var timer = loop.timer { [weak self] in self?.look() }

    private var udev: OpaquePointer?
    private var monitor: OpaquePointer?
    private var notices: Int32 = -1
    private var isWatching = false

    /// The paths of the devices that a camera has taken.
    var claimed: Set<String> = []
    /// The serials that cameras ask for: a path that leads to one of these is meant for another device.
    var reserved: Set<String> = []

    /// - Throws: ``LoopError`` when there can be no further thread.
    package init(on loop: EventLoop) throws(LoopError) {
        self.loop = loop
        let results = try Inbox<[FoundDevice]>()
        self.results = results
        scanner = try Worker(name: "devices") { jobs in
            while jobs.next() != nil { results.send(DeviceScan.devices()) }
        }
    }

    deinit {
        scanner.abandon()
        if let monitor { udev_monitor_unref(monitor) }
        if let udev { udev_unref(udev) }
        if notices >= 0 { close(notices) }
    }

    /// Calls with the devices that are there, now and whenever they were looked for again.
    package func follow(_ listener: @escaping ([FoundDevice]) -> Void) {
        listeners.append(listener)
        if !isWatching {
            isWatching = true
            results.attach(to: loop) { [weak self] in self?.scanned($0) }
            listen()
            scan()
        } else if let devices {
            listener(devices)
        }
    }

    /// Looks again now.
    func scan() {
        guard !isScanning else { return wantsScan = true }
        isScanning = true
        scanner.submit(())
    }

    private func scanned(_ found: [FoundDevice]) {
        isScanning = false
        devices = found
        for listener in listeners { listener(found) }
        if wantsScan {
            wantsScan = false
            scan()
        }
    }

    /// Looks again a few times, as after a notice.
    func somethingChanged() {
        // A storm of notices doesn't put the first look off.
        let isAboutToLook = timer.isSet && looks.count == Self.lookAfter.count - 1
        looks = Array(Self.lookAfter.dropFirst())
        if !isAboutToLook { timer.set(after: Self.lookAfter[0]) }
    }

    private func look() {
        scan()
        if !looks.isEmpty { timer.set(after: looks.removeFirst()) }
    }

    private func listen() {
        let source = access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
        udev = udev_new()
        monitor = udev.flatMap { udev_monitor_new_from_netlink($0, source) }
        if let monitor {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, "video4linux", nil)
            udev_monitor_enable_receiving(monitor)
            loop.watch(udev_monitor_get_fd(monitor)) { [weak self] _ in self?.heardUdev() }
        }
        notices = clinux_inotify(Self.folder)
        if notices >= 0 {
            loop.watch(notices) { [weak self] _ in self?.heardFolder() }
        }
    }

    private func heardUdev() {
        guard let monitor else { return }
        while let device = udev_monitor_receive_device(monitor) { udev_device_unref(device) }
        somethingChanged()
    }

    private func heardFolder() {
        if clinux_inotify_has(notices, "video") != 0 { somethingChanged() }
    }
}
