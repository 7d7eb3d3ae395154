extension Node {
    package static var media: Node { Node(Media.self) }

    /// The files of photos and recordings.
    package enum Media: NodeContract {
        package typealias Command = MediaSet
        package typealias State = MediaState
        package static var name: String { "media" }

        package static func role(for payload: JSONObject) -> Role? {
            payload["delete"] == nil ? .control : .manage
        }
    }
}

/// The payload of `media/set`: lists, describes, reads or deletes files of photos and recordings.
package enum MediaSet: CommandForm {
    /// A page of the list, the newest file first.
    package struct Page: Sendable, Equatable, Form {
        /// Nil: both.
        package var kind: MediaKind?
        /// Only files that are older than the one with this name, which need not exist any more.
        package var before: String?
        /// How many files, 1…100.
        package var limit = 20

        init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            kind = f.maybe("kind", \.kind, .any, "Only this kind.")
            before = f.maybe(
                "before", \.before, MediaSet.fileName,
                "Only files older than this name.")
            limit = f("limit", \.limit, .within(1...100), default: limit, "At most.")
        }
    }

    /// A part of a file.
    package struct Part: Sendable, Equatable {
        package var name: String
        /// The first byte, from 0.
        package var offset = 0
        /// How many bytes, 1…``MediaSet/longestPart``; fewer at the end of the file.
        package var length = MediaSet.longestPart
        /// The file has to be in this version; nil: in any.
        package var version: String?

        init(name: String) { self.name = name }
    }

    case list(Page)
    case describe(String)
    case get(Part)
    case delete(String)

    /// What reads may be repeated.
    package var policy: CommandPolicy {
        if case .delete = self {
            CommandPolicy(needsDevice: false)
        } else {
            CommandPolicy(needsDevice: false, runsOnce: false)
        }
    }

    /// The most bytes of one answer to `get`.
    package static let longestPart = 131_072
    /// The longest name of a file, in bytes.
    static let longestName = 255
    private static let fileName = TextRule.upTo(longestName, .fileName)

    private var part: Part? { if case .get(let part) = self { part } else { nil } }

    package init(_ f: inout some FormVisitor<Self>) {
        let page = f.option(
            "list", { if case .list(let page) = $0 { page } else { nil } }, .any,
            "The newest first.")
        let described = f.option(
            "describe", { if case .describe(let name) = $0 { name } else { nil } }, Self.fileName,
            "Describes it, with its hash.")
        let got = f.option(
            "get", \.part?.name, Self.fileName,
            "Reads a part of a file.")
        let deleted = f.option(
            "delete", { if case .delete(let name) = $0 { name } else { nil } }, Self.fileName,
            "Deletes a file.")
        let offset = f.maybe("offset", \.part?.offset, .from(0), "With `get`: the first byte.")
        let length = f.maybe(
            "length", \.part?.length, .within(1...Self.longestPart),
            "With `get`: bytes at most; absent: 131,072.")
        let version = f.maybe(
            "version", \.part?.version, .upTo(64),
            "With `get`: of the file; another is a `conflict`.")
        let part = got.map { name in
            var part = Part(name: name)
            (part.offset, part.length) = (offset ?? part.offset, length ?? part.length)
            part.version = version
            return part
        }
        self =
            f.one(
                page.map(Self.list), described.map(Self.describe), part.map(Self.get),
                deleted.map(Self.delete),
                else: "Send exactly one of list, describe, get and delete, the last three with a name.")
            ?? .delete("")
        f.refuse(["offset", "length", "version"], when: .without(["get"]), "allowed only with get.")
    }
}

/// The state of `media`: what is in the camera's folders.
package struct MediaState: Sendable, Equatable {
    /// Files of one kind, and their bytes together.
    package struct Amount: Sendable, Equatable {
        package var count = 0
        package var bytes = 0

        package init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }
    }

    package var photos: Amount
    package var recordings: Amount
    package var newest: String?

    package init(photos: Amount = .init(), recordings: Amount = .init(), newest: String? = nil) {
        (self.photos, self.recordings, self.newest) = (photos, recordings, newest)
    }
}

extension MediaState.Amount: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        count = f("count", \.count, .count, "Finished files.")
        bytes = f("bytes", \.bytes, .count, "Of them together.")
    }
}

extension MediaState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        photos = f("photos", \.photos, .any, "The finished photos.")
        recordings = f("recordings", \.recordings, .any, "The finished recordings.")
        newest = f.maybe("newest", \.newest, .fileName, "The newest file.")
    }
}
