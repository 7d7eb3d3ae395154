package import Settings
package import ZoomModel

// The parts that several messages have.

extension NumberRule {
    package static let factor = NumberRule.above(0).rounded
    package static let fraction = NumberRule.within(0...1).rounded
}

extension WholeRule {
    package static let count = WholeRule.from(0)
    package static let pixels = WholeRule.from(1)
}

extension TextRule {
    package static let id = TextRule.upTo(64)
    /// The longest name is that of a client for which another one speaks.
    package static let identity = TextRule.upTo(129)
    package static let name = TextRule.upTo(64, .name)
    /// A name for people.
    package static let title = TextRule.upTo(64, .line)
    package static let pixelFormat = TextRule.within(4...7)
}

extension ClientMode: FieldWord {}
extension ShutterAction: FieldWord {}
extension Origin.Kind: FieldWord {}

extension Viewport: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        let x = f("x", \.x, .fraction, "Left edge, 0…1 of the frame.")
        let y = f("y", \.y, .fraction, "Upper edge, 0…1 of the frame.")
        let width = f("width", \.width, .size, "1 ÷ the digital part of the zoom.")
        let height = f("height", \.height, .size, "1 ÷ the digital part of the zoom.")
        self.init(x: x, y: y, width: width, height: height)
    }
}

extension NumberRule { fileprivate static let size = NumberRule.above(0, to: 1).rounded }

extension ClientIdentity: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        let (name, isProved) = f.client({ $0.name }, { $0.isProved }, "Name of the client.")
        self.init(stored: name ?? "", isProved: isProved ?? false)
    }
}

extension FormVisitor {
    /// A client, and whether it is proved: both or neither.
    @inline(__always)
    mutating func client(
        _ name: (Subject) -> String?, _ isProved: (Subject) -> Bool?, _ sentence: String
    ) -> (name: String?, isProved: Bool?) {
        let name = maybe("client", name, .identity, sentence)
        let isProved = maybe("proved", isProved, .any, "Whether its topic proves the client.")
        demand("proved", when: .given("client"), "required with client.")
        demand("client", when: .given("proved"), "required with proved.")
        return (name, isProved)
    }
}

extension Origin: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        let client = f.maybeGroup(\.client)
        let id = f.maybe("id", \.id, .id, "Of the command.")
        // An agent of a later version may have further kinds.
        let kind = f(
            "kind", \.kind, .orElse(.external),
            "`restore`: from the state file; `external`: not by this agent.")
        self.init(client: client, id: id, kind: kind)
    }
}

/// The fields of a state; those of the stamp follow them.
package protocol StateForm: Form, Equatable, Sendable {
    /// Whether the stamp tells the origin.
    static var tellsOrigin: Bool { get }
}

extension StateForm {
    package static var tellsOrigin: Bool { false }

    /// The state as it is published: one object with its fields and those of the stamp.
    package func bytes(_ stamp: Stamp) -> [UInt8] {
        var json = JSONWriter()
        json.bracket("{")
        writeFields(to: &json)
        stamp.writeFields(to: &json)
        json.bracket("}")
        return json.bytes
    }
}

/// Which change of a camera a state belongs to, and when it was published.
package struct Stamp: Sendable, Equatable {
    package var rev: Int
    package var boot: Int
    /// The source of the last change of this state; nil: the state doesn't tell it.
    package var origin: Origin?
    package var ts: String

    package init(rev: Int, boot: Int, origin: Origin? = nil, ts: String) {
        (self.rev, self.boot, self.origin, self.ts) = (rev, boot, origin, ts)
    }

    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("rev", rev, .count)
        json.field("boot", boot, .from(1))
        if let origin { json.field("origin", origin, .any) }
        json.field("ts", ts, .stamp)
    }
}

/// A state of a camera as it is published: one object with the fields of the state and those of the stamp.
@dynamicMemberLookup
package struct Stamped<State> {
    package var value: State
    package var stamp: Stamp

    package init(_ value: State, _ stamp: Stamp) { (self.value, self.stamp) = (value, stamp) }

    package subscript<Value>(dynamicMember field: KeyPath<State, Value>) -> Value { value[keyPath: field] }
}

extension Stamped: Sendable where State: Sendable {}
extension Stamped: Equatable where State: Equatable {}

extension Stamped: Form, FieldValue where State: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        value = f.group(\.value)
        let rev = f(
            "rev", \.stamp.rev, .count, "Revision of the camera; grows with each change, over restarts too.")
        let boot = f("boot", \.stamp.boot, .from(1), "The agent's count of starts.")
        let origin = State.tellsOrigin ? f.newer("origin", \.stamp.origin, .any, "Of the last change.") : nil
        let ts = f("ts", \.stamp.ts, .stamp, "When it was published.")
        stamp = Stamp(rev: rev, boot: boot, origin: origin, ts: ts)
    }

    /// The same fields: a declaration for all types of states is not compiled for each, and takes ten times
    /// as long.
    package func writeFields(to json: inout JSONWriter) {
        value.writeFields(to: &json)
        stamp.writeFields(to: &json)
    }
}

extension Viewport {
    /// As precise as it is published.
    package var forMessages: Viewport {
        Viewport(
            x: x.forMessages, y: y.forMessages, width: width.forMessages, height: height.forMessages)
    }
}
