/// Why a command wasn't carried out, in a word for programs and a sentence for people.
package struct CommandError: Error, Sendable, Equatable {
    package enum Code: String, Sendable, FieldWord {
        /// The payload isn't what the node takes.
        case badPayload = "bad_payload"
        /// There is no such camera or node.
        case badTopic = "bad_topic"
        /// The agent takes commands from proved clients only, and the topic names none.
        case unproved
        /// This camera or this version can't do it.
        case unsupported
        /// The camera or the control can't be used at the moment.
        case unavailable
        /// The command is too old, or was retained by the broker.
        case stale
        /// The same command was carried out before.
        case duplicate
        /// The camera's `rev` isn't the `if_rev` of the command.
        case conflict
        /// The camera is private: its device is closed.
        case `private`
        /// The configuration doesn't let this client do it.
        case forbidden
        /// Another client holds the lease.
        case held
        /// Something else is going on.
        case busy
        /// Its client cancelled the command before its time.
        case cancelled
        /// The payload is larger than any command.
        case tooLarge = "too_large"
        /// This client, or all clients together, sent more than the limits permit.
        case rateLimited = "rate_limited"
        /// There is no room on the disk or in the folder, or the disk does not take a change.
        case storageFull = "storage_full"
        /// The camera refused.
        case device
        /// A defect of the agent's.
        case `internal`
    }

    package let code: Code
    /// What was wrong, what was allowed, and what to do.
    package let message: String
    /// The field that it is about, with dots between levels.
    package let field: String?

    package init(_ code: Code, _ message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }
}

extension CommandError {
    /// What messages say that a sender may do, as fields of a command. Programs with options have other words
    /// for it.
    package enum Advice: String, CaseIterable {
        case anyClock = "send at_any_clock:true"
        case takeLease = "take it with force:true"
        case newCount = "send reset:true"
        case stopCaptures = ", or end some with stop:true"
    }
}

extension CommandError: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        code = f("code", \.code, .any, "For programs.")
        message = f("message", \.message, .filled, "For people.")
        field = f.maybe("field", \.field, .any, "With dots between levels.")
    }

    /// The error as a reply would have it, where no agent has answered: JSON in one line.
    package var asReply: [UInt8] {
        JSON.bytes(JSON.object(["status": .text(Reply.Status.error.rawValue), "error": json]))
    }
}
