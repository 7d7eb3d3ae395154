internal import Base
internal import CLinux
internal import CV4L2
internal import Contract
internal import Glibc

extension DeviceReport {
    /// A media controller such as `/dev/media0`, and the parts of its device.
    static func mediaNode(named name: String, withSerials: Bool) -> JSON {
        let path = "/dev/" + name
        func unusable(_ code: Int32) -> JSON {
            .object(["path": .text(path), "error": .text(String(cString: strerror(-code)))])
        }
        let node = clinux_open(path, O_RDWR, 0)
        guard node >= 0 else { return unusable(node) }
        defer { close(node) }
        var found = cv4l2_media_device()
        let result = cv4l2_media_device(node, &found)
        guard result == 0 else { return unusable(result) }
        return .object([
            "path": .text(path), "driver": .text(deviceText(found.driver)),
            "model": .text(deviceText(found.model)), "bus": .text(deviceText(found.bus)),
            "serial": withSerials ? .text(deviceText(found.serial)) : nil,
            "revision": hexadecimal(found.revision), "version": version(found.version),
            "entities": list(
                atMost: 256, by: \.id, cv4l2_media_entity(), { cv4l2_media_entity(node, $0, &$1) }, entity),
        ])
    }

    private static func entity(_ found: cv4l2_media_entity) -> JSON {
        .object([
            "id": number(found.id), "name": .text(deviceText(found.name)), "type": hexadecimal(found.type),
            "flags": hexadecimal(found.flags), "pads": number(found.pads), "links": number(found.links),
            // The number of its node in /dev, such as `81:0`.
            "device": found.major == 0 ? nil : .text("\(found.major):\(found.minor)"),
        ])
    }
}
