/// The payload of `media/set`: lists, describes, reads or deletes files of photos and recordings.
package enum MediaSet: Sendable, Equatable, CommandContent {
    /// A page of the list, the newest file first.
    package struct Page: Sendable, Equatable {
        /// Nil: both.
        package var kind: MediaKind?
        /// Only files that are older than the one with this name, which need not exist any more.
        package var before: String?
        /// How many files, 1…100.
        package var limit = 20

        init() {}
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

    /// The most bytes of one answer to `get`.
    package static let longestPart = 131_072
    /// The longest name of a file, in bytes.
    static let longestName = 255
    private static let longestVersion = 64

    init(_ fields: inout Fields) throws(CommandError) {
        let page = try fields.object("list") { (fields) throws(CommandError) in try Self.page(&fields) }
        let described = try Self.name("describe", &fields)
        let got = try Self.name("get", &fields)
        let deleted = try Self.name("delete", &fields)
        let offset = try fields.integer("offset", in: 0...Int.max)
        let length = try fields.integer("length", in: 1...Self.longestPart)
        let version = try fields.text("version", atMost: Self.longestVersion)
        try fields.refuseOthers()
        switch (page, described, got, deleted) {
        case (let page?, nil, nil, nil): self = .list(page)
        case (nil, let name?, nil, nil): self = .describe(name)
        case (nil, nil, let name?, nil):
            var part = Part(name: name)
            (part.offset, part.length) = (offset ?? part.offset, length ?? part.length)
            part.version = version
            self = .get(part)
        case (nil, nil, nil, let name?): self = .delete(name)
        default:
            throw CommandError(
                .badPayload, "Send exactly one of list, describe, get and delete, the last three with a name."
            )
        }
        if got == nil { try fields.refuse("offset", "length", "version", because: "allowed only with get.") }
    }

    private static func page(_ fields: inout Fields) throws(CommandError) -> Page {
        var page = Page()
        page.kind = try fields.word("kind", of: MediaKind.self)
        page.before = try name("before", &fields)
        page.limit = try fields.integer("limit", in: 1...100) ?? page.limit
        return page
    }

    /// The name of a file, without a folder.
    private static func name(_ name: String, _ fields: inout Fields) throws(CommandError) -> String? {
        guard let text = try fields.text(name, atMost: longestName) else { return nil }
        guard text.utf8.allSatisfy(\.isPartOfFileName), !text.hasPrefix(".") else {
            throw fields.error(
                name, "a name of a photo or recording is expected, as in the list, without its folder.")
        }
        return text
    }
}
