internal import CLinux
internal import CUdev
internal import Glibc
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
    /// Its links under /dev/v4l.
    package var links: [String]

    /// Whether no other device has the same serial number, model and index. Some makers give all cameras one
    /// number.
    package var isOnlyOne = true

    /// Whether it is the same device as one that was found before, whatever its number: by its serial number,
    /// or if that is not unique by its place on the bus.
    package func isSame(as other: FoundDevice) -> Bool {
        guard serial == other.serial, model == other.model, index == other.index else { return false }
        return bus == other.bus || (!serial.isEmpty && isOnlyOne && other.isOnlyOne)
    }
}

/// Keeps the list of the devices that capture video. It scans again when a device comes or goes.
///
/// The notices come from udev; without udev from the kernel; and for containers, which receive neither, from
/// inotify on /dev.
package final class DeviceWatcher {
    private static let folder = "/dev"
    /// The delays from a notice to the scans after it: notices come in groups, and udev sets permissions
    /// later.
    private static let scanDelays = [Duration.milliseconds(20), .milliseconds(300), .milliseconds(1500)]
    private static let retryDelay = Duration.seconds(2)

    private let loop: EventLoop
    private let scanner: SerialWorker<Void>
    private var listeners: [([FoundDevice]) -> Void] = []
    private var devices: [FoundDevice]?
    private var isScanning = false
    private var scanIsDue = false
    private var delays: [Duration] = []
    private lazy var timer = loop.timer { [weak self] in self?.timerFired() }

    private var udev: OpaquePointer?
    private var monitor: OpaquePointer?
    private var notices: Int32 = -1
    private var isWatching = false

    /// The paths of the devices that cameras use.
    var claimed: Set<String> = []
    /// The serial numbers that the configuration names: a device with one of these is not taken by its path.
    var reserved: Set<String> = []

    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(on loop: EventLoop) throws(LoopError) {
        self.loop = loop
        scanner = try SerialWorker(name: "devices", on: loop, idleTime: .zero) {}
    }

    deinit {
        if let monitor { udev_monitor_unref(monitor) }
        if let udev { udev_unref(udev) }
        if notices >= 0 { close(notices) }
    }

    /// Calls the listener with the present devices, now and after every scan.
    package func follow(_ listener: @escaping ([FoundDevice]) -> Void) {
        listeners.append(listener)
        if !isWatching {
            isWatching = true
            listen()
            scan()
        } else if let devices {
            listener(devices)
        }
    }

    /// Scans now.
    func scan() {
        guard !isScanning else { return scanIsDue = true }
        do throws(LoopError) {
            try scanner.run({ _ in DeviceScan.devices() }) { [weak self] in self?.scanned($0) }
            isScanning = true
        } catch {
            // The system refuses a thread for now.
            timer.set(after: Self.retryDelay)
        }
    }

    private func scanned(_ found: [FoundDevice]) {
        isScanning = false
        devices = found
        for listener in listeners { listener(found) }
        if scanIsDue {
            scanIsDue = false
            scan()
        }
    }

    /// Scans a few times, as after a notice.
    func scheduleScans() {
        // Many notices must not postpone the first scan.
        let firstIsDue = timer.isSet && delays.count == Self.scanDelays.count - 1
        delays = Array(Self.scanDelays.dropFirst())
        if !firstIsDue { timer.set(after: Self.scanDelays[0]) }
    }

    private func timerFired() {
        scan()
        if !delays.isEmpty { timer.set(after: delays.removeFirst()) }
    }

    private func listen() {
        let source = access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
        udev = udev_new()
        monitor = udev.flatMap { udev_monitor_new_from_netlink($0, source) }
        if let monitor {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, "video4linux", nil)
            udev_monitor_enable_receiving(monitor)
            loop.watch(udev_monitor_get_fd(monitor)) { [weak self] _ in self?.receivedNotices() }
        }
        notices = clinux_inotify(Self.folder)
        if notices >= 0 {
            loop.watch(notices) { [weak self] _ in self?.folderChanged() }
        }
    }

    private func receivedNotices() {
        guard let monitor else { return }
        while let device = udev_monitor_receive_device(monitor) { udev_device_unref(device) }
        scheduleScans()
    }

    private func folderChanged() {
        if clinux_inotify_has(notices, "video") != 0 { scheduleScans() }
    }
}
