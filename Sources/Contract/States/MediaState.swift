/// What a file of a camera is.
package enum MediaKind: String, Sendable, Codable, CaseIterable {
    case photo, recording
}

/// A photo or a recording in the camera's folder.
package struct MediaFields: Sendable, Equatable, Codable {
    package var name: String
    package var kind: MediaKind
    package var contentType: String
    /// One of ``sizes``, where it comes from an agent that keeps to the contract.
    package var bytes: Int
    /// When the photo was exposed or the recording was started, as the name says.
    package var createdAt: String
    /// Another text when the file has changed; nil in a list.
    package var version: String?
    /// The SHA-256 of the file, in hexadecimal; nil in a list, and while it is being computed.
    package var sha256: String?

    private enum CodingKeys: String, CodingKey {
        case name, kind
        case contentType = "content_type"
        case bytes
        case createdAt = "created_at"
        case version, sha256
    }

    package init(
        name: String, kind: MediaKind, contentType: String, bytes: Int, createdAt: String,
        version: String? = nil, sha256: String? = nil
    ) {
        (self.name, self.kind, self.contentType, self.bytes) = (name, kind, contentType, bytes)
        (self.createdAt, self.version, self.sha256) = (createdAt, version, sha256)
    }

    /// The sizes of files. All files of a folder together have at most 1024 TiB.
    package static let sizes = 0...1 << 50
}

/// The metadata of a part of a file, as an MQTT 5 message carries them beside its bytes.
package struct MediaPartFields: Sendable, Equatable {
    var name: String
    package var contentType: String
    /// The first byte.
    var offset: Int
    /// The size of the file in bytes.
    var total: Int
    var version: String

    package init(name: String, contentType: String, offset: Int, total: Int, version: String) {
        (self.name, self.contentType, self.offset) = (name, contentType, offset)
        (self.total, self.version) = (total, version)
    }

    package var properties: [(name: String, value: String)] {
        [("name", name), ("offset", "\(offset)"), ("total", "\(total)"), ("version", version)]
    }
}

/// The state of `media`: what is in the camera's folders.
package struct MediaState: Sendable, Equatable, Codable {
    /// Files of one kind, and their bytes together.
    package struct Amount: Sendable, Equatable, Codable {
        package var count: Int
        package var bytes: Int

        package init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }
    }

    package var photos: Amount
    package var recordings: Amount
    /// The name of the newest file; nil: there is none.
    package var newest: String?

    package init(photos: Amount = .init(), recordings: Amount = .init(), newest: String? = nil) {
        (self.photos, self.recordings, self.newest) = (photos, recordings, newest)
    }
}
