internal import Base
internal import CLinux
internal import CV4L2
internal import Glibc
internal import Synchronization

/// libcamera's V4L2 layer: a library that was loaded before the C library (LD_PRELOAD). It answers calls for
/// the video devices of CSI cameras in the place of the kernel, and runs libcamera in this process.
///
/// What its versions have in common (those of libcamera 0.0.3 to 0.7), and what is done about it here and in
/// ``CaptureThread``:
/// - Its list of cameras is made when the first device is opened through it; a camera that comes later makes
///   it read beyond that list. Such a device is not opened through it: see ``FoundDevice/cameAfterLayer``.
/// - Each node of a camera's media device is the same camera: see ``DeviceScan``.
/// - If another process has the camera, it reports no formats, crashes when one is set, and counts its open
///   descriptors wrong: a camera is opened for frames if no other process has it, and a descriptor without
///   formats is never closed. Some pipelines of libcamera leave out a camera that another process had at the
///   start: it counts as one that came later, once it is free.
/// - Frames that were not taken before a stream's end are announced in the next one: see
///   ``V4L2Device/forgetFrames()``.
/// - It locks the media devices of a camera that is open: see ``MediaDevices``.
/// - Buffers have to be queued in the order in which they came.
/// - It has no rates, no controls, no selection: such calls fail with ENOTTY.
package enum LibcameraLayer {
    /// The driver that it reports.
    static let driver = "libcamera"

    /// Whether it was loaded before this program.
    package static let isLoaded = clinux_is_preloaded("open", "v4l2-compat.so") != 0

    /// A node of /dev, which is another one if the device comes again. Its rights and its owner may change.
    private struct Node: Hashable {
        let device: dev_t
        let inode: ino_t

        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            (device, inode) = (found.st_rdev, found.st_ino)
        }
    }

    private struct Known {
        /// The nodes that there were when the layer started, with their media devices; nil: it has not
        /// started.
        var atStart: Set<Node>?
        /// Those whose camera another process had then: libcamera may have left it out.
        var inUseAtStart: Set<Node> = []
        /// The nodes of its cameras with what it reports of them, and the nodes that it leaves to the kernel.
        var cameras: [Node: V4L2Device.Identity] = [:]
        var others: Set<Node> = []
        /// How many descriptors of its cameras are open.
        var open = 0
    }

    private static let known = Mutex(Known())

    /// What is to be opened by a path.
    enum Way {
        /// The kernel's device.
        case direct
        /// The kernel's device; the layer may have it if it starts again.
        case late
        /// What the layer has there.
        case layer
    }

    static func way(to path: String) -> Way {
        guard isLoaded, mayHaveCamera(path), let node = Node(path) else { return .direct }
        begin()
        guard mediaDevice(of: path) != nil else { return .direct }
        if known.withLock({ $0.inUseAtStart.contains(node) }) { return isInUse(path) ? .layer : .late }
        return known.withLock { known in
            if known.others.contains(node) { return .direct }
            return known.atStart?.contains(node) == true ? .layer : .late
        }
    }

    /// Remembers the nodes that exist before the layer starts. The first opening through it starts it. A
    /// driver makes its media device after some or all of its nodes: nodes without one are not complete.
    private static func begin() {
        guard known.withLock({ $0.atStart == nil }) else { return }
        let paths = DeviceScan.nodes("video").map { "/dev/" + $0 }
        let complete = paths.filter { mayHaveCamera($0) && mediaDevice(of: $0) != nil }
        let used = complete.filter { isInUse($0) }
        known.withLock { known in
            if known.atStart != nil { return }
            known.atStart = Set(complete.compactMap { Node($0) })
            known.inUseAtStart = Set(used.compactMap { Node($0) })
        }
    }

    /// Whether a device can belong to a camera of libcamera that the kernel does not serve as well: it is not
    /// virtual, and not on USB. USB cameras would lose their controls and their zoom.
    private static func mayHaveCamera(_ path: String) -> Bool {
        guard let device = folder(of: path) else { return false }
        return !device.split(separator: "/").contains { $0.hasPrefix("usb") }
    }

    /// The folder of a node's device in /sys; nil: it has none, as a virtual device.
    private static func folder(of path: String) -> String? {
        guard let name = (Files.realPath(path) ?? path).split(separator: "/").last else { return nil }
        return Files.realPath("/sys/class/video4linux/\(name)/device")
    }

    /// The media device of a node, which libcamera locks while a process has the camera; nil: unknown.
    private static func mediaDevice(of path: String) -> String? {
        let media = folder(of: path).flatMap { folder in
            DeviceScan.entries(of: folder).first { $0.hasPrefix("media") && Int($0.dropFirst(5)) != nil }
        }
        return media.map { "/dev/" + $0 }
    }

    /// What the layer reported of the camera at a path, without another opening; nil: not known.
    static func identity(at path: String) -> V4L2Device.Identity? {
        guard isLoaded, let node = Node(path) else { return nil }
        return known.withLock { $0.cameras[node] }
    }

    /// Whether another process has the camera at a path.
    fileprivate static func isInUse(_ path: String) -> Bool {
        guard isLoaded, let media = mediaDevice(of: path) else { return false }
        return MediaDevices.isLockedByAnotherProcess(media)
    }

    /// A device was opened: remembers what the layer has there.
    fileprivate static func opened(_ path: String, _ identity: V4L2Device.Identity) {
        guard isLoaded else { return }
        let node = Node(path)
        known.withLock { known in
            if identity.isFromLibcamera { known.open += 1 }
            // Of a node that came later, the layer was not asked.
            guard let node, known.atStart?.contains(node) == true else { return }
            if identity.isFromLibcamera { known.cameras[node] = identity } else { known.others.insert(node) }
        }
    }

    fileprivate static func closed() { known.withLock { $0.open -= 1 } }

    /// Waits until all its cameras are closed. To be called before the process ends: the layer's end, in a
    /// thread beside one that streams, would crash it.
    package static func waitUntilClosed(atMost limit: Duration) {
        guard isLoaded else { return }
        let deadline = ContinuousClock.now.advanced(by: limit)
        while known.withLock({ $0.open > 0 }), ContinuousClock.now < deadline {
            usleep(2_000)
        }
    }
}

