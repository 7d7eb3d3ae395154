internal import Base
internal import CLinux
internal import CV4L2
internal import Glibc

extension DeviceReport {
    /// A media controller such as `/dev/media0`, and the parts of its device.
    struct MediaNode: Sendable, Encodable {
        let path: String
        var error: String?
        var driver, model, serial, bus, revision, version: String?
        var entities: [Entity]?

        struct Entity: Sendable, Encodable {
            let id: UInt32
            let name, type, flags: String
            let pads, links: UInt32
            /// The number of its node in /dev, such as `81:0`.
            let device: String?

            init(_ found: cv4l2_media_entity) {
                (id, name) = (found.id, deviceText(found.name))
                (type, flags) = (DeviceReport.hexadecimal(found.type), DeviceReport.hexadecimal(found.flags))
                (pads, links) = (found.pads, found.links)
                device = found.major == 0 ? nil : "\(found.major):\(found.minor)"
            }
        }

        init(named name: String, withSerials: Bool) {
            path = "/dev/" + name
            let node = clinux_open(path, O_RDWR, 0)
            guard node >= 0 else {
                error = String(cString: strerror(-node))
                return
            }
            defer { close(node) }
            var found = cv4l2_media_device()
            let result = cv4l2_media_device(node, &found)
            guard result == 0 else {
                error = String(cString: strerror(-result))
                return
            }
            (driver, model, bus) = (deviceText(found.driver), deviceText(found.model), deviceText(found.bus))
            serial = withSerials ? deviceText(found.serial) : nil
            revision = DeviceReport.hexadecimal(found.revision)
            version = DeviceReport.version(found.version)
            var last: UInt32 = 0
            entities = DeviceReport.list(
                atMost: 256, cv4l2_media_entity(),
                { _, entity in
                    let result = cv4l2_media_entity(node, last, &entity)
                    guard result == 0, entity.id > last else { return result == 0 ? -EINVAL : result }
                    last = entity.id
                    return 0
                }, Entity.init)
        }
    }
}
