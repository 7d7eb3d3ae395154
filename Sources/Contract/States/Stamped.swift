package import ZoomModel

/// Which change of a camera a state belongs to, and when it was published.
package struct Stamp: Sendable, Equatable, Decodable, FrequentMessage {
    /// Grows with each change of the camera, over restarts too.
    package var rev: Int
    /// The agent's count of starts.
    package var boot: Int
    /// The source of the last change of this state; nil: the state doesn't tell it.
    var origin: Origin?
    package var ts: String

    package init(rev: Int, boot: Int, origin: Origin? = nil, ts: String) {
        (self.rev, self.boot, self.origin, self.ts) = (rev, boot, origin, ts)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("origin", origin)
        json.field("ts", ts)
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

extension Stamped: Encodable where State: Encodable {
    package func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        try stamp.encode(to: encoder)
    }
}

extension Stamped: Decodable where State: Decodable {
    package init(from decoder: any Decoder) throws {
        self.init(try State(from: decoder), try Stamp(from: decoder))
    }
}

extension Stamped: FrequentMessage where State: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        value.writeFields(to: &json)
        stamp.writeFields(to: &json)
    }
}
