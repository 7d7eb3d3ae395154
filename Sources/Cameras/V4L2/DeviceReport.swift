internal import Base
package import Contract
internal import Glibc

/// Everything that the drivers of this machine's video and media devices answer to queries, for reports about
/// devices. Nothing is changed and nothing is streamed.
package enum DeviceReport {
    /// Asks all drivers. A device that hangs blocks this, for 5 s for each query with a UVC camera.
    ///
    /// - Parameters:
    ///   - program: the program's version.
    ///   - withSerials: whether serial numbers, and links whose names contain them, are part of the report.
    package static func make(program: String, withSerials: Bool) -> JSON {
        var system = utsname()
        uname(&system)
        let links = DeviceScan.linksByDevice()
        let media = MediaDevices.withoutOwnLocks {
            DeviceScan.nodes("media").map { mediaNode(named: $0, withSerials: withSerials) }
        }
        return .object([
            // The version of this document's format.
            "report": .integer(1), "program": .text(program),
            // Release and machine of the kernel, such as `6.1.0-56-amd64` and `x86_64`.
            "kernel": .text(deviceText(system.release)), "machine": .text(deviceText(system.machine)),
            "video": .list(
                DeviceScan.nodes("video").map {
                    videoNode(named: $0, links: links["/dev/" + $0] ?? [], withSerials: withSerials)
                }),
            "media": .list(media ?? []),
        ])
    }

    /// What a driver answered, or the name of its error.
    ///
    /// - Parameter zero: a structure of C, which the call fills.
    static func answer<Found>(
        _ zero: Found, _ call: (inout Found) -> Int32, _ value: (Found) -> JSON
    ) -> JSON {
        var found = zero
        let result = call(&found)
        return result == 0 ? value(found) : failure(String(cString: strerror(-result)))
    }

    static func failure(_ words: String) -> JSON { .object(["error": .text(words)]) }

    /// The answers of an enumeration, up to the first error.
    static func list<Found>(
        atMost limit: UInt32, _ zero: Found, _ call: (UInt32, inout Found) -> Int32, _ value: (Found) -> JSON
    ) -> JSON {
        var values: [JSON] = []
        for index in 0..<limit {
            var found = zero
            guard call(index, &found) == 0 else { break }
            values.append(value(found))
        }
        return .list(values)
    }

    /// The answers of an enumeration by rising numbers, up to the first error.
    ///
    /// - Parameter call: gets the number of the last answer.
    static func list<Found>(
        atMost limit: UInt32, by id: KeyPath<Found, UInt32>, _ zero: Found,
        _ call: (UInt32, inout Found) -> Int32, _ value: (Found) -> JSON
    ) -> JSON {
        var last: UInt32 = 0
        return list(
            atMost: limit, zero,
            { _, found in
                let result = call(last, &found)
                guard result == 0, found[keyPath: id] > last else { return -EINVAL }
                last = found[keyPath: id]
                return 0
            }, value)
    }

    static func object(_ members: [(String, JSON?)]) -> JSON {
        var object = JSONObject()
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    static func number(_ number: some BinaryInteger) -> JSON { .integer(Int(number)) }

    /// As in V4L2's header, such as `0x85200001`.
    static func hexadecimal(_ number: UInt32) -> JSON {
        let digits = String(number, radix: 16)
        return .text("0x" + String(repeating: "0", count: 8 - digits.count) + digits)
    }

    /// Three bytes of a number, such as `6.1.192`.
    static func version(_ number: UInt32) -> JSON {
        .text("\(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)")
    }
}

extension CameraError {
    /// What a report says about it.
    var text: String {
        switch self {
        case .device(let message): message
        case .disabled(_, let reason): reason
        case .unplugged: "the device is gone"
        }
    }
}
