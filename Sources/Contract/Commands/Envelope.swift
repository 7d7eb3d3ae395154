package import FoundationEssentials
package import ZoomModel

/// The fields that every command may have beside those of its node.
package struct Envelope: Sendable, Equatable {
    /// Echoed in the answer; at most 64 bytes.
    package var id: String?
    /// The sender: as the payload names it, until the front end knows more.
    package var client: ClientIdentity?
    /// When the command expires: its `ts` and its `ttl_ms` together; nil: never.
    package var expiry: Date?
    /// The command is refused if the camera has another `rev`.
    package var ifRev: Int?
    /// When the command is to be carried out; nil: at once.
    package var at: Date?
    /// The command waits for ``at`` also where the machine's clock isn't synchronised.
    package var isForAnyClock = false

    package init(
        id: String? = nil, client: ClientIdentity? = nil, expiry: Date? = nil, ifRev: Int? = nil,
        at: Date? = nil
    ) {
        (self.id, self.client, self.expiry, self.ifRev, self.at) = (id, client, expiry, ifRev, at)
    }

    /// The names of these fields: no control of a camera can have them.
    package static let names = ["id", "client", "ts", "ttl_ms", "if_rev", "at", "at_any_clock", "cancel"]

    /// Reads the sender from any payload. The envelope is empty if the payload cannot be read.
    package init(sentIn payload: [UInt8]) {
        guard payload.count <= Command.largest, let part = try? JSON(reading: payload, within: .command),
            var fields = try? Fields(part)
        else { return }
        try? readSender(&fields)
    }

    /// Reads the sender, which an answer needs even if the rest cannot be read.
    mutating func readSender(_ fields: inout Fields) throws(CommandError) {
        id = try fields.text("id", atMost: 64)
        client = try fields.text("client", atMost: 64).map(ClientIdentity.init(claimed:))
    }

    /// - Parameter withTTL: false where `ttl_ms` is the node's own.
    mutating func readConditions(_ fields: inout Fields, withTTL: Bool) throws(CommandError) {
        ifRev = try fields.integer("if_rev", in: 0...Int.max)
        let made = try fields.time("ts")
        if withTTL, let milliseconds = try fields.integer("ttl_ms", in: 1...Int.max) {
            guard let made else { throw fields.error("ttl_ms", "it requires \"ts\", from which it counts.") }
            expiry = made.addingTimeInterval(Double(milliseconds) / 1000)
        }
    }

    /// Reads when the command is to be carried out.
    mutating func readTime(_ fields: inout Fields) throws(CommandError) {
        at = try fields.time("at")
        if let flag = try fields.bool("at_any_clock") {
            if at == nil { throw fields.error("at_any_clock", "it requires \"at\".") }
            isForAnyClock = flag
        }
    }
}
