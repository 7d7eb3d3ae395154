internal import Base
internal import CLinux
internal import Glibc

/// Finds the devices in /dev. Opening a device can block, so this runs on a thread of its own.
package enum DeviceScan {
    /// The devices that capture video, in the order of their numbers.
    package static func devices() -> [FoundDevice] {
        let links = linksByDevice()
        let all = nodes("video").compactMap { name -> FoundDevice? in
            let path = "/dev/" + name
            guard let (identity, placement, media) = answers(of: name) else { return nil }
            func known(_ text: String, _ other: String?) -> String { text.isEmpty ? other ?? "" : text }
            var device = FoundDevice(
                path: path, driver: identity.driver, model: known(identity.card, media?.model),
                bus: known(identity.bus, media?.bus), serial: known(serial(of: name), media?.serial),
                index: firstLine(of: "/sys/class/video4linux/\(name)/index").flatMap { Int($0) } ?? 0,
                links: links[path] ?? [], position: placement?.position, sensorRotation: placement?.rotation)
            device.cameAfterLayer = LibcameraLayer.way(to: path) == .late
            return device
        }
        let found = all.onceEach
        return found.map { device in
            var device = device
            device.isOnlyOne =
                found.count {
                    $0.serial == device.serial && $0.model == device.model && $0.index == device.index
                } == 1
            return device
        }
    }

    private typealias Answers = (
        identity: V4L2Device.Identity, placement: SensorPlacement?, media: MediaController?
    )

    /// What drivers report of a device that captures; nil: it does not, or cannot be opened.
    private static func answers(of name: String) -> Answers? {
        let path = "/dev/" + name
        // A camera of libcamera is opened once only: another program may have it at any other time.
        if let identity = LibcameraLayer.identity(at: path) { return (identity, nil, nil) }
        guard let device = try? V4L2Device(path: path), device.identity.captures else { return nil }
        if device.identity.isFromLibcamera { return (device.identity, nil, nil) }
        let media = MediaDevices.withoutOwnLocks { MediaController(ofNode: name) } ?? nil
        return (device.identity, SensorPlacement(of: device, media), media)
    }

    /// The names of the nodes in /dev that begin with a prefix and end with a number, in the order of their
    /// numbers.
    static func nodes(_ prefix: String) -> [String] {
        let numbers = entries(of: "/dev").compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
        }
        return numbers.sorted().map { "\(prefix)\($0)" }
    }

    /// The serial number; with a USB device, the parent of the interface has it.
    static func serial(of name: String) -> String {
        let device = "/sys/class/video4linux/\(name)/device"
        for file in [device + "/../serial", device + "/serial"] {
            if let text = firstLine(of: file), !text.isEmpty { return text }
        }
        return ""
    }

    /// The first line of a file in /sys; nil if it cannot be read.
    static func firstLine(of path: String) -> String? {
        guard let bytes = try? Files.read(path, atMost: 256), !bytes.isEmpty else { return nil }
        return String(decoding: bytes.prefix { $0 >= 0x20 }, as: UTF8.self).onlyPrintable
    }

    /// The links that udev makes, by the devices' identity and by their place on the bus.
    private static func linksByDevice() -> [String: [String]] {
        var links: [String: [String]] = [:]
        for folder in ["/dev/v4l/by-id", "/dev/v4l/by-path"] {
            for name in entries(of: folder).sorted() {
                let link = folder + "/" + name
                if let path = Files.realPath(link) { links[path, default: []].append(link) }
            }
        }
        return links
    }

    static func entries(of path: String) -> [String] {
        (try? Files.names(in: path)) ?? []
    }
}

extension [FoundDevice] {
    /// The devices with each camera of libcamera once: at the first of its nodes, with the others as links.
    var onceEach: [FoundDevice] {
        var list: [FoundDevice] = []
        for device in self {
            let first = list.firstIndex {
                device.driver == LibcameraLayer.driver && $0.driver == device.driver && $0.bus == device.bus
            }
            if let first { list[first].links += [device.path] + device.links } else { list.append(device) }
        }
        return list
    }
}
