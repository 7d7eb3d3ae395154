import FoundationEssentials
import TestSupport
import Testing

@testable import Contract

/// The declarations of forms: reading, writing and describing them.
struct FormTests {
    @Test(arguments: ShelfItem.distinctObjects() + ShelfCommand.distinctObjects())
    func aDistinctObjectIsAnObject(_ json: JSON) { #expect(json.object?.isEmpty == false) }

    @Test func whatIsWrittenIsReadAgain() throws {
        #expect(try ShelfItem.changedInRoundTrip().isEmpty)
        #expect(try ShelfCommand.changedInRoundTrip().isEmpty)
        #expect(ShelfCommand.distinctObjects().count == 4)
    }

    @Test func fieldsAreWrittenInTheirOrderAndRounded() {
        let item = ShelfItem(
            size: ShelfSize(width: 0.1234567, height: 2), kind: .box, count: 3, isOpen: false, note: nil,
            made: nil,
            parts: [ShelfSize(width: 1, height: 0)], values: ["b": .flag(true), "a": .number(0.5)], names: [])
        #expect(
            String(decoding: JSON.bytes(item), as: UTF8.self)
                == #"{"width":0.123457,"height":2,"kind":"box","count":3,"open":false,"#
                + #""parts":[{"width":1,"height":0}],"values":{"a":0.5,"b":true},"names":[]}"#)
    }

    @Test(arguments: [
        (#"{"take":"a","nosuch":1}"#, "nosuch: unknown field."),
        (#"{"take":1}"#, "take: expected a text of 1 to 8 bytes, found 1."),
        (#"{"take":"123456789"}"#, "take: expected a text of 1 to 8 bytes, found 9 bytes."),
        (#"{"take":null}"#, "take: expected a text of 1 to 8 bytes, found null."),
        (#"{}"#, "Send exactly one of take, width, sort and stop; found 0."),
        (#"{"take":"a","stop":true}"#, "Send exactly one of take, width, sort and stop; found 2."),
        (#"{"stop":false}"#, "stop: the only allowed value is true."),
        (#"{"stop":3}"#, "stop: expected true or false, found 3."),
        (#"{"take":"a","height":2}"#, "height: allowed only with width."),
        (#"{"width":0}"#, "width: expected a number above 0, found 0."),
        (#"{"width":1,"height":5}"#, "height: expected a number from 0 to 4, found 5."),
        (#"{"sort":{"items":[{}]}}"#, "sort.items.0.id: required: a name or a number."),
        (
            #"{"sort":{"items":[{"id":2,"at":"x"}]}}"#,
            "sort.items.0.at: expected a time such as 2026-01-31T12:00:00Z, found \"x\"."
        ),
        (#"{"sort":{"items":[3]}}"#, "sort.items: expected a list of at most 2 objects, found 3."),
        (#"{"sort":{"items":[{},{},{}]}}"#, "sort.items: expected a list of at most 2 objects, found 3."),
        (#"{"sort":{"items":[],"more":1}}"#, "sort.more: unknown field."),
        (#"{"sort":{"items":[],"by":"size"}}"#, "sort.by: expected one of \"box\", \"jar\", found \"size\"."),
        (
            #"{"sort":{"items":[],"tags":[]}}"#,
            "sort.tags: expected a text, or a list of 1 to 2 texts, each of 1 to 4 bytes, found 0."
        ),
        (
            #"{"sort":{"items":[],"tags":["a",""]}}"#,
            "sort.tags: expected a text, or a list of 1 to 2 texts, each of 1 to 4 bytes, found \"\"."
        ),
        (#"{"sort":{"items":[],"limit":0}}"#, "sort.limit: expected a whole number from 1, found 0."),
        (#"{"sort":{"items":[],"limit":77}}"#, "sort.limit: too much."),
    ]) func anErrorNamesTheFieldAndWhatWasExpected(_ payload: String, _ message: String) throws {
        let json = try #require(JSON(Array(payload.utf8)))
        #expect(throws: CommandError(.badPayload, message, field: field(of: message))) {
            try ShelfCommand(json, .strict)
        }
    }

    private func field(of message: String) -> String? {
        message.hasPrefix("Send") ? nil : String(message.prefix { $0 != ":" })
    }

    /// An agent of a later version may write more than this one knows.
    @Test func aLenientReaderIgnoresWhatItDoesNotKnow() throws {
        let payload =
            #"{"width":1,"height":2,"kind":"crate","count":2.0,"note":null,"new":[],"parts":[],"names":[]}"#
        let item = try ShelfItem(try #require(JSON(Array(payload.utf8))), .lenient)
        #expect(item.kind == .jar)
        #expect(item.count == 2)
        #expect(item.note == nil)
        #expect(item.isOpen)
    }

    /// A command has at most 64 fields, a message any number.
    @Test func fieldsAfterTheFirst64AreReadOnce() throws {
        let names = (0..<70).map { "x\($0)" }
        var members = names.map { #""\#($0)":1"# }
        members.insert(contentsOf: [#""width":2"#, #""height":3"#, #""note":"n""#], at: 66)
        let payload = "{\(members.joined(separator: ","))}"
        let labels = try #require(JSON.value(ShelfLabels.self, from: Array(payload.utf8)))
        #expect(labels.size == ShelfSize(width: 2, height: 3) && labels.note == "n")
        #expect(Set(labels.values.keys) == Set(names))
    }

    @Test func theDescriptionHasAllFields() {
        let form = ShelfCommand.description
        #expect(form.fields.map(\.name) == ["take", "width", "height", "sort", "stop"])
        #expect(form.options == ["take", "width", "sort", "stop"])
        guard case .object(let sort?) = form.fields[3].kind, case .usual("2") = sort.fields[3].presence else {
            Issue.record("\(form.fields[3])")
            return
        }
    }
}

// MARK: Forms of these tests

enum ShelfKind: String, FieldWord { case box, jar }

struct ShelfSize: Equatable {
    var width: Double
    var height: Double?
}

extension ShelfSize: Form {
    init(_ f: inout some FormVisitor<Self>) {
        width = f.option("width", \.width, .above(0).rounded, "how wide") ?? 1
        height = f.maybe("height", \.height, .within(0...4), "how high")
        f.only("height", with: "width")
    }
}

struct ShelfItem: Equatable {
    var size: ShelfSize
    var kind: ShelfKind
    var count: Int
    var isOpen: Bool
    var note: String?
    var made: Date?
    var parts: [ShelfSize]
    var values: [String: ControlValue]?
    var names: [String]
}

extension ShelfItem: Form {
    init(_ f: inout some FormVisitor<Self>) {
        size = f.group(\.size)
        kind = f("kind", \.kind, .orElse(.jar), "what it is")
        count = f("count", \.count, .within(0...9), "how many")
        isOpen = f("open", \.isOpen, .any, default: true, "whether it is open")
        note = f.maybe("note", \.note, .any, "for people")
        made = f.maybe("made", \.made, .any, "when it was made")
        parts = f("parts", \.parts, .each(.any), "its parts")
        values = f.maybe("values", \.values, .each(.any), "by name")
        names = f("names", \.names, .each(.any), "its names")
    }
}

struct ShelfLabels: Equatable {
    var size: ShelfSize?
    var note: String?
    var values: [String: ControlValue]
}

extension ShelfLabels: Form {
    init(_ f: inout some FormVisitor<Self>) {
        size = f.maybeGroup(\.size)
        note = f.maybe("note", \.note, .any, "for people")
        values = f.others(\.values, .any, "by name")
    }
}

struct ShelfOrder: Equatable {
    struct Item: Equatable {
        var id: String
        var at: Date?
    }

    var items: [Item]
    var kind: ShelfKind?
    var tags: [String]?
    var limit: Int
}

extension ShelfOrder.Item: Form {
    init(_ f: inout some FormVisitor<Self>) {
        id = f("id", \.id, .upTo(8, .orNumber), "", missing: "required: a name or a number.")
        at = f.maybe("at", \.at, .any, "")
    }
}

extension ShelfOrder: Form {
    init(_ f: inout some FormVisitor<Self>) {
        items = f("items", \.items, .upTo(2, each: .any), "what is sorted")
        kind = f.maybe("by", \.kind, .any, "by what")
        tags = f.maybe("tags", \.tags, .oneOrList(of: 1...2, each: .upTo(4)), "names")
        limit = f("limit", \.limit, .from(1), default: 2, "how many")
        let limit = limit
        f.check(limit != 77, "limit", "too much.")
    }
}

enum ShelfCommand: Equatable {
    case take(String)
    case size(ShelfSize)
    case sort(ShelfOrder)
    case stop
}

extension ShelfCommand: Form {
    init(_ f: inout some FormVisitor<Self>) {
        let take = f.option("take", { if case .take(let name) = $0 { name } else { nil } }, .upTo(8), "")
        let size = f.maybeGroup { if case .size(let size) = $0 { size } else { nil } } as ShelfSize?
        let sort = f.option("sort", { if case .sort(let sort) = $0 { sort } else { nil } }, .any, "")
        let stop = f.option("stop", { $0 == .stop ? true : nil }, .onlyTrue, "stops")
        self =
            f.one(take.map(Self.take), size.map(Self.size), sort.map(Self.sort), stop.map { _ in .stop })
            ?? .stop
    }
}
