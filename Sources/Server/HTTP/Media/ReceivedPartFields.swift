/// The fields of an answer to `get` of `media`, from its user properties.
struct ReceivedPartFields: Equatable {
    private static let maxVersionBytes = 64

    /// The place of the first byte in the file.
    let offset: Int
    /// The bytes of the whole file.
    let total: Int
    /// Another text when the file has changed.
    let version: String

    /// The entity tag of the version (RFC 9110, 8.8.3); nil: the version has characters that no tag has.
    var tag: String? {
        version.utf8.allSatisfy { $0 == 0x21 || 0x23...0x7e ~= $0 } ? "\"\(version)\"" : nil
    }

    /// - Returns: nil: a field is missing, or is none of the contract.
    init?(_ user: [(name: String, value: String)]) {
        func value(_ name: String) -> String? { user.first { $0.name == name }?.value }
        guard let offset = value("offset").flatMap({ Int($0) }), offset >= 0,
            let total = value("total").flatMap({ Int($0) }), total >= offset,
            let version = value("version"), 1...Self.maxVersionBytes ~= version.utf8.count
        else { return nil }
        (self.offset, self.total, self.version) = (offset, total, version)
    }
}
