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
            case .object(let object) = part
        else { return }
        var fields = FieldReader(object, .strict)
        let envelope = fields.read(Fields<RefreshSet>.self)
        (id, client) = (envelope.id, envelope.client.map(ClientIdentity.init(claimed:)))
    }

    /// Reads the fields, as far as there is no error: an answer needs the sender even if the rest cannot be
    /// read.
    mutating func read<Command: CommandForm>(_ fields: inout FieldReader, of command: Command.Type) {
        let envelope = fields.read(Fields<Command>.self)
        (id, client) = (envelope.id, envelope.client.map(ClientIdentity.init(claimed:)))
        if let milliseconds = envelope.milliseconds {
            expiry = envelope.made?.addingTimeInterval(Double(milliseconds) / 1000)
        }
        (ifRev, at) = (envelope.ifRev, envelope.at)
        isForAnyClock = at != nil && envelope.isForAnyClock ?? false
    }

    /// Those of the commands of a node.
    struct Fields<Command: CommandForm>: Form {
        let id: String?
        let client: String?
        let ifRev: Int?
        let made: Date?
        let milliseconds: Int?
        let at: Date?
        let isForAnyClock: Bool?

        init(_ f: inout some FormVisitor<Self>) {
            id = f.maybe(
                "id", \.id, .upTo(64),
                "Names the command in answers, `origin` and events.")
            client = f.maybe(
                "client", \.client, .upTo(64),
                "The name that the sender gives itself.")
            ifRev = f.maybe(
                "if_rev", \.ifRev, .from(0),
                "Another `rev` of the camera is a `conflict`.")
            made = f.maybe("ts", \.made, .any, "When the command was made.")
            if Command.redefinesTTL {
                milliseconds = nil
            } else {
                milliseconds = f.maybe(
                    "ttl_ms", \.milliseconds, .from(1),
                    "Milliseconds after which it is `stale`; needs `ts`.")
                f.refuse(
                    ["ttl_ms"], if: milliseconds != nil, when: .without(["ts"]),
                    "it requires \"ts\", from which it counts.")
            }
            guard Command.mayWait else {
                (at, isForAnyClock) = (nil, nil)
                return
            }
            at = f.maybe(
                "at", \.at, .any,
                "When it is carried out, at most an hour ahead.")
            isForAnyClock = f.maybe(
                "at_any_clock", \.isForAnyClock, .any,
                "With `at`: also if the machine's clock is not synchronised.")
            f.refuse(
                ["at_any_clock"], if: isForAnyClock != nil, when: .without(["at"]), "it requires \"at\".")
        }
    }

    /// Instead of the fields of a node.
    package struct Cancel: CommandForm {
        package let id: String

        package var policy: CommandPolicy {
            CommandPolicy(needsDevice: false, runsOnce: false, isRateLimited: false)
        }

        package init(_ f: inout some FormVisitor<Self>) {
            id = f(
                "cancel", \.id, .upTo(64),
                """
                Cancels the command of the same client with this `id` that waits for its time (`at`) on the \
                same node.
                """)
        }
    }
}
