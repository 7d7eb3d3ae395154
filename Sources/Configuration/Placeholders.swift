internal import Contract

/// A property of a device that a value can name as `{hostname}`, so that one configuration serves many
/// devices.
package enum DeviceProperty: String, CaseIterable, Sendable {
    case hostname
    /// A hash of the machine's identifier that only this program has.
    case machineID = "machine_id"
    /// The serial number of the board.
    case serial
    /// The address of the first network interface.
    case mac
    /// The common name of the client's certificate (`mqtt.tls.cert_file`).
    case commonName = "cn"

    /// For messages.
    var words: String {
        switch self {
        case .hostname: "host name"
        case .machineID: "machine identifier"
        case .serial: "serial number"
        case .mac: "network interface"
        case .commonName: "common name in mqtt.tls.cert_file"
        }
    }
}

/// A device has no such property.
package struct MissingProperty: Error {
    /// Completes "this device has no …: ".
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// A property of the device as text.
///
/// - Parameter certificate: the path of the client's certificate; nil: none is set.
package typealias DeviceProperties = (
    _ property: DeviceProperty, _ certificate: String?
) throws(MissingProperty) -> String

/// The characters that a property may have in a value. Each other one becomes `-`.
enum PlaceholderUse: Sendable {
    /// Those of names in topics, in lower case.
    case name
    /// Letters, digits, `.`, `_` and `-`, without a full stop at the beginning: one component of a path.
    case component

    func sanitised(_ text: String) -> String {
        var kept: [UInt8] = []
        for byte in (self == .name ? text.lowercased() : text).utf8 {
            kept.append(keeps(byte) ? byte : UInt8(ascii: "-"))
        }
        if kept.first == UInt8(ascii: ".") { kept[0] = UInt8(ascii: "-") }
        return String(decoding: kept, as: UTF8.self)
    }

    private func keeps(_ byte: UInt8) -> Bool {
        byte.isPartOfName || self == .component && (byte.isLetterOrDigit || byte == UInt8(ascii: "."))
    }
}

/// A text with values in the place of its placeholders; nil: it has no braces.
///
/// - Throws: an error for a placeholder that does not exist, or that has no value.
func expanded(
    _ node: YAMLNode, _ value: (DeviceProperty) throws(ValueError) -> String
) throws(ValueError) -> YAMLNode? {
    guard case .scalar(let text, let style) = node.content, text.contains(where: { $0 == "{" || $0 == "}" })
    else { return nil }
    let known = "known are " + DeviceProperty.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
    var (result, rest) = ("", text[...])
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
        guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
            throw ValueError(node, "a brace without its other one; \(known)")
        }
        let name = rest[rest.index(after: brace)..<end]
        guard let property = DeviceProperty(rawValue: String(name)) else {
            throw ValueError(node, "unknown placeholder {\(name.prefix(40))}; \(known)")
        }
        result += try rest[..<brace] + value(property)
        rest = rest[rest.index(after: end)...]
    }
    return YAMLNode(content: .scalar(result + rest, style), origin: node.origin)
}
