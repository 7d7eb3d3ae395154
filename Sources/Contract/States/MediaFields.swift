/// What a file of a camera is.
package enum MediaKind: String, Sendable, FieldWord { case photo, recording }

/// A photo or a recording in the camera's folder.
package struct MediaFields: Sendable, Equatable, Form {
    package var name: String
    package var kind: MediaKind
    package var contentType: String
    package var bytes: Int
    package var createdAt: String
    /// Nil in a list.
    package var version: String?
    package var sha256: String?

    package init(
        name: String, kind: MediaKind, contentType: String, bytes: Int, createdAt: String,
        version: String? = nil, sha256: String? = nil
    ) {
        (self.name, self.kind, self.contentType, self.bytes) = (name, kind, contentType, bytes)
        (self.createdAt, self.version, self.sha256) = (createdAt, version, sha256)
    }

    /// The sizes of files. All files of a folder together have at most 1024 TiB.
    package static let sizes = 0...1 << 50

    package init(_ f: inout some FormVisitor<Self>) {
        name = f("name", \.name, .fileName, "Of its file, without the folder.")
        kind = f("kind", \.kind, .any, "What it is.")
        contentType = f(
            "content_type", \.contentType, .oneOf("image/jpeg", "video/mp4", "video/x-matroska"), "MIME type."
        )
        bytes = f("bytes", \.bytes, .within(Self.sizes), "Size of the file.")
        createdAt = f("created_at", \.createdAt, .stamp, "Exposure, or start of the recording.")
        version = f.maybe("version", \.version, .id, "Another text when the file has changed.")
        sha256 = f.maybe("sha256", \.sha256, .within(64...64, .hexadecimal), "Of the file.")
        f.demand("version", when: .given("sha256"), "required with sha256.")
    }
}

/// The metadata of a part of a file, beside its bytes.
package struct MediaPartFields: Sendable, Equatable, Form {
    var name: String
    package var contentType: String
    var offset: Int
    var total: Int
    var version: String

    package init(name: String, contentType: String, offset: Int, total: Int, version: String) {
        (self.name, self.contentType, self.offset) = (name, contentType, offset)
        (self.total, self.version) = (total, version)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        name = f("name", \.name, .fileName, "Of the file, without the folder.")
        offset = f("offset", \.offset, .count, "The first byte.")
        total = f("total", \.total, .count, "Bytes of the whole file.")
        version = f("version", \.version, .id, "Another text when the file has changed.")
        contentType = ""
    }
}
