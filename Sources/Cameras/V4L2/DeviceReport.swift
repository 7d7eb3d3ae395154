internal import Base
internal import CV4L2
internal import Glibc

/// Everything that the drivers of this machine's video and media devices answer to queries, for reports about
/// devices. Nothing is changed and nothing is streamed. It is written as JSON.
package struct DeviceReport: Sendable, Encodable {
    /// The version of this document's format.
    let report = 1
    let program: String
    /// Release and machine of the kernel, such as `6.1.0-56-amd64` and `x86_64`.
    let kernel, machine: String
    let video: [VideoNode]
    let media: [MediaNode]

    /// Asks all drivers. A device that hangs blocks this, for 5 s for each query with a UVC camera.
    ///
    /// - Parameters:
    ///   - program: the program's version.
    ///   - withSerials: whether serial numbers, and links whose names contain them, are part of the report.
    package init(program: String, withSerials: Bool) {
        var system = utsname()
        uname(&system)
        self.program = program
        (kernel, machine) = (deviceText(system.release), deviceText(system.machine))
        let links = DeviceScan.linksByDevice()
        video = DeviceScan.nodes("video").map {
            VideoNode(named: $0, links: links["/dev/" + $0] ?? [], withSerials: withSerials)
        }
        media =
            MediaDevices.withoutOwnLocks {
                DeviceScan.nodes("media").map { MediaNode(named: $0, withSerials: withSerials) }
            } ?? []
    }

    /// What a driver answered, or the name of its error.
    enum Answer<Value: Sendable & Encodable>: Sendable, Encodable {
        case value(Value)
        case error(String)

        private enum Key: CodingKey { case error }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .value(let value): try value.encode(to: encoder)
            case .error(let text):
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(text, forKey: .error)
            }
        }

        /// Calls the driver with a zeroed structure of C, and reads the answer from it.
        init<Found>(_ found: Found, _ call: (inout Found) -> Int32, _ value: (Found) -> Value) {
            var found = found
            let result = call(&found)
            self = result == 0 ? .value(value(found)) : .error(String(cString: strerror(-result)))
        }
    }

    /// The answers of an enumeration, up to the first error.
    static func list<Found, Value>(
        atMost limit: UInt32, _ zero: Found, _ call: (UInt32, inout Found) -> Int32, _ value: (Found) -> Value
    ) -> [Value] {
        var values: [Value] = []
        for index in 0..<limit {
            var found = zero
            guard call(index, &found) == 0 else { break }
            values.append(value(found))
        }
        return values
    }

    /// As in V4L2's header, such as `0x85200001`.
    static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Three bytes of a number, such as `6.1.192`.
    static func version(_ number: UInt32) -> String {
        "\(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)"
    }
}