extension V4L2Device.Identity {
    /// Whether libcamera's layer has answered, not a driver.
    var isFromLibcamera: Bool { driver == LibcameraLayer.driver }
}

extension V4L2Device {
    /// Opens what is at a path for a program: a device of the kernel, or a camera of libcamera.
    ///
    /// - Returns: the descriptor, or -errno.
    static func descriptor(at path: String) -> Int32 {
        switch LibcameraLayer.way(to: path) {
        case .layer: clinux_open(path, O_RDWR | O_NONBLOCK, 0)
        case .direct, .late: clinux_open_by_system_call(path, O_RDWR | O_NONBLOCK)
        }
    }

    /// Records in ``LibcameraLayer`` what was opened. Returns whether frames can be had: not if another
    /// process has a camera of libcamera.
    static func isAvailable(_ node: cv4l2_node, _ identity: Identity, at path: String) -> Bool {
        LibcameraLayer.opened(path, identity)
        guard identity.isFromLibcamera else { return true }
        var format: UInt32 = 0
        return cv4l2_pixel_format(node, 0, &format) == 0
    }

    /// Closes the descriptor, if that can be done.
    func closeDescriptor() {
        guard identity.isFromLibcamera else { return _ = close(descriptor) }
        if isAvailable { close(descriptor) }
        LibcameraLayer.closed()
    }

    /// Opens a device for frames.
    ///
    /// - Throws: ``CameraError/device(_:)``, also if another process has a camera of libcamera, or
    ///   ``CameraError/unplugged``.
    static func forFrames(_ path: String, ownsOrientation: Bool) throws(CameraError) -> V4L2Device {
        if LibcameraLayer.isInUse(path) { throw inUse(path) }
        let device = try V4L2Device(path: path, ownsOrientation: ownsOrientation)
        guard device.isAvailable else { throw inUse(path) }
        return device
    }

    static func inUse(_ path: String) -> CameraError {
        .device("open \(path): another program uses the camera; libcamera gives it to one at a time")
    }

    /// Forgets frames that came and were not taken, after the stream's end and before its buffers are
    /// released. A driver does that itself; libcamera's layer would announce them in the next stream, and
    /// from then on give frames that are not there yet.
    func forgetFrames() {
        guard identity.isFromLibcamera else { return }
        var memory = cv4l2_memory()
        // The layer assigns finished frames to buffers in this call.
        _ = cv4l2_query_buffer(node, 0, &memory)
        // The descriptor is an eventfd that counts them.
        var count: UInt64 = 0
        while clinux_read(descriptor, &count, 8) == 8 {}
    }
}
