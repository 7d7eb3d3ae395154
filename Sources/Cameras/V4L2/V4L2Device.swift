internal import Base
internal import CLinux
internal import CV4L2
internal import Glibc

/// An open V4L2 device: its calls, with typed errors.
///
/// Every call can block for as long as the device takes (a UVC camera that hangs: 5 s), except
/// ``nextEvent()`` and the calls of a stream. Calls may be made from several threads.
final class V4L2Device: Sendable {
    let path: String
    let descriptor: Int32
    let identity: Identity
    /// Whether frames can be had; see ``forFrames(_:ownsOrientation:)``.
    let isAvailable: Bool

    /// Whether the configuration determines the controls that turn and mirror the picture.
    private let ownsOrientation: Bool

    /// The identity that a device reports.
    struct Identity: Sendable, Equatable {
        var driver: String
        var card: String
        /// The place on the bus, such as `usb-0000:00:14.0-2`.
        var bus: String
        /// Whether it captures video. Some nodes give metadata only.
        var captures: Bool
    }

    /// For calls about frames.
    let node: cv4l2_node

    /// - Parameter isOutput: whether frames are for the device, not of it.
    /// - Throws: ``CameraError/device(_:)`` or ``CameraError/unplugged``.
    init(path: String, ownsOrientation: Bool = false, isOutput: Bool = false) throws(CameraError) {
        (self.path, self.ownsOrientation) = (path, ownsOrientation)
        let descriptor = Self.descriptor(at: path)
        if descriptor < 0 { throw Self.error("open \(path)", descriptor, at: path) }
        self.descriptor = descriptor
        var found = cv4l2_identity()
        let result = cv4l2_identify(descriptor, &found)
        if result < 0 {
            close(descriptor)
            throw Self.error("VIDIOC_QUERYCAP", result)
        }
        identity = Identity(
            driver: deviceText(found.driver), card: deviceText(found.card), bus: deviceText(found.bus),
            captures: found.capture != CV4L2_NO_BUFFERS)
        node = cv4l2_node(fd: descriptor, buffers: isOutput ? found.output : found.capture)
        isAvailable = Self.isAvailable(node, identity, at: path)
    }

    deinit { closeDescriptor() }

    // MARK: Controls

    func controls() throws(CameraError) -> [V4L2Control] {
        var list: [V4L2Control] = []
        var found = cv4l2_control()
        while true {
            let last = list.last?.id ?? 0
            let result = cv4l2_control_after(descriptor, last, &found)
            // There is no further control (a driver without controls returns ENOTTY), or the device cannot
            // describe it: the list ends.
            if result < 0 && result != -ENODEV { return list }
            try check(result, "VIDIOC_QUERY_EXT_CTRL")
            guard found.id > last else { return list }
            var control = V4L2Control(found, items: menu(of: found))
            control.isOfOrientation = ownsOrientation && Self.orientationControls.contains(control.id)
            list.append(control)
        }
    }

    /// The items of a menu; of another control there are none.
    private func menu(of control: cv4l2_control) -> [V4L2Control.Item] {
        let kind = V4L2Control.Kind(control)
        guard kind == .menu || kind == .integerMenu, let first = UInt32(exactly: control.minimum),
            let last = UInt32(exactly: control.maximum), first <= last, last - first < 1024
        else { return [] }
        let hasNumbers = kind == .integerMenu
        return (first...last).compactMap { index in
            var item = cv4l2_item()
            guard cv4l2_menu_item(descriptor, control.id, index, hasNumbers, &item) == 0 else { return nil }
            return V4L2Control.Item(
                index: Int64(index), title: hasNumbers ? "\(item.value)" : deviceText(item.title),
                value: hasNumbers ? item.value : nil)
        }
    }

    func read(_ control: UInt32) throws(CameraError) -> Int64 {
        var value: Int64 = 0
        try check(cv4l2_read_control(descriptor, control, &value), "VIDIOC_G_EXT_CTRLS")
        return value
    }

    func readText(_ control: UInt32, longest: Int) throws(CameraError) -> String {
        var bytes = [CChar](repeating: 0, count: max(1, min(longest, 4096) + 1))
        try check(cv4l2_read_text(descriptor, control, &bytes, UInt32(bytes.count)), "VIDIOC_G_EXT_CTRLS")
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .onlyPrintable
    }

    /// Sets controls in one call.
    ///
    /// - Returns: nil, or the error and the control that caused it, where the driver reports that.
    func write(_ values: [(id: UInt32, value: Int64)]) -> (failed: UInt32?, error: CameraError)? {
        var failed: UInt32 = 0
        let result = cv4l2_write_controls(
            descriptor, values.map(\.id), values.map(\.value), UInt32(values.count), &failed)
        if result == 0 { return nil }
        let place = Int(failed)
        return (
            place < values.count ? values[place].id : nil, Self.error("VIDIOC_S_EXT_CTRLS", result)
        )
    }

    // MARK: Events

    /// Subscribes to events about changes by other programs and by the device. Returns whether the driver has
    /// them.
    func subscribe(to control: UInt32) -> Bool { cv4l2_subscribe(descriptor, control) == 0 }

    func nextEvent() throws(CameraError) -> cv4l2_event? {
        var event = cv4l2_event()
        let result = cv4l2_next_event(descriptor, &event)
        if result == -ENOENT || result == -EAGAIN { return nil }
        try check(result, "VIDIOC_DQEVENT")
        return event
    }

    // MARK: Errors

    func check(_ result: Int32, _ doing: String) throws(CameraError) {
        if result < 0 { throw Self.error(doing, result, at: path) }
    }

    /// What camera drivers mean by errors whose general message is misleading.
    private static let meanings = [
        EILSEQ: "the camera is not in a state to do it", EREMOTE: "the camera is asleep",
        ETIMEDOUT: "the camera does not answer", EBUSY: "the camera is busy, or another program uses it",
    ]

    /// - Parameter path: of the device; nil: who uses it is not looked for.
    static func error(_ doing: String, _ result: Int32, at path: String? = nil) -> CameraError {
        if result == -ENODEV || result == -ENXIO || result == -ENOENT { return .unplugged }
        let user = result == -EBUSY ? path.flatMap(DeviceProblem.otherUser).map { "used by \($0)" } : nil
        let meaning = (user ?? meanings[-result]).map { " (\($0))" } ?? ""
        return .device("\(doing): \(String(cString: strerror(-result)))\(meaning)")
    }
}
