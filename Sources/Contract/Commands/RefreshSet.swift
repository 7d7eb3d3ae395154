/// The payload of `refresh/set`, which asks for all retained messages: it is empty, or an object with the
/// fields that every command may have.
package struct RefreshSet: CommandForm {
    package var envelope = Envelope()
    /// Why the payload cannot be read; nil: it can be.
    package private(set) var error: CommandError?

    package static let ofEmptyPayload: Self? = Self()

    package var policy: CommandPolicy { CommandPolicy() }

    private init() {}

    package init(_ f: inout some FormVisitor<Self>) {}

    /// Reads a payload. For any bytes, the result has the sender or the error.
    package init(payload: [UInt8]) {
        let (envelope, content) = Self.receive(payload)
        self.envelope = envelope
        switch content {
        case .failure(let error): self.error = error
        case .success:
            if envelope.ifRev != nil {
                error = CommandError(
                    .badPayload, "if_rev: only for commands of a camera's nodes.", field: "if_rev")
            }
        }
    }
}
