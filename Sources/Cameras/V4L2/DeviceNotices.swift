internal import Base
internal import CLinux
internal import CUdev
internal import Glibc

/// Notices that a video device may have come or gone.
///
/// They come from udev; without udev from the kernel; and for containers, which receive neither, from inotify
/// on /dev.
final class DeviceNotices {
    private static let folder = "/dev"

    private let loop: EventLoop
    private let received: () -> Void
    private let udev: OpaquePointer?
    private let monitor: OpaquePointer?
    /// The descriptor of inotify; negative: there is none.
    private let folderChanges: Int32

    /// - Parameter received: called once for several notices that came together.
    init(on loop: EventLoop, received: @escaping () -> Void) {
        (self.loop, self.received) = (loop, received)
        let source = access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel"
        udev = udev_new()
        monitor = udev.flatMap { udev_monitor_new_from_netlink($0, source) }
        folderChanges = clinux_inotify(Self.folder)
        if let monitor {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, "video4linux", nil)
            udev_monitor_enable_receiving(monitor)
            loop.watch(udev_monitor_get_fd(monitor)) { [weak self] _ in self?.readMonitor() }
        }
        if folderChanges >= 0 {
            loop.watch(folderChanges) { [weak self] _ in self?.readFolderChanges() }
        }
    }

    deinit {
        if let monitor {
            loop.unwatch(udev_monitor_get_fd(monitor))
            udev_monitor_unref(monitor)
        }
        if let udev { udev_unref(udev) }
        if folderChanges >= 0 {
            loop.unwatch(folderChanges)
            close(folderChanges)
        }
    }

    private func readMonitor() {
        guard let monitor else { return }
        while let device = udev_monitor_receive_device(monitor) { udev_device_unref(device) }
        received()
    }

    private func readFolderChanges() {
        if clinux_inotify_has(folderChanges, "video") != 0 { received() }
    }
}
